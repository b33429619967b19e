/* mail_body.c - the text of a mail, as plain text and as HTML. */
#include "channel/mail/mail_body.h"

#include "channel/markup.h"

/* ---- plain ---- */

static void block_add(struct buf *out, struct str text, const char *after)
{
	if (!text.len) return;
	buf_add(out, text);
	if (text.at[text.len - 1] != '\n') buf_add_char(out, '\n');
	buf_add_text(out, after);
}

void mail_plain_add(struct buf *out, const struct mail_words *w)
{
	block_add(out, w->rule, "\n");
	block_add(out, w->notice, "\n");
	block_add(out, w->told->title, "\n");
	block_add(out, w->told->text, "\n");
	if (w->told->url.len) {
		buf_add(out, w->told->open);
		buf_add_text(out, ": ");
		block_add(out, w->told->url, "\n");
	}
	block_add(out, w->how, "\n");
	buf_add_text(out, "-- \n");
	block_add(out, w->footer, "");
	if (w->mute_url.len) {
		buf_add(out, w->mute);
		buf_add_text(out, ": ");
		block_add(out, w->mute_url, "");
	}
}

/* ---- HTML ---- */

static void element_add(
	struct buf *out, const char *tag, const char *class, struct str text)
{
	if (!text.len) return;
	if (text.at[text.len - 1] == '\n') text.len--;
	buf_print(out, "<%s class=\"%s\">", tag, class);
	markup_html(out, text);
	buf_print(out, "</%s>\n", tag);
}

static void link_add(struct buf *out, const char *class, struct str url, struct str text)
{
	if (!url.len) return;
	buf_print(out, "<p class=\"%s\"><a class=\"%s\" href=\"", class, class);
	markup_html(out, url);
	buf_add_text(out, "\">");
	markup_html(out, text);
	buf_add_text(out, "</a></p>\n");
}

static const char head[] =
	"<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<meta name=\"supported-color-schemes\" content=\"light dark\">\n"
	"<style>\n"
	":root{color-scheme:light dark}\n"
	"body{margin:0;padding:16px;background:#f5f6f8;color:#1c2330;"
	"font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\n"
	".rule,.foot,.mute{color:#5c6470;font-size:12px;margin:8px auto;max-width:640px}\n"
	".card{background:#fff;border:1px solid #d9dde4;border-radius:8px;"
	"padding:20px;margin:0 auto;max-width:598px}\n"
	".title{font-size:18px;line-height:1.35;margin:0 0 12px;overflow-wrap:anywhere}\n"
	".notice{border-left:3px solid #b3541e;padding-left:10px;margin:0 0 16px;"
	"white-space:pre-wrap}\n"
	".text,.how{white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 16px}\n"
	".how{color:#4b5463;font-size:13px;margin:0}\n"
	"p.open{margin:0 0 16px}\n"
	"a.open{display:inline-block;background:#2257d6;color:#fff;text-decoration:none;"
	"padding:9px 18px;border-radius:6px;font-weight:600}\n"
	"a.mute{color:#5c6470}\n"
	"@media (prefers-color-scheme:dark){\n"
	"body{background:#14171c;color:#e6e9ee}\n"
	".card{background:#1d2128;border-color:#363c47}\n"
	".rule,.foot,.mute,a.mute{color:#9aa3b2}\n"
	".how{color:#b4bcc9}\n"
	".notice{border-color:#e08a4f}\n"
	"a.open{background:#7aa2ff;color:#0e1420}\n"
	"}\n"
	"</style>\n";

void mail_html_add(struct buf *out, const struct mail_words *w)
{
	buf_print(out, "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n",
		lang_code(w->told->lang));
	buf_add_text(out, head);
	buf_add_text(out, "</head>\n<body>\n");
	element_add(out, "div", "rule", w->rule);
	buf_add_text(out, "<div class=\"card\">\n");
	element_add(out, "div", "notice", w->notice);
	element_add(out, "h1", "title", w->told->title);
	element_add(out, "div", "text", w->told->text);
	link_add(out, "open", w->told->url, w->told->open);
	element_add(out, "div", "how", w->how);
	buf_add_text(out, "</div>\n");
	element_add(out, "div", "foot", w->footer);
	link_add(out, "mute", w->mute_url, w->mute);
	buf_add_text(out, "</body>\n</html>\n");
}
