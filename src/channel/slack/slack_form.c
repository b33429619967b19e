/* slack_form.c - forms written, and what was filled in read back.
 *
 * The block of question i is "q" and i; a text beside its options "o" and i, a note "n" and i. In
 * each the one field is "v". Options are named by their index. */
#include "channel/slack/slack_form.h"

#include "base/keep.h"
#include "core/ask/question_kind.h"
#include "core/shared/body.h"
#include "text/msg.h"
#include "text/own.h"
#include "text/problem_words.h"
#include "text/safe_text.h"

#include <stdio.h>

enum {
	RADIO_MAX = 10,
	OPTION_LEN = 75,
	LABEL_LEN = 2000,
	TEXT_LEN = 3000,
	HINT_LEN = 150
};

struct slack_view {
	struct json_writer *w;
	const struct slack_message *m;
	struct arena *arena;
};

static struct str say(const struct slack_view *f, const char *id)
{
	return MSG_IN(f->arena, f->m->lang, id);
}

static struct str safe(const struct slack_view *f, struct str text)
{
	struct buf out = { .max = 1 << 16 };

	safe_line_add(&out, text);
	return buf_keep_done(&out, f->arena);
}

/* ---- fields ---- */

static void option_write(
	const struct slack_view *f, size_t i, struct str label, struct str description)
{
	char value[24];

	snprintf(value, sizeof value, "%zu", i);
	jw_object(f->w);
	jw_key(f->w, "text");
	slack_plain(f->w, label, OPTION_LEN);
	jw_put_text(f->w, "value", value);
	if (description.len) {
		jw_key(f->w, "description");
		slack_plain(f->w, description, OPTION_LEN);
	}
	jw_object_end(f->w);
}

static void options_write(const struct slack_view *f, const struct question *q)
{
	const struct json *as_asked = json_get(q->json, "options");

	jw_put_array(f->w, "options");
	if (question_kind(q)->pair[0]) {
		bool yes = question_kind(q)->input == INPUT_YES_NO;

		option_write(
			f, 0, say(f, yes ? "notify.yes" : "notify.approve"), STR_NONE);
		option_write(f, 1, say(f, yes ? "notify.no" : "notify.slack.reject"),
			STR_NONE);
	}
	for (size_t i = 0; i < q->options_len; i++)
		option_write(f, i,
			safe(f, own_words(q->key, q->options[i].label, f->m->lang,
					f->arena)),
			safe(f, json_text(json_get(json_is(as_asked, JSON_ARRAY)
							   ? &as_asked->items[i]
							   : NULL,
					"description"))));
	jw_array_end(f->w);
}

static const char *element_type(const struct question *q)
{
	bool few = q->options_len <= RADIO_MAX;

	switch (question_kind(q)->input) {
	case INPUT_NUMBER: return "number_input";
	case INPUT_ONE: return few ? "radio_buttons" : "static_select";
	case INPUT_MANY: return few ? "checkboxes" : "multi_static_select";
	case INPUT_YES_NO:
	case INPUT_DECISION: return "radio_buttons";
	case INPUT_TEXT: break;
	}
	return q->format == FORMAT_DATE ? "datepicker" : "plain_text_input";
}

/* The bounds of a number, as they were asked. */
static void bounds_write(const struct slack_view *f, const struct question *q)
{
	const struct json *min = json_get(q->json, "min"),
			  *max = json_get(q->json, "max");

	jw_put_bool(f->w, "is_decimal_allowed", !q->integer);
	if (json_is(min, JSON_NUMBER)) jw_put_str(f->w, "min_value", min->text);
	if (json_is(max, JSON_NUMBER)) jw_put_str(f->w, "max_value", max->text);
}

static void element_write(const struct slack_view *f, const struct question *q)
{
	const char *type = element_type(q);
	struct str hint = json_text(json_get(q->json, "placeholder"));

	jw_put_object(f->w, "element");
	jw_put_text(f->w, "type", type);
	jw_put_text(f->w, "action_id", "v");
	if (question_kind(q)->input == INPUT_NUMBER) bounds_write(f, q);
	if (hint.len && question_typed(q)) {
		jw_key(f->w, "placeholder");
		slack_plain(f->w, safe(f, hint), HINT_LEN);
	}
	if (strcmp(type, "plain_text_input") == 0) {
		jw_put_bool(f->w, "multiline", q->format == FORMAT_NONE);
		jw_put_int(f->w, "max_length", TEXT_LEN);
	}
	if (!question_typed(q)) options_write(f, q);
	jw_object_end(f->w);
}

static void input_open(
	const struct slack_view *f, char kind, size_t i, struct str label, bool optional)
{
	char id[24];

	snprintf(id, sizeof id, "%c%zu", kind, i);
	jw_object(f->w);
	jw_put_text(f->w, "type", "input");
	jw_put_text(f->w, "block_id", id);
	jw_put_bool(f->w, "optional", optional);
	jw_key(f->w, "label");
	slack_plain(f->w, label, LABEL_LEN);
}

static void beside_write(
	const struct slack_view *f, char kind, size_t i, const char *label, bool optional)
{
	input_open(f, kind, i, say(f, label), optional);
	jw_put_object(f->w, "element");
	jw_put_text(f->w, "type", "plain_text_input");
	jw_put_text(f->w, "action_id", "v");
	jw_put_bool(f->w, "multiline", kind == 'q');
	jw_put_int(f->w, "max_length", TEXT_LEN);
	jw_object_end(f->w);
	jw_object_end(f->w);
}

static void question_write_in(
	const struct slack_view *f, const struct question *q, size_t i)
{
	/* With a text beside them nobody needs to choose. */
	input_open(f, 'q', i, safe(f, own_words(q->key, q->text, f->m->lang, f->arena)),
		!q->required || q->other);
	element_write(f, q);
	jw_object_end(f->w);
	if (q->other) beside_write(f, 'o', i, "notify.slack.other", true);
	if (q->note) beside_write(f, 'n', i, "notify.slack.note", !q->note_required);
}

/* ---- views ---- */

static void view_open(const struct slack_view *f, struct str metadata, const char *submit)
{
	struct json_writer *w = f->w;

	jw_object(w);
	jw_put_text(w, "type", "modal");
	jw_key(w, "title");
	slack_plain(w, STR("Parley"), 24);
	jw_key(w, "close");
	slack_plain(w, say(f, "notify.slack.cancel"), 24);
	if (metadata.len) {
		jw_put_str(w, "private_metadata", metadata);
		jw_key(w, "submit");
		slack_plain(w, say(f, submit), 24);
	}
	jw_put_array(w, "blocks");
}

static void section_write(const struct slack_view *f, struct str text)
{
	jw_object(f->w);
	jw_put_text(f->w, "type", "section");
	jw_key(f->w, "text");
	slack_plain(f->w, text, TEXT_LEN);
	jw_object_end(f->w);
}

void slack_form_write(
	struct json_writer *w, const struct slack_message *m, struct arena *arena)
{
	const struct slack_view f = { w, m, arena };
	const struct slack_button p = { m->ask->id, ask_short_digest(m->ask), PRESS_FORM,
		0 };

	view_open(&f, slack_button_write(&p, arena), "notify.slack.send");
	section_write(&f, m->title);
	for (size_t i = 0; i < m->parts->questions_len; i++)
		question_write_in(&f, &m->parts->questions[i], i);
	jw_array_end(w);
	jw_object_end(w);
}

void slack_reject_write(
	struct json_writer *w, const struct slack_message *m, struct arena *arena)
{
	const struct slack_view f = { w, m, arena };
	const struct slack_button p = { m->ask->id, ask_short_digest(m->ask),
		PRESS_REJECT, 0 };

	view_open(&f, slack_button_write(&p, arena), "notify.slack.reject");
	section_write(&f, m->title);
	beside_write(&f, 'q', 0, "notify.slack.reason", true);
	jw_array_end(w);
	jw_object_end(w);
}

void slack_form_says(
	struct json_writer *w, enum lang lang, struct str text, struct arena *arena)
{
	const struct slack_message m = { .lang = lang };
	const struct slack_view f = { w, &m, arena };

	view_open(&f, STR_NONE, NULL);
	section_write(&f, text);
	jw_array_end(w);
	jw_object_end(w);
}

/* ---- what was filled in ---- */

static const struct json *field(const struct json *values, char kind, size_t i)
{
	char id[24];

	snprintf(id, sizeof id, "%c%zu", kind, i);
	return json_get(json_get(values, id), "v");
}

/* Which of `len` options; -1: none. */
static int64_t option_index(const struct json *option, size_t len)
{
	int64_t i;

	return str_to_int(json_text(json_get(option, "value")), 0, (int64_t)len - 1, &i)
		       ? i
		       : -1;
}

static void selected_write(
	struct json_writer *w, const struct question *q, const struct json *v)
{
	const struct json *many = json_get(v, "selected_options");
	int64_t one = option_index(json_get(v, "selected_option"), q->options_len);

	jw_put_array(w, "selected");
	if (one >= 0) jw_str(w, q->options[one].id);
	for (uint32_t i = 0; json_is(many, JSON_ARRAY) && i < many->count; i++) {
		int64_t n = option_index(&many->items[i], q->options_len);

		if (n >= 0) jw_str(w, q->options[n].id);
	}
	jw_array_end(w);
}

static bool number_text(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!strchr("0123456789+-.eE", text.at[i])) return false;
	return text.len > 0 && text.len < 40;
}

/* False: nothing was filled in. */
static bool value_write(
	struct json_writer *w, const struct question *q, const struct json *v)
{
	struct str text = json_text(json_get(v, "value"));
	int64_t i = option_index(json_get(v, "selected_option"), 2);
	const struct json *number;
	struct arena scratch = { 0 };
	bool found = false;

	switch (question_kind(q)->input) {
	case INPUT_TEXT:
		if (q->format == FORMAT_DATE)
			text = json_text(json_get(v, "selected_date"));
		found = text.len > 0;
		if (found) jw_put_str(w, "text", text);
		break;
	case INPUT_NUMBER:
		found = text.len > 0;
		/* A value that is not a number is passed on as text; the desk refuses it. */
		if (found && number_text(text) &&
			json_read(text, NULL, &scratch, &number, NULL) == OK)
			jw_put_raw(w, "value", text);
		else if (found)
			jw_put_str(w, "value", text);
		break;
	case INPUT_YES_NO:
	case INPUT_DECISION:
		found = i >= 0;
		if (found) jw_put_raw(w, "value", str_of(question_kind(q)->pair[i]));
		break;
	case INPUT_ONE:
	case INPUT_MANY:
		selected_write(w, q, v);
		found = true;
		break;
	}
	arena_done(&scratch);
	return found;
}

struct str slack_reject_answer(const struct json *values, struct arena *arena)
{
	struct buf out = { .max = 1 << 16 };
	struct json_writer w = { .out = &out };

	jw_object(&w);
	jw_put_object(&w, "answer");
	jw_put_text(&w, "value", "reject");
	jw_put_some(&w, "text", json_text(json_get(field(values, 'q', 0), "value")));
	jw_object_end(&w);
	jw_object_end(&w);
	return buf_keep_done(&out, arena);
}

struct str slack_form_answers(
	const struct json *values, const struct ask_parts *parts, struct arena *arena)
{
	struct buf out = { .max = 1 << 18 };
	struct json_writer w = { .out = &out };

	jw_object(&w);
	jw_put_object(&w, "answers");
	for (size_t i = 0; i < parts->questions_len; i++) {
		const struct question *q = &parts->questions[i];
		const struct json *v = field(values, 'q', i);
		struct str other = json_text(json_get(field(values, 'o', i), "value"));
		struct str note = json_text(json_get(field(values, 'n', i), "value"));
		const struct json *chosen = json_get(v, "selected_options");
		bool empty = !other.len && !note.len &&
			     !json_text(json_get(v, "value")).len &&
			     !json_text(json_get(v, "selected_date")).len &&
			     !json_is(json_get(v, "selected_option"), JSON_OBJECT) &&
			     !(json_is(chosen, JSON_ARRAY) && chosen->count);

		if (empty) continue;
		jw_name(&w, q->key);
		jw_object(&w);
		value_write(&w, q, v);
		jw_put_some(&w, "other", other);
		if (note.len && question_kind(q)->note) jw_put_str(&w, "text", note);
		jw_object_end(&w);
	}
	jw_object_end(&w);
	jw_object_end(&w);
	return buf_keep_done(&out, arena);
}

/* ---- errors ---- */

/* The question that "/answers/KEY/…" is about; the first when it is about none. */
static size_t item_question(const char *pointer, const struct ask_parts *parts)
{
	struct str at = str_of(pointer);

	if (!str_starts(at, "/answers/")) return 0;
	at = str_from(at, strlen("/answers/"));
	for (size_t i = 0; i < parts->questions_len; i++) {
		struct str key = parts->questions[i].key;

		if (str_eq(str_first(at, key.len), key) &&
			(at.len == key.len || at.at[key.len] == '/'))
			return i;
	}
	return 0;
}

void slack_form_errors(struct json_writer *w, const struct fault *why,
	const struct ask_parts *parts, enum lang lang, struct arena *arena)
{
	bool said[QUESTIONS_MAX] = { false };
	char id[24];

	jw_object(w);
	jw_put_text(w, "response_action", "errors");
	jw_put_object(w, "errors");
	for (int n = 0; n < why->items_len || (n == 0 && !why->items_len); n++) {
		bool whole = !why->items_len;
		size_t i = whole ? 0 : item_question(why->items[n].pointer, parts);
		const char *detail = whole ? why->detail : why->items[n].detail;

		if (i >= QUESTIONS_MAX || said[i]) continue;
		said[i] = true;
		snprintf(id, sizeof id, "q%zu", i);
		jw_put_str(w, id, problem_words(str_of(detail), lang, arena));
	}
	jw_object_end(w);
	jw_object_end(w);
}
