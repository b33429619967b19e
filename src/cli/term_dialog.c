/* term_dialog.c - the answer dialog of `parley ask` and `parley host` on this
 * terminal. */
#include "cli/term_dialog.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/cli_call.h"
#include "text/msg.h"
#include "tui/dialog.h"
#include "tui/editor.h"
#include "tui/help.h"

struct term_dialog {
	struct cli *cli;
	struct client *person;
	struct screen *screen; /* NULL: the person left the dialog */
	struct dialog dialog;
	struct help help; /* over the dialog */
	enum term_dialog_use use;
	bool done;	   /* settled by what was pressed here */
	struct str status; /* of the run that asks; empty: none */
	struct buf above;  /* what was shown before; its last lines stay in sight */
	int ready;	   /* epoll over the screen and the clock of countdowns */
	int clock;
};

/* Text for a terminal without what colours it. */
static void plain_add(struct buf *out, struct str text)
{
	while (text.len) {
		size_t skip = 0;

		if (str_starts(text, "\033["))
			for (skip = 2; skip < text.len && text.at[skip] != 'm';)
				skip++;
		if (!skip) buf_add_char(out, text.at[0]);
		text = str_from(text, skip && skip < text.len ? skip + 1
				      : skip		      ? skip
							      : 1);
	}
}

/* The last lines of what was shown before, and a rule; the dialog gets what is left of the frame, which is
 * all that it wants if there is room for a few lines besides. */
static void above_draw(struct term_dialog *p, struct area *frame)
{
	enum { SHARE = 6, ROWS_LEAST = 14 };
	struct page page = { .width = frame->width };
	struct buf plain = { 0 };
	size_t wants = dialog_rows(&p->dialog, frame->width, clock_now_ms()), rows,
	       least = frame->height >= ROWS_LEAST ? frame->height / SHARE : 0;

	plain_add(&plain, str_trim(buf_str(&p->above)));
	if (plain.len) page_block(&page, STYLE_SOFT, 0, buf_str(&plain));
	rows = frame->height > wants + 1 ? frame->height - wants - 1 : 0;
	if (rows < least) rows = least;
	if (rows > page.rows_len) rows = page.rows_len;
	if (rows) {
		screen_page(p->screen, &(struct area){ 0, 0, rows, frame->width }, &page,
			page.rows_len - rows);
		screen_rule(p->screen, rows, 0, frame->width);
		frame->y = rows + 1;
		frame->height -= rows + 1;
	}
	buf_done(&plain);
	page_done(&page);
}

static void term_dialog_draw(struct term_dialog *p)
{
	size_t rows = screen_rows(p->screen), columns = screen_columns(p->screen);
	struct area frame = { 0, 0, rows > 2 ? rows - 1 : 1, columns };
	struct page keys = { .width = columns };

	if (screen_small(p->screen)) {
		screen_show_small(p->screen);
		return;
	}
	screen_erase(p->screen);
	if (p->help.on) {
		help_draw(&p->help, p->screen, &frame);
	} else {
		above_draw(p, &frame);
		dialog_draw(
			&p->dialog, p->screen, &frame, clock_now_ms(), clock_person_ms());
	}
	page_row(&keys);
	page_add(&keys, STYLE_WARN, p->status);
	page_hints(&keys, STYLE_SOFT,
		p->help.on ? MSG(&keys.words, "tui.keys.help")
			   : dialog_keys(&p->dialog, &keys.words));
	screen_draw(p->screen, rows - 1, 0, &keys, 0);
	screen_show(p->screen);
	page_done(&keys);
}

static bool person_known(struct term_dialog *p, struct str id)
{
	p->person = pick_client_person(p->cli);
	return cli_call_quiet(p->cli, p->person, ask_path(p->cli, id, ""), NULL);
}

/* A background job that reads its terminal is stopped by it; and a program without any
 * of its streams there is somebody's tool, not a person's. */
static bool in_front(void)
{
	int tty = tty_open();
	bool ours =
		tty >= 0 && tcgetpgrp(tty) == getpgrp() &&
		(isatty(STDIN_FILENO) || isatty(STDOUT_FILENO) || isatty(STDERR_FILENO));

	if (tty >= 0) close(tty);
	return ours;
}

static bool clock_open(struct term_dialog *p)
{
	struct itimerspec second = { { 1, 0 }, { 1, 0 } };
	struct epoll_event event = { .events = EPOLLIN };

	p->ready = epoll_create1(EPOLL_CLOEXEC);
	p->clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return p->ready >= 0 && p->clock >= 0 &&
	       timerfd_settime(p->clock, 0, &second, NULL) == 0 &&
	       epoll_ctl(p->ready, EPOLL_CTL_ADD, p->clock, &event) == 0 &&
	       epoll_ctl(p->ready, EPOLL_CTL_ADD, screen_fd(p->screen), &event) == 0;
}

void term_dialog_status(struct term_dialog *p, struct str text)
{
	p->status = text;
	if (p->screen) term_dialog_draw(p);
}

void term_dialog_above(struct term_dialog *p, struct str text)
{
	buf_clear(&p->above);
	buf_add(&p->above, text);
	if (p->screen) term_dialog_draw(p);
}

struct term_dialog *term_dialog_open(
	struct cli *cli, const struct json *ask, enum term_dialog_use use)
{
	struct screen_setup look = { .color = cli->settings.color != COLOR_NEVER,
		.no_signals = use == TERM_DIALOG_HOSTED };
	struct term_dialog *p = in_front() ? mem_alloc(sizeof *p) : NULL;

	if (!p) return NULL;
	*p = (struct term_dialog){ .cli = cli, .use = use, .ready = -1, .clock = -1 };
	if (!person_known(p, json_text_of(ask, "id"))) {
		SAY("cli.dialog.login");
		return term_dialog_free(p);
	}
	if (!dialog_open(&p->dialog, ask, true)) return term_dialog_free(p);
	p->dialog.form.stays = use == TERM_DIALOG_HOSTED;
	p->screen = screen_open(&look, NULL);
	if (!p->screen || !clock_open(p)) return term_dialog_free(p);
	term_dialog_draw(p);
	return p;
}

/* The terminal is the shell's again; what is waited for goes on. */
static void screen_leave(struct term_dialog *p)
{
	p->screen = screen_close(p->screen);
	if (p->ready >= 0) close(p->ready);
	if (p->clock >= 0) close(p->clock);
	p->ready = p->clock = -1;
}

struct term_dialog *term_dialog_free(struct term_dialog *p)
{
	if (!p) return NULL;
	screen_leave(p);
	dialog_close(&p->dialog);
	buf_done(&p->above);
	client_free(p->person);
	mem_free(p);
	return NULL;
}

int term_dialog_input_fd(const struct term_dialog *p)
{
	return p->ready;
}

void term_dialog_update(struct term_dialog *p, const struct json *ask)
{
	dialog_update(&p->dialog, ask);
	if (p->screen) term_dialog_draw(p);
}

void term_dialog_say(struct term_dialog *p, struct str text)
{
	if (!p->screen) return;
	dialog_say(&p->dialog, STYLE_WARN, text);
	term_dialog_draw(p);
}

/* One call; what goes wrong is said in the dialog. */
static bool person_call(
	struct term_dialog *p, const char *tail, struct str body, struct api_reply *reply)
{
	struct arena *arena = &p->cli->arena;
	struct api_call call = { .method = "POST",
		.path = ask_path(p->cli, p->dialog.id, tail),
		.body = body,
		.key = key_make(arena) };
	struct fault why = { 0 };
	enum err err = client_call(p->person, &call, arena, reply, &why);

	if (err == OK || err == ERR_CONFLICT) return true;
	dialog_fault(&p->dialog, &why);
	return false;
}

static bool settle_send(struct term_dialog *p, bool skip, const struct json **ask)
{
	struct api_reply reply = { 0 };
	bool sent = person_call(p, skip ? "/skip" : "/answer",
		dialog_answer(&p->dialog, skip, &p->cli->arena), &reply);
	const struct json *settled = sent ? json_get(reply.json, "ask") : NULL;
	if (settled) *ask = settled;
	p->done = settled && reply.status == 200;
	return settled != NULL;
}

/* A call that leaves the ask pending: the dialog shows it as it is then. */
static bool side_send(struct term_dialog *p, const char *tail, struct str body)
{
	struct api_reply reply = { 0 };
	bool sent = person_call(p, tail, body, &reply);
	const struct json *ask = json_get(reply.json, "ask");

	if (sent && !ask && json_get(reply.json, "questions")) ask = reply.json;
	if (sent && ask) dialog_update(&p->dialog, ask);
	return sent;
}

static void reply_send(struct term_dialog *p)
{
	if (side_send(p, "/replies", dialog_reply(&p->dialog, &p->cli->arena)))
		dialog_replied(&p->dialog);
}

/* How far this person may go with an approval for longer. */
static void limits_read(struct term_dialog *p)
{
	const struct json *me = cli_call_quiet(p->cli, p->person, STR("/v1/me"), NULL);
	const struct json *policy =
		cli_call_quiet(p->cli, p->person, STR("/v1/policy"), NULL);
	struct str role = json_text_of(me, "role");

	if (!me || !policy) return;
	dialog_limit(&p->dialog, json_get(policy, "scopes"),
		str_is(role, "owner") || str_is(role, "admin"));
}

static void rule_try(struct term_dialog *p)
{
	struct api_call call = { .method = "POST",
		.path = STR("/v1/rules/try"),
		.body = dialog_rule(&p->dialog, &p->cli->arena) };
	struct api_reply reply = { 0 };
	struct fault why = { 0 };

	if (!call.body.len) return;
	enum err err = client_call(p->person, &call, &p->cli->arena, &reply, &why);
	dialog_tried(&p->dialog, err == OK ? reply.json : NULL, &why);
}

/* A card that was covered has to stand there anew before it can be decided. */
static void help_take(struct term_dialog *p, const struct key *k)
{
	help_key(&p->help, k, screen_rows(p->screen) - 1);
	if (!p->help.on) dialog_arm(&p->dialog);
}

/* True when it is settled. */
static bool key_take(struct term_dialog *p, const struct key *k, const struct json **ask)
{
	struct key pressed = *k;

	if (p->help.on) return help_take(p, k), false;
	if (!dialog_line(&p->dialog)) pressed.name = key_paging(k);
	switch (dialog_key(&p->dialog, &pressed)) {
	case WISH_SUBMIT: return settle_send(p, false, ask);
	case WISH_SKIP: return settle_send(p, true, ask);
	case WISH_LEAVE:
		if (p->use == TERM_DIALOG_HOSTED) return false;
		screen_leave(p);
		if (p->use == TERM_DIALOG_RUN)
			SAY("cli.dialog.closed_run", { "id", p->dialog.id });
		else
			SAY("cli.dialog.closed", { "id", p->dialog.id });
		return false;
	case WISH_REPLY: reply_send(p); return false;
	case WISH_EDITOR: editor_line(&p->dialog, p->screen); return false;
	case WISH_ARGUMENTS: editor_arguments(&p->dialog, p->screen); return false;
	case WISH_LONGER: limits_read(p); return false;
	case WISH_TRY: rule_try(p); return false;
	case WISH_CLAIM: side_send(p, "/claim", STR("{}")); return false;
	case WISH_EXTEND:
		side_send(p, "/extend", STR("{\"timeout\":\"10m\"}"));
		return false;
	case WISH_UNUSED:
		if (key_letter(k) == '?') help_open(&p->help, HELP_ASK, true);
		return false;
	default: return false;
	}
}

bool term_dialog_input(struct term_dialog *p, const struct json **ask)
{
	uint64_t ticks;
	struct key k;

	if (read(p->clock, &ticks, sizeof ticks) < 0) ticks = 0;
	while (p->screen && screen_key(p->screen, &k)) {
		if (k.name == K_CLOSED)
			screen_leave(p);
		else if (k.name == K_REDRAW)
			screen_refresh(p->screen);
		else if (k.name != K_NONE && k.name != K_RESIZE &&
			 !screen_small(p->screen) && key_take(p, &k, ask))
			return true;
	}
	if (p->screen) term_dialog_draw(p);
	return false;
}

bool term_dialog_done(const struct term_dialog *p)
{
	return p->done;
}

struct str term_dialog_unsent(const struct term_dialog *p)
{
	struct arena *arena = &p->cli->arena;
	struct str text = p->done ? STR_NONE : dialog_written(&p->dialog, arena);

	return text.len > 0 ? MSG(arena, "cli.dialog.unsent", { "text", text })
			    : STR_NONE;
}
