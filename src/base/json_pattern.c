/* json_pattern.c - follows a pattern, with a writer that puts the commas. */
#include "base/json_pattern.h"

#include "base/keep.h"

#include <assert.h>

struct pattern {
	struct json_writer *w;
	const char *at; /* the rest of it */
	const struct str *values;
	size_t left;	/* values */
	struct str key; /* that the next value has; empty: none */
};

static struct str token(struct pattern *p, const char *ends)
{
	size_t n = strcspn(p->at, ends);
	struct str found = str_make(p->at, n);

	p->at += n;
	return found;
}

static void key_write(struct pattern *p)
{
	if (p->key.len) jw_key_str(p->w, p->key);
	p->key = STR_NONE;
}

/* 'name': or 'text' */
static void quoted_write(struct pattern *p)
{
	struct str text;

	p->at++;
	text = token(p, "'");
	assert(*p->at);
	p->at++;
	if (*p->at == ':') {
		p->key = text;
		p->at++;
		return;
	}
	key_write(p);
	jw_str(p->w, text);
}

static void value_write(struct pattern *p)
{
	char kind = p->at[1];
	struct str value;

	assert(p->left && kind && strchr("s?j", kind));
	p->left--;
	value = *p->values++;
	p->at += 2;
	if (kind != 's' && !value.len) {
		p->key = STR_NONE;
		return;
	}
	key_write(p);
	if (kind == 'j')
		jw_raw(p->w, value);
	else
		jw_str(p->w, value);
}

static void bracket_write(struct pattern *p)
{
	key_write(p);
	switch (*p->at++) {
	case '{': jw_object(p->w); break;
	case '}': jw_object_end(p->w); break;
	case '[': jw_array(p->w); break;
	default: jw_array_end(p->w);
	}
}

void jw_pattern(
	struct json_writer *w, const char *pattern, const struct str *values, size_t len)
{
	struct pattern p = { w, pattern, values, len, STR_NONE };

	while (*p.at)
		if (*p.at == ',')
			p.at++;
		else if (*p.at == '\'')
			quoted_write(&p);
		else if (*p.at == '%')
			value_write(&p);
		else if (strchr("{}[]", *p.at))
			bracket_write(&p);
		else { /* a number, true, false or null */
			key_write(&p);
			jw_raw(w, token(&p, ",]}"));
		}
	/* The value of the last name is written by other means. */
	key_write(&p);
	assert(!p.left);
}

struct str jw_pattern_text(
	struct arena *arena, const char *pattern, const struct str *values, size_t len)
{
	struct buf out = { .max = 2 << 20 };

	jw_pattern(&(struct json_writer){ .out = &out }, pattern, values, len);
	return buf_keep_done(&out, arena);
}
