/* json_write.c - JSON text: from a tree, and piece by piece. Prefix: jw_. */
#include "base/json.h"

#include "base/json_scan.h"
#include "base/keep.h"
#include "base/real.h"
#include "base/utf8.h"

#include <math.h>

/* --- strings --- */

/* RFC 8785's escapes: the short ones where there are, \u00xx for other controls. */
static void write_escape(struct buf *out, unsigned char c)
{
	static const char letters[256] = {
		['"'] = '"',
		['\\'] = '\\',
		['\b'] = 'b',
		['\f'] = 'f',
		['\n'] = 'n',
		['\r'] = 'r',
		['\t'] = 't',
	};
	static const char hex[] = "0123456789abcdef";
	char text[6] = { '\\', letters[c] };

	if (letters[c]) {
		buf_add(out, str_make(text, 2));
		return;
	}
	memcpy(text, "\\u00", 4);
	text[4] = hex[c >> 4];
	text[5] = hex[c & 15];
	buf_add(out, str_make(text, 6));
}

/* Escapes the character at the front; returns how many bytes of `s` it was. */
static size_t write_special(struct buf *out, struct str s)
{
	size_t len = utf8_length(s.at, s.len);

	if (len == 1)
		write_escape(out, (unsigned char)s.at[0]);
	else if (len > 1)
		buf_add(out, str_first(s, len));
	else
		utf8_add(out, 0xfffd);
	return len ? len : 1;
}

/* The rest of it, from the first that does not stand for itself. */
static void write_rest(struct buf *out, const char *at, const char *end)
{
	while (at < end) {
		const char *plain;

		at += write_special(out, str_make(at, (size_t)(end - at)));
		plain = at;
		at = json_plain_end(at, end);
		buf_add(out, str_make(plain, (size_t)(at - plain)));
	}
	buf_add_char(out, '"');
}

/* Most are plain: two quotes and a copy. */
void json_write_str(struct buf *out, struct str s)
{
	const char *end = s.len ? s.at + s.len : s.at;
	const char *plain = json_plain_end(s.at, end);
	size_t len = (size_t)(plain - s.at);
	char *to;

	if (!buf_reserve(out, s.len + 2)) return;
	to = out->at + out->len;
	*to++ = '"';
	if (len) memcpy(to, s.at, len);
	to[len] = '"';
	out->len += len + 1 + (plain == end);
	if (plain < end) write_rest(out, plain, end);
}

/* --- trees --- */

/* ECMAScript's shortest form */
static void json_write_real(struct buf *out, double value)
{
	char text[REAL_SIZE];

	if (!isfinite(value))
		buf_add(out, STR("null"));
	else
		buf_add(out, str_make(text, real_write(value, text)));
}

static void write_array(struct buf *out, const struct json *j)
{
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < j->count; i++) {
		if (i) buf_add_char(out, ',');
		json_write(out, &j->items[i]);
	}
	buf_add_char(out, ']');
}

static void write_object(struct buf *out, const struct json *j)
{
	buf_add_char(out, '{');
	for (uint32_t i = 0; i < j->count; i++) {
		if (i) buf_add_char(out, ',');
		json_write_str(out, j->members[i].name);
		buf_add_char(out, ':');
		json_write(out, &j->members[i].value);
	}
	buf_add_char(out, '}');
}

struct str json_keep(const struct json *json, struct arena *arena)
{
	struct buf b = { 0 };

	json_write(&b, json);
	return buf_keep_done(&b, arena);
}

struct str json_with(const struct json *object, const char *name, struct str value,
	struct arena *arena)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	jw_object(&w);
	for (uint32_t i = 0; json_is(object, JSON_OBJECT) && i < object->count; i++) {
		const struct json_member *m = &object->members[i];

		if (str_is(m->name, name)) continue;
		jw_name(&w, m->name);
		jw_json(&w, &m->value);
	}
	jw_put_raw(&w, name, value);
	jw_object_end(&w);
	return buf_keep_done(w.out, arena);
}

void json_write(struct buf *out, const struct json *j)
{
	switch (j ? j->type : JSON_NULL) {
	case JSON_NULL: buf_add(out, STR("null")); break;
	case JSON_FALSE: buf_add(out, STR("false")); break;
	case JSON_TRUE: buf_add(out, STR("true")); break;
	case JSON_NUMBER: buf_add(out, j->text); break;
	case JSON_STRING: json_write_str(out, j->text); break;
	case JSON_ARRAY: write_array(out, j); break;
	case JSON_OBJECT: write_object(out, j); break;
	}
}

/* --- piece by piece --- */

static void line_start(struct buf *out, size_t depth)
{
	buf_add_char(out, '\n');
	for (size_t i = 0; i < depth; i++)
		buf_add(out, STR("  "));
}

static void pretty_put(struct buf *out, const struct json *j, size_t depth)
{
	bool object = json_is(j, JSON_OBJECT);

	if ((!object && !json_is(j, JSON_ARRAY)) || j->count == 0) {
		json_write(out, j);
		return;
	}
	buf_add_char(out, object ? '{' : '[');
	for (uint32_t i = 0; i < j->count; i++) {
		if (i > 0) buf_add_char(out, ',');
		line_start(out, depth + 1);
		if (object) {
			json_write_str(out, j->members[i].name);
			buf_add(out, STR(": "));
		}
		pretty_put(out, object ? &j->members[i].value : &j->items[i], depth + 1);
	}
	line_start(out, depth);
	buf_add_char(out, object ? '}' : ']');
}

void json_write_pretty(struct buf *out, const struct json *j)
{
	pretty_put(out, j, 0);
}

static void separate(struct json_writer *w)
{
	if (w->more) buf_add_char(w->out, ',');
	w->more = true;
}

static void open(struct json_writer *w, char bracket)
{
	separate(w);
	buf_add_char(w->out, bracket);
	w->more = false;
}

static void close(struct json_writer *w, char bracket)
{
	buf_add_char(w->out, bracket);
	w->more = true;
}

void jw_object(struct json_writer *w)
{
	open(w, '{');
}

void jw_object_end(struct json_writer *w)
{
	close(w, '}');
}

void jw_array(struct json_writer *w)
{
	open(w, '[');
}

void jw_array_end(struct json_writer *w)
{
	close(w, ']');
}

void jw_key_str(struct json_writer *w, struct str key)
{
	struct buf *out = w->out;
	char *at;

	if (!buf_reserve(out, key.len + strlen(",\"\":"))) return;
	at = out->at + out->len;
	if (w->more) *at++ = ',';
	*at++ = '"';
	memcpy(at, key.at, key.len);
	at += key.len;
	*at++ = '"';
	*at++ = ':';
	out->len = (size_t)(at - out->at);
	w->more = false;
}

void jw_str(struct json_writer *w, struct str s)
{
	separate(w);
	json_write_str(w->out, s);
}

void jw_name(struct json_writer *w, struct str name)
{
	jw_str(w, name);
	buf_add_char(w->out, ':');
	w->more = false;
}

void jw_text(struct json_writer *w, const char *text)
{
	if (text)
		jw_str(w, str_of(text));
	else
		jw_null(w);
}

void jw_int(struct json_writer *w, int64_t value)
{
	separate(w);
	buf_add_int(w->out, value);
}

void jw_real(struct json_writer *w, double value)
{
	separate(w);
	json_write_real(w->out, value);
}

void jw_bool(struct json_writer *w, bool value)
{
	jw_raw(w, value ? STR("true") : STR("false"));
}

void jw_null(struct json_writer *w)
{
	jw_raw(w, STR("null"));
}

void jw_json(struct json_writer *w, const struct json *j)
{
	separate(w);
	json_write(w->out, j);
}

void jw_raw(struct json_writer *w, struct str json)
{
	separate(w);
	buf_add(w->out, json);
}

void jw_members(struct json_writer *w, struct str members)
{
	if (members.len) jw_raw(w, members);
}
