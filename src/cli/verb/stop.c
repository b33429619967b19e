/* stop.c - parley pause, parley resume: stop everything that asks, say what is
 * stopped, and let it go on. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "core/shared/glob.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum { COUNTED_MOST = 1000 };

/* ---- list ---- */

/* "agent ci-*, project web", or everything. */
static struct str stop_what(struct cli *cli, const struct json *match)
{
	static const char *const names[] = { "agent", "project", "session" };
	static const char *const ids[] = { "cli.stop.agent", "cli.stop.project",
		"cli.stop.session" };
	struct buf what = { .max = 4096 };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct str name = json_text_of(match, names[i]);

		if (!name.len) continue;
		if (what.len) buf_add_text(&what, ", ");
		buf_add(&what, MSG(&cli->arena, ids[i],
				       { "name", safe_line(&cli->arena, name) }));
	}
	if (!what.len) buf_add_text(&what, msg_text("cli.stop.everything"));
	return buf_keep_done(&what, &cli->arena);
}

static struct str what_cell(struct cli *cli, const struct json *stop)
{
	return stop_what(cli, json_get(stop, "match"));
}

static struct str until_cell(struct cli *cli, const struct json *stop)
{
	int64_t ms = 0;

	if (!time_read(json_text_of(stop, "until"), &ms))
		return MSG(&cli->arena, "cli.stop.endless");
	return time_local(ms, clock_now_ms(), &cli->arena);
}

static const struct table_column columns[] = { { "cli.list.id", 0, "id",
						       .kind = CELL_ID },
	{ "cli.stop.what", .cell = what_cell },
	{ "cli.list.since", 0, "created_at", .kind = CELL_TIME },
	{ "cli.stop.ends", .cell = until_cell }, { "cli.list.by", 0, "made_by/name" },
	{ "cli.stop.reason", 0, "reason" }, { 0 } };

/* "stp_…  agent ci-*  until 14:30  by ada  Wrong branch". */
static void stop_print(struct cli *cli, const struct json *stop)
{
	struct str until = until_cell(cli, stop);

	if (json_text_of(stop, "until").len)
		until = MSG(&cli->arena, "cli.stop.until", { "at", until });
	printf("%.*s  %.*s  %.*s  %.*s  %.*s\n", STR_ARGS(json_text_of(stop, "id")),
		STR_ARGS(what_cell(cli, stop)), STR_ARGS(until),
		STR_ARGS(MSG(&cli->arena, "cli.stop.by",
			{ "name", reply_text(cli, json_get(stop, "made_by"), "name") })),
		STR_ARGS(reply_text(cli, stop, "reason")));
}

static const struct resource stops = { "/v1/stops?limit=200", NULL, "cli.go.none",
	columns, stop_print, .list = LIST_PAGE };

/* ---- what is meant, and how much of it there is ---- */

struct stop_plan {
	struct cli *cli;
	struct str agent, project, session; /* empty: all of them */
	struct str reason;
};

static struct stop_plan plan_given(struct cli *cli)
{
	return (struct stop_plan){ .cli = cli,
		.agent = cli_arg(cli, "agent"),
		.project = cli_arg(cli, "project"),
		.session = cli_arg(cli, "session"),
		.reason = str_trim(cli_words(cli)) };
}

static struct stop_plan plan_of(struct cli *cli, const struct json *stop)
{
	const struct json *match = json_get(stop, "match");

	return (struct stop_plan){ .cli = cli,
		.agent = json_text_of(match, "agent"),
		.project = json_text_of(match, "project"),
		.session = json_text_of(match, "session") };
}

static struct str plan_match(const struct stop_plan *p)
{
	return BODY(p->cli, { "agent", p->agent }, { "project", p->project },
		{ "session", p->session });
}

/* Of an ask, or of a session. */
static bool plan_fits(const struct stop_plan *p, const struct json *item, const char *id)
{
	struct str agent = json_text_of(json_get(item, "agent"), "name");

	return (!p->agent.len || glob_fits(p->agent, agent)) &&
	       (!p->project.len ||
		       glob_fits(p->project, json_text_of(item, "project"))) &&
	       (!p->session.len || str_eq(p->session, json_text_of(item, id)));
}

static int64_t plan_count(const struct stop_plan *p, const char *path, const char *id)
{
	struct call_pages pages = cli_call_pages(p->cli, str_of(path), COUNTED_MOST);
	int64_t n = 0;

	for (const struct json *item = NULL; json_each(&pages.items, &item);)
		n += plan_fits(p, item, id);
	return n;
}

static bool is_asked(struct cli *cli)
{
	return isatty(STDIN_FILENO) && cli->term.err_tty && !cli_has(cli, "yes");
}

/* On a terminal the person is asked once, with what it is about. */
static bool plan_confirm(const struct stop_plan *p, const char *id)
{
	struct cli *cli = p->cli;
	struct arena *arena = &cli->arena;
	const struct json *match;

	if (!is_asked(cli)) return true;
	if (json_read(plan_match(p), NULL, arena, &match, NULL)) return false;
	return term_confirm(&cli->term, arena,
		MSG(arena, id, { "what", stop_what(cli, match) },
			{ "working", msg_count(arena, "cli.stop.working",
					     plan_count(p, "/v1/sessions?status=running",
						     "id")) },
			{ "waiting", msg_count(arena, "cli.stop.waiting",
					     plan_count(p, "/v1/asks", "session")) }));
}

/* ---- pause ---- */

static bool word_is_agent(struct cli *cli, const struct json *sessions, struct str word)
{
	struct json agents = cli_call_all(cli, STR("/v1/agents"));

	for (const struct json *one = NULL; json_each(sessions, &one);)
		if (str_eq(json_text_of(json_get(one, "agent"), "name"), word))
			return true;
	return resource_find(&agents, word);
}

/* Takes a word for the session, agent or project of that name. */
static bool word_find(struct stop_plan *p, struct str word)
{
	struct cli *cli = p->cli;
	struct json sessions =
		cli_call_pages(cli, STR("/v1/sessions"), COUNTED_MOST).items;

	if (resource_find(&sessions, word))
		p->session = word;
	else if (word_is_agent(cli, &sessions, word))
		p->agent = word;
	else if (resource_find(
			 json_get(cli_call_get(cli, STR("/v1/projects")), "items"), word))
		p->project = word;
	else
		return false;
	return true;
}

/* One word alone is a slip of the pen, or a guess, more often than a reason to stop every agent:
 * it is taken for what it names. Who may not stop anything hears that first. */
static void word_take(struct stop_plan *p)
{
	struct cli *cli = p->cli;
	struct str role = json_text_of(cli_call_get(cli, STR("/v1/me")), "role");
	struct fault why = { 0 };

	if (str_is(role, "agent")) {
		fail(&why, ERR_FORBIDDEN, "the role %.*s may not do this",
			STR_ARGS(role));
		cli_fail_end(cli, &why);
	}
	if (!word_find(p, p->reason))
		CLI_REFUSE(cli, "cli.stop.word", { "word", p->reason });
	p->reason = MSG(&cli->arena, "cli.stop.reason.none");
}

/* Whose reason begins with a name may have meant that one alone. */
static void name_hint(struct cli *cli, struct str reason)
{
	struct stop_plan one = { .cli = cli };
	const char *option;
	struct str name;

	str_cut(&reason, ' ', &name);
	if (!is_asked(cli) || !word_find(&one, name)) return;
	option = one.agent.len ? "--agent" : one.project.len ? "--project" : "--session";
	SAY("cli.stop.name", { "option", str_of(option) }, { "name", name });
}

/* Names from before still work. */
static void renamed_say(const struct cli *cli, const char *old)
{
	if (cli->term.err_tty && str_is(cli->called, old))
		SAY("cli.renamed", { "old", str_of(old) },
			{ "new", str_of(cli->command->name) });
}

static int stop_run(struct cli *cli)
{
	struct stop_plan p = plan_given(cli);
	bool named = p.agent.len || p.project.len || p.session.len;
	struct str until = moment_read(cli, "for", 1), id;
	const struct json *stop;

	renamed_say(cli, "stop");
	if (cli_word_looks(cli, "pause list")) return EXIT_USAGE;
	if (!named && str_find(p.reason, STR(" ")) < 0)
		word_take(&p);
	else if (!named)
		name_hint(cli, p.reason);
	if (!plan_confirm(&p, "cli.stop.sure")) return EXIT_NO;
	stop = cli_call(cli, "POST", STR("/v1/stops"),
		BODY(cli, { "match", .raw = plan_match(&p) },
			{ "reason", .text = p.reason }, { "until", until }));
	if (as_json(cli)) return reply_done(cli, stop);
	id = json_text_of(stop, "id");
	printf("%.*s\n", STR_ARGS(id));
	return CLI_SAY(EXIT_YES, "cli.stop.set", { "id", id });
}

static const struct flag stop_flags[] = { { "agent", "NAME" }, { "project", "NAME" },
	{ "session", "ID" }, { "for", "TIME" }, { "yes" }, { "json" }, { 0 } };

/* ---- resume ---- */

static int go_run(struct cli *cli)
{
	const struct json *items, *stop;
	struct str id = cli_word(cli, 0);
	struct stop_plan p;

	renamed_say(cli, "go");
	items = json_get(cli_call_get(cli, str_of(stops.path)), "items");
	if (!id.len && (!items || items->count != 1)) {
		resource_print(cli, &stops, items);
		return items && items->count ? CLI_USAGE(cli, "cli.go.several")
					     : EXIT_YES;
	}
	stop = id.len ? resource_find(items, id) : &items->items[0];
	if (!id.len) id = json_text_of(stop, "id");
	p = plan_of(cli, stop);
	if (stop && !plan_confirm(&p, "cli.go.sure")) return EXIT_NO;
	cli_call(cli, "DELETE", path_with(cli, "/v1/stops/", id, ""), STR_NONE);
	SAY("cli.go.done", { "id", id });
	return reply_done(cli, NULL);
}

static const struct flag yes_flags[] = { { "yes" }, { "json" }, { 0 } };

const struct command stop_verbs[] = {
	{ "pause list", resource_list, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley pause list", .of = &stops, .alias = "stop list|stops|pauses" },
	{ "pause", stop_run, "REASON…", 1, WORDS_MANY, stop_flags, CLIENT, "0 1 2 3 4",
		"parley pause 'Production is down'\n"
		"parley pause --agent 'ci-*' --for 30m 'Wrong branch'\n"
		"parley pause ci-bot",
		.alias = "stop" },
	{ "resume", go_run, "[STOP]", 0, 1, yes_flags, CLIENT, "0 1 2 3 4 5",
		"parley resume", .alias = "go" },
	{ 0 },
};
