/* hook_prompts.c - parley hook AGENT --prompts: a coding agent's own prompt, open at the desk, too.
 *
 * The first answer counts. Whatever goes wrong here leaves the prompt in the terminal as it is: then
 * nothing is printed, one line on stderr says why, and the status is 0. An allow is printed only for
 * an approval that was used, or for answers to the agent's own question. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/project.h"
#include "cli/request.h"
#include "cli/verb/hook.h"
#include "core/run/run_tool.h"

enum {
	EVENT_BYTES = 1 << 20,
	TELL_MS = 50,	    /* a hook that only tells ends after this, done or not */
	DEADLINE_MS = 2000, /* the server's own deadline comes first */
};

/* ---- what ends the waiting ---- */

enum ended { ENDED_NOT, ENDED_TERMINAL, ENDED_AGENT, ENDED_TIME };

/* A signal, somebody who hangs up on our output, the time: one descriptor, readable with the
 * first of them. */
struct prompt_watch {
	int all, signals, timer;
};

static void watch_add(const struct prompt_watch *w, int fd, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.fd = fd };

	/* A file never hangs up, and cannot be watched. */
	if (fd >= 0) epoll_ctl(w->all, EPOLL_CTL_ADD, fd, &e);
}

static void watch_open(struct prompt_watch *w, struct cli *cli, int64_t ms)
{
	struct itimerspec at = { .it_value = { .tv_sec = ms / 1000,
					 .tv_nsec = ms % 1000 * 1000000 } };

	term_watch(&cli->term);
	w->signals = cli->term.stop_fd;
	w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	w->all = epoll_create1(EPOLL_CLOEXEC);
	if (w->all < 0) return;
	timerfd_settime(w->timer, 0, &at, NULL);
	watch_add(w, w->signals, EPOLLIN);
	watch_add(w, w->timer, EPOLLIN);
	watch_add(w, STDOUT_FILENO, 0);
	watch_add(w, STDERR_FILENO, 0);
	cli->term.stop_fd = w->all;
}

/* A signal first: an agent that ends may send one, too, but only the terminal's no sends it alone. */
static enum ended watch_ended(const struct prompt_watch *w)
{
	struct epoll_event seen[4];
	int n = w->all < 0 ? 0 : epoll_wait(w->all, seen, 4, 0);
	enum ended out = ENDED_NOT;

	for (int i = 0; i < n; i++) {
		if (seen[i].data.fd == w->timer)
			out = out ? out : ENDED_TIME;
		else if (seen[i].data.fd == w->signals)
			out = out == ENDED_AGENT ? out : ENDED_TERMINAL;
		else
			out = ENDED_AGENT;
	}
	return out;
}

/* ---- asked ---- */

/* Nothing is printed: the terminal's own prompt decides. */
static void leave(struct str why)
{
	SAY("cli.hook.left", { "why", why });
}

static bool leave_said(struct hook *h, const char *id)
{
	leave(MSG(&h->cli->arena, id));
	return true;
}

/* Somebody else was first, or nobody will be: what is open here is withdrawn. A request that was cut
 * off may have asked: it is made again, by its key, to learn of what. */
static void withdraw(struct hook *h, enum ended ended)
{
	struct fault why = { 0 };

	h->cli->term.stop_fd = -1;
	client_free(h->client);
	h->client = pick_client(h->cli, AS_AGENT, &why);
	if (!h->client) return;
	if (!h->ask && h->key.len) hook_ask_put(h, &why);
	if (h->ask && hook_ask_pending(h))
		hook_ask_withdraw(h, ended == ENDED_AGENT  ? "the agent ended"
				     : ended == ENDED_TIME ? "nobody decided in time"
							   : "decided in the terminal");
}

/* A person changed the call, and this agent's prompts take no other input. */
static bool edit_decide(struct hook *h, const struct json *edited)
{
	struct buf text = { .max = 2 * EVENT_BYTES };
	struct str why;

	json_write(&text, edited);
	why = arena_print(&h->cli->arena, "a person changed it to %.*s: call that",
		STR_ARGS(buf_str(&text)));
	buf_done(&text);
	return hook_decide(h, HOOK_DENY, why);
}

static bool approval_decide(struct hook *h, const struct prompt_watch *w)
{
	const struct json *decision =
		json_get(json_get(h->reply, "hookSpecificOutput"), "decision");
	const struct json *edited = approval_edited(h->ask);
	struct approval ap;

	if (!str_is(json_text_of(decision, "behavior"), "allow"))
		return hook_decide(h, HOOK_DENY, json_text_of(decision, "message"));
	if (edited && !h->agent->prompt_edits) return edit_decide(h, edited);
	/* The terminal was quicker: the approval stays unused. */
	if (watch_ended(w)) return true;
	if (!hook_approval_holds(h, &ap)) {
		if (ap.forbidden) return hook_decide(h, HOOK_DENY, ap.refused);
		return ap.refused.len || leave_said(h, "cli.hook.left.use");
	}
	h->edited = edited;
	return hook_decide(h, HOOK_ALLOW, STR_NONE);
}

static bool answers_decide(struct hook *h)
{
	struct str input =
		BODY(h->cli, { "questions", .json = json_get(h->reply, "questions") },
			{ "answers", .json = json_get(h->reply, "answers") },
			{ "annotations", .json = json_get(h->reply, "annotations") });

	if (json_read(input, NULL, &h->cli->arena, &h->edited, NULL))
		return leave_said(h, "cli.hook.left.event");
	return hook_decide(h, HOOK_ALLOW, STR_NONE);
}

static bool outcome_decide(struct hook *h, const struct prompt_watch *w)
{
	if (hook_ask_pending(h) && json_get(h->ask, "stopped"))
		return hook_stop_decide(h);
	if (!str_is(json_text_of(h->ask, "status"), "answered"))
		return leave_said(h, "cli.hook.left.open");
	return h->asks ? answers_decide(h) : approval_decide(h, w);
}

/* True when it is decided, or left to the terminal, without the desk. */
static bool local_decide(struct hook *h)
{
	if (tool_list_stops(&h->deny, hook_operation(h), &h->cli->arena))
		return hook_decide(h, HOOK_DENY, STR("A rule of this hook forbids it."));
	if (h->plans && !str_trim(json_text_of(h->event.input, "plan")).len)
		return leave_said(h, "cli.hook.left.plan");
	/* To ask us needs no approval of ours. */
	return own_tool(h->event.tool) && leave_said(h, "cli.hook.left.own");
}

static int prompt_ask(struct hook *h)
{
	struct prompt_watch w = { -1, -1, -1 };
	struct fault why = { 0 };
	enum ended ended;
	enum err e;

	if (local_decide(h)) return EXIT_YES;
	watch_open(&w, h->cli, h->wait_ms + 2 * DEADLINE_MS);
	h->client = pick_client(h->cli, AS_AGENT, &why);
	e = h->client ? hook_session_find(h, &why) : ERR_UNAVAILABLE;
	if (!e) e = hook_ask_put(h, &why);
	/* Only now: a request that was cut off is repeated with the same body. */
	if (!e) h->wait_ms += DEADLINE_MS;
	if (!e) e = hook_ask_await(h, &why);
	ended = watch_ended(&w);
	if (ended)
		withdraw(h, ended);
	else if (e)
		leave(str_of(why.detail));
	else
		outcome_decide(h, &w);
	client_free(h->client);
	return EXIT_YES;
}

/* ---- told ---- */

/* What ran, or that the agent waits for nothing any more. */
static void tell(struct hook *h, bool ran)
{
	const struct json *operation = ran && !h->asks ? hook_operation(h) : NULL;
	const struct json *questions =
		ran && h->asks ? json_get(h->event.input, "questions") : NULL;
	struct api_reply reply;

	h->client = pick_client(h->cli, AS_AGENT, NULL);
	if (h->client && (!ran || operation || questions))
		hook_call(h, "POST", STR("/v1/prompts/closed"),
			BODY(h->cli, { "session", .text = h->event.session },
				{ "operation", .json = operation },
				{ "questions", .json = questions }),
			STR_NONE, &reply, NULL);
	client_free(h->client);
}

/* The agent waits for this hook: a child tells, and is waited for a moment only. */
static int prompt_tell(struct hook *h, bool ran)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0) return EXIT_YES;
	child = fork();
	if (child == 0) {
		setsid();
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		tell(h, ran);
		_exit(EXIT_YES);
	}
	close(ends[1]);
	poll(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, child > 0, TELL_MS);
	close(ends[0]);
	return EXIT_YES;
}

/* ---- events ---- */

static const struct {
	const char *name;
	enum { PROMPT_OPENS, CALL_RAN, AGENT_ENDED } what;
} events[] = {
	{ "PermissionRequest", PROMPT_OPENS },
	{ "PostToolUse", CALL_RAN },
	{ "PostToolUseFailure", CALL_RAN },
	{ "Stop", AGENT_ENDED },
	{ "SessionEnd", AGENT_ENDED },
};

static int event_run(struct hook *h, const struct json *event)
{
	struct str name = json_text_of(event, "hook_event_name");
	size_t i = 0;

	while (i < sizeof events / sizeof *events && !str_is(name, events[i].name))
		i++;
	if (i < sizeof events / sizeof *events && events[i].what == AGENT_ENDED) {
		h->event.session = json_text_of(event, h->agent->session);
		h->event.cwd = json_text_of(event, "cwd");
		hook_place_say(h);
		return h->event.session.len ? prompt_tell(h, false) : EXIT_YES;
	}
	if (i == sizeof events / sizeof *events ||
		!hook_event_take(h, event, events[i].name))
		return leave_said(h, "cli.hook.left.event"), EXIT_YES;
	hook_place_say(h);
	return events[i].what == CALL_RAN ? prompt_tell(h, true) : prompt_ask(h);
}

int hook_prompts_run(struct hook *h)
{
	struct arena *arena = &h->cli->arena;
	struct str wait = cli_arg(h->cli, "wait"), text;
	const struct json *event;

	h->prompts = true;
	h->wait_ms = h->agent->prompt_ms;
	if (!h->wait_ms || cli_has(h->cli, "allow") || cli_has(h->cli, "ask-only") ||
		cli_has(h->cli, "then") ||
		(wait.at && (!duration_read(wait, &h->wait_ms) || h->wait_ms < 1000)))
		return leave_said(h, "cli.hook.left.flags"), EXIT_YES;
	hook_rules_read(h, "deny", false, &h->deny);
	if (!stdin_read(EVENT_BYTES, arena, &text) ||
		json_read(text, NULL, arena, &event, NULL) != OK)
		return leave_said(h, "cli.hook.left.event"), EXIT_YES;
	return event_run(h, event);
}
