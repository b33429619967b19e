/* form.c - the answer form: what each key does. */
#include "tui/form.h"

#include "core/ask/question_kind.h"

#include "base/mem.h"
#include "tui/words.h"

enum { ROW_YES, ROW_NO };		  /* of a boolean */
enum { ROW_APPROVE = 0, ROW_REJECT = 1 }; /* of an approval */

static const struct question *question_now(const struct form *f)
{
	return &f->questions[f->at < f->len ? f->at : f->len - 1];
}

static struct entry *entry_now(struct form *f)
{
	return &f->entries[f->at < f->len ? f->at : f->len - 1];
}

size_t form_rows(const struct question *q)
{
	if (question_typed(q)) return 0;
	if (question_kind(q)->pair[0]) return 2;
	return q->options_len + (q->other ? 1 : 0);
}

static bool row_is_other(const struct question *q, size_t row)
{
	return question_has_options(q) && q->other && row == q->options_len;
}

bool form_row_chosen(const struct form *f, size_t question, size_t row)
{
	const struct entry *e = &f->entries[question];

	if (row_is_other(&f->questions[question], row)) return e->other_on;
	return row < 32 && (e->selected & UINT32_C(1) << row);
}

bool form_decides(const struct form *f)
{
	return f->len == 1 && question_decides(f->questions);
}

struct line *form_line(struct form *f)
{
	switch (f->mode) {
	case FORM_WRITE: return &entry_now(f)->text;
	case FORM_OTHER: return &entry_now(f)->other;
	case FORM_NOTE: return &entry_now(f)->note;
	default: return NULL;
	}
}

/* ---- going from question to question ---- */

static enum wish mode_set(struct form *f, enum form_mode mode)
{
	f->mode = mode;
	return WISH_NONE;
}

static enum wish question_show(struct form *f, size_t at)
{
	f->at = at;
	f->flaw = (struct flaw){ 0 };
	if (at >= f->len) {
		f->mode = FORM_REVIEW;
		f->review_row = f->len;
	} else {
		f->mode = question_typed(&f->questions[at]) ? FORM_WRITE : FORM_CHOOSE;
	}
	return WISH_NONE;
}

static enum wish question_back(struct form *f)
{
	return f->at > 0 ? question_show(f, f->at - 1) : WISH_NONE;
}

/* Shows what is wrong with a question, and the line in which it can be fixed. False: nothing
 * is. */
static bool flaw_show(struct form *f, size_t question)
{
	struct flaw flaw = form_flaw(f, question);

	if (!flaw.id) return false;
	question_show(f, question);
	f->flaw = flaw;
	if (strcmp(flaw.id, "web.form.flaw.other") == 0) f->mode = FORM_OTHER;
	if (strcmp(flaw.id, "web.form.flaw.note") == 0) f->mode = FORM_NOTE;
	return true;
}

static bool form_approves(const struct form *f)
{
	for (size_t i = 0; i < f->len; i++)
		if (question_decides(&f->questions[i]) &&
			form_row_chosen(f, i, ROW_APPROVE))
			return true;
	return false;
}

/* Goes to a question of the form's own, such as "Skip?"; FORM_… that was there comes back. */
static enum wish confirm_ask(struct form *f, enum form_mode mode)
{
	f->before = f->mode;
	return mode_set(f, mode);
}

/* Out of the ask, which stays open; where there is nothing to go back to, Esc asks. */
static enum wish form_leave(struct form *f)
{
	return f->stays ? confirm_ask(f, FORM_SKIP) : WISH_LEAVE;
}

static enum wish form_submit(struct form *f)
{
	for (size_t i = 0; i < f->len; i++)
		if (flaw_show(f, i)) return WISH_NONE;
	if (!f->armed) return WISH_EARLY;
	bool approves = form_approves(f);
	bool unread = f->critical && approves && !f->read;
	if (f->asks < 2 && !((f->critical || f->twice) && approves)) return WISH_SUBMIT;
	f->flaw = (struct flaw){ .id = unread ? "web.approval.unread" : NULL };
	return unread ? WISH_NONE : confirm_ask(f, FORM_CONFIRM);
}

/* `may_submit`: the key is one that confirms. */
static enum wish question_done(struct form *f, bool may_submit)
{
	if (flaw_show(f, f->at)) return WISH_NONE;
	if (f->len > 1) return question_show(f, f->at + 1);
	return may_submit ? form_submit(f) : WISH_NONE;
}

/* ---- the rows ---- */

static void row_choose(struct form *f, size_t row)
{
	const struct question *q = question_now(f);
	struct entry *e = entry_now(f);
	bool other = row_is_other(q, row);

	f->flaw = (struct flaw){ 0 };
	e->row = row;
	if (!question_many(q)) {
		e->selected = other ? 0 : UINT32_C(1) << row;
		e->other_on = other;
	} else if (other) {
		e->other_on = !e->other_on;
	} else {
		e->selected ^= UINT32_C(1) << row;
	}
	if (other && e->other_on && line_blank(&e->other)) f->mode = FORM_OTHER;
}

void form_approve(struct form *f)
{
	row_choose(f, ROW_APPROVE);
}

/* Is a note to be asked for before going on? A rejection's reason always is, also one
 * that was written before: R alone sends nothing. */
static bool note_wanted(struct form *f)
{
	const struct question *q = question_now(f);
	bool rejects = form_decides(f) && form_row_chosen(f, 0, ROW_REJECT);

	return rejects || (q->note && line_blank(&entry_now(f)->note));
}

/* The rows or the text are filled in: the note is next, if one is wanted. */
static enum wish value_done(struct form *f)
{
	if (!note_wanted(f)) return question_done(f, true);
	f->flaw = form_flaw(f, f->at);
	if (f->flaw.id && strcmp(f->flaw.id, "web.form.flaw.note") != 0) return WISH_NONE;
	f->flaw = (struct flaw){ 0 };
	return mode_set(f, FORM_NOTE);
}

static enum wish row_enter(struct form *f)
{
	const struct question *q = question_now(f);
	struct entry *e = entry_now(f);

	if (e->row >= form_rows(q)) return mode_set(f, FORM_NOTE);
	if (!question_many(q))
		row_choose(f, e->row);
	else if (e->other_on && line_blank(&e->other))
		f->mode = FORM_OTHER;
	return f->mode == FORM_OTHER ? WISH_NONE : value_done(f);
}

static enum wish decide(struct form *f, size_t row)
{
	row_choose(f, row);
	return row == ROW_APPROVE ? form_submit(f) : value_done(f);
}

/* Letters and digits on the rows. */
static enum wish choose_letter(struct form *f, int32_t letter)
{
	const struct question *q = question_now(f);
	size_t digit = letter >= '1' && letter <= '9' ? (size_t)(letter - '1') : 99;

	if (digit < form_rows(q)) return row_choose(f, digit), WISH_NONE;
	if (question_kind(q)->input == INPUT_YES_NO &&
		(letter == 'n' || letter == 'y' || letter == f->yes))
		return row_choose(f, letter == 'n' ? ROW_NO : ROW_YES), WISH_NONE;
	if (letter == 's') return confirm_ask(f, FORM_SKIP);
	if (!form_decides(f)) return WISH_UNUSED;
	switch (letter) {
	case 'a': return decide(f, ROW_APPROVE);
	case 'r': return decide(f, ROW_REJECT);
	case 'e': return f->plan ? WISH_NONE : WISH_ARGUMENTS;
	case '.': return f->longer ? WISH_LONGER : WISH_NONE;
	default: return WISH_UNUSED;
	}
}

/* Up and down in a list of `rows`; false: another key. */
static bool row_move(const struct key *k, size_t rows, size_t *row)
{
	int32_t letter = key_letter(k);

	if (k->name == K_UP || letter == 'k')
		*row -= *row > 0;
	else if (k->name == K_DOWN || letter == 'j')
		*row += *row + 1 < rows;
	else if (k->name == K_HOME)
		*row = 0;
	else if (k->name == K_END)
		*row = rows - 1;
	else
		return false;
	return true;
}

static enum wish choose_key(struct form *f, const struct key *k)
{
	const struct question *q = question_now(f);
	struct entry *e = entry_now(f);

	if (row_move(k, form_rows(q) + (q->note ? 1 : 0), &e->row)) return WISH_NONE;
	switch (k->name) {
	case K_ENTER: return row_enter(f);
	case K_ESCAPE: return form_leave(f);
	case K_SKIP: return confirm_ask(f, FORM_SKIP);
	case K_LEFT:
	case K_BACK_TAB: return question_back(f);
	case K_RIGHT:
	case K_TAB: return question_done(f, false);
	case K_CHAR:
		if (k->together && k->point == 'a' && form_decides(f)) return WISH_NONE;
		if (k->point != ' ') return choose_letter(f, k->point);
		if (e->row >= form_rows(q)) return mode_set(f, FORM_NOTE);
		row_choose(f, e->row);
		return WISH_NONE;
	default: return WISH_UNUSED;
	}
}

/* ---- the texts ---- */

static enum wish other_enter(struct form *f)
{
	if (line_blank(&entry_now(f)->other)) {
		f->flaw = (struct flaw){ .id = "web.form.flaw.other" };
		return WISH_NONE;
	}
	f->mode = FORM_CHOOSE;
	return !question_many(question_now(f)) ? value_done(f) : WISH_NONE;
}

static enum wish text_escape(struct form *f)
{
	struct entry *e = entry_now(f);

	if (f->mode == FORM_WRITE) return form_leave(f);
	if (f->mode == FORM_OTHER && line_blank(&e->other)) e->other_on = false;
	return question_show(f, f->at);
}

/* Pasted line ends are text, and nothing pasted is a command. */
static struct key text_key_of(const struct key *k)
{
	struct key text = *k;

	if (k->pasted && (k->name == K_ENTER || k->name == K_NEW_LINE))
		text.name = K_NEW_LINE;
	else if (k->pasted && k->name == K_TAB)
		text = (struct key){ .name = K_CHAR, .point = ' ', .pasted = true };
	else if (k->pasted && k->name != K_CHAR)
		text.name = K_NONE;
	return text;
}

static enum wish text_key(struct form *f, const struct key *pressed)
{
	struct key k = text_key_of(pressed);
	struct line *line = form_line(f);
	bool many = question_kind(question_now(f))->input != INPUT_NUMBER ||
		    f->mode == FORM_NOTE;

	switch (k.name) {
	case K_NONE: return WISH_NONE;
	case K_ESCAPE: return text_escape(f);
	case K_SKIP: return confirm_ask(f, FORM_SKIP);
	case K_EDITOR: return WISH_EDITOR;
	case K_ENTER:
		if (f->mode == FORM_OTHER) return other_enter(f);
		return f->mode == FORM_WRITE ? value_done(f) : question_done(f, true);
	case K_BACK_TAB: return question_back(f);
	case K_TAB: return f->mode == FORM_WRITE ? question_done(f, false) : WISH_NONE;
	case K_LEFT:
		if (f->mode != FORM_WRITE || line->at > 0) break;
		return question_back(f);
	default: break;
	}
	if (!line_key(line, &k, many)) return WISH_UNUSED;
	f->flaw = (struct flaw){ 0 };
	return WISH_NONE;
}

/* ---- before it is sent ---- */

static enum wish review_key(struct form *f, const struct key *k)
{
	int32_t letter = key_letter(k);

	if (row_move(k, f->len + 1, &f->review_row)) return WISH_NONE;
	if (letter >= '1' && letter <= '9' && (size_t)(letter - '1') < f->len)
		return question_show(f, (size_t)(letter - '1'));
	if (letter == 's') return confirm_ask(f, FORM_SKIP);
	switch (k->name) {
	case K_ENTER:
		if (f->review_row == f->len) return form_submit(f);
		return question_show(f, f->review_row);
	case K_ESCAPE: return form_leave(f);
	case K_SKIP: return confirm_ask(f, FORM_SKIP);
	case K_LEFT:
	case K_BACK_TAB: return question_back(f);
	default: return WISH_UNUSED;
	}
}

static enum wish skip_key(struct form *f, const struct key *k)
{
	if (k->name == K_RESIZE || k->name == K_REDRAW) return WISH_UNUSED;
	if (key_letter(k) == f->yes && k->together) return WISH_NONE;
	if (key_letter(k) == f->yes && !f->armed) return WISH_EARLY;
	f->mode = f->before;
	return key_letter(k) == f->yes ? WISH_SKIP : WISH_NONE;
}

static enum wish confirm_key(struct form *f, const struct key *k)
{
	bool again = k->name == K_ENTER || (form_decides(f) && key_alone(k) == 'a');

	if (k->name == K_RESIZE || k->name == K_REDRAW) return WISH_UNUSED;
	if (again && !f->armed) return WISH_EARLY;
	f->mode = f->before;
	return again ? WISH_SUBMIT : WISH_NONE;
}

enum wish form_key(struct form *f, const struct key *k)
{
	static enum wish (*const modes[])(struct form *, const struct key *) = {
		[FORM_CHOOSE] = choose_key,
		[FORM_WRITE] = text_key,
		[FORM_OTHER] = text_key,
		[FORM_NOTE] = text_key,
		[FORM_REVIEW] = review_key,
		[FORM_SKIP] = skip_key,
		[FORM_CONFIRM] = confirm_key,
	};

	if (k->pasted && !form_line(f)) return WISH_NONE;
	return modes[f->mode](f, k);
}

void form_written(const struct form *f, struct buf *out)
{
	for (size_t i = 0; f->entries && i < f->len; i++) {
		const struct entry *e = &f->entries[i];
		const struct line *texts[] = { &e->text, &e->other, &e->note };

		for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
			if (!line_blank(texts[n]))
				words_join(out, "\n", line_text(texts[n]));
	}
}

bool form_open(struct form *f, const struct question *questions, size_t len)
{
	*f = (struct form){ .questions = questions, .len = len, .yes = 'y' };
	f->entries = mem_alloc(sizeof *f->entries * len);
	if (!f->entries) return false;
	for (size_t i = 0; i < len; i++)
		form_fill_one(f, i, json_get(questions[i].json, "prefill"));
	question_show(f, 0);
	return true;
}

void form_close(struct form *f)
{
	for (size_t i = 0; f->entries && i < f->len; i++) {
		line_done(&f->entries[i].other);
		line_done(&f->entries[i].text);
		line_done(&f->entries[i].note);
	}
	mem_free(f->entries);
	buf_done(&f->arguments);
	*f = (struct form){ 0 };
}
