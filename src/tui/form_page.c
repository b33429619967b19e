/* form_page.c - the answer form as rows of text. */
#include "tui/form_page.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/ask/question_kind.h"
#include "text/own.h"
#include "tui/words.h"

enum { PREVIEW_ROWS = 8 };

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

static struct str row_label(
	const struct form *f, const struct question *q, size_t row, struct arena *arena)
{
	if (question_kind(q)->input == INPUT_YES_NO)
		return MSG(arena, row == 0 ? "web.form.yes" : "web.form.no");
	if (question_decides(q))
		return MSG(arena, row > 0		 ? f->plan ? "web.plan.keep.open"
								   : "web.approval.reject.open"
				  : f->arguments.len > 0 ? "web.approval.changed"
				  : f->plan		 ? "web.plan.approve"
							 : "web.approval.approve");
	if (row < q->options_len)
		return own_words(q->key, q->options[row].label, msg_lang(), arena);
	return MSG(arena, "web.form.other");
}

/* Suggested: an id, a label, a list of them, true or false, approve or reject. */
static bool suggests(const struct json *said, const struct question *q, size_t row)
{
	for (const struct json *one = NULL; json_each(said, &one);)
		if (suggests(one, q, row)) return true;
	if (json_is(said, JSON_ARRAY)) return false;
	if (question_kind(q)->pair[0]) return question_pair_row(q, said) == (int)row;
	return row < q->options_len && json_is(said, JSON_STRING) &&
	       (str_eq(said->text, q->options[row].id) ||
		       str_eq(said->text, q->options[row].label));
}

/* What an option means; of the one under the cursor also how it would look. */
static void option_extra(
	struct page *p, const struct form *f, const struct question *q, size_t row)
{
	const struct json *options = json_get(q->json, "options");

	if (row >= q->options_len || !json_is(options, JSON_ARRAY)) return;
	struct str preview = json_text_of(&options->items[row], "preview"), line;
	page_wrap(p, STYLE_SOFT, 8, json_text_of(&options->items[row], "description"));
	if (row != f->entries[f->at].row) return;
	for (int n = 0; n < PREVIEW_ROWS && str_cut(&preview, '\n', &line); n++)
		page_block(p, STYLE_ACCENT, 8, line);
}

/* What the person has written, in one row: its line ends as a sign, not as control bytes. */
static void words_show(struct page *p, enum style style, struct str rest)
{
	struct str part;

	while (str_cut(&rest, '\n', &part)) {
		page_add(p, style, part);
		if (rest.len > 0) page_add_text(p, STYLE_SOFT, " ↵ ");
	}
}

/* "▸ (•) 2 Production  suggested by the agent" */
static void row_write(struct page *p, const struct form *f, size_t row)
{
	const struct question *q = &f->questions[f->at];
	const struct entry *e = &f->entries[f->at];
	bool here = e->row == row && f->mode != FORM_NOTE && !f->idle;
	bool chosen = form_row_chosen(f, f->at, row);
	bool other = row == q->options_len && q->other && question_has_options(q);
	bool typing = other && f->mode == FORM_OTHER;

	page_row_choice(p, here);
	page_add_text(p, chosen ? STYLE_GOOD : STYLE_PLAIN,
		question_many(q) ? (chosen ? "[x] " : "[ ] ")
				 : (chosen ? "(•) " : "( ) "));
	if (row < 9) page_add(p, STYLE_SOFT, arena_print(&p->words, "%zu ", row + 1));
	page_add(p, here ? STYLE_BOLD : STYLE_PLAIN, row_label(f, q, row, &p->words));
	if (suggests(json_get(q->json, "suggested"), q, row))
		page_word(p, STYLE_SOFT, MSG(&p->words, "web.form.suggested"));
	if (typing || (other && e->other.text.len > 0))
		page_add_text(p, STYLE_PLAIN, ": ");
	if (typing)
		page_line(p, STYLE_ACCENT, &e->other);
	else if (other)
		words_show(
			p, e->other_on ? STYLE_PLAIN : STYLE_SOFT, line_text(&e->other));
	option_extra(p, f, q, row);
	if (here) page_focus_end(p);
}

static void note_write(struct page *p, const struct form *f)
{
	const struct question *q = &f->questions[f->at];
	const struct entry *e = &f->entries[f->at];
	bool writes = f->mode == FORM_NOTE, reason = question_decides(q) && !q->note;
	bool here = !f->idle && (writes || e->row >= form_rows(q));

	if (!question_kind(q)->note || (!q->note && !writes && e->note.text.len == 0))
		return;
	page_row_choice(p, here);
	PAGE_MSG(p, STYLE_SOFT, reason ? "web.approval.reason" : "web.form.note");
	page_add_text(p, STYLE_SOFT, " ");
	PAGE_MSG(p, STYLE_SOFT,
		q->note_required ? "web.form.required" : "web.form.optional");
	page_row(p);
	page_pad(p, 4);
	if (writes)
		page_line(p, STYLE_ACCENT, &e->note);
	else
		words_show(p, STYLE_PLAIN, line_text(&e->note));
	if (here) page_focus_end(p);
}

/* ---- a text or a number ---- */

/* A bound as the agent wrote it: a double would round a long integer. */
static struct str bound_text(
	const struct question *q, const char *name, struct arena *arena)
{
	const struct json *bound = json_get(q->json, name);

	return json_is(bound, JSON_NUMBER) ? bound->text
					   : arena_print(arena, "%d", LINE_POINTS_MAX);
}

/* Which values are possible, or how much was typed of what is; empty: any. */
static struct str bounds_words(
	const struct question *q, size_t typed, struct arena *arena)
{
	enum question_input input = question_kind(q)->input;

	if (input == INPUT_NUMBER && q->has_min && q->has_max)
		return MSG(arena, "web.form.range",
			{ "min", bound_text(q, "min", arena) },
			{ "max", bound_text(q, "max", arena) });
	if (input == INPUT_TEXT && (q->has_max || typed > LINE_POINTS_MAX / 2))
		return MSG(arena, "web.form.counter",
			{ "n", arena_print(arena, "%zu", typed) },
			{ "max", bound_text(q, "max", arena) });
	return STR_NONE;
}

static void text_write(struct page *p, const struct form *f)
{
	const struct question *q = &f->questions[f->at];
	const struct entry *e = &f->entries[f->at];
	struct str suggested = json_text_of(q->json, "suggested"), bounds;

	page_focus(p);
	page_row(p);
	page_add_text(p, STYLE_ACCENT, f->idle ? "  " : "▸ ");
	if (f->mode == FORM_WRITE && !f->idle)
		page_line(p, STYLE_PLAIN, &e->text);
	else
		words_show(p, STYLE_PLAIN, line_text(&e->text));
	if (e->text.text.len == 0)
		page_add(p, STYLE_SOFT, json_text_of(q->json, "placeholder"));
	page_focus_end(p);
	if (suggested.len > 0) {
		page_row(p);
		page_pad(p, 2);
		PAGE_MSG(p, STYLE_SOFT, "web.form.suggested");
		page_add_text(p, STYLE_SOFT, ": ");
		page_add(p, STYLE_SOFT, suggested);
	}
	bounds = bounds_words(q, utf8_count(line_text(&e->text)), &p->words);
	if (!bounds.len) return;
	page_row(p);
	page_pad(p, 2);
	page_add(p, STYLE_SOFT, bounds);
}

/* ---- before it is sent ---- */

static struct str entry_words(const struct form *f, size_t i, struct arena *arena)
{
	struct buf text = { 0 };
	struct json_writer jw = { .out = &text };
	const struct json *values = NULL;
	const struct question *q = &f->questions[i];
	struct str words = STR_NONE;

	form_answer(f, &jw);
	if (json_read(buf_keep_done(&text, arena), NULL, arena, &values, NULL) == OK)
		words = reply_words(q->json, json_get_str(values, q->key), arena);
	return words.len > 0 ? words : MSG(arena, "web.form.empty");
}

static void review_write(struct page *p, const struct form *f)
{
	for (size_t i = 0; i <= f->len; i++) {
		bool here = f->review_row == i && !f->idle;
		const struct question *q = &f->questions[i < f->len ? i : 0];

		page_row_choice(p, here);
		if (i == f->len) {
			PAGE_MSG(p, STYLE_BOLD, "web.form.submit");
		} else {
			page_add(p, STYLE_SOFT, q->header.len > 0 ? q->header : q->text);
			page_add_text(p, STYLE_SOFT, ": ");
			words_show(p, STYLE_PLAIN, entry_words(f, i, &p->words));
		}
		if (here) page_focus_end(p);
	}
}

static void flaw_write(struct page *p, const struct form *f)
{
	const struct question *q = &f->questions[f->at < f->len ? f->at : 0];

	if (!f->flaw.id) return;
	PAGE_WRAP(p, STYLE_BAD, 0, f->flaw.id, { "min", bound_text(q, "min", &p->words) },
		{ "max", bound_text(q, "max", &p->words) },
		{ "n", arena_print(&p->words, "%zu", f->flaw.n) });
	page_focus_end(p); /* seen with what it is about */
}

static void confirm_write(
	struct page *p, const struct form *f, const char *one, const char *many)
{
	page_focus(p);
	page_row(p);
	page_add(p, STYLE_WARN,
		f->asks > 1 ? msg_count(&p->words, many, (int64_t)f->asks)
			    : MSG(&p->words, one));
	page_focus_end(p);
}

static void shown_write(struct page *p, const struct form *f)
{
	size_t rows = form_rows(&f->questions[f->at]);

	for (size_t row = 0; row < rows; row++)
		row_write(p, f, row);
	if (rows == 0) text_write(p, f);
	note_write(p, f);
}

struct str form_text(const struct form *f, struct arena *arena)
{
	const struct question *q = &f->questions[f->at];

	return f->at < f->len ? own_words(q->key, q->text, msg_lang(), arena) : STR_NONE;
}

size_t form_write(struct page *p, const struct form *f, size_t text_rows)
{
	size_t first = p->rows_len, text;

	page_wrap_rows(p, STYLE_BOLD, 0, form_text(f, &p->words), text_rows);
	text = p->rows_len - first;
	if (f->at < f->len)
		shown_write(p, f);
	else
		review_write(p, f);
	flaw_write(p, f);
	if (f->mode == FORM_SKIP) confirm_write(p, f, "tui.skip", "tui.batch.skip");
	if (f->mode == FORM_CONFIRM)
		confirm_write(p, f, "tui.again", "tui.batch.confirm");
	return text;
}

/* What Enter does to what is shown; NULL: its own line says so. */
static const char *enter_word(const struct form *f)
{
	bool many = f->at < f->len && question_many(&f->questions[f->at]);

	if (f->mode == FORM_REVIEW)
		return f->review_row < f->len ? "tui.keys.change" : "tui.keys.send";
	if (f->mode == FORM_CHOOSE && form_decides(f)) return NULL;
	if (f->mode == FORM_OTHER && many) return "tui.keys.done";
	if (f->mode == FORM_NOTE && form_decides(f) && form_row_chosen(f, f->at, 1))
		return "tui.keys.reject";
	return f->len == 1 ? "tui.keys.send" : "tui.keys.next";
}

struct str form_keys(const struct form *f, struct arena *arena)
{
	static const char *const ids[] = {
		[FORM_CHOOSE] = "tui.keys.choose",
		[FORM_WRITE] = "tui.keys.write",
		[FORM_OTHER] = "tui.keys.note",
		[FORM_NOTE] = "tui.keys.note",
		[FORM_REVIEW] = "tui.keys.review",
		[FORM_SKIP] = "tui.keys.skip",
		[FORM_CONFIRM] = "tui.keys.confirm",
	};
	const char *id = ids[f->mode], *enter = enter_word(f);
	bool inside = f->mode == FORM_OTHER || f->mode == FORM_NOTE;
	struct buf keys = { .max = 4096 };

	if (f->mode >= FORM_SKIP) return MSG(arena, id);
	if (f->mode == FORM_CHOOSE && question_many(&f->questions[f->at]))
		id = "tui.keys.toggle";
	words_join(&keys, "  ",
		MSG(arena, f->stays && !inside ? "tui.keys.esc.skip" : "tui.keys.esc"));
	if (enter) words_join(&keys, "  ", MSG(arena, enter));
	if (f->at > 0 && !inside)
		words_join(&keys, "  ", MSG(arena, "tui.keys.previous"));
	if (f->mode == FORM_CHOOSE && form_decides(f)) {
		words_join(&keys, "  ", MSG(arena, "tui.keys.decide"));
		if (f->longer) words_join(&keys, "  ", MSG(arena, "tui.keys.longer"));
		id = "tui.keys.decide.more";
	}
	words_join(&keys, "  ", MSG(arena, id));
	return buf_keep_done(&keys, arena);
}
