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

static void question_parse(struct cli *cli, struct question *q)
{
	const struct args *args = &cli->args;
	struct str value;

	*q = (struct question){ .key = str_of(KEY),
		.text = args_word(args, 0),
		.required = true,
		.other = args_have(args, "other"),
		.note = args_have(args, "note") };
	q->options = ARENA_ARRAY(&cli->arena, struct option, args->given_len + 1);
	if (!q->options) cli_fail_end(cli, &(struct fault){ .err = ERR_MEMORY });
	for (size_t i = 0; args_next(args, "choice", &i, &value);)
		q->options[q->options_len++] = option_parse(value);
	int kinds = (q->options_len > 0) + args_have(args, "text") +
		    args_have(args, "number");
	if (kinds > 1) CLI_REFUSE(cli, "cli.ask.kinds");
	if (q->options_len == 0 && (q->other || args_have(args, "multi")))
		CLI_REFUSE(cli, "cli.ask.needs_choice");
	q->type = args_have(args, "text")     ? Q_TEXT
		  : args_have(args, "number") ? Q_NUMBER
		  : q->options_len == 0	      ? Q_BOOLEAN
		  : args_have(args, "multi")  ? Q_CHOICES
					      : Q_CHOICE;
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

static void default_put(struct cli *cli, struct json_writer *w, const struct question *q)
{
	struct str *words = ARENA_ARRAY(&cli->arena, struct str, cli->args.given_len + 1);
	struct spoken said = { .words = words };
	struct fault why = { 0 };

	for (size_t i = 0;
		words && args_next(&cli->args, "default", &i, &words[said.len]);)
		said.len++;
	if (said.len == 0) return;
	jw_put_object(w, "default");
	jw_key(w, KEY);
	if (value_write(q, &said, &cli->arena, w, &why) != OK)
		CLI_REFUSE(cli, "cli.default.wrong", { "detail", str_of(why.detail) });
	jw_object_end(w);
}

/* "env=prod" for each {{env}} of the template. */
static void template_put(struct cli *cli, struct json_writer *w)
{
	struct str value;

	jw_put_str(w, "template", cli_arg(cli, "template"));
	jw_put_object(w, "values");
	for (size_t i = 0; args_next(&cli->args, "value", &i, &value);) {
		int at = str_find(value, STR("="));

		if (at < 1) CLI_REFUSE(cli, "cli.ask.value", { "value", value });
		jw_name(w, str_first(value, (size_t)at));
		jw_str(w, str_from(value, (size_t)at + 1));
	}
	jw_object_end(w);
}

static struct str ask_body(struct asking *a, struct str session)
{
	struct cli *cli = a->cli;
	struct buf body = { .max = 1 << 20 };
	struct json_writer w = { .out = &body };
	struct question q;

	question_parse(cli, &q);
	jw_object(&w);
	jw_put_some(&w, "kind", cli_arg(cli, "kind"));
	if (cli_has(cli, "template")) template_put(cli, &w);
	if (q.text.len) question_put(&w, &q);
	default_put(cli, &w, &q);
	asking_members(a, &w, session, STR_NONE);
	jw_object_end(&w);
	return buf_keep_done(&body, &cli->arena);
}

static void ask_put(struct asking *a)
{
	/* Wrong flags are told before anything is asked of a server. */
	ask_body(a, STR_NONE);
	asking_post(a, ask_body(a, asking_open(a)));
}

/* ---- in the shape of another system (--dialect) ---- */

enum { REQUEST_BYTES = 1 << 20 };

/* The request says these things by itself, or cannot say them. */
static void foreign_flags_check(struct cli *cli)
{
	static const char *const others[] = { "choice", "multi", "other", "text",
		"number", "note", "default", "kind", "title", "context", "timeout",
		"priority" };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (cli_has(cli, others[i]))
			CLI_REFUSE(cli, "cli.ask.dialect", { "flag", str_of(others[i]) });
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

static void foreign_post(struct asking *a)
{
	struct cli *cli = a->cli;
	struct str request = cli_word(cli, 0), session;

	foreign_flags_check(cli);
	if (!request.at && !stdin_read(REQUEST_BYTES, &cli->arena, &request))
		CLI_REFUSE(cli, "cli.too_long");
	session = asking_open(a);
	a->path = dialect_path(
		cli, session.len ? arena_print(&cli->arena, "/v1/sessions/%.*s/asks",
					   STR_ARGS(session))
				 : STR("/v1/asks"));
	asking_post(a, request);
}

static int foreign_tell(struct asking *a)
{
	struct cli *cli = a->cli;
	const struct json *reply = cli_call_with(cli, a->client, "GET",
		dialect_path(cli, ask_path(cli, a->id, "")), STR_NONE);
	const struct json *ask = json_get(reply, "ask");

	json_print(cli_has(cli, "json") ? reply : json_get(reply, "reply"));
	return str_is(json_text_of(ask, "status"), "pending") ? EXIT_YES
							      : outcome_exit(ask);
}

/* ---- the command ---- */

static int ask_run(struct cli *cli)
{
	struct asking a = { .cli = cli };
	bool foreign = cli_has(cli, "dialect"), at_once;
	bool whole = foreign || cli_has(cli, "template");
	int status = EXIT_YES;

	if (!whole && str_trim(cli_word(cli, 0)).len == 0)
		return CLI_USAGE(cli, "cli.ask.no_text");
	if (cli->args.words_len > 1) return CLI_USAGE(cli, "cli.ask.one_text");
	if (cli_has(cli, "default") && !cli_has(cli, "timeout"))
		SAY("cli.ask.no_timeout");
	project_say(cli, NULL);
	if (foreign)
		foreign_post(&a);
	else
		ask_put(&a);
	/* What does not block has its reply at once. */
	at_once = foreign && str_is(json_text_of(a.ask, "kind"), "non_blocking");
	if (at_once || !asking_leaves(&a)) {
		if (!at_once) asking_wait(&a, true);
		status = foreign ? foreign_tell(&a) : outcome_tell(cli, a.ask);
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
