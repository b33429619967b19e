/* mail_unhtml.c - the text of HTML mail, in one pass: tags go, lines and quotes stay. */
#include "core/notify/mail_read.h"

#include "base/utf8.h"

/* Begins and ends a line. */
static const char *const blocks[] = { "br", "p", "div", "li", "tr", "h1", "h2", "h3",
	"table", "ul", "ol", "hr", "pre" };
/* What is inside is not text. */
static const char *const silent[] = { "style", "script", "head", "title" };

static bool in_list(const char *const *list, size_t len, struct str name)
{
	for (size_t i = 0; i < len; i++)
		if (str_is_nocase(name, list[i])) return true;
	return false;
}

static void line_end(struct buf *out)
{
	if (out->len && out->at[out->len - 1] != '\n') buf_add_char(out, '\n');
}

static size_t name_end(struct str html, size_t i)
{
	while (i < html.len && ((html.at[i] | 0x20) >= 'a' && (html.at[i] | 0x20) <= 'z'))
		i++;
	while (i < html.len && html.at[i] >= '0' && html.at[i] <= '9')
		i++;
	return i;
}

/* Behind the tag; a '>' in quotes is not its end. */
static size_t tag_end(struct str html, size_t i)
{
	char quote = 0;

	for (; i < html.len; i++) {
		char c = html.at[i];

		if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '>')
			return i + 1;
	}
	return html.len;
}

/* Behind "</name", or the end. */
static size_t silent_end(struct str html, size_t i, struct str name)
{
	for (; i + 1 < html.len; i++) {
		struct str rest = str_from(html, i + 2);

		if (html.at[i] != '<' || html.at[i + 1] != '/' || rest.len < name.len)
			continue;
		bool same = true;

		for (size_t k = 0; k < name.len && same; k++)
			same = (rest.at[k] | 0x20) == (name.at[k] | 0x20);
		if (same) return tag_end(html, i);
	}
	return html.len;
}

static size_t tag_take(struct buf *out, struct str html, size_t i)
{
	bool closes = i + 1 < html.len && html.at[i + 1] == '/';
	size_t start = i + 1 + closes, stop = name_end(html, start);
	struct str name = str_first(str_from(html, start), stop - start);
	size_t end;

	if (str_starts(str_from(html, i), "<!--")) {
		int close = str_find(str_from(html, i + 4), STR("-->"));

		return close < 0 ? html.len : i + 4 + (size_t)close + 3;
	}
	if (!name.len && !closes && html.at[start < html.len ? start : i] != '!') {
		buf_add_char(out, '<');
		return i + 1;
	}
	end = tag_end(html, stop);
	if (in_list(blocks, sizeof blocks / sizeof *blocks, name)) {
		if (str_is_nocase(name, "br") || str_is_nocase(name, "p") ||
			str_is_nocase(name, "hr"))
			buf_add_char(out, '\n');
		else
			line_end(out);
	}
	if (str_is_nocase(name, "blockquote")) {
		line_end(out);
		buf_add_text(out, closes ? "\n" : "> ");
	}
	if (!closes && in_list(silent, sizeof silent / sizeof *silent, name))
		return silent_end(html, end, name);
	return end;
}

static size_t entity_take(struct buf *out, struct str html, size_t i)
{
	static const struct {
		const char *name;
		uint32_t point;
	} named[] = { { "amp", '&' }, { "lt", '<' }, { "gt", '>' }, { "quot", '"' },
		{ "apos", '\'' }, { "nbsp", ' ' }, { "eacute", 0xe9 }, { "egrave", 0xe8 },
		{ "agrave", 0xe0 }, { "ccedil", 0xe7 } };
	struct str rest = str_first(str_from(html, i + 1), 10);
	int semicolon = str_find(rest, STR(";"));
	struct str name = str_first(rest, semicolon < 0 ? 0 : (size_t)semicolon);
	uint32_t point = 0;

	for (size_t k = 0; k < sizeof named / sizeof *named; k++)
		if (str_is(name, named[k].name)) point = named[k].point;
	if (name.len > 1 && name.at[0] == '#') {
		bool hex = (name.at[1] | 0x20) == 'x';

		for (size_t k = hex ? 2 : 1; k < name.len; k++) {
			char c = name.at[k];
			uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0')
					 : hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f'
						 ? (uint32_t)((c | 0x20) - 'a' + 10)
						 : 99;

			if (digit == 99) return buf_add_char(out, '&'), i + 1;
			point = point * (hex ? 16 : 10) + digit;
			if (point > 0x10ffff) point = 0x110000; /* no letter */
		}
	}
	if (!point) {
		buf_add_char(out, '&');
		return i + 1;
	}
	utf8_add(out, point == 0xa0 ? ' ' : point);
	return i + 1 + name.len + 1;
}

void mail_unhtml(struct buf *out, struct str html)
{
	for (size_t i = 0; i < html.len;) {
		char c = html.at[i];

		if (c == '<') {
			i = tag_take(out, html, i);
		} else if (c == '&') {
			i = entity_take(out, html, i);
		} else {
			bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';

			if (!blank)
				buf_add_char(out, c);
			else if (out->len && !strchr(" \n", out->at[out->len - 1]))
				buf_add_char(out, ' ');
			i++;
		}
	}
}
