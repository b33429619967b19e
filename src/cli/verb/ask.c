/* ask.c - parley ask: a question by its flags, or in the shape of another system. */
#include "base/keep.h"
#include "cli/asking.h"
#include "cli/outcome.h"
#include "cli/project.h"
#include "cli/value.h"
#include "cli/verb/verbs.h"

/* The one question of `ask`, as its flags describe it. */
static const char KEY[] = "q1";

static bool id_char(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
	       (ch >= '0' && ch <= '9') || strchr("._-", ch);
}

/* "id:Label", or a label alone, which then is its own id. ":Label" for one with a
 * colon. */
static struct option option_parse(struct str text)
{
	size_t n = 0;

	while (n < text.len && id_char(text.at[n]))
		n++;
	bool split = n + 1 < text.len && text.at[n] == ':' && text.at[n + 1] != ' ';
	if (!split) return (struct option){ text, text };
	struct str label = str_from(text, n + 1);
	return (struct option){ n > 0 ? str_first(text, n) : label, label };
}

static int question_parse(struct cli *cli, struct question *q)
{
	const struct args *args = &cli->args;
	struct str value;

	*q = (struct question){ .key = str_of(KEY),
		.text = args_word(args, 0),
		.required = true,
		.other = args_have(args, "other"),
		.note = args_have(args, "note") };
	q->options = ARENA_ARRAY(&cli->arena, struct option, args->given_len + 1);
	if (!q->options) return cli_fail(cli, &(struct fault){ .err = ERR_MEMORY });
	for (size_t i = 0; args_next(args, "choice", &i, &value);)
		q->options[q->options_len++] = option_parse(value);
	int kinds = (q->options_len > 0) + args_have(args, "text") +
		    args_have(args, "number");
	if (kinds > 1) return CLI_USAGE(cli, "cli.ask.kinds");
	if (q->options_len == 0 && (q->other || args_have(args, "multi")))
		return CLI_USAGE(cli, "cli.ask.needs_choice");
	q->type = args_have(args, "text")     ? Q_TEXT
		  : args_have(args, "number") ? Q_NUMBER
		  : q->options_len == 0	      ? Q_BOOLEAN
		  : args_have(args, "multi")  ? Q_CHOICES
					      : Q_CHOICE;
	return EXIT_YES;
}

static void question_put(struct json_writer *w, const struct question *q)
{
	jw_put_array(w, "questions");
	jw_object(w);
	jw_put_str(w, "key", q->key);
	jw_put_str(w, "text", q->text);
	jw_put_text(w, "type", question_type_name(q->type));
	if (q->options_len > 0) {
		jw_put_array(w, "options");
		for (size_t i = 0; i < q->options_len; i++) {
			jw_object(w);
			jw_put_str(w, "id", q->options[i].id);
			jw_put_str(w, "label", q->options[i].label);
			jw_object_end(w);
		}
		jw_array_end(w);
	}
	if (q->other) jw_key(w, "other"), jw_bool(w, true);
	if (q->note) jw_key(w, "note"), jw_object(w), jw_object_end(w);
	jw_object_end(w);
	jw_array_end(w);
}

static int default_put(struct cli *cli, struct json_writer *w, const struct question *q)
{
	struct str *words = ARENA_ARRAY(&cli->arena, struct str, cli->args.given_len + 1);
	struct spoken said = { .words = words };
	struct fault why = { 0 };

	for (size_t i = 0;
		words && args_next(&cli->args, "default", &i, &words[said.len]);)
		said.len++;
	if (said.len == 0) return EXIT_YES;
	jw_put_object(w, "default");
	jw_key(w, KEY);
	if (value_write(q, &said, &cli->arena, w, &why) != OK)
		return CLI_USAGE(
			cli, "cli.default.wrong", { "detail", str_of(why.detail) });
	jw_object_end(w);
	return EXIT_YES;
}

/* "env=prod" for each {{env}} of the template. */
static int template_put(struct cli *cli, struct json_writer *w)
{
	struct str value, name;

	jw_put_str(w, "template", cli_arg(cli, "template"));
	jw_put_object(w, "values");
	for (size_t i = 0; args_next(&cli->args, "value", &i, &value);) {
		int at = str_find(value, STR("="));

		if (at < 1) return CLI_USAGE(cli, "cli.ask.value", { "value", value });
		name = str_first(value, (size_t)at);
		jw_name(w, name);
		jw_str(w, str_from(value, (size_t)at + 1));
	}
	jw_object_end(w);
	return EXIT_YES;
}

static int body_put(struct asking *a, struct str session, struct buf *body)
{
	struct cli *cli = a->cli;
	struct json_writer w = { .out = body };
	struct str kind = cli_arg(cli, "kind");
	struct question q;
	int status = question_parse(cli, &q);

	if (status != EXIT_YES) return status;
	jw_object(&w);
	if (kind.len > 0) jw_key(&w, "kind"), jw_str(&w, kind);
	if (cli_has(cli, "template")) status = template_put(cli, &w);
	if (q.text.len) question_put(&w, &q);
	if (status == EXIT_YES) status = default_put(cli, &w, &q);
	if (status == EXIT_YES) status = asking_members(a, &w, session, STR_NONE);
	jw_object_end(&w);
	return status;
}

/* Wrong flags are told before anything is asked of a server. */
static int flags_check(struct asking *a)
{
	struct buf trial = { .max = 1 << 20 };
	int status = body_put(a, STR_NONE, &trial);

	buf_done(&trial);
	return status;
}

static int ask_put(struct asking *a)
{
	struct buf body = { .max = 1 << 20 };
	struct str session = STR_NONE;
	int status = flags_check(a);

	if (status == EXIT_YES) status = asking_open(a, &session);
	if (status == EXIT_YES) status = body_put(a, session, &body);
	if (status == EXIT_YES) status = asking_post(a, buf_str(&body));
	buf_done(&body);
	return status;
}

/* ---- in the shape of another system (--dialect) ---- */

enum { REQUEST_BYTES = 1 << 20 };

/* The request says these things by itself, or cannot say them. */
static int foreign_flags_check(struct cli *cli)
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

static int foreign_ask(struct asking *a)
{
	int status = foreign_flags_check(a->cli);

	if (status == EXIT_YES) status = request_post(a);
	if (status != EXIT_YES) return status;
	/* What does not block has its reply at once. */
	if (str_is(json_text_of(a->ask, "kind"), "non_blocking")) return reply_print(a);
	if (asking_leaves(a)) return EXIT_YES;
	status = asking_wait(a, true);
	return status == EXIT_YES ? reply_print(a) : status;
}

/* ---- the command ---- */

static int ask_run(struct cli *cli)
{
	struct asking a = { .cli = cli };
	bool foreign = cli_has(cli, "dialect");
	bool whole = foreign || cli_has(cli, "template");
	int status = EXIT_YES;

	if (!whole && str_trim(cli_word(cli, 0)).len == 0)
		return CLI_USAGE(cli, "cli.ask.no_text");
	if (cli->args.words_len > 1) return CLI_USAGE(cli, "cli.ask.one_text");
	if (cli_has(cli, "default") && !cli_has(cli, "timeout"))
		SAY("cli.ask.no_timeout");
	status = project_say(cli, NULL);
	if (status == EXIT_YES) status = foreign ? foreign_ask(&a) : ask_put(&a);
	if (!foreign && status == EXIT_YES && !asking_leaves(&a)) {
		status = asking_wait(&a, true);
		if (status == EXIT_YES) status = outcome_tell(cli, a.ask);
	}
	asking_done(&a);
	return status;
}

static const struct flag flags[] = {
	{ "choice", "[ID:]LABEL", .letter = 'c', .many = true },
	{ "multi" },
	{ "other" },
	{ "text" },
	{ "number" },
	{ "note" },
	{ "default", "VALUE", .many = true },
	{ "kind", "KIND", "blocking non_blocking" },
	{ "template", "NAME" },
	{ "value", "NAME=TEXT", .many = true },
	{ "dialect", "NAME" },
	{ "strict" },
	{ "no-wait" },
	{ "json" },
	{ 0 },
};

const struct command ask_verbs[] = {
	{ "ask", ask_run, "[TEXT]", 0, WORDS_MANY, flags, CLIENT, "0 1 2 3 4 6 124 130",
		"parley ask 'Deploy to production?' && make deploy\n"
		"env=$(parley ask 'Where to?' -c staging:Staging -c prod:Production --other)\n"
		"parley ask 'Which tests?' -c unit -c api -c e2e --multi \\\n"
		"      --timeout 30m --default unit\n"
		"name=$(parley ask 'What shall it be called?' --text)\n"
		"parley ask --dialect langchain_hitl < request.json > reply.json",
		.also = asking_flags },
	{ 0 },
};
