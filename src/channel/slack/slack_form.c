/* slack_form.c - forms written, and what was filled in read back.
 *
 * The block of question i is "q" and i; a text beside its options "o" and i, a note "n" and i. In
 * each the one field is "v". Options are named by their index. */
#include "channel/slack/slack_form.h"

#include "base/json_pattern.h"
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

static struct str plain(const struct slack_view *f, struct str text, size_t max)
{
	return slack_plain(text, max, f->arena);
}

/* Of an agent's own words. */
static struct str safe_plain(const struct slack_view *f, struct str text, size_t max)
{
	return text.len ? plain(f, safe_line(f->arena, text), max) : STR_NONE;
}

static struct str text_len(const struct slack_view *f)
{
	return arena_print(f->arena, "%d", TEXT_LEN);
}

/* "q0": the block of a question, or of what is asked beside it. */
static struct str block_id(char kind, size_t i, struct arena *arena)
{
	return arena_print(arena, "%c%zu", kind, i);
}

/* ---- fields ---- */

/* `text` and `description` are plain texts of Slack's. */
static void option_write(
	const struct slack_view *f, size_t i, struct str text, struct str description)
{
	JW(f->w, "{'text':%j,'value':%s,'description':%j}", text,
		arena_print(f->arena, "%zu", i), description);
}

static void options_write(const struct slack_view *f, const struct question *q)
{
	const struct json *as_asked = json_get(q->json, "options");

	JW(f->w, "'options':[");
	if (question_kind(q)->pair[0]) {
		bool yes = question_kind(q)->input == INPUT_YES_NO;
		struct str first = slack_text(f, yes ? "notify.yes" : "notify.approve");
		struct str second =
			slack_text(f, yes ? "notify.no" : "notify.slack.reject");

		option_write(f, 0, plain(f, first, OPTION_LEN), STR_NONE);
		option_write(f, 1, plain(f, second, OPTION_LEN), STR_NONE);
	}
	for (size_t i = 0; i < q->options_len; i++) {
		struct str label =
			own_words(q->key, q->options[i].label, f->m->lang, f->arena);
		const struct json *option =
			json_is(as_asked, JSON_ARRAY) ? &as_asked->items[i] : NULL;

		option_write(f, i, plain(f, safe_line(f->arena, label), OPTION_LEN),
			safe_plain(f, json_text_of(option, "description"), OPTION_LEN));
	}
	JW(f->w, "]");
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

/* A bound of a number, as it was asked. */
static struct str bound(const struct question *q, const char *name)
{
	const struct json *value = json_get(q->json, name);

	return json_is(value, JSON_NUMBER) ? value->text : STR_NONE;
}

static void element_write(const struct slack_view *f, const struct question *q)
{
	const char *type = element_type(q);
	struct str hint =
		question_typed(q) ? json_text_of(q->json, "placeholder") : STR_NONE;

	JW(f->w, "{'type':%s,'action_id':'v','placeholder':%j", str_of(type),
		safe_plain(f, hint, HINT_LEN));
	if (question_kind(q)->input == INPUT_NUMBER)
		JW(f->w, "'is_decimal_allowed':%j,'min_value':%?,'max_value':%?",
			json_bool(!q->integer), bound(q, "min"), bound(q, "max"));
	if (strcmp(type, "plain_text_input") == 0)
		JW(f->w, "'multiline':%j,'max_length':%j",
			json_bool(q->format == FORMAT_NONE), text_len(f));
	if (!question_typed(q)) options_write(f, q);
	JW(f->w, "}");
}

/* Its element follows, and the end. `label` is a plain text of Slack's. */
static void input_open(
	const struct slack_view *f, char kind, size_t i, struct str label, bool optional)
{
	JW(f->w, "{'type':'input','block_id':%s,'optional':%j,'label':%j,'element':",
		block_id(kind, i, f->arena), json_bool(optional), label);
}

static void beside_write(
	const struct slack_view *f, char kind, size_t i, const char *label, bool optional)
{
	input_open(f, kind, i, slack_plain_text(f, label, LABEL_LEN), optional);
	JW(f->w,
		"{'type':'plain_text_input','action_id':'v','multiline':%j,"
		"'max_length':%j}}",
		json_bool(kind == 'q'), text_len(f));
}

static void question_write_in(
	const struct slack_view *f, const struct question *q, size_t i)
{
	struct str label =
		safe_line(f->arena, own_words(q->key, q->text, f->m->lang, f->arena));

	/* With a text beside them nobody needs to choose. */
	input_open(f, 'q', i, plain(f, label, LABEL_LEN), !q->required || q->other);
	element_write(f, q);
	JW(f->w, "}");
	if (q->other) beside_write(f, 'o', i, "notify.slack.other", true);
	if (q->note) beside_write(f, 'n', i, "notify.slack.note", !q->note_required);
}

/* ---- views ---- */

struct str slack_form_says(struct str text, enum lang lang, struct arena *arena)
{
	return JSON_TEXT(arena,
		"{'type':'modal','title':%j,'close':%j,"
		"'blocks':[{'type':'section','text':%j}]}",
		slack_plain(STR("Parley"), 24, arena),
		slack_plain(MSG_IN(arena, lang, "notify.slack.cancel"), 24, arena),
		slack_plain(text, TEXT_LEN, arena));
}

struct str slack_form_write(
	const struct slack_message *m, enum slack_button_verb verb, struct arena *arena)
{
	const struct slack_button p = { m->ask->id, ask_short_digest(m->ask), verb, 0 };
	bool rejects = verb == PRESS_REJECT;
	struct buf out = { .max = 1 << 18 };
	struct json_writer w = { .out = &out };
	const struct slack_view f = { &w, m, arena };

	JW(&w,
		"{'type':'modal','title':%j,'close':%j,'private_metadata':%s,'submit':%j,"
		"'blocks':[{'type':'section','text':%j}",
		plain(&f, STR("Parley"), 24),
		slack_plain_text(&f, "notify.slack.cancel", 24),
		slack_button_write(&p, arena),
		slack_plain_text(
			&f, rejects ? "notify.slack.reject" : "notify.slack.send", 24),
		plain(&f, m->title, TEXT_LEN));
	if (rejects) beside_write(&f, 'q', 0, "notify.slack.reason", true);
	for (size_t i = 0; !rejects && i < m->parts->questions_len; i++)
		question_write_in(&f, &m->parts->questions[i], i);
	JW(&w, "]}");
	return buf_keep_done(&out, arena);
}

/* ---- what was filled in ---- */

static const struct json *field(const struct json *values, char kind, size_t i)
{
	char id[24];

	snprintf(id, sizeof id, "%c%zu", kind, i);
	return json_get(json_get(values, id), "v");
}

/* The text that was typed into a field. */
static struct str field_text(const struct json *values, char kind, size_t i)
{
	return json_text_of(field(values, kind, i), "value");
}

/* Which of `len` options; -1: none. */
static int64_t option_index(const struct json *option, size_t len)
{
	int64_t i;

	return str_to_int(json_text_of(option, "value"), 0, (int64_t)len - 1, &i) ? i
										  : -1;
}

static void selected_write(
	struct json_writer *w, const struct question *q, const struct json *v)
{
	const struct json *many = json_get(v, "selected_options");
	int64_t one = option_index(json_get(v, "selected_option"), q->options_len);

	jw_put_array(w, "selected");
	if (one >= 0) jw_str(w, q->options[one].id);
	for (const struct json *item = NULL; json_each(many, &item);) {
		int64_t n = option_index(item, q->options_len);

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
	struct str text = json_text_of(v, "value");
	int64_t i = option_index(json_get(v, "selected_option"), 2);
	const struct json *number;
	struct arena scratch = { 0 };
	bool found = false;

	switch (question_kind(q)->input) {
	case INPUT_TEXT:
		if (q->format == FORMAT_DATE) text = json_text_of(v, "selected_date");
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
	return JSON_TEXT(arena, "{'answer':{'value':'reject','text':%?}}",
		field_text(values, 'q', 0));
}

struct str slack_form_answers(
	const struct json *values, const struct ask_parts *parts, struct arena *arena)
{
	struct buf out = { .max = 1 << 18 };
	struct json_writer w = { .out = &out };

	JW(&w, "{'answers':{");
	for (size_t i = 0; i < parts->questions_len; i++) {
		const struct question *q = &parts->questions[i];
		const struct json *v = field(values, 'q', i);
		struct str other = field_text(values, 'o', i);
		struct str note = field_text(values, 'n', i);
		const struct json *chosen = json_get(v, "selected_options");
		bool empty = !other.len && !note.len && !json_text_of(v, "value").len &&
			     !json_text_of(v, "selected_date").len &&
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
	JW(&w, "}}");
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

struct str slack_form_errors(const struct fault *why, const struct ask_parts *parts,
	enum lang lang, struct arena *arena)
{
	bool said[QUESTIONS_MAX] = { false }, whole = !why->items_len;
	struct buf out = { .max = 1 << 16 };
	struct json_writer w = { .out = &out };

	JW(&w, "{'response_action':'errors','errors':{");
	for (int n = 0; n < why->items_len || (n == 0 && whole); n++) {
		size_t i = whole ? 0 : item_question(why->items[n].pointer, parts);
		const char *detail = whole ? why->detail : why->items[n].detail;

		if (i >= QUESTIONS_MAX || said[i]) continue;
		said[i] = true;
		jw_name(&w, block_id('q', i, arena));
		jw_str(&w, problem_words(str_of(detail), lang, arena));
	}
	JW(&w, "}}");
	return buf_keep_done(&out, arena);
}
