/* run_follow.c - the events of a session as lines on a terminal. Marks carry the meaning without
 * colour: * working, ! needs a person, x failed, o queued, = done, ~ waits for others. */
#include "cli/verb/run_follow.h"

#include "base/clock.h"
#include "base/keep.h"
#include "cli/outcome.h"
#include "cli/term_dialog.h"
#include "client/stream.h"
#include "text/safe_text.h"
#include "tui/words.h"

#include <poll.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

enum { NAMES_MAX = 64, DETAIL_WIDTH = 40, NAME_WIDTH = 20, CTRL_C = 3, ESC = 0x1b };

/* The name of a sub-agent, or what a tool call is about. */
struct follow_name {
	char id[64];
	char text[96];
};

struct follow {
	const struct run_follow *set;
	struct cli *cli;
	struct client *beside; /* for calls while the stream is open */
	bool over;	       /* the run has ended */
	bool line_open;	       /* the cursor is behind some text */
	bool shown;	       /* some text of the last message */
	size_t turn_bytes;     /* of this turn's text that were shown */
	int64_t thinking_ms;   /* since when it reasons; 0: it does not */
	char ask[64];	       /* that was asked meanwhile; "" none */
	bool settled;	       /* one was: another may wait */
	bool told;	       /* that it waits, and not yet that it goes on */
	bool left;	       /* it waits, and is not waited for */
	char after[32];	       /* the last event seen */
	struct term_dialog *dialog;
	struct buf held; /* to be shown when the dialog is gone */
	struct buf tail; /* the last of what was shown or is held */
	struct follow_name names[NAMES_MAX];
	size_t names_len;
};

/* ---- lines ---- */

static void keep(char *to, size_t size, struct str text)
{
	snprintf(to, size, "%.*s", STR_ARGS(text));
}

static void name_keep(struct follow *f, struct str id, struct str text)
{
	struct follow_name *n = &f->names[f->names_len++ % NAMES_MAX];

	keep(n->id, sizeof n->id, id);
	keep(n->text, sizeof n->text, text_head(text, sizeof n->text / 4));
}

static struct str name_of(const struct follow *f, struct str id)
{
	for (size_t i = 0; i < NAMES_MAX; i++)
		if (str_is(id, f->names[i].id)) return str_of(f->names[i].text);
	return STR_NONE;
}

static void tail_keep(struct follow *f, struct str text)
{
	enum { LEAST = 8 << 10, MOST = 2 * LEAST };
	struct str last;

	buf_add(&f->tail, text);
	if (f->tail.len <= MOST) return;
	/* From the beginning of a line. */
	last = str_from(buf_str(&f->tail), f->tail.len - LEAST);
	while (last.len && last.at[0] != '\n')
		last = str_from(last, 1);
	memmove(f->tail.at, last.at, last.len);
	f->tail.len = last.len;
}

/* A dialog has the whole terminal, and shows the last lines itself. */
static void put(struct follow *f, struct str text)
{
	if (!text.len) return;
	if (f->set->live) tail_keep(f, text);
	if (!f->dialog) {
		fwrite(text.at, 1, text.len, stdout);
		return;
	}
	buf_add(&f->held, text);
	term_dialog_above(f->dialog, buf_str(&f->tail));
}

static void dialog_close(struct follow *f)
{
	f->dialog = term_dialog_free(f->dialog);
	if (f->held.len) fwrite(f->held.at, 1, f->held.len, stdout);
	buf_clear(&f->held);
}

static void text_end(struct follow *f)
{
	if (f->line_open) put(f, STR("\n"));
	f->line_open = false;
}

static void cell_add(struct buf *b, struct str safe, size_t width)
{
	size_t used = text_width(safe);

	text_fit_add(b, safe, width);
	for (; used < width; used++)
		buf_add_char(b, ' ');
}

/* "  = todo/create          Read the results        0.1 s" */
static void line_print(struct follow *f, const char *mark, enum tint tint,
	struct str name, struct str detail, struct str end)
{
	bool color = f->cli->term.out_color;
	struct buf b = { 0 };

	text_end(f);
	buf_print(&b, "%s  %s ", tint_on(tint, color), mark);
	cell_add(&b, safe_line(&f->cli->arena, name),
		detail.len || end.len ? NAME_WIDTH : NAME_WIDTH + DETAIL_WIDTH);
	buf_add_char(&b, ' ');
	cell_add(&b, safe_line(&f->cli->arena, detail), DETAIL_WIDTH);
	if (end.len) buf_print(&b, " %.*s", STR_ARGS(safe_line(&f->cli->arena, end)));
	while (b.len && b.at[b.len - 1] == ' ')
		b.len--;
	buf_print(&b, "%s\n", tint_off(color));
	put(f, buf_str(&b));
	buf_done(&b);
}

/* What the run did by itself, or a person changed. */
static void step_show(struct follow *f, struct str words)
{
	bool color = f->cli->term.out_color;

	if (!words.len) return;
	text_end(f);
	put(f, arena_print(&f->cli->arena, "%s  * %.*s%s\n", tint_on(TINT_DIM, color),
		       STR_ARGS(safe_line(&f->cli->arena, words)), tint_off(color)));
}

/* ---- text ---- */

static void thought_end(struct follow *f)
{
	bool color = f->cli->term.out_color;
	int64_t s = (clock_mono_ms() - f->thinking_ms) / 1000 + 1;

	if (!f->thinking_ms) return;
	f->thinking_ms = 0;
	text_end(f);
	put(f, arena_print(&f->cli->arena, "%s> %s%s\n", tint_on(TINT_DIM, color),
		       MSG(&f->cli->arena, "cli.run.reasoned",
			       { "time", arena_print(
						 &f->cli->arena, "%llds", (long long)s) })
			       .at,
		       tint_off(color)));
}

static void text_show(struct follow *f, struct str text)
{
	struct buf b = { 0 };

	if (!text.len) return;
	thought_end(f);
	safe_block_add(&b, text);
	put(f, buf_str(&b));
	f->line_open = b.len && b.at[b.len - 1] != '\n';
	f->turn_bytes += text.len;
	f->shown = true;
	buf_done(&b);
}

/* The text of a turn as far as it was not shown yet. */
static void text_rest(struct follow *f, struct str whole)
{
	if (whole.len > f->turn_bytes) text_show(f, str_from(whole, f->turn_bytes));
}

/* ---- calls ---- */

/* What a call is about: its first argument that is a text, but for the operation. */
static struct str call_about(const struct json *arguments)
{
	for (uint32_t i = 0; json_is(arguments, JSON_OBJECT) && i < arguments->count; i++)
		if (arguments->members[i].value.type == JSON_STRING &&
			!str_is(arguments->members[i].name, "operation"))
			return arguments->members[i].value.text;
	return STR_NONE;
}

static struct str call_name(
	struct follow *f, struct str name, const struct json *arguments)
{
	struct str operation = json_text_of(arguments, "operation");

	return operation.len ? arena_print(&f->cli->arena, "%.*s/%.*s", STR_ARGS(name),
				       STR_ARGS(operation))
			     : name;
}

/* Fetches something of the server while the stream goes on; NULL: it is not to be had. */
static const struct json *fetch(
	struct follow *f, const char *path, struct str id, const char *tail)
{
	return cli_call_quiet(f->cli, f->beside, path_with(f->cli, path, id, tail), NULL);
}

static void message_shown(struct follow *f, const struct json *message)
{
	const struct json *parts = json_get(message, "content");
	struct buf text = { 0 };

	for (const struct json *p = NULL; json_each(parts, &p);)
		if (str_is(json_text_of(p, "type"), "text"))
			buf_add(&text, json_text_of(p, "text"));
	text_rest(f, buf_str(&text));
	buf_done(&text);
	thought_end(f);
	text_end(f);
	f->turn_bytes = 0;
}

/* What stands among the user's messages and no user said: that the model was asked to go on, a summary. */
static bool part_shown(struct follow *f, const struct json *part)
{
	struct str asked = json_text_of(part, "asked");
	bool summary = str_is(json_text_of(part, "type"), "summary");
	const struct json *n = json_get(part, "messages");

	if (asked.len) step_show(f, msg_named(&f->cli->arena, "web.chat.asked", asked));
	if (summary)
		step_show(f, msg_count(&f->cli->arena,
				     json_text_of(part, "text").len ? "web.chat.summary"
								    : "web.chat.left",
				     n ? n->integer : 0));
	return asked.len || summary;
}

/* With what follows from it: the newer one before it. */
static void message_came(struct follow *f, struct str id)
{
	const struct json *page = fetch(f, "/v1/sessions/", f->set->session,
				  "/messages?limit=20"),
			  *items = json_get(page, "items"), *newer = NULL, *part = NULL;

	for (const struct json *item = NULL; json_each(items, &item); newer = item) {
		if (!str_eq(json_text_of(item, "id"), id)) continue;
		message_shown(f, item);
		while (json_each(json_get(newer, "content"), &part))
			if (json_text_of(part, "asked").len) part_shown(f, part);
	}
}

static struct str seconds(struct follow *f, const struct json *ms)
{
	if (!json_is(ms, JSON_NUMBER)) return STR_NONE;
	return ms->integer < 60000
		       ? arena_print(&f->cli->arena, "%.1f s", (double)ms->integer / 1000)
		       : span_short(ms->integer, &f->cli->arena);
}

static void call_ended(struct follow *f, const struct json *data)
{
	struct str status = json_text_of(data, "status");
	const struct json *call = fetch(
				  f, "/v1/tool-calls/", json_text_of(data, "call"), ""),
			  *args = json_get(call, "arguments"), *changed = NULL;
	struct str name = json_text_of(data, "name"), about = call_about(args);
	bool done = str_is(status, "done");

	thought_end(f);
	if (str_is(name, "ask_user_question")) return; /* its answer was shown */
	if (json_is(json_get(call, "approved_arguments"), JSON_OBJECT))
		changed = fetch(f, "/v1/asks/", json_text_of(call, "ask"), "");
	if (str_is(name, "parallel_tasks") && json_get(args, "tasks"))
		about = arena_print(
			&f->cli->arena, "%u", (unsigned)json_get(args, "tasks")->count);
	line_print(f, done ? "=" : "x", done ? TINT_NONE : TINT_RED,
		call_name(f, name, args), about,
		done ? seconds(f, json_get(data, "duration_ms"))
		     : str_of(msg_text(arena_print(
			       &f->cli->arena, "cli.run.call.%.*s", STR_ARGS(status))
					       .at)));
	if (changed)
		step_show(f,
			MSG(&f->cli->arena, "cli.run.changed",
				{ "name", json_text_of(json_get(changed, "answered_by"),
						  "name") }));
	if (!done && json_text_of(call, "error").len)
		line_print(
			f, " ", TINT_DIM, STR(""), json_text_of(call, "error"), STR_NONE);
}

/* ---- sub-agents, tasks ---- */

static bool waits_for_person(const struct json *data)
{
	const struct json *waits = json_get(data, "waits_for");

	for (const struct json *item = NULL; json_each(waits, &item);)
		if (str_is(json_text_of(item, "type"), "ask")) return true;
	return false;
}

static void child_event(
	struct follow *f, struct str type, struct str run, const struct json *data)
{
	static const struct {
		const char *type, *mark, *says;
		enum tint tint;
	} events[] = { { "run.started", "*", "cli.run.works", TINT_NONE },
		{ "run.waiting", "!", "cli.run.waits", TINT_YELLOW },
		{ "run.completed", "=", "cli.run.done", TINT_NONE },
		{ "run.failed", "x", NULL, TINT_RED },
		{ "run.cancelled", "-", "cli.run.cancelled", TINT_NONE } };
	struct arena *arena = &f->cli->arena;
	struct str name = name_of(f, run);

	if (str_is(type, "run.queued") && !name.len)
		name_keep(f, run, json_text_of(data, "agent"));
	if (str_is(type, "run.waiting") && !waits_for_person(data)) return;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (str_is(type, events[i].type))
			line_print(f, events[i].mark, events[i].tint,
				arena_print(arena, "  %.*s", STR_ARGS(name)),
				events[i].says ? MSG(arena, events[i].says)
					       : json_text_of(json_get(data, "error"),
							 "message"),
				str_is(type, "run.completed")
					? seconds(f, json_get(data, "duration_ms"))
					: STR_NONE);
}

static void task_event(struct follow *f, struct str type, const struct json *data)
{
	bool done = str_is(type, "task.completed");

	if (!done && !str_is(type, "task.created")) return;
	line_print(f, done ? "[x]" : "[ ]", TINT_NONE, json_text_of(data, "name"),
		STR_NONE, STR_NONE);
}

/* ---- waiting, told where nobody can answer ---- */

/* What a run waits for, in one line. */
static void waits_say(struct follow *f, struct str what)
{
	text_end(f);
	fflush(stdout);
	fprintf(stderr, "%.*s\n", STR_ARGS(what));
	f->told = true;
	f->left |= f->set->no_wait;
}

/* A run waits until it may try its provider again. On a terminal: till when, and that is all. */
static void provider_waits(struct follow *f, struct str run, const struct json *data)
{
	const struct json *waits = json_get(data, "waits_for"), *error;
	struct arena *arena = &f->cli->arena;

	for (const struct json *item = NULL; json_each(waits, &item);) {
		struct str kind, message;

		if (!str_is(json_text_of(item, "type"), "time")) continue;
		error = json_get(fetch(f, "/v1/runs/", run, ""), "error");
		kind = json_text_of(error, "kind");
		message = json_text_of(error, "message");
		if (f->set->live && !f->set->no_wait)
			step_show(f, MSG(arena, "web.run.again",
					     { "at", time_local(ask_time(item, "until"),
							     clock_now_ms(), arena) },
					     { "why", message }));
		else if (kind.len)
			waits_say(f, MSG(arena, "cli.run.waits_provider",
					     { "kind", kind }, { "message", message }));
	}
}

static void wait_event(
	struct follow *f, struct str type, struct str run, const struct json *data)
{
	if (str_is(type, "run.waiting")) {
		provider_waits(f, run, data);
	} else if (f->told && str_is(type, "run.resumed")) {
		f->told = false;
		fprintf(stderr, "%.*s\n",
			STR_ARGS(MSG(&f->cli->arena, "cli.run.goes_on")));
	}
}

/* ---- what happens ---- */

static void queued_show(struct follow *f, const struct json *data)
{
	const struct json *place = json_get(data, "position");

	if (json_is(place, JSON_NUMBER))
		line_print(f, "o", TINT_NONE,
			MSG(&f->cli->arena, "cli.run.queued", { "n", place->text }),
			STR_NONE, STR_NONE);
}

static void own_event(struct follow *f, struct str type, const struct json *data)
{
	if (str_is(type, "run.token")) {
		text_show(f, json_text_of(data, "text"));
	} else if (str_is(type, "run.partial")) {
		text_rest(f, json_text_of(data, "text"));
	} else if (str_is(type, "run.thought")) {
		if (!f->thinking_ms) f->thinking_ms = clock_mono_ms();
	} else if (str_is(type, "run.retrying")) {
		line_print(f, "*", TINT_YELLOW, MSG(&f->cli->arena, "cli.run.retrying"),
			json_text_of(data, "why"), STR_NONE);
		f->turn_bytes = 0;
	} else if (str_is(type, "run.message") &&
		   str_is(json_text_of(data, "role"), "assistant")) {
		message_came(f, json_text_of(data, "message"));
	} else if (str_is(type, "run.tool_finished")) {
		call_ended(f, data);
	} else if (str_is(type, "run.queued")) {
		queued_show(f, data);
	} else {
		step_show(f, words_step(type, data, &f->cli->arena));
	}
}

static bool ends(struct str type)
{
	return str_is(type, "run.completed") || str_is(type, "run.failed") ||
	       str_is(type, "run.cancelled");
}

static bool event_came(void *ctx, const struct sse_frame *frame)
{
	struct follow *f = ctx;
	struct arena arena = { 0 };
	const struct json *event, *id, *data;
	struct str type, run;

	if (json_read(frame->data, NULL, &arena, &event, NULL)) {
		arena_done(&arena);
		return true;
	}
	type = json_text_of(event, "type");
	run = json_text_of(event, "run");
	data = json_get(event, "data");
	id = json_get(event, "id");
	if (json_is(id, JSON_NUMBER)) keep(f->after, sizeof f->after, id->text);
	if (f->set->live && str_starts(type, "task."))
		task_event(f, type, data);
	else if (f->set->live && str_eq(run, f->set->run))
		own_event(f, type, data);
	else if (f->set->live && str_eq(json_text_of(data, "parent"), f->set->run))
		child_event(f, type, run, data);
	if (str_is(type, "ask.created"))
		keep(f->ask, sizeof f->ask, json_text_of(event, "ask"));
	wait_event(f, type, run, data);
	f->over |= str_eq(run, f->set->run) && ends(type);
	arena_done(&arena);
	fflush(stdout);
	return !f->over && !f->ask[0] && !f->left;
}

/* ---- sums ---- */

static int64_t member_int(const struct json *object, const char *name)
{
	const struct json *n = json_get(object, name);

	return json_is(n, JSON_NUMBER) && n->is_int ? n->integer : 0;
}

static struct str thousands(struct arena *arena, int64_t n)
{
	return n < 10000 ? arena_print(arena, "%lld", (long long)n)
			 : arena_print(arena, "%lldk", (long long)(n + 500) / 1000);
}

/* "ctx 48k/200k  142k tok  $0.42 of $2.00" */
static struct str sums_of(struct follow *f, const struct json *run)
{
	struct arena *arena = &f->cli->arena;
	const struct json *usage = json_get(run, "usage"),
			  *cost = json_get(run, "cost_usd"),
			  *most = json_get(json_get(run, "limits"), "cost_usd");
	int64_t tokens = 0, context = member_int(run, "context_max");
	struct buf b = { .max = 4096 };

	for (uint32_t i = 0; json_is(usage, JSON_OBJECT) && i < usage->count; i++)
		if (!str_is(usage->members[i].name, "reasoning"))
			tokens += usage->members[i].value.integer;
	if (context)
		buf_print(&b, "ctx %.*s/%.*s  ",
			STR_ARGS(thousands(arena, member_int(run, "context_tokens"))),
			STR_ARGS(thousands(arena, context)));
	buf_print(&b, "%.*s tok", STR_ARGS(thousands(arena, tokens)));
	if (json_is(cost, JSON_NUMBER)) buf_print(&b, "  $%.*s", STR_ARGS(cost->text));
	if (json_is(cost, JSON_NUMBER) && json_is(most, JSON_NUMBER))
		buf_print(&b, " %s $%.*s", msg_text("cli.run.of"), STR_ARGS(most->text));
	return buf_keep_done(&b, arena);
}

/* ---- asks ---- */

/* What was asked, on the terminal; without one it waits for whoever answers elsewhere. */
static void ask_show(struct follow *f)
{
	const struct json *ask = fetch(f, "/v1/asks/", str_of(f->ask), "");

	f->ask[0] = '\0';
	if (!ask || !ask_pending(ask)) return;
	if (!f->set->live || f->set->no_wait) {
		waits_say(
			f, MSG(&f->cli->arena, "cli.run.waits_ask",
				   { "agent", safe_line(&f->cli->arena,
						      json_text_of(json_get(ask, "agent"),
							      "name")) },
				   { "title", safe_line(&f->cli->arena,
						      ask_title(ask, &f->cli->arena)) },
				   { "url", json_text_of(ask, "url") }));
		return;
	}
	text_end(f);
	fflush(stdout);
	SAY("cli.waiting", { "url", json_text_of(ask, "url") });
	f->dialog = term_dialog_open(f->cli, ask, TERM_DIALOG_RUN);
	if (!f->dialog) return;
	term_dialog_above(f->dialog, buf_str(&f->tail));
	term_dialog_status(f->dialog,
		arena_print(&f->cli->arena, "! %.*s",
			STR_ARGS(sums_of(f, fetch(f, "/v1/runs/", f->set->run, "")))));
}

/* The next one of the session that waits, into f->ask. */
static void ask_next(struct follow *f)
{
	const struct json *session = fetch(f, "/v1/sessions/", f->set->session, ""),
			  *asks = json_get(session, "pending_asks");

	f->settled = false;
	if (json_is(asks, JSON_ARRAY) && asks->count)
		keep(f->ask, sizeof f->ask, json_text_of(&asks->items[0], "id"));
}

static void ask_settled_show(struct follow *f, const struct json *ask)
{
	struct arena *arena = &f->cli->arena;
	struct str title = ask_title(ask, arena),
		   said = answer_all_words(ask, json_get(ask, "answer"), arena);
	const struct json *questions = json_get(ask, "questions");
	bool color = f->cli->term.out_color;

	/* Several without a title of their own: each answer says which it is. */
	if (said.len && !json_text_of(ask, "title").len &&
		json_is(questions, JSON_ARRAY) && questions->count > 1)
		title = said, said = STR_NONE;
	text_end(f);
	put(f, arena_print(arena, "%s  = %.*s%s%.*s  (%.*s)%s\n",
		       tint_on(TINT_GREEN, color), STR_ARGS(safe_line(arena, title)),
		       said.len ? "  " : "", STR_ARGS(safe_line(arena, said)),
		       STR_ARGS(safe_line(arena, ask_settled(ask, arena))),
		       tint_off(color)));
}

/* ---- Ctrl-C ---- */

enum leaving { LEAVE_STOP, LEAVE_DETACH, LEAVE_NOT };

static enum leaving leaving_read(int tty)
{
	char key;

	while (read(tty, &key, 1) == 1)
		switch (key) {
		case 's': return LEAVE_STOP;
		case ESC: return LEAVE_NOT;
		case 'd':
		case CTRL_C: return LEAVE_DETACH;
		}
	return LEAVE_DETACH;
}

/* A key at the terminal: s stops, d leaves it running, Esc goes on; Ctrl-C once more leaves. What was
 * typed before the question is not its answer. */
static enum leaving leaving_ask(struct follow *f)
{
	const struct str said[] = { [LEAVE_STOP] = STR("s\n"),
		[LEAVE_DETACH] = STR("d\n"),
		[LEAVE_NOT] = STR("Esc\n") };
	enum leaving choice = LEAVE_DETACH;
	int tty = f->set->live && term_stopped() == EXIT_INTERRUPTED ? tty_open() : -1;
	struct termios before, raw;

	if (tty < 0) return LEAVE_DETACH;
	text_end(f);
	fflush(stdout);
	if (tcgetattr(tty, &before) == 0) {
		raw = before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
		tcsetattr(tty, TCSAFLUSH, &raw);
		tty_write(tty, STR("\n"));
		tty_write(tty, MSG(&f->cli->arena, "cli.run.leave"));
		choice = leaving_read(tty);
		tcsetattr(tty, TCSAFLUSH, &before);
		tty_write(tty, said[choice]);
	}
	close(tty);
	return choice;
}

/* True: it goes on being followed. */
static bool leave(struct follow *f, int *status)
{
	struct api_reply reply;

	switch (leaving_ask(f)) {
	case LEAVE_NOT: term_again(&f->cli->term); return true;
	case LEAVE_STOP:
		term_again(&f->cli->term);
		*status = cli_call_by(f->cli, f->beside, "POST",
			path_with(f->cli, "/v1/runs/", f->set->run, "/cancel"), STR("{}"),
			&reply, NULL);
		f->over = !*status;
		return false;
	case LEAVE_DETACH: break;
	}
	SAY("cli.run.detached", { "run", f->set->run });
	*status = term_stopped();
	return false;
}

/* ---- the whole ---- */

static enum streamed follow_some(struct follow *f, struct fault *why)
{
	struct stream_setup setup = { .client = f->set->client,
		.query = arena_print(
			&f->cli->arena, "session=%.*s", STR_ARGS(f->set->session)),
		.after = str_of(f->after),
		.event = event_came,
		.ctx = f };
	struct stream *stream = stream_new(&setup);
	enum streamed end = STREAMED_FAILED;
	const struct json *ask;

	why->err = ERR_MEMORY;
	while (stream) {
		int fd = f->dialog ? term_dialog_input_fd(f->dialog) : -1;

		if (f->dialog && fd < 0) dialog_close(f);
		end = stream_run(stream, fd, -1, why);
		if (end != STREAMED_INPUT) break;
		if (f->dialog && term_dialog_input(f->dialog, &ask)) {
			dialog_close(f);
			ask_settled_show(f, ask);
			f->settled = true;
			end = STREAMED_ENDED;
			break;
		}
	}
	stream_free(stream);
	return end;
}

static int follow_all(struct follow *f)
{
	struct fault why = { 0 };
	int status = EXIT_YES;
	bool on = true;

	if (f->ask[0] && !f->over) ask_show(f);
	while (on && !f->over && !f->left) {
		enum streamed end = follow_some(f, &why);

		if (f->settled) ask_next(f);
		if (f->ask[0] && !f->dialog) ask_show(f);
		f->ask[0] = '\0';
		if (end == STREAMED_STOPPED) {
			dialog_close(f);
			on = leave(f, &status);
		} else if (end != STREAMED_ENDED) {
			status = cli_fail(f->cli, &why);
			on = false;
		}
	}
	dialog_close(f);
	return status;
}

/* ---- the end ---- */

/* "= completed  ctx 48k/200k  142k tok  $0.42 of $2.00  2m" */
static void summary_print(struct follow *f, const struct json *run)
{
	struct arena *arena = &f->cli->arena;
	struct str status = json_text_of(run, "status");
	struct buf b = { 0 };

	buf_print(&b, "%s %s",
		str_is(status, "completed") ? "="
		: str_is(status, "failed")  ? "x"
					    : "-",
		msg_text(arena_print(arena, "cli.run.status.%.*s", STR_ARGS(status)).at));
	buf_print(&b, "  %.*s", STR_ARGS(sums_of(f, run)));
	buf_print(&b, "  %.*s",
		STR_ARGS(span_short(member_int(run, "duration_ms"), arena)));
	fprintf(stderr, "%s%s%s\n", tint_on(TINT_DIM, f->cli->term.err_color),
		buf_text(&b), tint_off(f->cli->term.err_color));
	buf_done(&b);
}

static int follow_tell(struct follow *f)
{
	struct api_reply reply;
	struct str status, kind, report;
	const struct json *error;
	int code = cli_call_by(f->cli, f->beside, "GET",
		path_with(f->cli, "/v1/runs/", f->set->run, ""), STR_NONE, &reply, NULL);

	if (code) return code;
	status = json_text_of(reply.json, "status");
	report = json_text_of(reply.json, "report");
	error = json_get(reply.json, "error");
	kind = json_text_of(error, "kind");
	text_end(f);
	if (cli_has(f->cli, "json"))
		printf("%.*s\n", STR_ARGS(reply.body));
	else if (!f->shown && report.len)
		outcome_print(f->cli, report), putchar('\n');
	fflush(stdout);
	if (f->set->live) summary_print(f, reply.json);
	if (str_is(status, "completed")) return EXIT_YES;
	if (str_is(status, "cancelled")) return EXIT_CANCELLED;
	SAY("cli.run.failed", { "kind", kind },
		{ "message", safe_line(&f->cli->arena, json_text_of(error, "message")) });
	return str_is(kind, "limit") ? EXIT_DEADLINE : EXIT_NO;
}

/* What was said before it is followed. */
static void past_show(struct follow *f)
{
	const struct json *said = f->set->past;
	bool color = f->cli->term.out_color;

	for (uint32_t i = said ? said->count : 0; i-- > 0;) { /* newest first */
		const struct json *m = &said->items[i], *item = NULL;
		struct str role = json_text_of(m, "role");

		if (str_is(role, "assistant")) message_shown(f, m);
		while (str_is(role, "user") && json_each(json_get(m, "content"), &item)) {
			struct buf b = { 0 };

			if (part_shown(f, item)) continue;
			buf_add_text(&b, tint_on(TINT_BOLD, color));
			safe_wrap_add(
				&b, json_text_of(item, "text"), "> ", f->cli->term.width);
			buf_add_text(&b, tint_off(color));
			put(f, buf_str(&b));
			buf_done(&b);
		}
	}
	fflush(stdout);
}

int run_follow(const struct run_follow *set)
{
	struct follow f = { .set = set,
		.cli = set->cli,
		.over = set->over,
		.shown = set->over && set->live };
	struct fault why = { 0 };
	int status;

	keep(f.after, sizeof f.after, set->after.len ? set->after : STR("0"));
	keep(f.ask, sizeof f.ask, set->ask);
	f.beside = pick_client_inbox(set->cli, &why);
	if (!f.beside) return cli_fail(set->cli, &why);
	past_show(&f);
	f.shown = set->over && set->live;
	status = follow_all(&f);
	if (f.left && !f.over) {
		printf("%.*s\n", STR_ARGS(set->run));
		status = EXIT_WAITS;
	}
	if (f.over && !status) status = follow_tell(&f);
	client_free(f.beside);
	buf_done(&f.held);
	buf_done(&f.tail);
	return status;
}
