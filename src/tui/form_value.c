/* form_value.c - what was filled in, as values: to send, to keep, and to fill in
 * again. */
#include "base/utf8.h"

#include "core/ask/answer.h"
#include "core/ask/question_kind.h"
#include "tui/form.h"

/* ---- out ---- */

/* The JSON number that a person wrote; empty: it is none. `real` may be NULL. */
static struct str number_of(const struct line *l, double *real)
{
	struct arena arena = { 0 };
	struct str text = str_trim(line_text(l));
	const struct json *json = NULL;
	bool is = text.len > 0 && json_read(text, NULL, &arena, &json, NULL) == OK &&
		  json->type == JSON_NUMBER;

	if (is && real) *real = json_real(json);
	arena_done(&arena);
	return is ? text : STR_NONE;
}

static void value_put(const struct form *f, size_t i, struct json_writer *w)
{
	const struct entry *e = &f->entries[i];
	const struct question_kind *kind = question_kind(&f->questions[i]);
	bool first = e->selected & 1;

	switch (kind->input) {
	case INPUT_TEXT: jw_put_str(w, "text", line_text(&e->text)); break;
	case INPUT_NUMBER: jw_put_raw(w, "value", number_of(&e->text, NULL)); break;
	case INPUT_YES_NO:
	case INPUT_DECISION:
		jw_put_raw(w, "value", str_of(kind->pair[first ? 0 : 1]));
		if (!first || f->arguments.len == 0) break;
		jw_put_raw(w, "arguments", buf_str(&f->arguments));
		break;
	case INPUT_ONE:
	case INPUT_MANY:
		if (e->other_on && !line_blank(&e->other))
			jw_put_str(w, "other", line_text(&e->other));
	}
}

static void selected_put(const struct form *f, size_t i, struct json_writer *w)
{
	const struct question *q = &f->questions[i];

	if (!question_has_options(q) || !f->entries[i].selected) return;
	jw_put_array(w, "selected");
	for (size_t row = 0; row < q->options_len; row++)
		if (form_row_chosen(f, i, row)) jw_str(w, q->options[row].id);
	jw_array_end(w);
}

bool form_question_given(const struct form *f, size_t i)
{
	const struct entry *e = &f->entries[i];

	switch (question_kind(&f->questions[i])->input) {
	case INPUT_TEXT: return !line_blank(&e->text);
	case INPUT_NUMBER: return number_of(&e->text, NULL).len > 0;
	default: return e->selected || (e->other_on && !line_blank(&e->other));
	}
}

/* A reason belongs to a rejection; a note stands beside any answer that takes one. */
static bool note_given(const struct form *f, size_t i)
{
	const struct question *q = &f->questions[i];
	bool rejects = question_decides(q) && (f->entries[i].selected & 2);

	return question_kind(q)->note && (q->note || rejects) &&
	       !line_blank(&f->entries[i].note);
}

static void question_put(const struct form *f, size_t i, struct json_writer *w)
{
	jw_object(w);
	if (form_question_given(f, i)) {
		selected_put(f, i, w);
		value_put(f, i, w);
	}
	if (note_given(f, i)) jw_put_str(w, "text", line_text(&f->entries[i].note));
	jw_object_end(w);
}

void form_answer(const struct form *f, struct json_writer *w)
{
	jw_object(w);
	for (size_t i = 0; i < f->len; i++) {
		if (!form_question_given(f, i) && !note_given(f, i)) continue;
		jw_name(w, f->questions[i].key);
		question_put(f, i, w);
	}
	jw_object_end(w);
}

void form_draft(const struct form *f, struct json_writer *w)
{
	jw_object(w);
	for (size_t i = 0; i < f->len; i++) {
		const struct entry *e = &f->entries[i];

		jw_name(w, f->questions[i].key);
		jw_object(w);
		jw_put_int(w, "rows", e->selected);
		jw_put_bool(w, "other_on", e->other_on);
		jw_put_str(w, "other", line_text(&e->other));
		jw_put_str(w, "text", line_text(&e->text));
		jw_put_str(w, "note", line_text(&e->note));
		jw_object_end(w);
	}
	jw_object_end(w);
}

bool form_touched(const struct form *f)
{
	for (size_t i = 0; i < f->len; i++) {
		const struct entry *e = &f->entries[i];

		if (e->selected || e->other.text.len || e->text.text.len ||
			e->note.text.len)
			return true;
	}
	return f->arguments.len > 0;
}

/* ---- in ---- */

/* Only rows that there are, and only one where one is chosen. */
static uint32_t rows_fit(const struct question *q, uint32_t rows)
{
	size_t all = question_has_options(q) ? q->options_len : form_rows(q);

	rows &= (uint32_t)((UINT64_C(1) << all) - 1);
	return question_many(q) ? rows : rows & (~rows + 1);
}

static void option_pick(struct form *f, size_t i, struct str said)
{
	const struct question *q = &f->questions[i];
	struct entry *e = &f->entries[i];

	for (int labels = 0; labels < 2; labels++)
		for (size_t row = 0; row < q->options_len; row++)
			if (str_eq(labels ? q->options[row].label : q->options[row].id,
				    said)) {
				e->selected |= UINT32_C(1) << row;
				return;
			}
	if (!q->other) return;
	line_set(&e->other, said);
	e->other_on = !line_blank(&e->other);
}

static void options_pick(struct form *f, size_t i, const struct json *said)
{
	if (json_is(said, JSON_STRING)) option_pick(f, i, said->text);
	for (const struct json *item = NULL; json_each(said, &item);)
		option_pick(f, i, json_text(item));
}

/* The value proper: a shorthand, or the main member of the full form. */
static void value_fill(struct form *f, size_t i, const struct json *said)
{
	struct entry *e = &f->entries[i];
	int row;

	switch (question_kind(&f->questions[i])->input) {
	case INPUT_TEXT: line_set(&e->text, json_text(said)); break;
	case INPUT_NUMBER:
		if (json_is(said, JSON_NUMBER)) line_set(&e->text, said->text);
		break;
	case INPUT_YES_NO:
	case INPUT_DECISION:
		row = question_pair_row(&f->questions[i], said);
		if (row >= 0) e->selected = UINT32_C(1) << row;
		break;
	case INPUT_ONE:
	case INPUT_MANY: options_pick(f, i, said); break;
	}
}

static void full_fill(struct form *f, size_t i, const struct json *said)
{
	const struct question *q = &f->questions[i];
	struct entry *e = &f->entries[i];
	bool choice = question_has_options(q),
	     text_alone = question_kind(q)->main == PART_TEXT;
	const struct json *other = json_get(said, "other"),
			  *text = json_get(said, "text");

	value_fill(f, i,
		json_get(said, choice	    ? "selected"
			       : text_alone ? "text"
					    : "value"));
	if (choice && q->other && json_is(other, JSON_STRING)) {
		line_set(&e->other, other->text);
		e->other_on = true;
	}
	if (!text_alone && json_is(text, JSON_STRING)) line_set(&e->note, text->text);
}

static void draft_fill(struct form *f, size_t i, const struct json *said)
{
	struct entry *e = &f->entries[i];
	const struct json *rows = json_get(said, "rows");

	if (rows->is_int) e->selected = (uint32_t)rows->integer;
	e->other_on =
		f->questions[i].other && json_is(json_get(said, "other_on"), JSON_TRUE);
	line_set(&e->other, json_text_of(said, "other"));
	line_set(&e->text, json_text_of(said, "text"));
	line_set(&e->note, json_text_of(said, "note"));
}

void form_fill_one(struct form *f, size_t i, const struct json *said)
{
	struct entry *e = &f->entries[i];

	if (!said || said->type == JSON_NULL) return;
	e->selected = 0;
	e->other_on = false;
	if (json_is(json_get(said, "rows"), JSON_NUMBER))
		draft_fill(f, i, said);
	else if (said->type == JSON_OBJECT)
		full_fill(f, i, said);
	else
		value_fill(f, i, said);
	e->selected = rows_fit(&f->questions[i], e->selected);
	if (e->other_on && !question_many(&f->questions[i])) e->selected = 0;
	/* The cursor starts on what is chosen. */
	if (e->selected)
		e->row = (size_t)__builtin_ctz(e->selected);
	else if (e->other_on)
		e->row = f->questions[i].options_len;
}

void form_fill(struct form *f, const struct json *values)
{
	for (size_t i = 0; i < f->len; i++)
		form_fill_one(f, i, json_get_str(values, f->questions[i].key));
}

/* ---- what is wrong ---- */

static const char *const missing[QUESTION_INPUTS] = {
	[INPUT_TEXT] = "web.form.flaw.text",
	[INPUT_NUMBER] = "web.form.flaw.number",
	[INPUT_YES_NO] = "web.form.flaw.boolean",
	[INPUT_ONE] = "web.form.flaw.choice",
	[INPUT_MANY] = "web.form.flaw.choices",
	[INPUT_DECISION] = "web.form.flaw.approval",
};

static const char *const misshaped[] = {
	[FORMAT_NONE] = "web.form.flaw.text",
	[FORMAT_EMAIL] = "web.form.flaw.email",
	[FORMAT_URI] = "web.form.flaw.uri",
	[FORMAT_DATE] = "web.form.flaw.date",
	[FORMAT_DATE_TIME] = "web.form.flaw.datetime",
};

/* The rules are the core's. */
static bool core_accepts(const struct form *f, size_t i)
{
	struct arena arena = { 0 };
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	const struct json *value = NULL;
	struct answer answer;

	jw_object(&w);
	jw_key(&w, "answer");
	if (form_question_given(f, i) || note_given(f, i))
		question_put(f, i, &w);
	else
		jw_null(&w);
	jw_object_end(&w);
	bool fits = !text.failed &&
		    json_read(buf_str(&text), NULL, &arena, &value, NULL) == OK &&
		    answer_check(&f->questions[i], 1, value, &arena, &answer, NULL) == OK;
	buf_done(&text);
	arena_done(&arena);
	return fits;
}

static size_t chosen_count(const struct entry *e)
{
	return (size_t)__builtin_popcount(e->selected) +
	       (e->other_on && !line_blank(&e->other));
}

/* In words why the core says no to a value that is there. */
static struct flaw value_flaw(const struct question *q, const struct entry *e)
{
	struct flaw flaw = { 0 };
	bool over, under;
	double real = 0;

	switch (question_kind(q)->input) {
	case INPUT_TEXT:
		flaw.n = utf8_count(line_text(&e->text));
		over = q->has_max && (double)flaw.n > q->max;
		under = q->has_min && (double)flaw.n < q->min;
		flaw.id = over	  ? "web.form.flaw.long"
			  : under ? "web.form.flaw.short"
				  : misshaped[q->format];
		return flaw;
	case INPUT_NUMBER:
		number_of(&e->text, &real);
		flaw.id = q->has_min && real < q->min ? "web.form.flaw.least"
						      : "web.form.flaw.most";
		return flaw;
	case INPUT_MANY:
		flaw.n = chosen_count(e);
		over = q->has_max && (double)flaw.n > q->max;
		flaw.id = over ? "web.form.flaw.many" : "web.form.flaw.few";
		return flaw;
	default: flaw.id = missing[question_kind(q)->input]; return flaw;
	}
}

struct flaw form_flaw(const struct form *f, size_t i)
{
	const struct question *q = &f->questions[i];
	const struct entry *e = &f->entries[i];

	if (e->other_on && line_blank(&e->other))
		return (struct flaw){ .id = "web.form.flaw.other" };
	if (question_kind(q)->input == INPUT_NUMBER && !line_blank(&e->text) &&
		number_of(&e->text, NULL).len == 0)
		return (struct flaw){ .id = "web.form.flaw.number" };
	if (core_accepts(f, i)) return (struct flaw){ 0 };
	if (!form_question_given(f, i))
		return (struct flaw){ .id = missing[question_kind(q)->input] };
	if (q->note_required && line_blank(&e->note))
		return (struct flaw){ .id = "web.form.flaw.note" };
	return value_flaw(q, e);
}
