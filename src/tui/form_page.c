/* form_page.c - the answer form as rows of text. */
#include "tui/form_page.h"

#include "base/utf8.h"
#include "core/ask/question_kind.h"
#include "text/msg.h"
#include "text/own.h"
#include "tui/words.h"

enum { PREVIEW_ROWS = 8 };

struct form_writer {
	struct page *page;
	const struct form *form;
	struct arena arena;
};

struct str form_title(const struct form *f, struct arena *arena)
{
	if (f->at >= f->len) return MSG(arena, "web.form.review");
	struct str header = f->questions[f->at].header;
	if (f->len == 1) return header;
	return header.len > 0 ? arena_print(arena, "%zu/%zu: %.*s", f->at + 1, f->len,
					STR_ARGS(header))
			      : arena_print(arena, "%zu/%zu", f->at + 1, f->len);
}

/* ---- rows ---- */

static struct str row_label(struct form_writer *w, const struct question *q, size_t row)
{
	if (question_kind(q)->input == INPUT_YES_NO)
		return MSG(&w->arena, row == 0 ? "web.form.yes" : "web.form.no");
	if (question_decides(q))
		return MSG(&w->arena, row > 0 ? "web.approval.reject.open"
				      : w->form->arguments.len > 0
					      ? "web.approval.changed"
					      : "web.approval.approve");
	if (row < q->options_len)
		return own_words(q->key, q->options[row].label, msg_lang(), &w->arena);
	return MSG(&w->arena, "web.form.other");
}

/* Suggested: an id, a label, a list of them, true or false, approve or reject. */
static bool suggests(const struct json *said, const struct question *q, size_t row)
{
	if (json_is(said, JSON_ARRAY)) {
		for (uint32_t i = 0; i < said->count; i++)
			if (suggests(&said->items[i], q, row)) return true;
		return false;
	}
	if (question_kind(q)->pair[0]) return question_pair_row(q, said) == (int)row;
	return row < q->options_len && json_is(said, JSON_STRING) &&
	       (str_eq(said->text, q->options[row].id) ||
		       str_eq(said->text, q->options[row].label));
}

/* What an option means; of the one under the cursor also how it would look. */
static void option_extra(struct form_writer *w, const struct question *q, size_t row)
{
	const struct json *options = json_get(q->json, "options");
	struct page *p = w->page;

	if (row >= q->options_len || !json_is(options, JSON_ARRAY)) return;
	struct str meaning = json_text_of(&options->items[row], "description");
	struct str preview = json_text_of(&options->items[row], "preview"), line;
	if (meaning.len > 0) page_wrap(p, STYLE_SOFT, 8, meaning);
	if (row != w->form->entries[w->form->at].row) return;
	for (int n = 0; n < PREVIEW_ROWS && str_cut(&preview, '\n', &line); n++)
		page_block(p, STYLE_ACCENT, 8, line);
}

/* What the person has written, in one row: its line ends as a sign, not as control bytes. */
static void words_show(struct form_writer *w, enum style style, struct str rest)
{
	struct str part;

	while (str_cut(&rest, '\n', &part)) {
		page_add(w->page, style, part);
		if (rest.len > 0) page_add_text(w->page, STYLE_SOFT, " ↵ ");
	}
}

/* "▸ (•) 2 Production  suggested by the agent" */
static void row_write(struct form_writer *w, size_t row)
{
	const struct form *f = w->form;
	const struct question *q = &f->questions[f->at];
	const struct entry *e = &f->entries[f->at];
	bool here = e->row == row && f->mode != FORM_NOTE && !f->idle;
	bool chosen = form_row_chosen(f, f->at, row);
	bool other = row == q->options_len && q->other && question_has_options(q);
	struct page *p = w->page;

	if (here) page_focus(p);
	page_row(p);
	page_add_text(p, here ? STYLE_ACCENT : STYLE_PLAIN, here ? "▸ " : "  ");
	page_add_text(p, chosen ? STYLE_GOOD : STYLE_PLAIN,
		question_many(q) ? (chosen ? "[x] " : "[ ] ")
				 : (chosen ? "(•) " : "( ) "));
	if (row < 9) page_add(p, STYLE_SOFT, arena_print(&w->arena, "%zu ", row + 1));
	page_add(p, here ? STYLE_BOLD : STYLE_PLAIN, row_label(w, q, row));
	if (suggests(json_get(q->json, "suggested"), q, row)) {
		page_add_text(p, STYLE_PLAIN, "  ");
		page_add(p, STYLE_SOFT, MSG(&w->arena, "web.form.suggested"));
	}
	if (other && f->mode == FORM_OTHER) {
		page_add_text(p, STYLE_PLAIN, ": ");
		page_line(p, STYLE_ACCENT, &e->other);
	} else if (other && e->other.text.len > 0) {
		page_add_text(p, STYLE_PLAIN, ": ");
		words_show(
			w, e->other_on ? STYLE_PLAIN : STYLE_SOFT, line_text(&e->other));
	}
	option_extra(w, q, row);
	if (here) page_focus_end(p);
}

static void note_write(struct form_writer *w)
{
	const struct form *f = w->form;
	const struct question *q = &f->questions[f->at];
	const struct entry *e = &f->entries[f->at];
	bool writes = f->mode == FORM_NOTE, reason = question_decides(q) && !q->note;
	bool here = !f->idle && (writes || e->row >= form_rows(q));
	struct page *p = w->page;

	if (!question_kind(q)->note || (!q->note && !writes && e->note.text.len == 0))
		return;
	if (here) page_focus(p);
	page_row(p);
	page_add_text(p, here ? STYLE_ACCENT : STYLE_PLAIN, here ? "▸ " : "  ");
	page_add(p, STYLE_SOFT,
		MSG(&w->arena, reason ? "web.approval.reason" : "web.form.note"));
	page_add_text(p, STYLE_SOFT, " ");
	page_add(p, STYLE_SOFT,
		MSG(&w->arena,
			q->note_required ? "web.form.required" : "web.form.optional"));
	page_row(p);
	page_pad(p, 4);
	if (writes)
		page_line(p, STYLE_ACCENT, &e->note);
	else
		words_show(w, STYLE_PLAIN, line_text(&e->note));
	if (here) page_focus_end(p);
}

/* ---- a text or a number ---- */

/* A bound as the agent wrote it: a double would round a long integer. */
static struct str bound_text(
	struct form_writer *w, const struct question *q, const char *name)
{
	const struct json *bound = json_get(q->json, name);

	return json_is(bound, JSON_NUMBER)
		       ? bound->text
		       : arena_print(&w->arena, "%d", LINE_POINTS_MAX);
}

static void bounds_write(struct form_writer *w, const struct question *q, size_t typed)
{
	struct page *p = w->page;

	if (question_kind(q)->input == INPUT_NUMBER && q->has_min && q->has_max) {
		page_row(p);
		page_pad(p, 2);
		page_add(p, STYLE_SOFT,
			MSG(&w->arena, "web.form.range",
				{ "min", bound_text(w, q, "min") },
				{ "max", bound_text(w, q, "max") }));
	} else if (question_kind(q)->input == INPUT_TEXT &&
		   (q->has_max || typed > LINE_POINTS_MAX / 2)) {
		page_row(p);
		page_pad(p, 2);
		page_add(p, STYLE_SOFT,
			MSG(&w->arena, "web.form.counter",
				{ "n", arena_print(&w->arena, "%zu", typed) },
				{ "max", bound_text(w, q, "max") }));
	}
}

static void text_write(struct form_writer *w)
{
	const struct form *f = w->form;
	const struct question *q = &f->questions[f->at];
	const struct entry *e = &f->entries[f->at];
	struct str hint = json_text_of(q->json, "placeholder");
	struct page *p = w->page;

	page_focus(p);
	page_row(p);
	page_add_text(p, STYLE_ACCENT, f->idle ? "  " : "▸ ");
	if (f->mode == FORM_WRITE && !f->idle)
		page_line(p, STYLE_PLAIN, &e->text);
	else
		words_show(w, STYLE_PLAIN, line_text(&e->text));
	if (e->text.text.len == 0) page_add(p, STYLE_SOFT, hint);
	page_focus_end(p);
	struct str suggested = json_text_of(q->json, "suggested");
	if (suggested.len > 0) {
		page_row(p);
		page_pad(p, 2);
		page_add(p, STYLE_SOFT, MSG(&w->arena, "web.form.suggested"));
		page_add_text(p, STYLE_SOFT, ": ");
		page_add(p, STYLE_SOFT, suggested);
	}
	bounds_write(w, q, utf8_count(line_text(&e->text)));
}

/* ---- before it is sent ---- */

static struct str entry_words(struct form_writer *w, size_t i)
{
	struct buf text = { 0 };
	struct json_writer jw = { .out = &text };
	const struct json *values = NULL;
	const struct question *q = &w->form->questions[i];
	struct str words = STR_NONE;

	form_answer(w->form, &jw);
	struct str kept = arena_str(&w->arena, buf_str(&text));
	if (json_read(kept, NULL, &w->arena, &values, NULL) == OK)
		words = reply_words(q->json, json_get_str(values, q->key), &w->arena);
	buf_done(&text);
	return words.len > 0 ? words : MSG(&w->arena, "web.form.empty");
}

static void review_write(struct form_writer *w)
{
	const struct form *f = w->form;
	struct page *p = w->page;

	for (size_t i = 0; i <= f->len; i++) {
		bool here = f->review_row == i && !f->idle;
		const struct question *q = &f->questions[i < f->len ? i : 0];

		if (here) page_focus(p);
		page_row(p);
		page_add_text(p, here ? STYLE_ACCENT : STYLE_PLAIN, here ? "▸ " : "  ");
		if (i == f->len) {
			page_add(p, STYLE_BOLD, MSG(&w->arena, "web.form.submit"));
		} else {
			page_add(p, STYLE_SOFT, q->header.len > 0 ? q->header : q->text);
			page_add_text(p, STYLE_SOFT, ": ");
			words_show(w, STYLE_PLAIN, entry_words(w, i));
		}
		if (here) page_focus_end(p);
	}
}

static void flaw_write(struct form_writer *w)
{
	const struct flaw *flaw = &w->form->flaw;
	const struct form *f = w->form;
	const struct question *q = &f->questions[f->at < f->len ? f->at : 0];

	if (!flaw->id) return;
	page_wrap(w->page, STYLE_BAD, 0,
		MSG(&w->arena, flaw->id, { "min", bound_text(w, q, "min") },
			{ "max", bound_text(w, q, "max") },
			{ "n", arena_print(&w->arena, "%zu", flaw->n) }));
	page_focus_end(w->page); /* seen with what it is about */
}

static void prompt_write(struct form_writer *w, const char *one, const char *many)
{
	size_t asks = w->form->asks;

	page_focus(w->page);
	page_row(w->page);
	page_add(w->page, STYLE_WARN,
		asks > 1 ? msg_count(&w->arena, many, (int64_t)asks)
			 : MSG(&w->arena, one));
	page_focus_end(w->page);
}

static void shown_write(struct form_writer *w)
{
	const struct form *f = w->form;
	const struct question *q = &f->questions[f->at];

	for (size_t row = 0; row < form_rows(q); row++)
		row_write(w, row);
	if (form_rows(q) == 0) text_write(w);
	note_write(w);
}

struct str form_text(const struct form *f, struct arena *arena)
{
	const struct question *q = &f->questions[f->at];

	return f->at < f->len ? own_words(q->key, q->text, msg_lang(), arena) : STR_NONE;
}

size_t form_write(struct page *page, const struct form *f, size_t text_rows)
{
	struct form_writer w = { .page = page, .form = f };
	size_t first = page->rows_len, text;

	page_wrap_rows(page, STYLE_BOLD, 0, form_text(f, &w.arena), text_rows);
	text = page->rows_len - first;
	if (f->at < f->len)
		shown_write(&w);
	else
		review_write(&w);
	flaw_write(&w);
	if (f->mode == FORM_SKIP) prompt_write(&w, "tui.skip", "tui.batch.skip");
	if (f->mode == FORM_CONFIRM) prompt_write(&w, "tui.again", "tui.batch.confirm");
	arena_done(&w.arena);
	return text;
}

struct str form_keys(const struct form *f, struct arena *arena)
{
	static const char *const ids[] = {
		[FORM_CHOOSE] = "tui.keys.choose",
		[FORM_WRITE] = "tui.keys.write",
		[FORM_OTHER] = "tui.keys.line",
		[FORM_NOTE] = "tui.keys.line",
		[FORM_REVIEW] = "tui.keys.review",
		[FORM_SKIP] = "tui.keys.skip",
		[FORM_CONFIRM] = "tui.keys.confirm",
	};
	const char *id = ids[f->mode];

	if (f->len == 1 && f->mode == FORM_CHOOSE) id = "tui.keys.choose.lone";
	if (f->len == 1 && f->mode == FORM_WRITE) id = "tui.keys.write.lone";
	if (f->mode == FORM_CHOOSE && form_decides(f))
		id = f->longer ? "tui.keys.decide.longer" : "tui.keys.decide";
	if (f->mode == FORM_CHOOSE && question_many(&f->questions[f->at]))
		id = f->len == 1 ? "tui.keys.toggle.lone" : "tui.keys.toggle";
	return MSG(arena, id);
}
