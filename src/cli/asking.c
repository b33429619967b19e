/* asking.c - posts an ask and waits for its outcome, with or without a dialog. */
#include "cli/asking.h"

#include <stdio.h>

#include "base/clock.h"
#include "cli/outcome.h"
#include "cli/request.h"
#include "tui/words.h"

enum { POST_PATIENCE_MS = 120000 };

const struct flag asking_flags[] = {
	{ "title", "TEXT" },
	{ "context", "TEXT" },
	{ "session", "SESSION" },
	{ "project", "NAME" },
	{ "timeout", "TIME" },
	{ "priority", "PRIORITY", "low normal high urgent" },
	{ 0 },
};

struct str asking_open(struct asking *a)
{
	struct fault why = { 0 };

	term_watch(&a->cli->term);
	a->client = pick_client(a->cli, AS_AGENT, &why);
	if (!a->client) cli_fail_end(a->cli, &why);
	return session_resolve(a->cli, a->client);
}

void asking_members(
	struct asking *a, struct json_writer *w, struct str session, struct str diff)
{
	struct cli *cli = a->cli;
	struct str timeout = cli_arg(cli, "timeout"), context = cli_arg(cli, "context");
	int64_t ms;

	if (timeout.at && !duration_read(timeout, &ms))
		CLI_REFUSE(cli, "cli.timeout.wrong", { "flag", STR("timeout") },
			{ "value", timeout });
	jw_put_some(w, "session", session);
	jw_put_some(w, "title", cli_has(cli, "title") ? cli_arg(cli, "title") : a->title);
	jw_put_some(w, "priority", cli_arg(cli, "priority"));
	if (timeout.at) {
		jw_key(w, "timeout");
		jw_real(w, (double)ms / 1000);
	}
	if (context.len || diff.len)
		jw_put_raw(
			w, "context", BODY(cli, { "text", context }, { "diff", diff }));
}

/* On stderr, or in the dialog that stands on the terminal. */
static void tell(struct asking *a, struct str text)
{
	if (a->dialog && term_dialog_input_fd(a->dialog) >= 0)
		term_dialog_say(a->dialog, text);
	else
		fprintf(stderr, "%.*s\n", STR_ARGS(text));
}

static void trouble_tell(void *ctx, const struct fault *why)
{
	struct asking *a = ctx;
	struct arena *arena = &a->cli->arena;

	tell(a, why->err == ERR_UNAVAILABLE ? MSG(arena, "cli.trouble")
					    : MSG(arena, "cli.trouble.detail",
						      { "detail", str_of(why->detail) }));
}

static void back_tell(void *ctx)
{
	struct asking *a = ctx;

	tell(a, MSG(&a->cli->arena, "cli.back"));
}

static void ask_take(struct asking *a, const struct json *ask)
{
	a->ask = ask;
	a->id = json_text_of(ask, "id");
	a->url = json_text_of(ask, "url");
	if (a->id.len > 0) return;
	fprintf(stderr, "parley: %s\n", MSG(&a->cli->arena, "cli.not_parley").at);
	cli_end(a->cli, EXIT_NO_SERVER);
}

void asking_post(struct asking *a, struct str body)
{
	struct api_call call = { .method = "POST",
		.path = a->path.len > 0 ? a->path : STR("/v1/asks"),
		.body = body,
		.key = key_make(&a->cli->arena) };
	struct patience patience = { .total_ms = POST_PATIENCE_MS,
		.must_connect = true,
		.trouble = trouble_tell,
		.ctx = a };
	struct api_reply reply;
	struct fault why = { 0 };
	enum err err =
		client_insist(a->client, &call, &patience, &a->cli->arena, &reply, &why);

	if (err != OK) {
		int status = reply.stopped ? term_stopped() : cli_fail(a->cli, &why);

		/* 1 would read as "no". */
		cli_end(a->cli, status == EXIT_NO ? EXIT_USAGE : status);
	}
	ask_take(a, reply.json);
}

bool asking_leaves(const struct asking *a)
{
	if (!cli_has(a->cli, "no-wait")) return false;
	if (cli_has(a->cli, "json"))
		json_print(a->ask);
	else
		printf("%.*s\n", STR_ARGS(a->id));
	return true;
}

void asking_join(struct asking *a, struct str id)
{
	struct fault why = { 0 };

	term_watch(&a->cli->term);
	a->client = pick_client_seeing(a->cli, id, &why);
	if (!a->client) cli_fail_end(a->cli, &why);
	ask_take(a, cli_call_with(a->cli, a->client, "GET", ask_path(a->cli, id, ""),
			    STR_NONE));
}

static void waiting_tell(const struct asking *a)
{
	int64_t deadline = ask_time(a->ask, "expires_at");
	bool fallback = json_is(json_get(a->ask, "default"), JSON_OBJECT);

	if (deadline == 0) {
		SAY("cli.waiting", { "url", a->url });
		return;
	}
	SAY(fallback ? "cli.waiting.default" : "cli.waiting.until", { "url", a->url },
		{ "time", time_local(deadline, clock_now_ms(), &a->cli->arena) });
}

/* A person asked back: said once each. */
static void replies_tell(struct asking *a)
{
	const struct json *replies = json_get(a->ask, "replies");

	for (; json_is(replies, JSON_ARRAY) && a->replies < replies->count;
		a->replies++) {
		const struct json *r = &replies->items[a->replies];

		tell(a, MSG(&a->cli->arena, "cli.reply",
				{ "name", json_text_of(json_get(r, "by"), "name") },
				{ "text", json_text_of(r, "text") }));
	}
}

/* Somebody stopped everything of this kind: nobody waits for it any more. */
static bool asking_stopped(struct asking *a)
{
	const struct json *stop = json_get(a->ask, "stopped");
	struct api_reply reply;

	if (!stop || !str_is(json_text_of(a->ask, "status"), "pending")) return false;
	SAY("cli.stopped", { "name", json_text_of(json_get(stop, "by"), "name") },
		{ "reason", json_text_of(stop, "reason") });
	cli_call_by(a->cli, a->client, "POST", ask_path(a->cli, a->id, "/cancel"),
		STR("{\"reason\":\"Stopped\"}"), &reply, NULL);
	return true;
}

static int wait_loop(struct asking *a)
{
	struct fault why = { 0 };

	for (;;) {
		int input = a->dialog ? term_dialog_input_fd(a->dialog) : -1;

		switch (waiter_run(a->waiter, input, &a->ask, &why)) {
		case WAITED_SETTLED: return EXIT_YES;
		case WAITED_STOPPED: return term_stopped();
		case WAITED_FAILED: return cli_fail(a->cli, &why);
		case WAITED_REPLY:
			if (a->stops && asking_stopped(a)) return EXIT_NOT_ALLOWED;
			if (a->dialog) term_dialog_update(a->dialog, a->ask);
			replies_tell(a);
			break;
		case WAITED_INPUT:
			if (term_dialog_input(a->dialog, &a->ask)) return EXIT_YES;
			break;
		}
	}
}

void asking_wait(struct asking *a, bool in_place)
{
	const struct json *version = json_get(a->ask, "version");
	struct waiter_setup setup = { .client = a->client,
		.id = a->id,
		.version = version && version->is_int ? version->integer : 0,
		.deadline_ms = ask_time(a->ask, "expires_at"),
		.trouble = trouble_tell,
		.back = back_tell,
		.ctx = a };
	int status;

	if (a->stops && asking_stopped(a)) cli_end(a->cli, EXIT_NOT_ALLOWED);
	if (!str_is(json_text_of(a->ask, "status"), "pending")) return;
	a->waiter = waiter_new(&setup);
	if (!a->waiter) cli_fail_end(a->cli, &(struct fault){ .err = ERR_MEMORY });
	waiting_tell(a);
	replies_tell(a);
	if (in_place) a->dialog = term_dialog_open(a->cli, a->ask, TERM_DIALOG_ASKED);
	status = wait_loop(a);
	struct str unsent = a->dialog ? term_dialog_unsent(a->dialog) : STR_NONE;
	a->dialog = term_dialog_free(a->dialog);
	if (unsent.len > 0) fprintf(stderr, "%.*s\n", STR_ARGS(unsent));
	if (status == term_stopped()) SAY("cli.interrupted", { "id", a->id });
	if (status) cli_end(a->cli, status);
}

void asking_done(struct asking *a)
{
	a->waiter = waiter_free(a->waiter);
	a->client = client_free(a->client);
}
