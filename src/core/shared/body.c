/* body.c - reads the members of foreign JSON and notes each fault with its JSON
 * pointer. */
#include "core/shared/body.h"

#include "base/clock.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

enum { POINTER_SIZE = sizeof(((struct fault_item *)0)->pointer), EXCERPT_MAX = 40 };

static void pointer_add(char *out, size_t *len, const char *at, size_t n)
{
	size_t room = POINTER_SIZE - 1 - *len;

	if (n > room) n = room;
	memcpy(out + *len, at, n);
	*len += n;
	out[*len] = '\0';
}

static void pointer_add_name(char *out, size_t *len, struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (name.at[i] == '~')
			pointer_add(out, len, "~0", 2);
		else if (name.at[i] == '/')
			pointer_add(out, len, "~1", 2);
		else
			pointer_add(out, len, name.at + i, 1);
	}
}

static void pointer_write(const struct json_place *s, char *out, size_t *len)
{
	char digits[24];

	if (!s->up) {
		pointer_add(out, len, s->name.at ? s->name.at : "", s->name.len);
		return;
	}
	pointer_write(s->up, out, len);
	pointer_add(out, len, "/", 1);
	if (s->name.at) {
		pointer_add_name(out, len, s->name);
		return;
	}
	int n = snprintf(digits, sizeof digits, "%zu", s->index);
	pointer_add(out, len, digits, (size_t)n);
}

static void wrong_va(struct check *c, const struct json_place *s, const char *format,
	va_list args) __attribute__((format(printf, 3, 0)));

static void wrong_va(
	struct check *c, const struct json_place *s, const char *format, va_list args)
{
	char pointer[POINTER_SIZE] = "";
	char detail[sizeof(((struct fault_item *)0)->detail)];
	size_t len = 0;

	c->failed = true;
	if (!c->why) return;
	pointer_write(s, pointer, &len);
	vsnprintf(detail, sizeof detail, format, args);
	fail_at(c->why, pointer, "%s", detail);
}

void wrong(struct check *c, const struct json_place *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	wrong_va(c, s, format, args);
	va_end(args);
}

void wrong_member(struct check *c, const struct json_place *at, struct str name,
	const char *format, ...)
{
	struct json_place s = place_member(at, name);
	va_list args;

	va_start(args, format);
	wrong_va(c, &s, format, args);
	va_end(args);
}

enum err check_end(const struct check *c, const struct arena *a)
{
	if (a && a->failed) return fail(c->why, ERR_MEMORY, "out of memory");
	return c->failed ? ERR_INVALID : OK;
}

int name_find(const char *const *names, size_t len, struct str name)
{
	for (size_t i = 0; i < len; i++)
		if (names[i] && str_is(name, names[i])) return (int)i;
	return -1;
}

int members_find(const struct members *m, struct str name)
{
	for (size_t i = 0; i < m->len; i++)
		if (str_eq(m->names[i], name)) return (int)i;
	return -1;
}

bool members_read(struct check *c, const struct json_place *at, const struct json *json,
	const struct members *m, const struct members *also, const struct json **out)
{
	for (size_t i = 0; i < m->len; i++)
		out[i] = NULL;
	if (!json_is(json, JSON_OBJECT)) {
		wrong(c, at, "must be an object");
		return false;
	}
	for (uint32_t i = 0; i < json->count; i++) {
		const struct json_member *member = &json->members[i];
		int at_name = members_find(m, member->name);

		if (at_name >= 0)
			out[at_name] =
				member->value.type == JSON_NULL ? NULL : &member->value;
		else if (!also || members_find(also, member->name) < 0)
			wrong_member(c, at, member->name, "unknown member");
	}
	return true;
}

bool duration_of(const struct json *json, int64_t *ms)
{
	static const double most_s = 100.0 * 366 * 24 * 3600;
	double seconds;

	if (json_is(json, JSON_STRING)) return duration_read(json->text, ms);
	if (!json_is(json, JSON_NUMBER)) return false;
	seconds = json_real(json);
	if (!(seconds >= 0 && seconds <= most_s)) return false;
	*ms = (int64_t)(seconds * 1000);
	return true;
}

bool text_listed(const struct str *list, size_t len, struct str text)
{
	for (size_t i = 0; i < len; i++)
		if (str_eq(list[i], text)) return true;
	return false;
}

bool text_plain_name(struct str s, const char *others, size_t most)
{
	for (size_t i = 0; i < s.len; i++)
		if (!(s.at[i] >= 'a' && s.at[i] <= 'z') &&
			!(s.at[i] >= '0' && s.at[i] <= '9') &&
			!memchr(others, s.at[i], strlen(others)))
			return false;
	return s.len && s.len <= most;
}

bool text_blank(struct str s)
{
	int32_t c;

	while ((c = utf8_next(&s)) >= 0) {
		bool space = c <= ' ' || c == 0xa0 || c == 0x1680 ||
			     (c >= 0x2000 && c <= 0x200b) || c == 0x2028 || c == 0x2029 ||
			     c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
		if (!space) return false;
	}
	return true;
}

/* Bytes suffice: C0 and DEL are bytes, C1 is C2 80..9F, U+2028 and U+2029 are E2 80
 * A8/A9. */
bool text_one_line(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.at[i];

		if (c >= 0x20 && c < 0x7f) continue;
		if (c < 0x20 || c == 0x7f) return false;
		if (c == 0xc2 && i + 1 < s.len && (unsigned char)s.at[i + 1] < 0xa0)
			return false;
		if (c == 0xe2 && i + 2 < s.len && (unsigned char)s.at[i + 1] == 0x80 &&
			((unsigned char)s.at[i + 2] & 0xfe) == 0xa8)
			return false;
	}
	return true;
}

bool text_longer(struct str s, size_t max)
{
	return s.len > max && utf8_count(s) > max;
}

struct str text_excerpt(struct str s)
{
	return utf8_first(s, EXCERPT_MAX);
}

static size_t line_end(struct str s, size_t i)
{
	if (s.at[i] == '\r') return i + 1 < s.len && s.at[i + 1] == '\n' ? 2 : 1;
	if (s.at[i] == '\n' || s.at[i] == '\v' || s.at[i] == '\f') return 1;
	if (s.len - i >= 2 && memcmp(s.at + i, "\xc2\x85", 2) == 0) return 2;
	if (s.len - i >= 3 && memcmp(s.at + i, "\xe2\x80\xa8", 3) == 0) return 3;
	if (s.len - i >= 3 && memcmp(s.at + i, "\xe2\x80\xa9", 3) == 0) return 3;
	return 0;
}

void text_flatten(struct buf *out, struct str s)
{
	size_t start = 0, skip;

	for (size_t i = 0; i < s.len; i += skip ? skip : 1) {
		skip = line_end(s, i);
		if (!skip) continue;
		buf_add(out, str_make(s.at + start, i - start));
		buf_add_char(out, ' ');
		start = i + skip;
	}
	buf_add(out, str_from(s, start));
}

struct str text_read(struct check *c, const struct json_place *at, struct str name,
	const struct json *json, size_t max, unsigned shape)
{
	struct str text = json_text(json);

	if (!json) {
		if (shape & TEXT_NEEDED) wrong_member(c, at, name, "required");
		return STR_NONE;
	}
	if (json->type != JSON_STRING)
		wrong_member(c, at, name, "must be a string");
	else if ((shape & TEXT_FILLED) && text_blank(text))
		wrong_member(c, at, name, "must not be empty");
	else if (text_longer(text, max))
		wrong_member(c, at, name, "must have at most %zu characters", max);
	else if ((shape & TEXT_LINE) && !text_one_line(text))
		wrong_member(c, at, name, "must be one line without control characters");
	else
		return text;
	return STR_NONE;
}

bool flag_read(struct check *c, const struct json_place *at, struct str name,
	const struct json *json, bool otherwise)
{
	if (!json) return otherwise;
	if (!json_is_bool(json)) {
		wrong_member(c, at, name, "must be true or false");
		return otherwise;
	}
	return json->type == JSON_TRUE;
}

bool count_read(struct check *c, const struct json_place *at, struct str name,
	const struct json *json, int64_t min, int64_t max)
{
	if (!json) return true;
	if (json->type == JSON_NUMBER && json->is_int && json->integer >= min &&
		json->integer <= max)
		return true;
	wrong_member(c, at, name, "must be a whole number from %lld to %lld",
		(long long)min, (long long)max);
	return false;
}

int64_t duration_check(struct check *c, const struct json_place *at, struct str name,
	const struct json *v, int64_t min_ms, int64_t max_ms)
{
	int64_t ms = 0;

	if (!v) return 0;
	if (!duration_of(v, &ms)) ms = -1;
	if (ms >= min_ms && ms <= max_ms) return ms;
	wrong_member(c, at, name,
		"must be a duration such as \"90s\", \"30m\", \"24h\" or \"7d\", from %lld s "
		"to %lld d",
		(long long)(min_ms / 1000), (long long)(max_ms / 86400 / 1000));
	return 0;
}
