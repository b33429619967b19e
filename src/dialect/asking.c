/* asking.c - from a foreign request to the body of an ask: what is read leniently, and
 * what is made to fit. Prefixes: inbound_, member_. */
#include "base/keep.h"
#include "base/utf8.h"
#include "dialect/inner.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- mending ---- */

static void repair_note(struct inbound *in, struct str text)
{
	for (size_t i = 0; i < in->repairs_len; i++)
		if (str_eq(in->repairs[i], text)) return;
	if (in->repairs_len < REPAIRS_MAX) in->repairs[in->repairs_len++] = text;
}

bool repair(struct inbound *in, const struct json_place *at, const char *how,
	const char *rule, ...)
{
	char text[sizeof(((struct fault_item *)0)->detail)];
	struct fault told = { 0 };
	struct check check = { .why = &told };
	va_list args;

	va_start(args, rule);
	vsnprintf(text, sizeof text, rule, args);
	va_end(args);
	if (in->strict) {
		wrong(&in->check, at, "%s", text);
		return false;
	}
	wrong(&check, at, "%s", text);
	const struct fault_item *item = &told.items[0];
	repair_note(in, arena_print(in->arena, "%s%s%s; %s", item->pointer,
				item->pointer[0] ? ": " : "", text, how));
	return true;
}

void remark(struct inbound *in, const struct json_place *at, const char *text)
{
	struct fault told = { 0 };
	struct check check = { .why = &told };

	wrong(&check, at, "%s", text);
	repair_note(in, arena_print(in->arena, "%s: %s", told.items[0].pointer, text));
}

/* ---- members ---- */

bool member_flag(const struct json *object, const char *name)
{
	const struct json *flag = json_get(object, name);

	return json_is(flag, JSON_TRUE) || str_is_nocase(json_text(flag), "true");
}

struct str member_first(const struct json *object, const char *const *names)
{
	struct str text = STR_NONE;

	for (; *names && text_blank(text); names++)
		text = json_text_of(object, *names);
	return text_blank(text) ? STR_NONE : text;
}

struct str scalar_text(const struct json *json)
{
	if (!json) return STR_NONE;
	switch (json->type) {
	case JSON_STRING:
	case JSON_NUMBER: return json->text;
	case JSON_TRUE: return STR("true");
	case JSON_FALSE: return STR("false");
	default: return STR_NONE;
	}
}

/* Reads JSON inside a string; the value itself if it is not JSON. */
static const struct json *unquoted(struct arena *arena, const struct json *json)
{
	const struct json *inner;
	struct fault why = { 0 };

	if (!json_is(json, JSON_STRING)) return json;
	return json_read(json->text, NULL, arena, &inner, &why) ? NULL : inner;
}

const struct json *list_of(struct arena *arena, const struct json *json)
{
	struct json *list;

	json = unquoted(arena, json);
	if (!json_is(json, JSON_OBJECT)) return json_is(json, JSON_ARRAY) ? json : NULL;
	list = ARENA_NEW(arena, struct json);
	struct json *item = ARENA_NEW(arena, struct json);
	if (!list || !item) return NULL;
	*item = *json;
	*list = (struct json){ .type = JSON_ARRAY, .count = 1, .items = item };
	return list;
}

const struct json *object_of(struct arena *arena, const struct json *json)
{
	json = unquoted(arena, json);
	return json_is(json, JSON_OBJECT) ? json : NULL;
}

static const struct json *member_mended(struct inbound *in, const struct json_place *at,
	const struct json *object, const char *name, enum json_type type,
	const struct json *(*read)(struct arena *, const struct json *))
{
	const char *rule = type == JSON_ARRAY ? "must be an array" : "must be an object";
	const struct json *given = json_get(object, name), *found;
	struct json_place spot = place_member(at, str_of(name));

	if (!given || given->type == JSON_NULL) return NULL;
	found = read(in->arena, given);
	if (!found)
		wrong(&in->check, &spot, "%s", rule);
	else if (given->type == JSON_STRING)
		repair(in, &spot, "read from the string", "%s", rule);
	else if (given->type != type)
		repair(in, &spot, "taken as the only one", "%s", rule);
	return found;
}

const struct json *member_list(struct inbound *in, const struct json_place *at,
	const struct json *object, const char *name)
{
	return member_mended(in, at, object, name, JSON_ARRAY, list_of);
}

const struct json *member_object(struct inbound *in, const struct json_place *at,
	const struct json *object, const char *name)
{
	return member_mended(in, at, object, name, JSON_OBJECT, object_of);
}

/* ---- texts ---- */

/* Control characters, line ends among them, become blanks. */
static struct str one_line(struct arena *arena, struct str text)
{
	struct buf b = { 0 };
	int32_t c;

	while ((c = utf8_next(&text)) >= 0) {
		bool control =
			c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
		utf8_add(&b, control ? ' ' : (uint32_t)c);
	}
	return buf_keep_done(&b, arena);
}

struct str text_fit(struct inbound *in, const struct json_place *at, struct str text,
	size_t max, bool line)
{
	if (line && !text_one_line(text)) {
		repair(in, at, "put on one line",
			"must be one line without control characters");
		text = one_line(in->arena, text);
		if (text_blank(text)) return STR_NONE;
	}
	if (!text_longer(text, max)) return text;
	repair(in, at, "shortened", "must have at most %zu characters", max);
	return arena_print(in->arena, "%.*s…", STR_ARGS(utf8_first(text, max - 1)));
}

/* The same, with the whole text in the ask's preview when it had to be cut. */
static struct str text_fit_whole(
	struct inbound *in, const struct json_place *at, struct str text, size_t max)
{
	if (!text_longer(text, max)) return text;
	if (in->overflow.len) buf_add(&in->overflow, STR("\n\n"));
	buf_add(&in->overflow, text);
	return text_fit(in, at, text, max, false);
}

bool key_fits(struct str key)
{
	return !text_blank(key) && text_one_line(key) && !text_longer(key, KEY_MAX);
}

static void put_flag(struct json_writer *w, const char *key, bool flag)
{
	if (!flag) return;
	jw_put_bool(w, key, true);
}

/* ---- questions ---- */

static void options_put(
	struct inbound *in, const struct json_place *at, const struct asked *q)
{
	struct json_writer *w = &in->questions;

	jw_put_array(w, "options");
	for (size_t i = 0; i < q->choices.len; i++) {
		const struct choice *c = &q->choices.at[i];
		struct json_place item = place_item(at, i);
		struct str label;

		jw_object(w);
		jw_put_some(w, "id", c->id);
		label = text_fit(in, &item, c->label, LABEL_MAX, true);
		if (text_blank(label))
			wrong(&in->check, &item, "an option needs a label");
		jw_put_some(w, "label", label);
		jw_put_some(w, "description",
			text_fit(in, &item, c->description, DESCRIPTION_MAX, false));
		jw_put_some(w, "preview",
			text_fit(in, &item, c->preview, PREVIEW_MAX, false));
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void suggested_put(struct json_writer *w, const struct asked *q)
{
	bool many = strcmp(q->type, "choices") == 0, open = false;

	for (size_t i = 0; i < q->choices.len; i++) {
		if (!q->choices.at[i].suggested || (open && !many)) continue;
		if (!open) jw_key(w, "suggested");
		if (!open && many) jw_array(w);
		jw_str(w, q->choices.at[i].id);
		open = true;
	}
	if (open && many) jw_array_end(w);
}

static void note_put(
	struct inbound *in, const struct json_place *at, const struct asked *q)
{
	struct json_writer *w = &in->questions;

	if (!q->note) return;
	jw_put_object(w, "note");
	jw_put_some(w, "placeholder",
		text_fit(in, at, q->note_placeholder, PLACEHOLDER_MAX, false));
	jw_put_bool(w, "required", q->note_required);
	jw_object_end(w);
}

static void bounds_put(struct json_writer *w, const struct asked *q)
{
	if (q->min) jw_put_json(w, "min", q->min);
	if (q->max) jw_put_json(w, "max", q->max);
	put_flag(w, "integer", q->integer);
}

/* Would core take it for an answer to the question that has been written so far? */
static bool prefill_fits(struct arena *arena, struct str question, struct str prefill)
{
	struct str text = arena_print(arena, "%.*s}", STR_ARGS(question));
	const struct json *json, *value;
	struct question q;

	return !json_read(text, NULL, arena, &json, NULL) &&
	       !json_read(prefill, NULL, arena, &value, NULL) &&
	       !question_read(json, "", false, 1, arena, &q, NULL) &&
	       !answer_check_one(&q, value, "", arena, NULL);
}

static void prefill_put(struct inbound *in, const struct json_place *at,
	const struct asked *q, size_t start)
{
	struct json_writer *w = &in->questions;

	if (!q->prefill.len || in->check.failed) return;
	if (!prefill_fits(in->arena, str_from(buf_str(w->out), start), q->prefill)) {
		repair(in, at, "left out", "what is known must be a possible answer");
		return;
	}
	jw_put_raw(w, "prefill", q->prefill);
}

void question_put(struct inbound *in, const struct json_place *at, const struct asked *q)
{
	struct json_writer *w = &in->questions;
	struct json_place header = place_member(at, STR("header"));
	struct json_place options = place_member(at, STR("options"));

	if (text_blank(q->text)) wrong(&in->check, at, "the question has no text");
	if (++in->questions_len == QUESTIONS_MAX + 1)
		wrong(&in->check, &(struct json_place){ 0 },
			"must be at most %d questions", QUESTIONS_MAX);
	jw_object(w);
	size_t start = w->out->len - 1;
	jw_put_some(w, "key", q->key);
	jw_put_some(w, "header", text_fit(in, &header, q->header, HEADER_MAX, true));
	jw_put_some(w, "text", text_fit_whole(in, at, q->text, QUESTION_TEXT_MAX));
	jw_put_text(w, "type", q->type);
	if (q->choices.len) options_put(in, &options, q);
	put_flag(w, "other", q->other);
	note_put(in, at, q);
	if (q->optional) jw_put_bool(w, "required", false);
	jw_put_some(w, "placeholder",
		text_fit(in, at, q->placeholder, PLACEHOLDER_MAX, false));
	jw_put_some(w, "format", str_of(q->format));
	bounds_put(w, q);
	suggested_put(w, q);
	prefill_put(in, at, q, start);
	jw_object_end(w);
}

/* ---- the ask ---- */

void inbound_write(struct inbound *in, struct json_writer *w)
{
	struct json_place at = { 0 };
	struct str text = text_fit_whole(in, &at, in->context_text, CONTEXT_TEXT_MAX);
	struct str rest = text_fit(in, &at, buf_str(&in->overflow), PREVIEW_MAX, false);

	if (in->overflow.failed || in->ask.out->failed || in->questions.out->failed)
		in->arena->failed = true;
	jw_object(w);
	if (in->kind || !in->template)
		jw_put_text(w, "kind", in->kind ? in->kind : "blocking");
	jw_members(w, buf_str(in->ask.out));
	if (in->questions_len) {
		jw_put_array(w, "questions");
		jw_members(w, buf_str(in->questions.out));
		jw_array_end(w);
	}
	if (text.len || rest.len || in->context_members.len) {
		jw_put_object(w, "context");
		jw_put_some(w, "text", text);
		jw_put_some(w, "preview", rest);
		jw_members(w, in->context_members);
		jw_object_end(w);
	}
	jw_object_end(w);
}

void questions_put(struct inbound *in, question_fn *put, uint32_t most)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("questions"));
	const struct json *list = member_list(in, &root, in->request, "questions");

	if (!most) most = QUESTIONS_MAX;
	if (!list || !list->count || list->count > most) {
		wrong(&in->check, &at, "must be 1 to %u questions", most);
		return;
	}
	for (uint32_t i = 0; i < list->count; i++) {
		struct json_place item = place_item(&at, i);

		put(in, &item, &list->items[i]);
	}
}

void about_put(struct inbound *in, struct str about)
{
	if (text_one_line(about) && !text_longer(about, ASK_TITLE_MAX))
		jw_put_some(&in->ask, "title", about);
	else
		in->context_text = about;
}

void timeout_put(struct inbound *in, int64_t ms)
{
	jw_key(&in->ask, "timeout");
	jw_real(&in->ask, (double)ms / 1000);
}

void inbound_beside(struct inbound *in)
{
	const struct json *meta = json_get(in->request, "_meta");
	const struct json *seconds = json_get(meta, "parley/timeout");
	struct json_writer w = { .out = &(struct buf){ 0 } };

	jw_members(&w, in->context_members);
	jw_put_some(&w, "beside", json_text_of(meta, "parley/beside"));
	in->context_members = buf_keep_done(w.out, in->arena);
	if (json_is(seconds, JSON_NUMBER)) jw_put_json(&in->ask, "timeout", seconds);
}

struct str suspend_words(struct arena *arena, const struct json *said)
{
	static const char *const names[] = { "message", "question", "prompt", "reason",
		"context", NULL };
	struct str words = json_text(said);
	struct buf b = { 0 };

	if (text_blank(words)) words = member_first(said, names);
	if (!text_blank(words) || !said) return words;
	json_write(&b, said);
	return buf_keep_done(&b, arena);
}
