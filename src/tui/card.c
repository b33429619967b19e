/* card.c - an ask as rows of text. */
#include "tui/card.h"

#include "base/shell.h"
#include "core/ask/question_kind.h"
#include "text/msg.h"
#include "text/safe_text.h"
#include "tui/mandate.h"
#include "tui/markdown.h"
#include "tui/told.h"
#include "tui/why.h"
#include "tui/words.h"

enum { TITLE_ROWS = 3, NAME_COLUMNS = 14, BEFORE_MAX = 5 };

struct card_writer {
	struct page *page;
	const struct json *ask;
	const struct card_look *look;
	size_t diff_end; /* the row behind the diff */
	struct arena *words;
};

static void section(
	struct card_writer *w, const char *id, enum style style, struct str text)
{
	if (text.len == 0) return;
	page_heading(w->page, id);
	page_wrap(w->page, style, 2, text);
}

/* ---- the head ---- */

static void crumbs_write(struct card_writer *w)
{
	struct str session = session_title(w->ask, w->words);

	page_row(w->page);
	page_dot(w->page, STYLE_SOFT, ask_agent(w->ask, w->words));
	if (!str_eq(session, ask_title(w->ask, w->words)))
		page_dot(w->page, STYLE_SOFT, session);
	page_dot(w->page, STYLE_SOFT, json_text_of(w->ask, "project"));
	page_dot(w->page, STYLE_SOFT, ask_age(w->ask, w->look->now_ms, w->words));
}

/* The form says it right above the answers: the card need not. */
static bool title_below(struct card_writer *w, struct str title)
{
	const struct json *questions = json_get(w->ask, "questions");
	bool lone = json_is(questions, JSON_ARRAY) && questions->count == 1;

	if (!w->look->asked || w->look->question.len) return false;
	return !json_text_of(w->ask, "title").len ||
	       (lone && str_eq(title, question_text(questions->items, w->words)));
}

/* An agent's title may not fill the screen before the operation. */
static void title_write(struct card_writer *w)
{
	struct str title = ask_title(w->ask, w->words), question = w->look->question;
	bool whole = w->look->tight || question.len;

	if (!title_below(w, title))
		page_wrap_rows(
			w->page, STYLE_BOLD, 0, title, whole ? SIZE_MAX : TITLE_ROWS);
	if (!str_eq(question, title)) page_wrap(w->page, STYLE_BOLD, 0, question);
}

static struct str attempt_words(struct card_writer *w)
{
	const struct json *context = json_get(w->ask, "context");
	const struct json *n = json_get(context, "attempt");
	const struct json *m = json_get(context, "attempts");

	if (!json_is(n, JSON_NUMBER)) return STR_NONE;
	return MSG(w->words, "web.recovery.attempt", { "n", n->text },
		{ "m", json_is(m, JSON_NUMBER) ? m->text : STR("?") });
}

/* The first one opens the row. */
static void chip_add(struct card_writer *w, bool *any, enum style style, struct str text)
{
	if (!text.len) return;
	if (!*any) page_row(w->page);
	*any = true;
	page_dot(w->page, style, text);
}

static void chips_write(struct card_writer *w)
{
	static const enum style risks[] = {
		[RISK_LOW] = STYLE_GOOD,
		[RISK_MEDIUM] = STYLE_WARN,
		[RISK_HIGH] = STYLE_BAD,
		[RISK_CRITICAL] = STYLE_BAD,
	};
	struct str priority = json_text_of(w->ask, "priority");
	const struct json *claim = json_get(w->ask, "claimed_by");
	struct str kind = json_text_of(w->ask, "kind");
	enum risk risk = ask_risk(w->ask);
	bool any = false;

	/* That it is a question is plain. */
	if (kind.len && !str_is(kind, "blocking"))
		chip_add(w, &any, STYLE_ACCENT, msg_named(w->words, "web.kind", kind));
	if (risk != RISK_NONE) chip_add(w, &any, risks[risk], words_risk(risk, w->words));
	if (str_is(priority, "high") || str_is(priority, "urgent"))
		chip_add(w, &any, STYLE_WARN,
			msg_named(w->words, "web.priority", priority));
	chip_add(w, &any, STYLE_WARN, attempt_words(w));
	if (ask_pending(w->ask))
		chip_add(w, &any, STYLE_WARN, ask_end(w->ask, w->look->now_ms, w->words));
	/* Of oneself one knows. */
	if (json_is(claim, JSON_OBJECT) && ask_time(claim, "until") > w->look->now_ms &&
		!(w->look->me.len && str_eq(json_text_of(claim, "user"), w->look->me)))
		chip_add(w, &any, STYLE_ACCENT,
			MSG(w->words, "web.ask.claimed",
				{ "name", json_text_of(claim, "name") }));
}

/* Which approvals it has and needs, and why the person may not give one. */
static void votes_write(struct card_writer *w)
{
	struct str line = votes_line(w->ask, w->look->me, true, w->words);
	const struct json *denied = json_get(w->ask, "denied_by");
	struct str note = json_text_of(denied, "note");
	struct str refused = json_text_of(w->ask, "refused");
	struct str id = arena_print(w->words, "web.refused.%.*s", STR_ARGS(refused));

	if (ask_pending(w->ask) &&
		str_is(json_text_of(json_get(w->ask, "context"), "beside"), "terminal"))
		PAGE_WRAP(w->page, STYLE_ACCENT, 0, "web.beside");
	if (line.len) page_wrap(w->page, STYLE_ACCENT, 0, line);
	if (json_is(denied, JSON_OBJECT))
		PAGE_WRAP(w->page, STYLE_BAD, 0,
			note.len ? "web.denied" : "web.denied.unnamed", { "note", note });
	if (refused.len && ask_pending(w->ask))
		PAGE_WRAP(w->page, STYLE_WARN, 0, id.at,
			{ "project", json_text_of(w->ask, "project") });
}

static void verifier_write(struct card_writer *w, const struct json *one)
{
	struct str verdict = json_text_of(one, "verdict"),
		   risk = json_text_of(one, "risk");
	bool waits = !verdict.len && ask_pending(w->ask);
	enum style style = !verdict.len		     ? STYLE_SOFT
			   : str_is(verdict, "fine") ? STYLE_GOOD
			   : str_is(verdict, "deny") ? STYLE_BAD
						     : STYLE_WARN;

	page_row(w->page);
	PAGE_MSG(w->page, STYLE_BOLD, "web.verify.says",
		{ "name", json_text_of(one, "name") });
	page_word(w->page, style,
		msg_named(w->words, "web.verify",
			verdict.len ? verdict
			: waits	    ? STR("waiting")
				    : STR("none")));
	if (risk.len)
		page_dot(w->page, STYLE_SOFT,
			MSG(w->words, "web.verify.risk",
				{ "risk", msg_named(w->words, "web.risk", risk) }));
	page_wrap(w->page, STYLE_PLAIN, 2, json_text_of(one, "note"));
}

/* What verifiers say of it, before the operation they looked at. */
static void verifiers_write(struct card_writer *w)
{
	const struct json *list = json_get(w->ask, "verify");

	if (json_is(list, JSON_ARRAY) && list->count) page_gap(w->page);
	for (const struct json *one = NULL; json_each(list, &one);)
		verifier_write(w, one);
}

/* ---- the operation ---- */

static void value_write(struct card_writer *w, enum style style, const struct json *value)
{
	struct buf text = { .max = 1 << 20 };

	if (json_is(value, JSON_STRING))
		buf_add(&text, value->text);
	else
		json_write_pretty(&text, value);
	page_block(w->page, style, 4, buf_str(&text));
	buf_done(&text);
}

/* A short value stands beside its name, a longer one below it. */
static void argument_write(struct card_writer *w, struct str name, const struct json *was,
	const struct json *is)
{
	struct page *p = w->page;
	bool changed = is && !json_equal(was, is);

	page_row(p);
	page_pad(p, 2);
	page_add(p, STYLE_SOFT, name);
	if (changed) {
		if (was) value_write(w, STYLE_BAD, was);
		value_write(w, STYLE_GOOD, is);
		return;
	}
	bool plain = !json_is(was, JSON_ARRAY) && !json_is(was, JSON_OBJECT);
	struct str text = json_is(was, JSON_STRING) ? was->text
			  : plain		    ? json_keep(was, w->words)
						    : STR_NONE;
	struct str safe = safe_line(w->words, text);
	if (text.at && p->column < NAME_COLUMNS + 3 &&
		NAME_COLUMNS + 4 + text_width(safe) <= p->width &&
		(text.len == 0 || !memchr(text.at, '\n', text.len))) {
		page_pad(p, NAME_COLUMNS + 4);
		page_add(p, STYLE_PLAIN, text);
		return;
	}
	value_write(w, STYLE_PLAIN, was);
}

/* An argv as a line of shell; false: it is none. */
static bool command_write(struct card_writer *w, const struct json *argv)
{
	struct buf line = { .max = 1 << 20 };
	bool words = json_is(argv, JSON_ARRAY) && argv->count > 0;

	for (uint32_t i = 0; words && i < argv->count; i++) {
		words = json_is(&argv->items[i], JSON_STRING);
		if (words) shell_word_add(&line, argv->items[i].text);
	}
	if (words) page_block(w->page, STYLE_PLAIN, 2, buf_str(&line));
	buf_done(&line);
	return words;
}

static void arguments_write(struct card_writer *w, const struct json *arguments)
{
	const struct json *edited = w->look->arguments;

	if (!arguments || (json_is(arguments, JSON_OBJECT) && arguments->count == 0)) {
		page_row(w->page);
		page_pad(w->page, 2);
		PAGE_MSG(w->page, STYLE_SOFT, "web.operation.none");
		return;
	}
	if (!json_is(arguments, JSON_OBJECT)) {
		value_write(w, STYLE_PLAIN, arguments);
		return;
	}
	for (uint32_t i = 0; i < arguments->count; i++) {
		const struct json_member *m = &arguments->members[i];

		if (!edited && str_is(m->name, "argv") && command_write(w, &m->value))
			continue;
		const struct json *is = json_get_str(edited, m->name);

		argument_write(w, m->name, &m->value, edited ? is : NULL);
		if (edited && !is) page_add_text(w->page, STYLE_BAD, " ✗");
	}
	for (uint32_t i = 0; json_is(edited, JSON_OBJECT) && i < edited->count; i++)
		if (!json_get_str(arguments, edited->members[i].name))
			argument_write(w, edited->members[i].name, NULL,
				&edited->members[i].value);
}

/* As it is approved: the schema of its arguments is no part of that. */
static void operation_raw(struct card_writer *w, const struct json *op)
{
	struct json own = { .type = JSON_OBJECT };
	struct json_member *members =
		ARENA_ARRAY(w->words, struct json_member, op->count + 1);

	for (uint32_t i = 0; members && i < op->count; i++)
		if (!str_is(op->members[i].name, "schema"))
			members[own.count++] = op->members[i];
	own.members = members;
	value_write(w, STYLE_PLAIN, &own);
}

static void operation_draw(struct card_writer *w, struct card *card)
{
	const struct json *op = json_get(w->ask, "operation");
	const struct json *advance = w->look->raw ? NULL : mandate_asked(op);
	struct str tool, server;

	if (!json_is(op, JSON_OBJECT)) return;
	if (!w->look->tight) page_gap(w->page);
	page_row(w->page);
	card->operation_row = w->page->rows_len - 1;
	if (!w->look->raw && ask_held(w->ask, &tool, &server)) {
		PAGE_MSG(w->page, STYLE_BOLD, "web.held.wants",
			{ "agent", json_text_of(json_get(w->ask, "agent"), "name") });
		page_word(w->page, STYLE_WARN, tool);
		page_word(w->page, STYLE_BOLD, MSG(w->words, "web.held.on"));
		page_word(w->page, STYLE_ACCENT, server);
	} else if (advance) {
		PAGE_MSG(w->page, STYLE_BOLD, "web.mandate.one");
	} else {
		PAGE_MSG(w->page, STYLE_BOLD, "web.operation");
		page_word(w->page, STYLE_WARN, json_text_of(op, "name"));
	}
	if (w->look->raw)
		operation_raw(w, op);
	else if (advance)
		mandate_asked_draw(w->page, advance, w->look->arguments, w->look->now_ms);
	else
		arguments_write(w, json_get(op, "arguments"));
	card->operation_end = w->page->rows_len;
}

/* ---- what the server and the agent say ---- */

/* Of the tool that is called, apart from what the agent says. */
static void server_write(struct card_writer *w)
{
	struct str title = json_text_of(w->look->tool, "title");
	struct str text = json_text_of(w->look->tool, "description");

	section(w, "web.held.says", STYLE_PLAIN, title.len ? title : text);
	if (title.len) page_wrap(w->page, STYLE_PLAIN, 2, text);
}

static void diff_write(struct card_writer *w, struct str diff)
{
	struct str line;

	if (diff.len == 0) return;
	page_heading(w->page, "tui.diff");
	while (str_cut(&diff, '\n', &line)) {
		char first = line.len > 0 ? line.at[0] : ' ';

		page_block(w->page,
			first == '+'   ? STYLE_GOOD
			: first == '-' ? STYLE_BAD
			: first == '@' ? STYLE_ACCENT
				       : STYLE_PLAIN,
			2, line);
	}
	w->diff_end = w->page->rows_len;
}

static void context_write(struct card_writer *w)
{
	const struct json *context = json_get(w->ask, "context");
	struct str step = json_text_of(context, "current_step");
	struct str text = ask_words(w->ask, json_text_of(context, "text"), w->words);
	struct str unknown = ask_unknown(w->ask, w->look->now_ms, w->words);

	section(w, "web.recovery.error", STYLE_BAD,
		json_text_of(context, "error_details"));
	if (step.len > 0) {
		page_row(w->page);
		PAGE_MSG(w->page, STYLE_SOFT, "web.colon",
			{ "words", MSG(w->words, "web.ask.step") }, { "text", step });
	}
	if (unknown.len > 0) {
		page_gap(w->page);
		page_wrap(w->page, STYLE_BOLD, 0, unknown);
	} else if (text.len > 0) {
		page_heading(w->page, "web.says");
		markdown_write(w->page, 2, text);
	}
	diff_write(w, json_text_of(context, "diff"));
	/* A plan's is its operation, which stands above. */
	if (!str_is(json_text_of(json_get(w->ask, "operation"), "type"), "plan"))
		section(w, "web.preview", STYLE_PLAIN, json_text_of(context, "preview"));
}

static void thread_write(struct card_writer *w)
{
	const struct json *replies = json_get(w->ask, "replies");

	if (json_is(replies, JSON_ARRAY) && replies->count)
		page_heading(w->page, "web.thread");
	for (const struct json *r = NULL; json_each(replies, &r);) {
		const struct json *by = json_get(r, "by");
		bool agent = str_is(json_text_of(by, "kind"), "agent");

		page_row(w->page);
		page_pad(w->page, 2);
		if (agent) PAGE_MSG(w->page, STYLE_SOFT, "web.says");
		if (agent) page_add_text(w->page, STYLE_SOFT, " · ");
		page_add(w->page, STYLE_SOFT, json_text_of(by, "name"));
		page_dot(w->page, STYLE_SOFT,
			time_local(ask_time(r, "at"), w->look->now_ms, w->words));
		page_wrap(w->page, STYLE_PLAIN, 4, json_text_of(r, "text"));
	}
}

static void before_write(struct card_writer *w)
{
	const struct json *before = w->look->before;
	uint32_t n = json_is(before, JSON_ARRAY) ? before->count : 0;

	if (n > BEFORE_MAX) n = BEFORE_MAX;
	if (n > 0) page_heading(w->page, "web.led");
	for (; n > 0; n--) {
		const struct json *event = &before->items[n - 1];

		page_row(w->page);
		page_pad(w->page, 2);
		page_add(w->page, STYLE_SOFT,
			time_local(ask_time(event, "at"), w->look->now_ms, w->words));
		page_word(w->page, STYLE_PLAIN, event_words(event, STR_NONE, w->words));
	}
}

/* One decision of a person and nothing else: how it ended says it already. */
static bool lone_decision(const struct json *ask)
{
	const struct json *questions = json_get(ask, "questions");
	struct str by = json_text_of(json_get(ask, "answered_by"), "kind");

	return !str_is(by, "policy") && json_is(questions, JSON_ARRAY) &&
	       questions->count == 1 &&
	       question_kind_json(questions->items)->input == INPUT_DECISION;
}

static void outcome_write(struct card_writer *w)
{
	const struct json *answer = json_get(w->ask, "answer");

	if (ask_pending(w->ask)) return;
	page_gap(w->page);
	page_row(w->page);
	page_add(w->page, STYLE_GOOD, ask_settled(w->ask, w->words));
	if (json_is(answer, JSON_OBJECT))
		page_wrap(w->page, STYLE_BOLD, 2,
			lone_decision(w->ask)
				? words_said(answer)
				: answer_all_words(w->ask, answer, w->words));
	page_wrap(w->page, STYLE_PLAIN, 2, json_text_of(w->ask, "reason"));
	page_wrap(w->page, STYLE_WARN, 2, ask_waits(w->ask, w->words));
}

struct card card_draw(
	struct page *page, const struct json *ask, const struct card_look *look)
{
	struct card_writer w = {
		.page = page, .ask = ask, .look = look, .words = &page->words
	};
	struct card card = { 0 };

	if (look->tight) {
		chips_write(&w);
		operation_draw(&w, &card);
		page_gap(page);
	}
	crumbs_write(&w);
	title_write(&w);
	if (!look->tight) chips_write(&w);
	votes_write(&w);
	why_draw(page, ask);
	outcome_write(&w);
	verifiers_write(&w);
	if (!look->tight) operation_draw(&w, &card);
	server_write(&w);
	context_write(&w);
	/* The agent's diff says what the operation would do: it is to be read with it. */
	if (card.operation_end > 0 && w.diff_end > 0) card.operation_end = w.diff_end;
	thread_write(&w);
	told_draw(page, look->told, look->me, ask_pending(ask), look->now_ms);
	before_write(&w);
	return card;
}
