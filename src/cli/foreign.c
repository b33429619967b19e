/* foreign.c - asks in the shape of another system (--dialect). */
#include "cli/foreign.h"

#include "base/keep.h"
#include "cli/outcome.h"

enum { REQUEST_BYTES = 1 << 20 };

/* The request says these things by itself, or cannot say them. */
static int flags_check(struct cli *cli)
{
	static const char *const others[] = { "choice", "multi", "other", "text",
		"number", "note", "default", "kind", "title", "context", "timeout",
		"priority" };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (cli_has(cli, others[i]))
			return CLI_USAGE(
				cli, "cli.ask.dialect", { "flag", str_of(others[i]) });
	return EXIT_YES;
}

static int request_read(struct cli *cli, struct str *out)
{
	*out = cli_word(cli, 0);
	if (out->at || stdin_read(REQUEST_BYTES, &cli->arena, out)) return EXIT_YES;
	return CLI_USAGE(cli, "cli.too_long");
}

/* "<path>?dialect=…", with strictness. */
static struct str dialect_path(struct cli *cli, struct str path)
{
	struct buf out = { .max = 8192 };

	buf_add(&out, path);
	buf_add_text(&out, "?dialect=");
	url_add(&out, cli_arg(cli, "dialect"));
	if (cli_has(cli, "strict")) buf_add_text(&out, "&strict=true");
	return buf_keep_done(&out, &cli->arena);
}

static int request_post(struct asking *a)
{
	struct str request, session;
	int status = request_read(a->cli, &request);

	if (status == EXIT_YES) status = asking_open(a, &session);
	if (status != EXIT_YES) return status;
	a->path = dialect_path(a->cli,
		session.len == 0 ? STR("/v1/asks")
				 : arena_print(&a->cli->arena, "/v1/sessions/%.*s/asks",
					   STR_ARGS(session)));
	return asking_post(a, request);
}

static int reply_print(struct asking *a)
{
	struct cli *cli = a->cli;
	struct api_reply reply;
	int status = cli_call_by(cli, a->client, "GET",
		dialect_path(cli, ask_path(cli, a->id, "")), STR_NONE, &reply, NULL);
	const struct json *ask = json_get(reply.json, "ask"),
			  *said = json_get(reply.json, "reply");

	if (status != EXIT_YES) return status;
	json_print(cli_has(cli, "json") ? reply.json : said);
	return str_is(json_text_of(ask, "status"), "pending") ? EXIT_YES
							      : outcome_exit(ask);
}

int foreign_ask(struct asking *a)
{
	int status = flags_check(a->cli);

	if (status == EXIT_YES) status = request_post(a);
	if (status != EXIT_YES) return status;
	/* What does not block has its reply at once. */
	if (str_is(json_text_of(a->ask, "kind"), "non_blocking")) return reply_print(a);
	if (asking_leaves(a)) return EXIT_YES;
	status = asking_wait(a, true);
	return status == EXIT_YES ? reply_print(a) : status;
}
