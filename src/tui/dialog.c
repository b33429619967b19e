/* dialog.c - one open ask: draws card and form, and hands keys to them. */
#include "tui/dialog.h"

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "text/msg.h"
#include "tui/form_page.h"
#include "tui/words.h"

void dialog_arm(struct dialog *d)
{
	d->armed_at = clock_person_ms() + ARMING_MS;
}

static bool ask_take(struct dialog *d, const struct json *ask)
{
	d->ask = kept_copy(ask, &d->arena);
	d->id = json_text_of(d->ask, "id");
	return d->ask && d->id.len > 0;
}

/* A person whose approval does not count may still reject. */
static bool may_settle(const struct dialog *d, bool may_answer)
{
	struct str refused = json_text_of(d->ask, "refused");

	return may_answer && ask_pending(d->ask) &&
	       (!refused.len || str_is(refused, "require"));
}

/* How approving is confirmed. The risk may rise while the card is open: a verifier can raise
 * it. */
static void risk_take(struct dialog *d)
{
	d->form.critical = ask_risk(d->ask) == RISK_CRITICAL || d->instead;
	d->form.twice = ask_risk(d->ask) == RISK_HIGH;
}

/* Approving for longer is not offered for edited arguments or for a batch. */
static bool longer_offered(const struct dialog *d)
{
	return d->open && !d->instead && !d->arguments.json && scope_offered(d->ask);
}

int32_t dialog_yes(void)
{
	const char *yes = msg_text("tui.yes");

	return yes ? yes[0] : 'y';
}

bool dialog_open(struct dialog *d, const struct json *ask, bool may_answer)
{
	*d = (struct dialog){ .notice = { .max = 4096 } };
	if (!ask_take(d, ask) ||
		questions_load(json_get(d->ask, "questions"), &d->arena, &d->questions,
			&d->questions_len, NULL) != OK ||
		!form_open(&d->form, d->questions, d->questions_len)) {
		dialog_close(d);
		return false;
	}
	d->form.yes = dialog_yes();
	d->form.plan =
		str_is(json_text_of(json_get(d->ask, "operation"), "type"), "plan");
	risk_take(d);
	d->may = may_answer;
	d->open = may_settle(d, may_answer);
	dialog_arm(d);
	return true;
}

/* The form goes, and the card says what became of it: at its top. */
static void ask_vanish(struct dialog *d)
{
	d->open = d->replying = d->scoping = false;
	d->dead = true;
	d->top = 0;
}

/* The ask changed while "for longer" was open: its risk may be higher now. */
static void scope_update(struct dialog *d)
{
	scope_form_open(&d->scope, d->ask);
	d->scoping = longer_offered(d);
	if (!d->scoping) dialog_arm(d);
}

/* The form borrows its questions from the first arena, which therefore stays; an ask
 * changes a few times in its life. */
void dialog_update(struct dialog *d, const struct json *ask)
{
	const struct json *before = d->ask;

	if (json_int_of(ask, "version") < json_int_of(before, "version")) return;
	if (!ask_take(d, ask)) {
		d->ask = before;
		d->id = json_text_of(before, "id");
		return;
	}
	if (ask_pending(d->ask)) {
		risk_take(d);
		if (d->scoping) scope_update(d);
		return;
	}
	if (d->open) ask_vanish(d);
	d->busy = false;
}

void dialog_deleted(struct dialog *d)
{
	if (d->open) ask_vanish(d);
	d->busy = false;
	dialog_say(d, STYLE_WARN, str_of(msg_text("tui.deleted")));
}

void dialog_instead(struct dialog *d, size_t asks,
	void (*draw)(struct page *, const void *ctx), const void *ctx)
{
	d->instead = draw;
	d->instead_ctx = ctx;
	d->form.asks = asks;
	d->form.read = false;
	risk_take(d);
}

void dialog_allow(struct dialog *d, bool may_answer)
{
	bool open = may_settle(d, may_answer);

	d->may = may_answer;
	if (open && !d->open) dialog_arm(d);
	d->open = open;
}

struct str dialog_written(const struct dialog *d, struct arena *arena)
{
	struct buf text = { .max = 1 << 20 };

	form_written(&d->form, &text);
	if (!line_blank(&d->reply)) words_join(&text, "\n", line_text(&d->reply));
	return buf_keep_done(&text, arena);
}

void dialog_close(struct dialog *d)
{
	form_close(&d->form);
	line_done(&d->reply);
	scope_form_done(&d->scope);
	buf_done(&d->notice);
	page_done(&d->card_page);
	page_done(&d->form_page);
	kept_done(&d->arguments);
	kept_done(&d->told);
	kept_done(&d->tool);
	kept_done(&d->before);
	arena_done(&d->arena);
	*d = (struct dialog){ 0 };
}

void dialog_say(struct dialog *d, enum style style, struct str text)
{
	buf_clear(&d->notice);
	buf_add(&d->notice, text);
	d->notice_style = style;
}

void dialog_before(struct dialog *d, const struct json *items)
{
	struct json before;

	if (!json_is(items, JSON_ARRAY)) return;
	before = *items;
	for (const struct json *event = NULL; json_each(items, &event);)
		if (str_eq(json_text_of(event, "ask"), d->id)) {
			before.items = items->items + (event - items->items) + 1;
			before.count =
				items->count - (uint32_t)(before.items - items->items);
		}
	kept_set(&d->before, &before);
}

void dialog_arguments(struct dialog *d, struct str text)
{
	const struct json *were = json_get(json_get(d->ask, "operation"), "arguments");
	const struct json *json = NULL;
	struct arena arena = { 0 };

	if (json_read(text, NULL, &arena, &json, NULL) == OK &&
		json_is(json, JSON_OBJECT)) {
		bool same = json_equal(json, were);

		kept_set(&d->arguments, same ? NULL : json);
		buf_clear(&d->form.arguments);
		if (!same) json_write(&d->form.arguments, json);
		buf_clear(&d->notice);
		dialog_arm(d);
	} else {
		dialog_say(d, STYLE_BAD, str_of(msg_text("web.operation.broken")));
	}
	arena_done(&arena);
}

struct str dialog_answer(const struct dialog *d, bool skip, struct arena *arena)
{
	struct str digest = json_text_of(d->ask, "digest");
	struct buf body = { .max = 1 << 20 };
	struct json_writer w = { .out = &body };

	if (skip) return STR("{}");
	jw_object(&w);
	jw_key(&w, "answers");
	form_answer(&d->form, &w);
	if (d->scoping) scope_form_put(&d->scope, &w);
	if (digest.len) jw_put_str(&w, "digest", digest);
	jw_object_end(&w);
	return buf_keep_done(&body, arena);
}

struct str dialog_reply(const struct dialog *d, struct arena *arena)
{
	return JSON_TEXT(arena, "{'text':%s}", line_text(&d->reply));
}

void dialog_replied(struct dialog *d)
{
	if (d->replying) line_set(&d->reply, STR_NONE);
	d->replying = false;
}

void dialog_fault(struct dialog *d, const struct fault *why)
{
	dialog_say(d, STYLE_BAD,
		str_of(why->err == ERR_UNAVAILABLE ? msg_text("web.problem.unreachable")
			: why->items_len > 0	   ? why->items[0].detail
						   : why->detail));
}

/* ---- keys ---- */

struct line *dialog_line(struct dialog *d)
{
	if (d->scoping) return scope_form_line(&d->scope);
	return d->replying ? &d->reply : d->open ? form_line(&d->form) : NULL;
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

static enum wish reply_key(struct dialog *d, const struct key *k)
{
	struct key text = *k;

	if (k->pasted && k->name == K_ENTER) text.name = K_NEW_LINE;
	switch (text.name) {
	case K_ESCAPE: d->replying = false; return WISH_NONE;
	case K_EDITOR: return WISH_EDITOR;
	case K_ENTER: return line_blank(&d->reply) ? WISH_NONE : WISH_REPLY;
	default: return line_key(&d->reply, &text, true) ? WISH_NONE : WISH_UNUSED;
	}
}

/* From one that is over a rule can be made. */
static bool rule_offered(const struct dialog *d)
{
	return d->may && !d->dead && scope_rule_offered(d->ask);
}

static enum wish rule_show(struct dialog *d)
{
	scope_form_open_rule(&d->scope, d->ask, d->admin);
	d->scoping = true;
	dialog_arm(d);
	return WISH_TRY;
}

/* Keys of the card: whatever the form is at, unless it is a letter being typed. */
static enum wish card_key(struct dialog *d, const struct key *k)
{
	bool pending = ask_pending(d->ask);

	if (k->name == K_PAGE_DOWN || k->name == K_PAGE_UP)
		return card_scroll(d, k->name == K_PAGE_DOWN), WISH_NONE;
	if (k->name == K_ESCAPE) return WISH_LEAVE;
	switch (key_letter(k)) {
	case 'b':
		d->replying = pending && d->open;
		return d->replying ? WISH_NONE : WISH_UNUSED;
	case 'c': return d->open ? WISH_CLAIM : WISH_UNUSED;
	case '+': return d->open ? WISH_EXTEND : WISH_UNUSED;
	case 'v': return WISH_SESSION;
	case 't': d->raw = !d->raw; return WISH_NONE;
	case '.': return rule_offered(d) ? rule_show(d) : WISH_UNUSED;
	default: return WISH_UNUSED;
	}
}

/* ---- approving for longer ---- */

void dialog_limit(struct dialog *d, const struct json *scopes, bool admin)
{
	if (d->scoping) scope_form_limit(&d->scope, scopes, admin);
}

struct str dialog_rule(struct dialog *d, struct arena *arena)
{
	return d->scoping ? scope_form_rule(&d->scope, arena) : STR_NONE;
}

struct str dialog_rule_made(const struct dialog *d, int64_t now_ms, struct arena *arena)
{
	return scope_form_made(&d->scope, now_ms, arena);
}

void dialog_ruled(struct dialog *d)
{
	d->busy = d->scoping = false;
	dialog_say(d, STYLE_GOOD, str_of(msg_text("tui.scope.created")));
}

void dialog_tried(struct dialog *d, const struct json *reply, const struct fault *why)
{
	if (d->scoping) scope_form_tried(&d->scope, reply, why);
}

static enum wish scope_show(struct dialog *d)
{
	scope_form_done(&d->scope);
	scope_form_open(&d->scope, d->ask);
	d->scoping = true;
	dialog_arm(d);
	return WISH_LONGER;
}

/* Whoever pressed before the decision was armed learns that nothing was sent. */
static enum wish early_say(struct dialog *d)
{
	dialog_say(d, STYLE_WARN, str_of(msg_text("web.toosoon")));
	return WISH_NONE;
}

/* High risk takes a second press here, too. */
static enum wish scope_approve(struct dialog *d)
{
	if (dialog_arming(d, clock_person_ms()) > 0) return early_say(d);
	if (d->scope.ruling) return WISH_RULE;
	if (d->form.twice && !d->scope.sure) {
		d->scope.sure = true;
		dialog_arm(d);
		return WISH_NONE;
	}
	form_approve(&d->form);
	return WISH_SUBMIT;
}

static enum wish scope_key(struct dialog *d, const struct key *k)
{
	if (k->name == K_PAGE_DOWN || k->name == K_PAGE_UP)
		return card_scroll(d, k->name == K_PAGE_DOWN), WISH_NONE;
	enum wish wish = scope_form_key(&d->scope, k);
	if (wish == WISH_SUBMIT) return scope_approve(d);
	if (wish != WISH_LEAVE) return wish;
	d->scoping = false;
	return WISH_NONE;
}

/* The ask was settled while the person typed: ignore what they type on for the form that is
 * gone. */
static enum wish dead_key(struct dialog *d, const struct key *k)
{
	bool down = k->name == K_PAGE_DOWN || k->name == K_DOWN;

	if (k->name == K_ESCAPE) return WISH_LEAVE;
	if (down || k->name == K_PAGE_UP || k->name == K_UP) card_scroll(d, down);
	return WISH_NONE;
}

enum wish dialog_key(struct dialog *d, const struct key *k)
{
	enum form_mode before = d->form.mode;

	if (d->busy) return WISH_NONE;
	if (d->dead) return dead_key(d, k);
	if (d->replying) return reply_key(d, k);
	if (!d->open && !d->scoping) return card_key(d, k);
	buf_clear(&d->notice);
	if (d->scoping) return scope_key(d, k);
	d->form.armed = dialog_arming(d, clock_person_ms()) == 0;
	d->form.longer = longer_offered(d);
	enum wish wish = form_key(&d->form, k);
	/* Arm the second press only after the question has been on the screen for a while. */
	if (d->form.mode == FORM_CONFIRM && before != FORM_CONFIRM) dialog_arm(d);
	switch (wish) {
	case WISH_LONGER: return scope_show(d);
	case WISH_EARLY: return early_say(d);
	case WISH_UNUSED: return card_key(d, k);
	default: return wish;
	}
}

struct str dialog_keys(struct dialog *d, struct arena *arena)
{
	if (d->dead) return MSG(arena, "tui.keys.dead");
	if (d->replying) return MSG(arena, "tui.keys.reply");
	if (d->scoping)
		return MSG(arena, d->scope.writing  ? "tui.keys.pattern"
				  : d->scope.ruling ? "tui.keys.rule"
						    : "tui.keys.scope");
	if (d->open) return form_keys(&d->form, arena);
	return MSG(arena, rule_offered(d) ? "tui.keys.settled" : "tui.keys.closed");
}

/* ---- drawing ---- */

/* Of a settled ask: what was typed for it and not sent. */
static void written_part(const struct dialog *d, struct page *p)
{
	struct str text = dialog_written(d, &p->words);

	if (text.len == 0) return;
	page_row(p);
	PAGE_MSG(p, STYLE_WARN, "tui.draft.kept");
	page_wrap(p, STYLE_PLAIN, 2, text);
}

static void reply_part(const struct dialog *d, struct page *p)
{
	page_row(p);
	PAGE_MSG(p, STYLE_BOLD, "web.thread.text");
	page_row_choice(p, true);
	page_line(p, STYLE_PLAIN, &d->reply);
	page_focus_end(p);
}

/* The form's part: the form itself or the message, and what is said. Returns how many rows
 * of it say what is asked: at most `text_rows`. */
static size_t form_part(struct dialog *d, size_t width, size_t text_rows, int64_t now_ms)
{
	struct page *p = &d->form_page;
	size_t text = 0;

	page_clear(p, width);
	if (d->replying) {
		reply_part(d, p);
	} else if (d->scoping) {
		if (!d->scope.ruling)
			page_wrap_rows(p, STYLE_BOLD, 0, form_text(&d->form, &p->words),
				text_rows);
		text = p->rows_len;
		scope_form_write(p, &d->scope, now_ms, d->form.idle);
	} else if (ask_pending(d->ask) && !d->dead) {
		text = form_write(p, &d->form, text_rows); /* to be read at least */
	} else {
		written_part(d, p);
	}
	page_wrap(p, d->notice_style, 0, buf_str(&d->notice));
	return text;
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
	screen_page(s, f, p, top);
	if (cursor && p->cursor && p->cursor_row >= top &&
		p->cursor_row < top + f->height)
		screen_cursor(s, f->y + p->cursor_row - top, f->x + p->cursor_column);
}

/* A rule with the form's title in it, and how much of the card lies below. */
static void rule_draw(struct dialog *d, struct screen *s, const struct area *f, size_t y)
{
	size_t below = d->card_page.rows_len - d->top;
	struct page p = { .width = f->width - 2 };
	struct str title = d->scoping ? MSG(&p.words, d->scope.ruling ? "web.rules.new"
								      : "web.scope")
				      : form_title(&d->form, &p.words);

	screen_rule(s, y, f->x, f->width);
	if ((d->open || d->scoping) && !d->replying && title.len)
		page_add(
			&p, STYLE_BOLD, arena_print(&p.words, " %.*s ", STR_ARGS(title)));
	screen_draw(s, y, f->x + 1, &p, 0);
	if (below > d->card_rows)
		screen_put(s, y, f->x + f->width - 9, 9, STYLE_WARN,
			arena_print(&p.words, " ↓ %zu ", below - d->card_rows));
	page_done(&p);
}

/* How a dialog is laid out: the card above the rule, the form below it. */
struct layout {
	size_t card_rows, form_rows;
	size_t text_rows; /* of the form: what is asked */
};

static struct card card_part(struct dialog *d, size_t width, const struct card_look *look)
{
	page_clear(&d->card_page, width);
	if (d->instead) {
		d->instead(&d->card_page, d->instead_ctx);
		return (struct card){ .operation_end = d->card_page.rows_len };
	}
	return card_draw(&d->card_page, d->ask, look);
}

/* What the operation is, and how it is decided, are seen without scrolling. Where there is
 * no room for all, the card begins with the operation, and a long question is cut in the
 * form and stands in the card. */
static struct layout dialog_lay_out(
	struct dialog *d, const struct area *f, struct card_look look)
{
	enum { CARD_ROWS = 3, OPERATION_ROWS = 2 };
	size_t card_least = f->height / 3 > CARD_ROWS ? f->height / 3 : CARD_ROWS;
	size_t most = f->height > card_least + 2 ? f->height - card_least - 1 : 1;
	struct arena arena = { 0 };
	struct layout l = { .text_rows = form_part(d, f->width, SIZE_MAX, look.now_ms) };
	struct card card = card_part(d, f->width, &look);
	size_t wanted = d->form_page.rows_len, all = d->card_page.rows_len + 1 + wanted;
	bool operation = card.operation_end > 0;

	look.tight = all > f->height && operation && look.asked &&
		     card.operation_row + OPERATION_ROWS + 1 + wanted > f->height;
	if (all > f->height && (look.tight || wanted > most) && l.text_rows > 1) {
		size_t rest = wanted - l.text_rows;
		size_t room = look.tight || most <= rest ? 1 : most - rest;

		if (l.text_rows > room) {
			look.tight = operation && look.asked;
			look.question = form_text(&d->form, &arena);
			l.text_rows = form_part(d, f->width, room, look.now_ms);
			wanted = d->form_page.rows_len;
		}
	}
	if (look.tight || look.question.len > 0) card = card_part(d, f->width, &look);
	l.form_rows = wanted < most ? wanted : most;
	if (d->card_page.rows_len + 1 + wanted <= f->height)
		l.form_rows = f->height - 1 - d->card_page.rows_len;
	l.card_rows = f->height - 1 - l.form_rows;
	if (d->top + l.card_rows > d->card_page.rows_len)
		d->top = d->card_page.rows_len > l.card_rows
				 ? d->card_page.rows_len - l.card_rows
				 : 0;
	if (!operation || d->top + l.card_rows >= card.operation_end) d->form.read = true;
	arena_done(&arena);
	return l;
}

/* What is asked stays in sight; below it the rest scrolls with the focus. */
static void form_draw(struct dialog *d, struct screen *s, struct area f, size_t text_rows)
{
	struct page *p = &d->form_page;
	struct area text = { f.y, f.x, text_rows < f.height ? text_rows : 0, f.width };
	struct area rest = { f.y + text.height, f.x, f.height - text.height, f.width };
	size_t top = focus_top(p, rest.height);

	part_draw(s, p, &text, 0, false);
	part_draw(s, p, &rest, top > text.height ? top : text.height, true);
}

static struct card_look look_of(const struct dialog *d, int64_t now_ms)
{
	return (struct card_look){ .now_ms = now_ms,
		.asked = ask_pending(d->ask) && !d->dead && !d->replying,
		.raw = d->raw,
		.me = d->me,
		.arguments = d->arguments.json,
		.told = d->told.json,
		.tool = d->tool.json,
		.before = d->before.json };
}

size_t dialog_rows(struct dialog *d, size_t width, int64_t now_ms)
{
	struct card_look look = look_of(d, now_ms);

	form_part(d, width, SIZE_MAX, now_ms);
	card_part(d, width, &look);
	return d->card_page.rows_len + 1 + d->form_page.rows_len;
}

void dialog_draw(struct dialog *d, struct screen *s, const struct area *f, int64_t now_ms,
	int64_t mono_ms)
{
	struct card_look look = look_of(d, now_ms);

	d->form.armed = dialog_arming(d, mono_ms) == 0;
	d->form.longer = longer_offered(d);
	struct layout l = dialog_lay_out(d, f, look);
	struct area above = { f->y, f->x, l.card_rows, f->width };
	struct area below = { f->y + l.card_rows + 1, f->x, l.form_rows, f->width };

	d->card_rows = l.card_rows;
	part_draw(s, &d->card_page, &above, d->top, false);
	rule_draw(d, s, f, f->y + l.card_rows);
	form_draw(d, s, below, l.text_rows);
}
