/* proof.c - parley receipt, verify, key list|export|rotate|revoke: what was decided, signed, and checked
 * without a server. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/keep.h"
#include "cli/outcome.h"
#include "cli/resource.h"
#include "cli/verb/proof.h"
#include "cli/verb/verbs.h"
#include "core/proof/receipt.h"
#include "text/problem_words.h"
#include "text/safe_text.h"

/* ---- receipt ---- */

static int receipt_run(struct cli *cli)
{
	const struct json *receipt =
		cli_call_get(cli, ask_path(cli, cli_word(cli, 0), "/receipt"));

	return json_print(receipt), EXIT_YES;
}

/* ---- keys ---- */

static struct str key_state_cell(struct cli *cli, const struct json *key)
{
	const struct json *revoked = json_get(key, "revoked");

	if (json_is(revoked, JSON_OBJECT))
		return MSG(&cli->arena, "cli.key.revoked",
			{ "reason", reply_text(cli, revoked, "reason") });
	return MSG(&cli->arena,
		json_text_of(key, "until").len ? "cli.key.before" : "cli.key.signs");
}

static const struct table_column key_columns[] = { { "cli.key.kid", 44, "kid" },
	{ "cli.list.since", 25, "from", .kind = CELL_TIME },
	{ "cli.agents.state", 0, .cell = key_state_cell }, { 0 } };

static int key_list_run(struct cli *cli)
{
	const struct json *keys = cli_call_get(cli, STR("/v1/keys"));

	if (as_json(cli))
		json_print(keys);
	else
		table_print(cli, key_columns, json_get(keys, "keys"), false);
	return EXIT_YES;
}

static int key_export_run(struct cli *cli)
{
	json_print_pretty(cli_call_get(cli, STR("/v1/keys")));
	return EXIT_YES;
}

static int key_rotate_run(struct cli *cli)
{
	const struct json *key = cli_call(cli, "POST", STR("/v1/keys"), STR("{}"));

	if (as_json(cli)) return reply_done(cli, key);
	printf("%.*s\n", STR_ARGS(json_text_of(key, "kid")));
	return CLI_SAY(EXIT_YES, "cli.key.rotated");
}

static int key_revoke_run(struct cli *cli)
{
	struct str kid = cli_word(cli, 0), words = cli_words(cli);
	const struct json *key = cli_call(cli, "POST",
		path_with(cli, "/v1/keys/", kid, "/revoke"),
		BODY(cli, { "reason", .text = str_trim(str_from(words, kid.len)) }));

	if (as_json(cli)) return reply_done(cli, key);
	return CLI_SAY(EXIT_YES, "cli.key.was_revoked");
}

/* ---- verify ---- */

struct proof_keys proof_keys_given(struct cli *cli)
{
	struct str file = cli_arg(cli, "key");
	struct proof_keys keys = { 0 };
	struct fault why = { 0 };

	if (!file.len) CLI_REFUSE(cli, "cli.verify.no_key");
	if (proof_keys_read(resource_file(cli, file), &cli->arena, &keys, &why))
		CLI_REFUSE(cli, "cli.verify.bad_key", { "file", file },
			{ "detail", problem_words(str_of(why.detail), msg_lang(),
					    &cli->arena) });
	return keys;
}

/* The word alone on standard output, for programs; for people what it means. */
/* Says why it is not taken, `hint` (a message) in place of the word's own; EXIT_NO. */
static int proof_refused(struct cli *cli, enum proof_word word, const char *hint)
{
	const char *name = proof_word_name(word);
	char id[64];

	printf("%s\n", name);
	fflush(stdout);
	snprintf(id, sizeof id, "cli.verify.word.%s", name);
	fprintf(stderr, "parley: %s\n", hint ? msg_text(hint) : msg_text(id));
	(void)cli;
	return EXIT_NO;
}

/* "Approved by Ada (usr_…), by the page". */
static struct str who_said(struct cli *cli, const struct json *said)
{
	const struct json *by = json_get(said, "answered_by");
	struct str name = reply_text(cli, by, "name"), user = reply_text(cli, by, "user");

	if (!name.len) name = MSG(&cli->arena, "cli.verify.nobody");
	if (user.len)
		name = arena_print(
			&cli->arena, "%.*s (%.*s)", STR_ARGS(name), STR_ARGS(user));
	return name;
}

static struct str what_asked(struct cli *cli, const struct json *said)
{
	struct str title = json_text_of(said, "title");
	const struct json *first = NULL;

	if (!title.len && json_each(json_get(said, "questions"), &first))
		title = json_text_of(first, "text");
	return safe_line(&cli->arena, title);
}

static void line_say(struct cli *cli, const char *label, struct str text)
{
	if (text.len)
		printf("  %-12s %.*s\n", MSG(&cli->arena, label).at, STR_ARGS(text));
}

static void receipt_say(struct cli *cli, const struct receipt_said *r)
{
	const struct json *said = r->payload;
	char id[64];

	snprintf(id, sizeof id, "cli.verify.outcome.%.*s",
		STR_ARGS(str_first(json_text_of(said, "outcome"), 20)));
	printf("%s\n", MSG(&cli->arena, msg_text(id) ? id : "cli.verify.outcome.answered",
			       { "what", what_asked(cli, said) })
			       .at);
	line_say(cli, "cli.verify.who", who_said(cli, said));
	line_say(cli, "cli.verify.when", reply_text(cli, said, "settled_at"));
	line_say(cli, "cli.verify.agent",
		reply_text(cli, json_get(said, "agent"), "name"));
	line_say(cli, "cli.verify.reason", reply_text(cli, said, "reason"));
	line_say(cli, "cli.verify.revoked",
		reply_text(cli, json_get(said, "revoked"), "at"));
	line_say(cli, "cli.verify.ask",
		arena_print(&cli->arena, "%.*s, %.*s",
			STR_ARGS(reply_text(cli, said, "ask")),
			STR_ARGS(reply_text(cli, said, "workspace"))));
	if (r->unlogged)
		printf("  %s\n", msg_text("cli.verify.unlogged"));
	else
		line_say(cli, "cli.verify.event",
			arena_print(&cli->arena, "%lld, %.*s",
				(long long)json_int_of(json_get(said, "event"), "n"),
				STR_ARGS(reply_text(
					cli, json_get(said, "event"), "hash"))));
}

static bool looks_compact(struct str text)
{
	struct jws_parts parts;

	return jws_split_compact(str_trim(text), &parts) &&
	       !str_starts(str_trim(text), "{");
}

static int receipt_verify(struct cli *cli)
{
	struct str file = cli_word(cli, 0), text;
	struct proof_keys keys;
	struct receipt_said said = { 0 };
	enum proof_word w;

	if (!file.len) return CLI_USAGE(cli, "cli.verify.what");
	keys = proof_keys_given(cli);
	cli->arena.max = 512u << 20;
	text = resource_file(cli, file);
	w = receipt_check(text, &keys, &cli->arena, &said);
	if (w)
		return proof_refused(
			cli, w, looks_compact(text) ? "cli.verify.is_approval" : NULL);
	if (as_json(cli))
		json_print(said.payload);
	else
		receipt_say(cli, &said);
	return EXIT_YES;
}

/* ---- verify --approval ---- */

/* Each token that was seen is a file, made by whoever is first; those that are over may go. */
static bool seen_before(struct cli *cli, struct str dir, const struct approval_claims *c)
{
	struct str path =
		arena_print(&cli->arena, "%.*s/%.*s", STR_ARGS(dir), STR_ARGS(c->jti));
	struct timespec times[2] = { { .tv_sec = (time_t)c->expires_s },
		{ .tv_sec = (time_t)c->expires_s } };
	int fd;

	if (!path.at) cli_end(cli, EXIT_NO_SERVER);
	fd = open(path.at, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && errno == EEXIST) return true;
	if (fd < 0 || futimens(fd, times) != 0 || fsync(fd) != 0) {
		fprintf(stderr, "parley: %s: %s\n", path.at, strerror(errno));
		cli_end(cli, EXIT_USAGE);
	}
	close(fd);
	return false;
}

/* What is over is refused for its age before anybody looks here. */
static void seen_tidy(struct cli *cli, struct str dir, int64_t now_s)
{
	DIR *d = opendir(arena_copy(&cli->arena, dir));

	for (struct dirent *e; d && (e = readdir(d));) {
		struct stat st;

		if (!id_valid(str_of(e->d_name), "apv") ||
			fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (st.st_mtim.tv_sec < now_s - APPROVAL_SKEW_S)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d) closedir(d);
}

static int approval_good(struct cli *cli, const struct approval_claims *c)
{
	struct str used = cli_arg(cli, "used");

	if (used.len) {
		if (seen_before(cli, used, c))
			return proof_refused(cli, PROOF_ONCE, NULL);
		seen_tidy(cli, used, clock_now_ms() / 1000);
	}
	if (as_json(cli)) {
		printf("%.*s\n", STR_ARGS(BODY(cli, { "jti", c->jti }, { "ask", c->ask },
					 { "agent", c->agent })));
		return EXIT_YES;
	}
	printf("%s\n", MSG(&cli->arena, "cli.verify.approved",
			       { "what", safe_line(&cli->arena, c->name) },
			       { "ask", safe_line(&cli->arena, c->ask) })
			       .at);
	return EXIT_YES;
}

static int approval_verify(struct cli *cli)
{
	struct str token = cli_arg(cli, "approval"), from = cli_arg(cli, "operation");
	struct proof_keys keys = proof_keys_given(cli);
	struct approval_claims claims = { 0 };
	const struct json *operation;
	struct fault why = { 0 };
	enum proof_word w;
	enum risk risk;

	if (!from.len || !cli_arg(cli, "for").len)
		return CLI_USAGE(cli, "cli.verify.approval_needs");
	if (str_is(token, "-") && str_is(from, "-"))
		return CLI_USAGE(cli, "cli.verify.one_input");
	if (str_is(token, "-")) token = str_trim(resource_file(cli, token));
	if (json_read(resource_file(cli, from), NULL, &cli->arena, &operation, &why) ||
		operation_read(operation, "", &risk, &why))
		return cli_fail(cli, &why);
	w = approval_token_check(token, &keys, cli_arg(cli, "for"), operation,
		clock_now_ms(), &cli->arena, &claims);
	if (w)
		return proof_refused(cli, w,
			str_starts(str_trim(token), "{") ? "cli.verify.is_receipt"
							 : NULL);
	return approval_good(cli, &claims);
}

static int verify_run(struct cli *cli)
{
	return cli_has(cli, "approval") ? approval_verify(cli) : receipt_verify(cli);
}

static const struct flag verify_flags[] = { { "key", "FILE" }, { "approval", "TOKEN" },
	{ "operation", "FILE" }, { "for", "NAME" }, { "used", "DIR" }, { "json" },
	{ 0 } };

const struct command proof_verbs[] = {
	{ "receipt", receipt_run, "ID", 1, 1, json_flags, CLIENT, "0 1 2 3 4 5",
		"parley receipt ask_01jc… > receipt.json" },
	{ "verify", verify_run, "FILE", 0, 1, verify_flags, 0, "0 1 2",
		"parley verify receipt.json --key keys.json\n"
		"parley verify --approval - --operation operation.json \\\n"
		"      --for deploy.example.org --key keys.json --used /var/lib/deploy" },
	{ "key list", key_list_run, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley key list" },
	{ "key export", key_export_run, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley key export > keys.json" },
	{ "key rotate", key_rotate_run, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley key rotate" },
	{ "key revoke", key_revoke_run, "KEY REASON…", 2, WORDS_MANY, json_flags, CLIENT,
		"0 1 2 3 4 5", "parley key revoke 6nZ3… 'The server was stolen'" },
	{ 0 },
};
