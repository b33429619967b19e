/* json_read.c - the reader: recursive descent, one pass, values gathered on a stack and
 * moved to the arena when their container closes. */
#include "base/json.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "base/real.h"
#include "base/utf8.h"

#include <math.h>

enum {
	FIRST_STACK = 48,
	DEPTH_DEFAULT = 64,
	DEPTH_MAX = 1000, /* what a thread's stack surely bears */
	VALUES_DEFAULT = 200000,
	FEW_MEMBERS = 16, /* up to here names are compared one by one */
};

struct reader {
	const char *at;
	const char *start;
	const char *end;
	struct arena *arena;
	uint32_t depth_left;
	uint32_t values_left;
	/* The finished values of all open containers. Array items have no name. */
	struct json_member *stack;
	size_t len;
	size_t cap;
	enum err err; /* with what and where, once it failed */
	const char *what;
	const char *where;
	struct json_member first[FIRST_STACK];
};

static bool read_value(struct reader *, struct json *out);

static bool stop_at(struct reader *r, const char *where, enum err err, const char *what)
{
	r->err = err;
	r->what = what;
	r->where = where;
	return false;
}

static bool stop(struct reader *r, enum err err, const char *what)
{
	return stop_at(r, r->at, err, what);
}

static bool stop_syntax(struct reader *r)
{
	return stop(r, ERR_BAD_REQUEST,
		r->at == r->end ? "the text ends too early" : "unexpected character");
}

static bool stop_memory(struct reader *r)
{
	return stop(r, ERR_MEMORY, "out of memory");
}

static inline void skip_blanks(struct reader *r)
{
	while (r->at < r->end &&
		(*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
		r->at++;
}

/* Takes the character, if it is the next. A call would cost more than it does. */
static inline __attribute__((always_inline)) bool take(struct reader *r, char c)
{
	if (r->at == r->end || *r->at != c) return false;
	r->at++;
	return true;
}

/* --- strings --- */

/* Goes to the closing quote; what stands before it is well-formed but for escapes. */
static bool scan_string(struct reader *r, bool *escapes)
{
	for (;;) {
		size_t len;

		r->at = json_plain_end(r->at, r->end);
		if (r->at == r->end) return stop_syntax(r);
		if (*r->at == '"') return true;
		if (*r->at == '\\') {
			*escapes = true;
			if (r->end - r->at < 2) return stop_syntax(r);
			r->at += 2;
			if ((unsigned char)r->at[-1] >= 0x80) r->at--;
			continue;
		}
		if ((unsigned char)*r->at < 0x80)
			return stop(
				r, ERR_BAD_REQUEST, "a control character in a string");
		len = utf8_length(r->at, (size_t)(r->end - r->at));
		if (len == 0) return stop(r, ERR_BAD_REQUEST, "not UTF-8");
		r->at += len;
	}
}

static bool read_hex4(struct reader *r, const char *at, const char *end, uint32_t *out)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++, at++) {
		char c = at < end ? *at : '\0';

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return stop_at(r, at, ERR_BAD_REQUEST, "a bad \\u escape");
	}
	*out = value;
	return true;
}

/* *at stands behind "\u" and goes behind the digits, of a surrogate pair all of them. */
static bool read_unicode(
	struct reader *r, const char **at, const char *end, uint32_t *out)
{
	uint32_t high, low = 0;

	if (!read_hex4(r, *at, end, &high)) return false;
	*at += 4;
	if (high == 0) return stop_at(r, *at, ERR_INVALID, "U+0000 in a string");
	*out = high;
	if (high < 0xd800 || high > 0xdfff) return true;
	if (high < 0xdc00 && end - *at >= 2 && (*at)[0] == '\\' && (*at)[1] == 'u') {
		if (!read_hex4(r, *at + 2, end, &low)) return false;
		*at += 6;
	}
	if (low < 0xdc00 || low > 0xdfff)
		return stop_at(r, *at, ERR_INVALID, "a lone surrogate in a string");
	*out = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

/* *at stands behind the backslash. Writes what the escape stands for. */
static bool read_escape(struct reader *r, const char **at, const char *end, char **out)
{
	static const char plain[256] = {
		['"'] = '"',
		['\\'] = '\\',
		['/'] = '/',
		['b'] = '\b',
		['f'] = '\f',
		['n'] = '\n',
		['r'] = '\r',
		['t'] = '\t',
	};
	char c = plain[(unsigned char)**at];
	uint32_t code_point;

	if (c) {
		*(*out)++ = c;
		++*at;
		return true;
	}
	if (**at != 'u') return stop_at(r, *at, ERR_BAD_REQUEST, "a bad escape");
	++*at;
	if (!read_unicode(r, at, end, &code_point)) return false;
	*out += utf8_put(*out, code_point);
	return true;
}

/* A text is never longer than the escapes that stand for it. */
static bool decode_string(struct reader *r, struct str raw, struct str *out)
{
	char *text = arena_alloc(r->arena, raw.len), *to = text;
	const char *at = raw.at, *end = raw.at + raw.len;

	if (!text) return stop_memory(r);
	while (at < end) {
		const char *hit = memchr(at, '\\', (size_t)(end - at));
		size_t len = (size_t)((hit ? hit : end) - at);

		memcpy(to, at, len);
		to += len;
		if (!hit) break;
		at = hit + 1;
		if (!read_escape(r, &at, end, &to)) return false;
	}
	*out = str_make(text, (size_t)(to - text));
	return true;
}

/* r->at stands behind the opening quote. */
static bool read_string(struct reader *r, struct str *out)
{
	const char *start = r->at;
	bool escapes = false;

	if (!scan_string(r, &escapes)) return false;
	*out = str_make(start, (size_t)(r->at - start));
	if (escapes && !decode_string(r, *out, out)) return false;
	r->at++;
	return true;
}

/* --- numbers --- */

/* At least one digit. */
static bool read_digits(struct reader *r, struct decimal *d)
{
	const char *start = r->at;

	for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
		unsigned digit = (unsigned)(*r->at - '0');

		d->exact = d->exact &&
			   !__builtin_mul_overflow(d->mantissa, 10, &d->mantissa) &&
			   !__builtin_add_overflow(d->mantissa, digit, &d->mantissa);
	}
	return r->at > start || stop_syntax(r);
}

static bool read_exponent(struct reader *r, struct decimal *d)
{
	const int64_t max = 1000000000;
	const char *start;
	bool negative;

	if (!take(r, 'e') && !take(r, 'E')) return true;
	negative = take(r, '-');
	if (!negative) take(r, '+');
	for (start = r->at; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
		d->exponent = d->exponent * 10 + (*r->at - '0');
		if (d->exponent > max) d->exponent = max;
	}
	if (negative) d->exponent = -d->exponent;
	return r->at > start || stop_syntax(r);
}

static bool fits(const struct decimal *d, int64_t *out)
{
	uint64_t max = (uint64_t)INT64_MAX + d->negative;

	if (!d->exact || d->mantissa > max) return false;
	*out = d->negative ? (int64_t)(0 - d->mantissa) : (int64_t)d->mantissa;
	return true;
}

static bool read_number(struct reader *r, struct json *out)
{
	const char *start = r->at;
	struct decimal d = { .exact = true, .negative = take(r, '-') };
	const char *digits = r->at, *behind_int;
	bool zero = r->at < r->end && *r->at == '0';

	if (!read_digits(r, &d)) return false;
	if (zero && r->at > digits + 1)
		return stop_at(
			r, digits, ERR_BAD_REQUEST, "a number with a leading zero");
	behind_int = r->at;
	if (take(r, '.')) {
		if (!read_digits(r, &d)) return false;
		d.fraction = r->at - behind_int - 1;
	}
	d.digits = str_make(digits, (size_t)(r->at - digits));
	if (!read_exponent(r, &d)) return false;
	out->type = JSON_NUMBER;
	out->text = str_make(start, (size_t)(r->at - start));
	out->is_int = r->at == behind_int && fits(&d, &out->integer);
	if (out->is_int) return true;
	if (!real_of(&d, &out->real)) return stop_memory(r);
	if (!isfinite(out->real))
		return stop_at(
			r, start, ERR_INVALID, "a number beyond the range of a double");
	return true;
}

/* --- containers --- */

static bool push(struct reader *r, const struct json_member *m)
{
	if (r->len == r->cap) {
		bool own = r->stack != r->first;
		struct json_member *more =
			mem_grow(own ? r->stack : NULL, r->cap * 2 * sizeof *more);

		if (!more) return stop_memory(r);
		if (!own) memcpy(more, r->first, sizeof r->first);
		r->stack = more;
		r->cap *= 2;
	}
	r->stack[r->len++] = *m;
	return true;
}

static bool stop_repeated(struct reader *r)
{
	return stop(r, ERR_INVALID, "a repeated member name");
}

/* Over a table of positions + 1, twice as many as there are members or more. */
static bool check_many_names(struct reader *r, const struct json_member *m, uint32_t n)
{
	size_t cap = 2 * FEW_MEMBERS;
	uint32_t *seen;
	bool repeated = false;

	while (cap < 2 * (size_t)n)
		cap *= 2;
	seen = mem_alloc(cap * sizeof *seen);
	if (!seen) return stop_memory(r);
	for (uint32_t i = 0; i < n && !repeated; i++) {
		size_t at = str_hash(m[i].name) & (cap - 1);

		for (; seen[at] && !repeated; at = (at + 1) & (cap - 1))
			repeated = str_eq(m[seen[at] - 1].name, m[i].name);
		seen[at] = i + 1;
	}
	mem_free(seen);
	return !repeated || stop_repeated(r);
}

static bool check_names(struct reader *r, const struct json_member *m, uint32_t n)
{
	if (n > FEW_MEMBERS) return check_many_names(r, m, n);
	for (uint32_t i = 1; i < n; i++) {
		for (uint32_t j = 0; j < i; j++) {
			if (str_eq(m[i].name, m[j].name)) return stop_repeated(r);
		}
	}
	return true;
}

/* The name of a member, up to its value. */
static bool read_name(struct reader *r, struct str *name)
{
	skip_blanks(r);
	if (!take(r, '"')) return stop_syntax(r);
	if (!read_string(r, name)) return false;
	skip_blanks(r);
	return take(r, ':') || stop_syntax(r);
}

/* Values up to the closing bracket, pushed; those of an object with their names. */
static inline bool read_values(struct reader *r, bool named, char end)
{
	if (r->depth_left == 0) return stop(r, ERR_INVALID, "nested too deeply");
	r->depth_left--;
	skip_blanks(r);
	if (!take(r, end)) {
		do {
			struct json_member m = { 0 };

			if (named && !read_name(r, &m.name)) return false;
			if (!read_value(r, &m.value) || !push(r, &m)) return false;
			skip_blanks(r);
		} while (take(r, ','));
		if (!take(r, end)) return stop_syntax(r);
	}
	r->depth_left++;
	return true;
}

/* r->at stands behind the '['. */
static bool read_array(struct reader *r, struct json *out)
{
	size_t base = r->len;

	if (!read_values(r, false, ']')) return false;
	out->type = JSON_ARRAY;
	out->count = (uint32_t)(r->len - base);
	out->items = ARENA_ARRAY(r->arena, struct json, out->count);
	if (!out->items) return stop_memory(r);
	for (uint32_t i = 0; i < out->count; i++)
		out->items[i] = r->stack[base + i].value;
	r->len = base;
	return true;
}

/* r->at stands behind the '{'. */
static bool read_object(struct reader *r, struct json *out)
{
	size_t base = r->len;

	if (!read_values(r, true, '}')) return false;
	out->type = JSON_OBJECT;
	out->count = (uint32_t)(r->len - base);
	out->members = ARENA_ARRAY(r->arena, struct json_member, out->count);
	if (!out->members) return stop_memory(r);
	if (out->count)
		memcpy(out->members, r->stack + base, out->count * sizeof *out->members);
	r->len = base;
	return check_names(r, out->members, out->count);
}

static bool read_word(
	struct reader *r, const char *word, enum json_type type, struct json *out)
{
	size_t len = strlen(word);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
		return stop(r, ERR_BAD_REQUEST, "unexpected character");
	r->at += len;
	out->type = type;
	return true;
}

/* *out is zeroed. */
static bool read_value(struct reader *r, struct json *out)
{
	skip_blanks(r);
	if (r->at == r->end) return stop_syntax(r);
	if (r->values_left-- == 0) return stop(r, ERR_INVALID, "too many values");
	switch (*r->at) {
	case '"':
		r->at++;
		out->type = JSON_STRING;
		return read_string(r, &out->text);
	case '{': r->at++; return read_object(r, out);
	case '[': r->at++; return read_array(r, out);
	case 't': return read_word(r, "true", JSON_TRUE, out);
	case 'f': return read_word(r, "false", JSON_FALSE, out);
	case 'n': return read_word(r, "null", JSON_NULL, out);
	default:
		if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9'))
			return read_number(r, out);
		return stop_syntax(r);
	}
}

static bool read_text(struct reader *r, struct json *root)
{
	if (!read_value(r, root)) return false;
	skip_blanks(r);
	return r->at == r->end ||
	       stop(r, ERR_BAD_REQUEST, "something stands behind the value");
}

enum err json_read(struct str text, const struct json_limits *limits, struct arena *arena,
	const struct json **out, struct fault *why)
{
	uint32_t depth = limits && limits->depth ? limits->depth : DEPTH_DEFAULT;
	uint32_t values = limits && limits->values ? limits->values : VALUES_DEFAULT;
	const char *start = text.len ? text.at : "";
	struct json *root = ARENA_NEW(arena, struct json);
	MEM_UNSET struct reader r;

	r.at = r.start = start;
	r.end = start + text.len;
	r.arena = arena;
	r.depth_left = depth < DEPTH_MAX ? depth : DEPTH_MAX;
	r.values_left = values;
	r.stack = r.first;
	r.len = 0;
	r.cap = FIRST_STACK;
	r.err = OK;
	if (!root)
		stop_memory(&r);
	else if (read_text(&r, root))
		*out = root;
	if (r.stack != r.first) mem_free(r.stack);
	if (r.err == ERR_MEMORY) return fail(why, ERR_MEMORY, "out of memory");
	if (r.err)
		return fail(why, r.err, "%s at byte %zu: %s",
			r.err == ERR_INVALID ? "JSON we refuse" : "not JSON",
			(size_t)(r.where - r.start), r.what);
	return OK;
}
