/* connect.c - parley connect: sets agents up to ask here. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/keep.h"
#include "cli/connect/connect.h"
#include "cli/connect/connect_trial.h"
#include "cli/outcome.h"
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

enum { TEST_MS = 300000, CHOSEN_MAX = 32 };

struct connecting {
	struct cli *cli;
	struct agent_entry entry;
	enum connect_scope scope;
	unsigned what;
	bool remove, dry;
	const struct agent *chosen[CHOSEN_MAX];
	size_t chosen_len;
	struct str gated[CHOSEN_MAX]; /* its MCP servers that get the gateway */
	size_t gated_len;
};

/* ---- which ---- */

static const char *state_text(const struct connecting *c, const struct agent *a)
{
	static const char *const texts[] = {
		[CONNECTED_NOT] = "cli.connect.state.not",
		[CONNECTED] = "cli.connect.state.yes",
		[CONNECTED_OTHERWISE] = "cli.connect.state.otherwise",
		[CONNECT_BROKEN] = "cli.connect.state.broken",
	};
	struct fault why = { 0 };

	return texts[connect_state(
		a, c->scope, CONNECT_SERVER, &c->entry, &c->cli->arena, &why)];
}

/* Those on PATH, numbered; how many there are. */
static size_t list_print(const struct connecting *c, const struct agent **found)
{
	struct arena *arena = &c->cli->arena;
	size_t n = 0;

	for (const struct agent *a = agents; a->name; a++) {
		if (n == CHOSEN_MAX || !agent_installed(a, arena)) continue;
		found[n++] = a;
		printf("%2zu  %-10s %.*s\n", n, a->name,
			STR_ARGS(MSG(arena, state_text(c, a))));
	}
	return n;
}

static void chosen_add(struct connecting *c, struct str name)
{
	const struct agent *a = agent_find(name);
	struct buf names = { .max = 4096 };

	if (!a || c->chosen_len == CHOSEN_MAX) {
		agents_write(&names, false);
		CLI_REFUSE(c->cli, "cli.connect.unknown", { "agent", name },
			{ "agents", buf_keep_done(&names, &c->cli->arena) });
	}
	c->chosen[c->chosen_len++] = a;
}

/* What the person typed: numbers or names, or nothing for all that are listed. */
static void line_choose(struct connecting *c, struct str line, const struct agent **found,
	size_t found_len)
{
	struct str word;
	int64_t n;

	line = str_trim(line);
	for (size_t i = 0; !line.len && i < found_len; i++)
		c->chosen[c->chosen_len++] = found[i];
	while (str_cut(&line, ' ', &word)) {
		if (!word.len) continue;
		if (str_ends(word, ",")) word.len--;
		chosen_add(c, str_to_int(word, 1, (int64_t)found_len, &n)
				      ? str_of(found[n - 1]->name)
				      : word);
	}
}

/* Without a terminal the list is all there is. */
static void choose(struct connecting *c)
{
	const struct agent *found[CHOSEN_MAX];
	size_t words = c->cli->args.words_len, n;
	struct str line;
	int tty;

	/* Behind --gate, what is no agent is a server's name. */
	for (size_t i = 0; i < words; i++)
		if (c->gated_len && c->gated_len < CHOSEN_MAX && c->chosen_len &&
			!agent_find(cli_word(c->cli, i)))
			c->gated[c->gated_len++] = cli_word(c->cli, i);
		else
			chosen_add(c, cli_word(c->cli, i));
	if (words) return;
	n = list_print(c, found);
	fflush(stdout);
	if (!n) cli_end(c->cli, CLI_SAY(EXIT_NO, "cli.connect.none"));
	tty = c->cli->term.out_tty ? tty_open() : -1;
	if (tty < 0) return;
	tty_write(tty, MSG(&c->cli->arena, "cli.connect.which"));
	if (tty_line(&c->cli->term, tty, true, &c->cli->arena, &line))
		line_choose(c, line, found, n);
	close(tty);
}

/* ---- doing it ---- */

static struct str files_text(const struct connect_plan *p, struct arena *arena)
{
	struct buf b = { .max = 16384 };

	for (size_t i = 0; i < p->files_len; i++) {
		if (i) buf_add_text(&b, ", ");
		buf_add_text(&b, p->files[i].path);
	}
	return buf_keep_done(&b, arena);
}

static void diff_print(const struct connecting *c, const struct connect_plan *p)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < p->files_len; i++)
		connect_diff(&p->files[i], &b);
	outcome_print(c->cli, buf_str(&b));
	buf_done(&b);
}

static void done_say(const struct connecting *c, const struct connect_plan *p)
{
	bool changed = connect_changes(p);
	const char *text =
		c->remove ? changed ? "cli.connect.removed" : "cli.connect.absent"
		: changed ? "cli.connect.done"
			  : "cli.connect.already";

	SAY(text, { "agent", str_of(p->agent->title) },
		{ "files", files_text(p, &c->cli->arena) });
}

static int agent_connect(const struct connecting *c, const struct agent *a)
{
	struct fault why = { 0 };
	struct connect_plan p;
	unsigned what = a->hook ? c->what : CONNECT_SERVER;
	bool none = c->what & CONNECT_PROMPTS && !a->prompts[0].file;
	enum err e;

	if ((what != c->what || none) && !c->remove && !c->gated_len)
		return CLI_SAY(EXIT_USAGE,
			none ? "cli.connect.no_prompts" : "cli.connect.no_hook",
			{ "agent", str_of(a->title) });
	e = c->gated_len ? connect_gate(a, c->scope, c->gated, c->gated_len, c->remove,
				   &c->entry, &c->cli->arena, &p, &why)
			 : connect_plan(a, c->scope, what, c->remove, &c->entry,
				   &c->cli->arena, &p, &why);
	if (e == ERR_NOT_FOUND)
		return CLI_SAY(EXIT_USAGE,
			c->scope == SCOPE_PROJECT ? "cli.connect.no_project"
						  : "cli.connect.no_home",
			{ "agent", str_of(a->title) });
	if (!e && c->dry) {
		if (connect_changes(&p))
			diff_print(c, &p);
		else
			done_say(c, &p);
		return EXIT_YES;
	}
	if (!e) e = connect_write(&p, &why);
	if (e)
		return CLI_SAY(EXIT_USAGE, "cli.connect.failed",
			{ "agent", str_of(a->title) }, { "detail", str_of(why.detail) });
	done_say(c, &p);
	if (!c->remove && a->program && !agent_installed(a, &c->cli->arena))
		SAY("cli.connect.not_installed", { "agent", str_of(a->title) },
			{ "program", str_of(a->program) });
	if (c->scope == SCOPE_PROJECT && a->approve && !c->remove)
		SAY("cli.connect.approve", { "agent", str_of(a->title) },
			{ "command", str_of(a->approve) });
	return EXIT_YES;
}

/* ---- and does it work? ---- */

static bool server_ready(struct cli *cli)
{
	struct api_call call = { .method = "GET", .path = STR("/v1/me") };
	struct fault why = { 0 };
	struct api_reply reply = { 0 };
	struct client *client = pick_client(cli, AS_AGENT, &why);
	bool ready =
		client && client_call(client, &call, &cli->arena, &reply, &why) == OK;

	client_free(client);
	if (ready) return true;
	if (reply.status)
		SAY("cli.connect.no_entry", { "detail", str_of(why.detail) });
	else
		SAY("cli.connect.no_server");
	return false;
}

static int test_run(const struct connecting *c)
{
	struct fault why = { 0 };
	struct str answer = STR_NONE;

	term_watch(&c->cli->term);
	SAY("cli.connect.test");
	if (connect_trial_run(c->cli, &c->entry, TEST_MS, &answer, &why) == OK)
		return CLI_SAY(EXIT_YES, "cli.connect.test.ok",
			{ "answer", str_first(answer, 300) });
	return CLI_SAY(
		EXIT_NO, "cli.connect.test.failed", { "detail", str_of(why.detail) });
}

static int finish(const struct connecting *c)
{
	bool test = !cli_has(c->cli, "no-test") && c->cli->term.err_tty && !c->gated_len;

	if (c->remove || c->dry) return EXIT_YES;
	if (c->entry.token) SAY("cli.connect.token");
	if (!server_ready(c->cli)) return test ? EXIT_NO : EXIT_YES;
	return test ? test_run(c) : EXIT_YES;
}

static int connect_run(struct cli *cli)
{
	struct connecting c = { .cli = cli,
		.entry = connect_entry(cli, cli_has(cli, "project"),
			str_trim(cli_arg(cli, "project-name"))),
		.scope = cli_has(cli, "project") ? SCOPE_PROJECT : SCOPE_USER,
		.what = CONNECT_SERVER,
		.remove = cli_has(cli, "remove"),
		.dry = cli_has(cli, "dry-run") };
	struct str name;
	size_t at = 0;
	int status, worst = EXIT_YES;

	while (c.gated_len < CHOSEN_MAX && args_next(&cli->args, "gate", &at, &name)) {
		if (!mcp_named(name))
			return CLI_USAGE(cli, "cli.mcp_gateway.name", { "name", name });
		c.gated[c.gated_len++] = name;
	}
	if (c.entry.project.len && project_check(c.entry.project, "", NULL))
		return CLI_USAGE(cli, "cli.project.wrong");
	/* What is taken away is taken away whole. */
	if (str_is(cli_arg(cli, "hook"), "prompts"))
		c.what |= CONNECT_PROMPTS;
	else if (cli_has(cli, "hook") || c.remove)
		c.what |= CONNECT_HOOK;
	choose(&c);
	if (!c.chosen_len) return EXIT_YES;
	for (size_t i = 0; i < c.chosen_len; i++) {
		status = agent_connect(&c, c.chosen[i]);
		if (status > worst) worst = status;
	}
	return worst == EXIT_YES ? finish(&c) : worst;
}

static const struct flag flags[] = { { "dry-run" }, { "remove" }, { "project" },
	{ "project-name", "NAME" },
	{ "hook", .values = "calls prompts", .may_lack = true }, { "gate", "NAME" },
	{ "no-test" }, { 0 } };

const struct command connect_verbs[] = {
	{ "connect", connect_run, "[AGENT…]", 0, WORDS_MANY, flags, CLIENT, "0 1 2 130",
		"parley connect claude\n"
		"parley connect codex gemini --dry-run\n"
		"parley connect claude --hook\n"
		"parley connect claude --hook prompts\n"
		"parley connect claude --gate github\n"
		"parley connect opencode --url https://parley.example.org\n"
		"parley connect claude --remove" },
	{ 0 },
};
