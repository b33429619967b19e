/* dialog.c - one open ask: draws card and form, and hands keys to them. */
#include "tui/dialog.h"

#include "base/clock.h"
#include "text/msg.h"
#include "tui/form_page.h"
#include "tui/words.h"

/* A tree of one's own: text and nodes in the arena. */
static const struct json *json_copy(const struct json *json, struct arena *arena)
{
	struct buf text = { 0 };
	const struct json *copy = NULL;

	json_write(&text, json);
	struct str kept = arena_str(arena, buf_str(&text));
	bool whole = !text.failed && json_read(kept, NULL, arena, &copy, NULL) == OK;
	buf_done(&text);
	return whole ? copy : NULL;
}

static bool ask_take(struct dialog *d, const struct json *ask)
{
	d->ask = json_copy(ask, &d->arena);
	d->id = json_text(json_get(d->ask, "id"));
	return d->ask && d->id.len > 0;
}

static int64_t version_of(const struct json *ask)
{
	const struct json *version = json_get(ask, "version");

	return json_is(version, JSON_NUMBER) && version->is_int ? version->integer : 0;
}

/* Who is refused for what it requires may still reject it. */
static bool may_settle(const struct dialog *d, bool may_answer)
{
	struct str refused = json_text(json_get(d->ask, "refused"));

	return may_answer && ask_pending(d->ask) &&
	       (!refused.len || str_is(refused, "require"));
}

/* How approving is confirmed. The risk may rise while the card is open: a verifier can raise it. */
static void risk_take(struct dialog *d)
{
	d->form.critical = ask_risk(d->ask) == RISK_CRITICAL;
	d->form.twice = d->by_itself && ask_risk(d->ask) == RISK_HIGH;
}

bool dialog_open(struct dialog *d, const struct json *ask, bool may_answer)
{
	const char *yes;

	*d = (struct dialog){ .notice = { .max = 4096 } };
	if (!ask_take(d, ask) ||
		questions_load(json_get(d->ask, "questions"), &d->arena, &d->questions,
			&d->questions_len, NULL) != OK ||
		!form_open(&d->form, d->questions, d->questions_len)) {
		dialog_close(d);
		return false;
	}
	yes = msg_text("tui.yes");
	d->form.yes = yes ? yes[0] : 'y';
	risk_take(d);
	d->open = may_settle(d, may_answer);
	d->armed_at = clock_person_ms() + ARMING_MS;
	return true;
}

/* The form goes, and the card says what became of it: at its top. */
static void ask_vanish(struct dialog *d)
{
	d->open = d->replying = false;
	d->dead = true;
	d->top = 0;
}

/* The form borrows its questions from the first arena, which therefore stays; an ask
 * changes a few times in its life. */
void dialog_update(struct dialog *d, const struct json *ask)
{
	const struct json *before = d->ask;

	if (version_of(ask) < version_of(before)) return;
	if (!ask_take(d, ask)) {
		d->ask = before;
		d->id = json_text(json_get(before, "id"));
		return;
	}
	if (ask_pending(d->ask)) {
		risk_take(d);
		return;
	}
	if (d->open) ask_vanish(d);
	d->busy = false;
}

void dialog_deleted(struct dialog *d)
{
	struct arena arena = { 0 };

	if (d->open) ask_vanish(d);
	d->busy = false;
	dialog_say(d, STYLE_WARN, MSG(&arena, "tui.deleted"));
	arena_done(&arena);
}

void dialog_came(struct dialog *d, bool by_itself)
{
	d->by_itself = by_itself;
	risk_take(d);
}

void dialog_allow(struct dialog *d, bool may_answer)
{
	bool open = may_settle(d, may_answer);

	if (open && !d->open) d->armed_at = clock_person_ms() + ARMING_MS;
	d->open = open;
}

struct str dialog_written(const struct dialog *d, struct arena *arena)
{
	struct buf text = { .max = 1 << 20 };
	struct str kept;

	form_written(&d->form, &text);
	if (!line_blank(&d->reply)) {
		if (text.len > 0) buf_add_char(&text, '\n');
		buf_add(&text, line_text(&d->reply));
	}
	kept = text.failed ? STR_NONE : arena_str(arena, buf_str(&text));
	buf_done(&text);
	return kept;
}

void dialog_before(struct dialog *d, const struct json *events)
{
	arena_done(&d->before_arena);
	d->before = json_copy(events, &d->before_arena);
}

void dialog_told(struct dialog *d, const struct json *told)
{
	arena_done(&d->told_arena);
	d->told = json_copy(told, &d->told_arena);
}

void dialog_why(struct dialog *d, const struct json *tried)
{
	arena_done(&d->why_arena);
	d->why = json_copy(tried, &d->why_arena);
}

void dialog_close(struct dialog *d)
{
	form_close(&d->form);
	line_done(&d->reply);
	buf_done(&d->notice);
	page_done(&d->card_page);
	page_done(&d->form_page);
	arena_done(&d->edits);
	arena_done(&d->before_arena);
	arena_done(&d->told_arena);
	arena_done(&d->why_arena);
	arena_done(&d->arena);
	*d = (struct dialog){ 0 };
}

void dialog_say(struct dialog *d, enum style style, struct str text)
{
	buf_clear(&d->notice);
	buf_add(&d->notice, text);
	d->notice_style = style;
}

bool dialog_arguments(struct dialog *d, struct str text)
{
	struct arena arena = { 0 };
	struct str kept = arena_str(&arena, text);
	const struct json *json = NULL;

	if (json_read(kept, NULL, &arena, &json, NULL) != OK ||
		!json_is(json, JSON_OBJECT)) {
		struct str words = MSG(&arena, "web.operation.broken");

		dialog_say(d, STYLE_BAD, words);
		arena_done(&arena);
		return false;
	}
	arena_done(&d->edits);
	d->edits = arena;
	bool same =
		json_equal(json, json_get(json_get(d->ask, "operation"), "arguments"));
	d->arguments = same ? NULL : json;
	buf_clear(&d->form.arguments);
	if (!same) json_write(&d->form.arguments, json);
	buf_clear(&d->notice);
	d->armed_at = clock_person_ms() + ARMING_MS;
	return true;
}

void dialog_answer(const struct dialog *d, struct json_writer *w)
{
	jw_object(w);
	jw_key(w, "answers");
	form_answer(&d->form, w);
	jw_object_end(w);
}

void dialog_reply(const struct dialog *d, struct json_writer *w)
{
	jw_object(w);
	jw_key(w, "text");
	jw_str(w, line_text(&d->reply));
	jw_object_end(w);
}

void dialog_fault(struct dialog *d, const struct fault *why)
{
	struct arena arena = { 0 };

	dialog_say(d, STYLE_BAD,
		why->err == ERR_UNAVAILABLE ? MSG(&arena, "web.problem.unreachable")
		: why->items_len > 0	    ? str_of(why->items[0].detail)
					    : str_of(why->detail));
	arena_done(&arena);
}

/* ---- keys ---- */

struct line *dialog_line(struct dialog *d)
{
	return d->replying ? &d->reply : d->open ? form_line(&d->form) : NULL;
}

bool dialog_typing(struct dialog *d)
{
	return dialog_line(d) != NULL;
}

int64_t dialog_arming(const struct dialog *d, int64_t mono_ms)
{
	return d->armed_at > mono_ms ? d->armed_at - mono_ms : 0;
}

static void card_scroll(struct dialog *d, bool down)
{
	size_t page = d->card_rows > 1 ? d->card_rows - 1 : 1;

	if (down)
		d->top += page;
	else
		d->top -= d->top > page ? page : d->top;
}

static enum dialog_wish reply_key(struct dialog *d, const struct key *k)
{
	struct key text = *k;

	if (k->pasted && k->name == K_ENTER) text.name = K_NEW_LINE;
	switch (text.name) {
	case K_ESCAPE: d->replying = false; return DIALOG_NONE;
	case K_EDITOR: return DIALOG_EDITOR;
	case K_ENTER: return line_blank(&d->reply) ? DIALOG_NONE : DIALOG_REPLY;
	default: return line_key(&d->reply, &text, true) ? DIALOG_NONE : DIALOG_UNUSED;
	}
}

/* Keys of the card: whatever the form is at, unless it is a letter being typed. */
static enum dialog_wish card_key(struct dialog *d, const struct key *k)
{
	bool pending = ask_pending(d->ask);

	if (k->name == K_PAGE_DOWN || k->name == K_PAGE_UP)
		return card_scroll(d, k->name == K_PAGE_DOWN), DIALOG_NONE;
	if (k->name == K_ESCAPE) return DIALOG_LEAVE;
	switch (key_letter(k)) {
	case 'b':
		d->replying = pending && d->open;
		return d->replying ? DIALOG_NONE : DIALOG_UNUSED;
	case 'c': return d->open ? DIALOG_CLAIM : DIALOG_UNUSED;
	case '+': return d->open ? DIALOG_EXTEND : DIALOG_UNUSED;
	case 'v': return DIALOG_SESSION;
	case 't': d->raw = !d->raw; return DIALOG_NONE;
	default: return DIALOG_UNUSED;
	}
}

static enum dialog_wish form_wish(struct dialog *d, enum wish wish, const struct key *k)
{
	switch (wish) {
	case WISH_SUBMIT: return DIALOG_SUBMIT;
	case WISH_SKIP: return DIALOG_SKIP;
	case WISH_LEAVE: return DIALOG_LEAVE;
	case WISH_EDITOR: return DIALOG_EDITOR;
	case WISH_ARGUMENTS: return DIALOG_ARGUMENTS;
	case WISH_UNUSED: return card_key(d, k);
	default: return DIALOG_NONE;
	}
}

/* Somebody was at it when it was settled: what they go on typing is meant for a form that
 * is not there. */
static enum dialog_wish dead_key(struct dialog *d, const struct key *k)
{
	bool down = k->name == K_PAGE_DOWN || k->name == K_DOWN;

	if (k->name == K_ESCAPE) return DIALOG_LEAVE;
	if (down || k->name == K_PAGE_UP || k->name == K_UP) card_scroll(d, down);
	return DIALOG_NONE;
}

enum dialog_wish dialog_key(struct dialog *d, const struct key *k)
{
	enum form_mode before = d->form.mode;
	int64_t now = clock_person_ms();

	if (d->busy) return DIALOG_NONE;
	if (d->dead) return dead_key(d, k);
	if (d->replying) return reply_key(d, k);
	if (!d->open) return card_key(d, k);
	buf_clear(&d->notice);
	d->form.armed = dialog_arming(d, now) == 0;
	enum wish wish = form_key(&d->form, k);
	/* The second press counts once the person could see that it is one. */
	if (d->form.mode == FORM_CONFIRM && before != FORM_CONFIRM)
		d->armed_at = now + ARMING_MS;
	return form_wish(d, wish, k);
}

struct str dialog_keys(struct dialog *d, struct arena *arena)
{
	if (d->dead) return MSG(arena, "tui.keys.dead");
	if (d->stays && d->open && d->form.mode == FORM_SKIP)
		return MSG(arena, "tui.keys.skip.stays");
	if (d->replying) return MSG(arena, "tui.keys.line");
	return d->open ? form_keys(&d->form, arena) : MSG(arena, "tui.keys.closed");
}

/* ---- drawing ---- */

/* Of a settled ask: what was typed for it and not sent. */
static void written_part(struct dialog *d, struct arena *arena)
{
	struct str text = dialog_written(d, arena);

	if (text.len == 0) return;
	page_row(&d->form_page);
	page_add(&d->form_page, STYLE_WARN, MSG(arena, "tui.draft.kept"));
	page_wrap(&d->form_page, STYLE_PLAIN, 2, text);
}

/* The form's part: its title, what is said, the form itself or the message. */
static void form_part(struct dialog *d)
{
	struct page *p = &d->form_page;
	struct arena arena = { 0 };

	if (d->replying) {
		page_row(p);
		page_add(p, STYLE_BOLD, MSG(&arena, "web.thread.text"));
		page_focus(p);
		page_row(p);
		page_add_text(p, STYLE_ACCENT, "▸ ");
		page_line(p, STYLE_PLAIN, &d->reply);
		page_focus_end(p);
	} else if (ask_pending(d->ask) && !d->dead) {
		form_write(p, &d->form); /* to be read at least */
	} else {
		written_part(d, &arena);
	}
	if (d->notice.len > 0) page_wrap(p, d->notice_style, 0, buf_str(&d->notice));
	arena_done(&arena);
}

/* Scrolls so that the focus is seen whole, or at least its start. */
static size_t focus_top(const struct page *p, size_t height)
{
	size_t end = p->focus_end > p->focus_row ? p->focus_end : p->focus_row + 1;
	size_t top = end > height ? end - height : 0;

	if (p->cursor && p->cursor_row >= top + height) return p->cursor_row + 1 - height;
	return top > p->focus_row ? p->focus_row : top;
}

static void part_draw(struct screen *s, const struct page *p, const struct area *f,
	size_t top, bool cursor)
{
	for (size_t i = 0; i < f->height; i++)
		screen_draw(s, f->y + i, f->x, p, top + i, STYLE_PLAIN);
	if (cursor && p->cursor && p->cursor_row >= top &&
		p->cursor_row < top + f->height)
		screen_cursor(s, f->y + p->cursor_row - top, f->x + p->cursor_column);
}

/* A rule with the form's title in it, and how much of the card lies below. */
static void rule_draw(struct dialog *d, struct screen *s, const struct area *f, size_t y)
{
	struct arena arena = { 0 };
	struct buf title = { .max = 1024 };
	size_t below = d->card_page.rows_len - d->top;

	screen_rule(s, y, f->x, f->width);
	if (d->open && !d->replying) {
		struct str header = form_title(&d->form, &arena);

		if (header.len > 0) buf_print(&title, " %.*s ", STR_ARGS(header));
	}
	struct page p = { .width = f->width - 2 };
	page_row(&p);
	page_add(&p, STYLE_BOLD, buf_str(&title));
	screen_draw(s, y, f->x + 1, &p, 0, STYLE_BOLD);
	if (below > d->card_rows) {
		struct str more = arena_print(&arena, " ↓ %zu ", below - d->card_rows);

		screen_put(s, y, f->x + f->width - 9, 9, STYLE_WARN, more);
	}
	page_done(&p);
	buf_done(&title);
	arena_done(&arena);
}

void dialog_draw(struct dialog *d, struct screen *s, const struct area *f, int64_t now_ms,
	int64_t mono_ms)
{
	struct card_look look = { .now_ms = now_ms,
		.asked = ask_pending(d->ask),
		.raw = d->raw,
		.me = d->me,
		.arguments = d->arguments,
		.told = d->told,
		.why = d->why,
		.before = d->before };
	size_t wanted, card_rows, form_rows;

	d->form.armed = dialog_arming(d, mono_ms) == 0;
	page_clear(&d->card_page, f->width);
	struct card card = card_draw(&d->card_page, d->ask, &look);
	page_clear(&d->form_page, f->width);
	form_part(d);
	wanted = d->form_page.rows_len;
	form_rows = f->height - f->height / 3 - 1;
	if (d->card_page.rows_len + 1 + wanted <= f->height)
		form_rows = f->height - 1 - d->card_page.rows_len;
	else if (wanted < form_rows)
		form_rows = wanted;
	card_rows = f->height - 1 - form_rows;
	d->card_rows = card_rows;
	if (d->top + card_rows > d->card_page.rows_len)
		d->top = d->card_page.rows_len > card_rows
				 ? d->card_page.rows_len - card_rows
				 : 0;
	if (card.operation_end == 0 || d->top + card_rows >= card.operation_end)
		d->form.read = true;
	struct area above = { f->y, f->x, card_rows, f->width };
	struct area below = { f->y + card_rows + 1, f->x, form_rows, f->width };
	part_draw(s, &d->card_page, &above, d->top, false);
	rule_draw(d, s, f, f->y + card_rows);
	part_draw(s, &d->form_page, &below, focus_top(&d->form_page, form_rows), true);
}
