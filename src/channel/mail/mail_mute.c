/* mail_mute.c - the page behind the link of a mail that stops messages to one contact. GET shows and
 * changes nothing; POST, which mail programs send by themselves (RFC 8058), mutes that contact and
 * does nothing else. There is no login: the token in the address was sent to that contact. */
#include "channel/mail/mail.h"

#include "channel/markup.h"

#include "text/msg.h"

static const char mute_headers[] =
	"Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'\r\n"
	"Referrer-Policy: no-referrer\r\n"
	"X-Robots-Tag: noindex\r\n" API_HEADERS;

/* `button`: NULL: there is nothing to press. */
static void mute_page(struct request *r, int status, const char *title, struct str name,
	const char *button)
{
	struct arena *arena = &r->task.job.arena;
	struct buf b = { .max = 1 << 16 };

	buf_print(&b,
		"<!DOCTYPE html><html lang=\"%s\"><meta charset=\"utf-8\">"
		"<meta name=\"viewport\" content=\"width=device-width\"><title>Parley</title>"
		"<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;"
		"max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;"
		"padding:.5rem 1.25rem}</style><h1>",
		lang_code(r->lang));
	markup_html(&b, MSG_IN(arena, r->lang, title));
	buf_add_text(&b, "</h1><p>");
	markup_html(&b, name);
	buf_add_text(&b, "</p>");
	if (button) {
		buf_add_text(&b, "<form method=\"post\"><button>");
		markup_html(&b, MSG_IN(arena, r->lang, button));
		buf_add_text(&b, "</button></form>");
	}
	request_send(
		r, status, "text/html; charset=utf-8", str_of(mute_headers), buf_str(&b));
	buf_done(&b);
}

static void mute_done(struct request *r)
{
	if (r->task.job.err || !r->x)
		request_reply(r, STR_NONE);
	else
		mute_page(r, 200, "notify.mute.done",
			MSG_IN(&r->task.job.arena, r->lang, "mute.again"), NULL);
}

static void mute_do(struct request *r)
{
	struct task *t = &r->task;
	struct str id = t->id, owner = t->within;
	int64_t ws = t->found_ws;
	struct fault why = { 0 };

	request_renew(r);
	t->job.who =
		(struct principal){ .ws = ws, .role = ROLE_OWNER, .via = STR("link") };
	t->id = id;
	t->within = owner;
	if (json_read(STR("{\"muted\":true}"), NULL, &t->job.arena, &t->body, &why))
		request_refuse(r, ERR_MEMORY, "out of memory");
	else
		request_put(r, &use_contact_patch, mute_done);
}

static void mute_found(struct request *r)
{
	const struct job *job = &r->task.job;

	if (!r->x || (job->err && job->err != ERR_NOT_FOUND))
		request_reply(r, STR_NONE);
	else if (job->err)
		mute_page(r, 404, "notify.mute.unknown", STR_NONE, NULL);
	else if (http_request(r->x)->method == HTTP_M_POST)
		mute_do(r);
	else
		mute_page(r, 200, "notify.mute.title",
			arena_str(&r->task.job.arena, buf_str(&job->out)),
			"notify.mute.button");
}

void mail_mute(struct request *r)
{
	request_put(r, r->route->use, mute_found);
}
