/* answer_many.c - a decision on asks that are shown first, from the shell: one or several. */
#include "cli/verb/answer_many.h"

#include <stdio.h>
#include <unistd.h>

#include "base/json_pattern.h"
#include "base/keep.h"
#include "cli/card.h"
#include "cli/resource.h"
#include "cli/verb/settle.h"
#include "core/policy/operation.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum { DIGEST_SHOWN = 16, LINE_COLUMNS = 400 };

/* One of the asks that were named. */
struct named_ask {
	struct str id, seen; /* as given: ID@DIGEST */
	const struct json *ask, *operation;
	struct str digest;
	const char *why; /* the message that says why it is left out; NULL: it is not */
};

struct shell_batch {
	struct cli *cli;
	struct named_ask *ones;
	size_t len;
	bool approve, sure; /* sure: --yes, so that nothing is asked */
	struct str answers; /* of one: to all its questions; empty: the decision alone */
};

size_t answer_ids(const struct cli *cli)
{
	size_t n = 0;

	while (n < cli->args.words_len && str_starts(cli_word(cli, n), "ask_"))
		n++;
	return n;
}

/* ---- what is left out ---- */

static struct str digest_short(const struct named_ask *o)
{
	struct str hex = o->digest;

	if (str_starts(hex, "sha256:")) hex = str_from(hex, 7);
	return str_first(hex, DIGEST_SHOWN);
}

static struct str line_of(const struct named_ask *o, struct arena *arena)
{
	struct buf text = { .max = 1 << 20 };

	operation_line(&text, o->operation, "  ");
	return safe_line(arena, buf_keep_done(&text, arena));
}

/* NULL: it may be approved, also with others. */
static const char *one_alone(const struct shell_batch *m, const struct named_ask *o)
{
	const struct json *require = json_get(o->ask, "require");
	struct arena *arena = &m->cli->arena;

	if (!ask_pending(o->ask)) return "cli.many.settled";
	if (!o->operation) return "cli.many.question";
	if (m->sure && !o->seen.len) return "cli.many.digest";
	if (o->seen.len && !str_eq(o->seen, digest_short(o))) return "cli.many.stale";
	if (m->len == 1) return NULL; /* all of it is shown */
	if (ask_risk(o->ask) >= RISK_HIGH) return "web.batch.why.risk";
	if (json_is(require, JSON_ARRAY) && require->count) return "web.batch.why.votes";
	if (json_text_of(json_get(o->ask, "context"), "diff").len ||
		text_width(line_of(o, arena)) > LINE_COLUMNS)
		return "web.batch.why.long";
	return NULL;
}

static size_t alike_count(const struct shell_batch *m, const struct named_ask *lead)
{
	size_t n = 0;

	for (size_t i = 0; i < m->len; i++)
		n += !m->ones[i].why &&
		     operation_alike(lead->operation, m->ones[i].operation);
	return n;
}

/* The most that go together are kept. */
static void others_leave(struct shell_batch *m)
{
	const struct named_ask *lead = NULL;
	size_t most = 0;

	for (size_t i = 0; i < m->len; i++) {
		size_t n = m->ones[i].why ? 0 : alike_count(m, &m->ones[i]);

		if (n > most) lead = &m->ones[i], most = n;
	}
	for (size_t i = 0; lead && i < m->len; i++)
		if (!m->ones[i].why &&
			!operation_alike(lead->operation, m->ones[i].operation))
			m->ones[i].why = "web.batch.why.other";
}

static void one_read(struct shell_batch *m, struct named_ask *o, struct str word)
{
	struct str rest = word;

	str_cut(&rest, '@', &o->id);
	o->seen = o->id.len < word.len ? rest : STR_NONE;
	o->ask = cli_call_get(m->cli, ask_path(m->cli, o->id, ""));
	o->operation = json_get(o->ask, "operation");
	if (!json_is(o->operation, JSON_OBJECT)) o->operation = NULL;
	o->digest = json_text_of(o->ask, "digest");
	o->why = m->approve		? one_alone(m, o)
		 : !ask_pending(o->ask) ? "cli.many.settled"
		 : !o->operation	? "cli.many.question"
					: NULL;
}

/* ---- what is said ---- */

/* "ask_…@3f2a…  Bash  npm test": also what --yes takes. */
static void ones_print(const struct shell_batch *m)
{
	for (size_t i = 0; i < m->len; i++) {
		const struct named_ask *o = &m->ones[i];

		if (o->why) continue;
		printf("%.*s@%.*s  %.*s\n", STR_ARGS(o->id), STR_ARGS(digest_short(o)),
			STR_ARGS(line_of(o, &m->cli->arena)));
	}
	fflush(stdout);
}

static void left_say(
	const struct shell_batch *m, const struct named_ask *o, struct str why)
{
	struct str title = safe_line(&m->cli->arena, ask_title(o->ask, &m->cli->arena));

	SAY("cli.many.left", { "id", o->id }, { "title", title }, { "why", why });
}

static size_t left_print(const struct shell_batch *m)
{
	size_t left = 0;

	for (size_t i = 0; i < m->len; i++) {
		if (!m->ones[i].why) continue;
		left_say(m, &m->ones[i], MSG(&m->cli->arena, m->ones[i].why));
		left++;
	}
	return left;
}

/* EXIT_YES: go on. */
static int many_ask(const struct shell_batch *m, size_t taken)
{
	if (m->sure) return EXIT_YES;
	if (!isatty(STDIN_FILENO)) return CLI_USAGE(m->cli, "cli.many.terminal");
	struct arena *arena = &m->cli->arena;
	struct str sure =
		m->len == 1 ? MSG(arena, "cli.approve.sure",
				      { "title", ask_title(m->ones[0].ask, arena) })
			    : msg_count(arena,
				      m->approve ? "cli.many.approve" : "cli.many.reject",
				      (int64_t)taken);

	return term_confirm(&m->cli->term, arena, sure) ? EXIT_YES : EXIT_NO;
}

/* ---- sending ---- */

static struct str said_text(struct cli *cli)
{
	struct str reason = cli_arg(cli, "reason");

	return reason.len ? reason : cli_arg(cli, "note");
}

static struct str many_body(const struct shell_batch *m)
{
	struct buf ids = { .max = 1 << 20 }, digests = { .max = 1 << 20 };
	struct json_writer list = { .out = &ids }, w = { .out = &digests };
	struct arena *arena = &m->cli->arena;

	jw_array(&list);
	jw_object(&w);
	for (size_t i = 0; i < m->len; i++) {
		if (m->ones[i].why) continue;
		jw_str(&list, m->ones[i].id);
		if (m->approve)
			jw_key_str(&w, m->ones[i].id), jw_str(&w, m->ones[i].digest);
	}
	jw_array_end(&list);
	jw_object_end(&w);
	return JSON_TEXT(arena, "{'ids':%j,'answer':{'value':%s,'text':%?},'digests':%j}",
		buf_keep_done(&ids, arena), m->approve ? STR("approve") : STR("reject"),
		said_text(m->cli), buf_keep_done(&digests, arena));
}

static struct named_ask *one_find(const struct shell_batch *m, struct str id)
{
	for (size_t i = 0; i < m->len; i++)
		if (str_eq(m->ones[i].id, id)) return &m->ones[i];
	return NULL;
}

static int many_send(const struct shell_batch *m, size_t left)
{
	const struct json *reply =
		cli_call(m->cli, "POST", STR("/v1/asks/settle-many"), many_body(m));
	int64_t done = 0;

	for (const struct json *r = NULL; json_each(json_get(reply, "results"), &r);) {
		const struct json *code = json_get(r, "status");
		const struct named_ask *o = one_find(m, json_text_of(r, "id"));

		if (code && code->integer == 200)
			done++;
		else if (o)
			left++, left_say(m, o,
					json_text_of(json_get(r, "problem"), "detail"));
	}
	reply_done(m->cli, reply);
	count_print(m->cli, stderr,
		m->approve ? "cli.many.approved" : "cli.many.rejected", done);
	return left ? EXIT_NO : EXIT_YES;
}

/* One alone is answered as any ask is: it may be of any risk, and hold for longer. */
static int one_send(const struct shell_batch *m)
{
	struct cli *cli = m->cli;
	struct str decision =
		BODY(cli, { "value", m->approve ? STR("approve") : STR("reject") },
			{ "text", said_text(cli) });

	return settle(cli, m->ones[0].id, "/answer",
		BODY(cli, { "answers", .raw = m->answers },
			{ "answer", .raw = m->answers.len ? STR_NONE : decision },
			{ "scope", .raw = answer_scope(cli) },
			{ "digest", .text = m->approve ? m->ones[0].digest : STR_NONE }));
}

/* All that is approved: of one the card, of several a line each. */
static void batch_show(const struct shell_batch *m)
{
	struct buf card = { 0 };

	if (m->len > 1 || m->sure || !isatty(STDIN_FILENO) || m->ones[0].why) {
		ones_print(m);
		return;
	}
	if (!m->approve) return;
	card_write(m->cli, m->ones[0].ask, NULL, NULL, &card);
	tty_write(STDERR_FILENO, buf_str(&card));
	buf_done(&card);
	if (cli_has(m->cli, "arguments"))
		SAY("cli.many.arguments", { "arguments", cli_arg(m->cli, "arguments") });
}

static int decide(struct cli *cli, size_t ids, bool approve, struct str answers)
{
	struct shell_batch m = { .cli = cli,
		.len = ids,
		.ones = ARENA_ARRAY(&cli->arena, struct named_ask, ids + 1),
		.approve = approve,
		.answers = answers,
		.sure = cli_has(cli, "yes") };
	int status = EXIT_YES;
	size_t left;

	if (!m.ones) return cli_fail(cli, &(struct fault){ .err = ERR_MEMORY });
	if (ids > 1 && (cli_has(cli, "arguments") || cli_has(cli, "for")))
		return CLI_USAGE(cli, "cli.many.alone");
	cli_call_open(cli);
	for (size_t i = 0; i < ids; i++)
		one_read(&m, &m.ones[i], cli_word(cli, i));
	if (approve) others_leave(&m);
	batch_show(&m);
	left = left_print(&m);
	if (left == ids) return EXIT_NO;
	if (approve || ids > 1) status = many_ask(&m, ids - left);
	if (status != EXIT_YES) return status;
	return ids == 1 ? one_send(&m) : many_send(&m, left);
}

int answer_decide(struct cli *cli, size_t ids, bool approve)
{
	return decide(cli, ids, approve, STR_NONE);
}

int answer_seen(struct cli *cli, bool approve, struct str answers)
{
	return decide(cli, 1, approve, answers);
}

int answer_many(struct cli *cli, size_t ids)
{
	struct str word = cli_word(cli, ids);
	bool approve = str_is(word, "approve");

	if (cli->args.words_len != ids + 1 || (!approve && !str_is(word, "reject")))
		return CLI_USAGE(cli, "cli.many.word");
	return answer_decide(cli, ids, approve);
}
