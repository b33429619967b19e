/* shape.c - reads, writes and merges objects by their tables. */
#include "core/shared/shape.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/keep.h"

#include <assert.h>

/* ---- what is wrong ---- */

static void template_add(
	struct buf *out, const char *text, const struct shape_member *m, struct str value)
{
	static const char *const gaps[] = { "{least}", "{most}", "{value}" };

	while (*text) {
		size_t i = 0;

		while (i < 3 && !str_starts(str_of(text), gaps[i]))
			i++;
		if (i < 2)
			buf_print(out, "%lld", (long long)(i ? m->most : m->least));
		else if (i == 2)
			buf_add(out, text_excerpt(value));
		else
			buf_add_char(out, *text);
		text += i < 3 ? strlen(gaps[i]) : 1;
	}
}

/* "a, b or c" */
static void words_add(struct buf *out, const struct shape_member *m)
{
	size_t left = 0;

	for (size_t i = 0; i < m->words_len; i++)
		left += m->words[i] != NULL;
	for (size_t i = 0; i < m->words_len; i++) {
		if (!m->words[i]) continue;
		buf_add_text(out, m->words[i]);
		left--;
		if (left) buf_add_text(out, left > 1 ? ", " : " or ");
	}
}

/* `usual` NULL: one of the words. */
static void wrong_value(struct check *c, const struct json_place *at,
	const struct shape_member *m, const char *own, const char *usual,
	struct str value)
{
	struct buf text = { .max = 1024 };

	if (own || usual) {
		template_add(&text, own ? own : usual, m, value);
	} else {
		buf_add_text(&text, "must be ");
		words_add(&text, m);
	}
	wrong(c, at, "%.*s", STR_ARGS(buf_str(&text)));
	buf_done(&text);
}

static void wrong_here(
	const struct shape_reading *r, const struct shape_member *m, const char *usual)
{
	struct json_place at = place_member(r->at, m->name);

	wrong_value(r->check, &at, m, m->must, usual, STR_NONE);
}

/* ---- reading ---- */

static void *place_of(const struct shape_reading *r, const struct shape_member *m)
{
	return (char *)r->out + m->at;
}

static void number_set(
	const struct shape_reading *r, const struct shape_member *m, int64_t n)
{
	void *at = place_of(r, m);

	if (m->type == OF_BOOL || m->type == OF_EITHER)
		*(bool *)at = n != 0;
	else if (m->type == OF_WORD)
		*(int *)at = (int)n;
	else
		*(int64_t *)at = n;
}

static int word_find(const struct shape_member *m, struct str word)
{
	for (size_t i = 0; i < m->words_len; i++)
		if (m->words[i] && str_is(word, m->words[i])) return (int)i;
	return -1;
}

static void number_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	bool good = count_read(r->check, r->at, m->name, v, m->least, m->most);

	number_set(r, m, good ? v->integer : m->otherwise);
}

static void word_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	int word = word_find(m, json_text(v));

	if (word >= 0)
		number_set(r, m, word);
	else
		wrong_here(r, m, NULL);
}

static void span_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	int64_t ms = -1;

	if (!m->must)
		number_set(r, m,
			duration_check(r->check, r->at, m->name, v, m->least, m->most));
	else if (duration_of(v, &ms) && ms >= m->least && ms <= m->most)
		number_set(r, m, ms);
	else
		wrong_here(r, m, NULL);
}

static void time_member_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	int64_t ms = 0;

	if (time_read(json_text(v), &ms))
		number_set(r, m, ms);
	else
		wrong_here(r, m, "must be a time (RFC 3339)");
}

/* How many items it has; 0 when it is no array of so many. */
static uint32_t items_count(const struct shape_reading *r, const struct shape_member *m,
	const struct json *v, const char *usual)
{
	if (v->type == JSON_ARRAY && v->count >= m->least &&
		(!m->most || v->count <= m->most))
		return v->count;
	wrong_here(r, m, usual);
	return 0;
}

static void words_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	uint32_t count = items_count(r, m, v, "must be an array of words");

	for (uint32_t i = 0; i < count; i++) {
		struct json_place item = place_item(&at, i);
		int word = word_find(m, json_text(&v->items[i]));

		if (word >= 0)
			*(unsigned *)place_of(r, m) |= 1u << word;
		else
			wrong_value(r->check, &item, m, m->each, NULL, STR_NONE);
	}
}

static void item_read(const struct shape_reading *r, const struct shape_member *m,
	const struct json_place *at, const struct json *v, char *out)
{
	struct shape_reading inner = *r;

	if (m->type == OF_TEXTS) {
		*(struct str *)(void *)out = json_text(v);
		if (!m->fits(json_text(v)))
			wrong_value(r->check, at, m, m->each, NULL, json_text(v));
	} else if (m->of->from_text) {
		if (!m->of->from_text(json_text(v), out))
			wrong_value(r->check, at, m, m->each, NULL, json_text(v));
	} else {
		inner.at = at;
		inner.json = v;
		inner.out = out;
		inner.more = NULL;
		shape_read(m->of, &inner);
	}
}

static void list_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	size_t size = m->type == OF_TEXTS ? sizeof(struct str) : m->of->size;
	uint32_t count = items_count(r, m, v, "must be an array");
	char *items = count ? arena_array(r->arena, count, size) : NULL;

	for (uint32_t i = 0; items && i < count; i++) {
		struct json_place item = place_item(&at, i);

		item_read(r, m, &item, &v->items[i], items + i * size);
	}
	*(char **)place_of(r, m) = items;
	*(size_t *)(void *)((char *)r->out + m->len_at) = items ? count : 0;
}

/* Also one that is absent: its members have what is usual. */
static void object_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	struct shape_reading inner = *r;

	inner.at = &at;
	inner.json = v;
	inner.out = place_of(r, m);
	inner.more = NULL;
	if (m->has_at) *((bool *)r->out + m->has_at) = json_is(v, JSON_OBJECT);
	shape_read(m->of, &inner);
}

static void value_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct str *text = place_of(r, m);

	switch (m->type) {
	case OF_TEXT:
		*text = text_read(
			r->check, r->at, m->name, v, (size_t)m->most, m->flags & 7u);
		break;
	case OF_NAME:
		*text = json_text(v);
		if (!(m->prefix ? id_valid(*text, m->prefix) : m->fits(*text)))
			wrong_here(r, m, "is not valid");
		break;
	case OF_NUMBER: number_read(r, m, v); break;
	case OF_BOOL:
		number_set(
			r, m, flag_read(r->check, r->at, m->name, v, m->otherwise != 0));
		break;
	case OF_WORD:
	case OF_EITHER: word_read(r, m, v); break;
	case OF_SPAN: span_read(r, m, v); break;
	case OF_TIME: time_member_read(r, m, v); break;
	case OF_WORDS: words_read(r, m, v); break;
	case OF_TEXTS:
	case OF_LIST: list_read(r, m, v); break;
	case OF_OBJECT: object_read(r, m, v); break;
	case OF_JSON: *(const struct json **)place_of(r, m) = v; break;
	case OF_OWN: m->read(r, m, v); break;
	}
}

/* A member that is absent or null. */
static void absent_read(const struct shape_reading *r, const struct shape_member *m)
{
	if (m->otherwise) number_set(r, m, m->otherwise);
	if (m->type == OF_OWN)
		m->read(r, m, NULL);
	else if (r->json && (m->flags & TEXT_NEEDED))
		wrong_here(r, m, "required");
	else if (m->type == OF_OBJECT)
		object_read(r, m, NULL);
}

bool shape_said(const struct shape_reading *r, const char *name)
{
	const struct json *v = json_get(r->json, name);

	return v && v->type != JSON_NULL;
}

int shape_find(const struct shape *s, struct str name)
{
	for (size_t i = 0; i < s->len; i++)
		if (str_eq(s->members[i].name, name)) return (int)i;
	return -1;
}

void shape_read(const struct shape *s, const struct shape_reading *r)
{
	const struct json *values[SHAPE_MEMBERS_MAX] = { NULL };

	assert(s->len <= SHAPE_MEMBERS_MAX);
	if (r->json && r->json->type != JSON_OBJECT) {
		wrong(r->check, r->at, "must be an object");
		return;
	}
	for (uint32_t i = 0; r->json && i < r->json->count; i++) {
		const struct json_member *j = &r->json->members[i];
		int at = shape_find(s, j->name);

		if (at >= 0)
			values[at] = j->value.type == JSON_NULL ? NULL : &j->value;
		else if (!r->more || members_find(r->more, j->name) < 0)
			wrong_member(r->check, r->at, j->name, "unknown member");
	}
	if (s->first && r->json && !s->first(r)) return;
	for (size_t i = 0; i < s->len; i++)
		if (values[i])
			value_read(r, &s->members[i], values[i]);
		else
			absent_read(r, &s->members[i]);
	if (s->together && r->json) s->together(r);
}

void shape_check(const struct shape *s, struct check *c, const struct json_place *at,
	const struct json *json, const struct members *more, struct arena *arena,
	void *out)
{
	static const struct json none;

	shape_read(s, &(struct shape_reading){ .check = c,
			      .at = at,
			      .json = json ? json : &none,
			      .arena = arena,
			      .out = out,
			      .more = more });
}

/* ---- writing ---- */

void span_write(struct json_writer *w, int64_t ms)
{
	char text[DURATION_SIZE];

	duration_write(ms, text);
	jw_text(w, text);
}

static void words_write(
	struct json_writer *w, const struct shape_member *m, unsigned bits)
{
	jw_array(w);
	for (size_t i = 0; i < m->words_len; i++)
		if (bits & 1u << i) jw_text(w, m->words[i]);
	jw_array_end(w);
}

static void item_write(struct json_writer *w, const struct shape *s, const void *from)
{
	struct buf text = { .max = 1024 };

	if (!s->to_text) {
		shape_write(w, s, from);
		return;
	}
	s->to_text(&text, from);
	jw_str(w, buf_str(&text));
	if (text.failed) w->out->failed = true;
	buf_done(&text);
}

static void list_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const char *items = *(const char *const *)((const char *)from + m->at);
	size_t len = *(const size_t *)(const void *)((const char *)from + m->len_at);

	jw_array(w);
	for (size_t i = 0; i < len; i++)
		if (m->type == OF_TEXTS)
			jw_str(w, ((const struct str *)(const void *)items)[i]);
		else
			item_write(w, m->of, items + i * m->of->size);
	jw_array_end(w);
}

static bool member_empty(const struct shape_member *m, const void *from);

static bool object_empty(const struct shape *s, const void *from)
{
	for (size_t i = 0; i < s->len; i++)
		if (!member_empty(&s->members[i], from)) return false;
	return true;
}

/* Is there nothing to say of it? */
static bool member_empty(const struct shape_member *m, const void *from)
{
	const void *at = (const char *)from + m->at;

	switch (m->type) {
	case OF_TEXT:
	case OF_NAME: return !((const struct str *)at)->len;
	case OF_NUMBER:
		return *(const int64_t *)at < m->least || *(const int64_t *)at > m->most;
	case OF_SPAN:
	case OF_TIME: return !*(const int64_t *)at && !(m->flags & SHAPE_BARE);
	case OF_WORDS: return !*(const unsigned *)at;
	case OF_JSON: return !*(const struct json *const *)at;
	case OF_WORD: return !m->words[*(const int *)at];
	case OF_EITHER: return !m->words[*(const bool *)at];
	case OF_TEXTS:
	case OF_LIST:
		return *(const size_t *)(const void *)((const char *)from + m->len_at) <
		       (size_t)m->least;
	case OF_OBJECT:
		return m->has_at ? !*((const bool *)from + m->has_at)
				 : object_empty(m->of, at);
	default: return false;
	}
}

static void value_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const void *at = (const char *)from + m->at;
	char text[TIME_SIZE];

	switch (m->type) {
	case OF_TEXT:
	case OF_NAME: jw_str(w, *(const struct str *)at); break;
	case OF_NUMBER: jw_int(w, *(const int64_t *)at); break;
	case OF_BOOL: jw_bool(w, *(const bool *)at); break;
	case OF_WORD: jw_text(w, m->words[*(const int *)at]); break;
	case OF_EITHER: jw_text(w, m->words[*(const bool *)at]); break;
	case OF_SPAN: span_write(w, *(const int64_t *)at); break;
	case OF_TIME:
		time_write(*(const int64_t *)at, text);
		jw_text(w, text);
		break;
	case OF_WORDS: words_write(w, m, *(const unsigned *)at); break;
	case OF_TEXTS:
	case OF_LIST: list_write(w, m, from); break;
	case OF_OBJECT: shape_write(w, m->of, at); break;
	case OF_JSON: jw_json(w, *(const struct json *const *)at); break;
	case OF_OWN: break;
	}
}

void shape_write_members(struct json_writer *w, const struct shape *s, const void *from)
{
	for (size_t i = 0; i < s->len; i++) {
		const struct shape_member *m = &s->members[i];
		bool empty = member_empty(m, from);

		if ((m->flags & SHAPE_UNSAID) || (empty && (m->flags & SHAPE_SPARE)))
			continue;
		if (m->type == OF_OWN) {
			m->write(w, m, from);
			continue;
		}
		jw_key_str(w, m->name);
		if (empty && !(m->flags & SHAPE_BARE))
			jw_null(w);
		else
			value_write(w, m, from);
	}
}

void shape_write(struct json_writer *w, const struct shape *s, const void *from)
{
	jw_object(w);
	shape_write_members(w, s, from);
	jw_object_end(w);
}

bool shape_copy(struct json_writer *w, const struct shape *s, const struct json *json)
{
	bool any = false;

	jw_object(w);
	for (size_t i = 0; i < s->len; i++) {
		const struct shape_member *m = &s->members[i];
		const struct json *v = json_get_str(json, m->name);

		if (!v || (v->type == JSON_NULL && !(m->flags & SHAPE_NULL))) continue;
		jw_put_json(w, m->name.at, v);
		any = true;
	}
	jw_object_end(w);
	return any;
}

struct str shape_text(
	const struct shape *s, struct str name, const void *from, struct arena *arena)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };

	value_write(&w, &s->members[shape_find(s, name)], from);
	return buf_keep_done(&text, arena);
}

/* ---- bodies ---- */

enum err shape_take(const struct shape *s, const struct json *body,
	const struct members *more, struct arena *arena, void *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");

	shape_check(s, &c, &root, body, more, arena, out);
	return check_end(&c, arena);
}

static const struct json *merged(
	const struct json *body, const struct json *before, struct arena *arena)
{
	struct json *whole = ARENA_NEW(arena, struct json);

	if (!whole) return NULL;
	whole->type = JSON_OBJECT;
	whole->members = ARENA_ARRAY(
		arena, struct json_member, (size_t)body->count + before->count + 1);
	if (!whole->members) return NULL;
	for (uint32_t i = 0; i < body->count; i++)
		whole->members[whole->count++] = body->members[i];
	for (uint32_t i = 0; i < before->count; i++)
		if (!json_get_str(body, before->members[i].name))
			whole->members[whole->count++] = before->members[i];
	return whole;
}

static enum err merge(const struct shape *s, const struct json *body, struct str before,
	struct arena *arena, const struct json **out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	const struct json *old;

	if (!json_is(body, JSON_OBJECT)) return fail_at(why, "", "must be an object");
	*out = body;
	if (!before.len) return OK;
	if (json_read(before, NULL, arena, &old, NULL) || old->type != JSON_OBJECT)
		return fail(why, ERR_INTERNAL, "what is kept is unreadable");
	for (size_t i = 0; i < s->len; i++) {
		const struct shape_member *m = &s->members[i];
		const struct json *is = json_get_str(body, m->name);

		if ((m->flags & SHAPE_FIXED) && is &&
			!json_equal(is, json_get_str(old, m->name)))
			wrong_member(&c, &root, m->name, "cannot be changed");
	}
	*out = merged(body, old, arena);
	return check_end(&c, arena);
}

enum err shape_keep(const struct shape *s, const struct json *body, struct str before,
	const struct members *more, struct arena *arena, struct str *json, void *out,
	struct fault *why)
{
	void *parts = arena_alloc(arena, s->size);
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	const struct json *whole = NULL;
	enum err e = parts ? merge(s, body, before, arena, &whole, why)
			   : fail(why, ERR_MEMORY, "out of memory");

	if (!e) e = shape_take(s, whole, more, arena, parts, why);
	if (e) return e;
	shape_write(&w, s, parts);
	if (out) memcpy(out, parts, s->size);
	*json = buf_keep_done(&text, arena);
	return arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

enum err shape_load(const struct shape *s, struct str json, struct arena *arena,
	void *out, const char *damaged, struct fault *why)
{
	void *parts = arena_alloc(arena, s->size);
	const struct json *whole;

	if (parts && !json_read(json, NULL, arena, &whole, NULL) &&
		!shape_take(s, whole, NULL, arena, parts, NULL)) {
		memcpy(out, parts, s->size);
		return OK;
	}
	return arena->failed ? fail(why, ERR_MEMORY, "out of memory")
			     : fail(why, ERR_INTERNAL, "%s", damaged);
}
