/* verb_run.c - parley run: an agent of the server's works on a task, shown as it works; what it
 * asks is answered here. */
#include "cli/reach.h"
#include "cli/term_dialog.h"
#include "cli/verbs.h"
#include "client/stream.h"
#include "text/safe_text.h"

#include <stdio.h>
#include <unistd.h>

enum { TEXT_MAX = 400 * 1024, TITLE_BYTES = 80 };

struct following {
	struct cli *cli;
	struct str run; /* whose end is waited for */
	bool live;	/* the text is shown as it comes */
	bool shown;	/* some of it */
	bool over;	/* the run has ended */
	char ask[64];	/* that was asked meanwhile; "" none */
	char after[32]; /* the last event seen */
};

/* ---- what is to be done ---- */

/* The agent that was named, or the first that can run. */
static int agent_choose(struct cli *cli, struct client *client, struct str *out)
{
	struct api_reply reply;
	const struct json *items;
	int status;

	if (cli->args.words_len > 1) {
		*out = args_word(&cli->args, 0);
		return EXIT_YES;
	}
	status = reach_call(
		cli, client, "GET", STR("/v1/agents?limit=200"), STR_NONE, &reply, NULL);
	if (status) return status;
	items = json_get(reply.json, "items");
	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++)
		if (json_is(json_get(&items->items[i], "runnable"), JSON_TRUE)) {
			*out = json_text(json_get(&items->items[i], "name"));
			return EXIT_YES;
		}
	SAY("cli.run.no_agent");
	return EXIT_NO;
}

static struct str title_of(struct cli *cli, struct str text)
{
	struct str rest = text, line;

	str_cut(&rest, '\n', &line);
	while (line.len > TITLE_BYTES ||
		(line.len && line.len < text.len &&
			((unsigned char)text.at[line.len] & 0xc0) == 0x80))
		line.len--;
	return safe_line(&cli->arena, line);
}

static int session_open(
	struct cli *cli, struct client *client, struct str text, struct str *session)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct api_reply reply;
	struct str agent;
	int status;

	*session = args_get(&cli->args, "session");
	if (session->len) return EXIT_YES;
	status = agent_choose(cli, client, &agent);
	if (status) return status;
	jw_object(&w);
	jw_key(&w, "agent");
	jw_str(&w, agent);
	jw_key(&w, "title");
	jw_str(&w, title_of(cli, text));
	jw_object_end(&w);
	status = reach_call(
		cli, client, "POST", STR("/v1/sessions"), buf_str(&b), &reply, NULL);
	buf_done(&b);
	if (status) return status;
	*session = json_text(json_get(reply.json, "id"));
	return EXIT_YES;
}

static int message_send(struct cli *cli, struct client *client, struct str session,
	struct str text, struct str *run)
{
	struct str lang = args_get(&cli->args, "lang"),
		   cost = args_get(&cli->args, "max-cost");
	struct buf b = { 0 }, path = { 0 };
	struct json_writer w = { .out = &b };
	struct api_reply reply;
	int status;

	buf_add_text(&path, "/v1/sessions/");
	url_add(&path, session);
	buf_add_text(&path, "/messages");
	jw_object(&w);
	jw_key(&w, "content");
	jw_str(&w, text);
	if (str_is(lang, "en") || str_is(lang, "fr")) {
		jw_key(&w, "lang");
		jw_str(&w, lang);
	}
	if (cost.len) {
		jw_key(&w, "limits");
		jw_object(&w);
		jw_key(&w, "cost_usd");
		jw_raw(&w, cost);
		jw_object_end(&w);
	}
	jw_object_end(&w);
	status = reach_call(
		cli, client, "POST", buf_str(&path), buf_str(&b), &reply, NULL);
	buf_done(&b);
	buf_done(&path);
	if (status) return status;
	*run = json_text(json_get(json_get(reply.json, "run"), "id"));
	return EXIT_YES;
}

/* ---- following ---- */

static void keep(char *to, size_t size, struct str text)
{
	snprintf(to, size, "%.*s", STR_ARGS(text));
}

static bool event_came(void *ctx, const struct sse_frame *frame)
{
	struct following *f = ctx;
	struct arena arena = { 0 };
	const struct json *event, *id;
	struct str type;
	bool ours;

	if (json_read(frame->data, NULL, &arena, &event, NULL)) {
		arena_done(&arena);
		return true;
	}
	type = json_text(json_get(event, "type"));
	id = json_get(event, "id");
	ours = str_eq(json_text(json_get(event, "run")), f->run);
	if (json_is(id, JSON_NUMBER)) keep(f->after, sizeof f->after, id->text);
	if (f->live && ours && str_is(type, "run.token")) {
		struct buf text = { 0 };

		safe_block_add(
			&text, json_text(json_get(json_get(event, "data"), "text")));
		fwrite(text.at, 1, text.len, stdout);
		buf_done(&text);
		f->shown = true;
	}
	if (str_is(type, "ask.created"))
		keep(f->ask, sizeof f->ask, json_text(json_get(event, "ask")));
	f->over |= ours && (str_is(type, "run.completed") || str_is(type, "run.failed") ||
				   str_is(type, "run.cancelled"));
	arena_done(&arena);
	fflush(stdout);
	return !f->over && !f->ask[0];
}

/* What was asked, on the terminal; without one it waits for whoever answers elsewhere. */
static struct term_dialog *ask_show(struct following *f, struct client *client)
{
	struct api_reply reply;
	struct fault why = { 0 };
	const struct api_call call = { .method = "GET",
		.path = ask_path(f->cli, str_of(f->ask), "") };

	f->ask[0] = '\0';
	if (!f->live || client_call(client, &call, &f->cli->arena, &reply, &why) ||
		!reply.json ||
		!str_is(json_text(json_get(reply.json, "status")), "pending"))
		return NULL;
	if (f->shown) printf("\n");
	f->shown = false;
	fflush(stdout);
	SAY("cli.waiting", { "url", json_text(json_get(reply.json, "url")) });
	return term_dialog_open(f->cli, reply.json, TERM_DIALOG_ASKED);
}

static enum streamed follow_some(struct following *f, struct client *client,
	struct str session, struct term_dialog **dialog, struct fault *why)
{
	struct stream_setup setup = { .client = client,
		.query = arena_print(&f->cli->arena, "session=%.*s", STR_ARGS(session)),
		.after = str_of(f->after),
		.event = event_came,
		.ctx = f };
	struct stream *stream = stream_new(&setup);
	enum streamed end = STREAMED_FAILED;
	const struct json *ask;

	why->err = ERR_MEMORY;
	while (stream) {
		int fd = *dialog ? term_dialog_input_fd(*dialog) : -1;

		if (*dialog && fd < 0) *dialog = term_dialog_free(*dialog);
		end = stream_run(stream, fd, -1, why);
		if (end != STREAMED_INPUT) break;
		if (*dialog && term_dialog_input(*dialog, &ask))
			*dialog = term_dialog_free(*dialog);
	}
	stream_free(stream);
	return end;
}

static int run_follow(struct following *f, struct client *client, struct str session)
{
	struct term_dialog *dialog = NULL;
	struct fault why = { 0 };
	enum streamed end = STREAMED_ENDED;

	while (!f->over && end == STREAMED_ENDED) {
		end = follow_some(f, client, session, &dialog, &why);
		if (f->ask[0] && !dialog) dialog = ask_show(f, client);
		f->ask[0] = '\0';
	}
	term_dialog_free(dialog);
	if (f->over) return EXIT_YES;
	if (end == STREAMED_STOPPED) {
		SAY("cli.run.detached", { "run", f->run });
		return term_stopped();
	}
	return cli_fail(f->cli, &why);
}

/* ---- the end ---- */

/* Into a pipe as it is; on a terminal without what could steer it. */
static void report_print(struct str report, bool terminal)
{
	struct buf b = { 0 };

	if (terminal)
		safe_block_add(&b, report);
	else
		buf_add(&b, report);
	buf_add_char(&b, '\n');
	fwrite(b.at, 1, b.len, stdout);
	buf_done(&b);
}

static int run_tell(struct following *f, struct client *client)
{
	struct str path = arena_print(&f->cli->arena, "/v1/runs/%.*s", STR_ARGS(f->run));
	struct api_reply reply;
	struct str status, kind, report;
	const struct json *error;
	int code = reach_call(f->cli, client, "GET", path, STR_NONE, &reply, NULL);

	if (code) return code;
	status = json_text(json_get(reply.json, "status"));
	report = json_text(json_get(reply.json, "report"));
	error = json_get(reply.json, "error");
	kind = json_text(json_get(error, "kind"));
	if (args_have(&f->cli->args, "json"))
		printf("%.*s\n", STR_ARGS(reply.body));
	else if (!f->shown && report.len)
		report_print(report, f->live);
	else if (f->shown)
		printf("\n");
	if (str_is(status, "completed")) return EXIT_YES;
	if (str_is(status, "cancelled")) return EXIT_CANCELLED;
	SAY("cli.run.failed", { "kind", kind },
		{ "message", safe_line(&f->cli->arena,
				     json_text(json_get(error, "message"))) });
	return str_is(kind, "limit") ? EXIT_DEADLINE : EXIT_NO;
}

static int run_run(struct cli *cli)
{
	struct str text = args_word(&cli->args, cli->args.words_len - 1), session;
	bool json = args_have(&cli->args, "json");
	struct following f = {
		.cli = cli, .live = isatty(STDOUT_FILENO) && !json, .after = "0"
	};
	struct fault why = { 0 };
	struct client *client;
	int status;

	if (str_is(text, "-") && !stdin_read(TEXT_MAX, &cli->arena, &text))
		return CLI_USAGE(cli, "cli.run.no_text");
	if (!str_trim(text).len) return CLI_USAGE(cli, "cli.run.no_text");
	term_watch(&cli->term);
	client = reach_inbox(cli, &why);
	if (!client) return cli_fail(cli, &why);
	if (!reach_knows_person(cli)) {
		client_free(client);
		SAY("cli.run.login");
		return EXIT_NOT_ALLOWED;
	}
	status = session_open(cli, client, text, &session);
	if (!status) status = message_send(cli, client, session, text, &f.run);
	if (!status && args_have(&cli->args, "detach"))
		printf("%.*s\n", STR_ARGS(f.run));
	else if (!status && !(status = run_follow(&f, client, session)))
		status = run_tell(&f, client);
	client_free(client);
	return status;
}

static const struct flag flags[] = {
	{ .name = "session", .value = "SESSION" },
	{ .name = "max-cost", .value = "USD" },
	{ .name = "detach" },
	{ .name = "json" },
	{ 0 },
};

static const char *const examples[] = {
	"parley run 'Ask me two things, then write a haiku'",
	"git diff | parley run reviewer -",
	NULL,
};

const struct command verb_run = {
	.name = "run",
	.run = run_run,
	.words = "[AGENT] TEXT|-",
	.words_min = 1,
	.words_max = 2,
	.flags = flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 1 2 3 4 5 6 124 130",
	.examples = examples,
};
