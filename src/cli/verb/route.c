/* route.c - parley route: who is told of which question, and when. */
#include <stdio.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/outcome.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

/* Items of an array, with commas; each is a word of the catalogue's family. */
static struct str listed(struct cli *cli, const struct json *items, const char *family)
{
	struct buf out = { .max = 4096 };

	for (const struct json *one = NULL; json_each(items, &one);) {
		struct str id = arena_print(
			&cli->arena, "%s.%.*s", family, STR_ARGS(json_text(one)));

		if (out.len) buf_add_text(&out, ", ");
		buf_add(&out, MSG(&cli->arena, id.at));
	}
	return buf_keep_done(&out, &cli->arena);
}

/* Whom a step tells, as the page says it: the groups that everybody has in words, the rest as
 * it is written. */
static struct str whom(struct cli *cli, const struct json *to)
{
	struct buf out = { .max = 4096 };

	for (const struct json *item = NULL; json_each(to, &item);) {
		struct str one = json_text(item);
		const char *id = str_is(one, "assignees")    ? "web.told.to.assignees"
				 : str_is(one, "all")	     ? "web.told.to.all"
				 : str_is(one, "role:admin") ? "web.told.to.admins"
							     : NULL;

		if (out.len) buf_add_text(&out, ", ");
		buf_add(&out, id ? MSG(&cli->arena, id) : safe_line(&cli->arena, one));
	}
	return buf_keep_done(&out, &cli->arena);
}

/* ---- list ---- */

static void match_add(struct cli *cli, struct buf *out, const char *id, struct str value)
{
	if (!value.len) return;
	if (out->len) buf_add_text(out, ", ");
	buf_add(out, MSG(&cli->arena, id, { "value", value }));
}

static struct str match_least(
	struct cli *cli, const struct json *least, const char *family)
{
	struct str min = json_text_of(least, "min");

	if (!min.len) return STR_NONE;
	return MSG(&cli->arena,
		arena_print(&cli->arena, "%s.%.*s", family, STR_ARGS(min)).at);
}

/* What it is for: "approval, risk at least high, project web-*". */
static struct str match_words(struct cli *cli, const struct json *match)
{
	struct buf out = { .max = 4096 };

	buf_add(&out, listed(cli, json_get(match, "kind"), "web.routes.kind"));
	match_add(cli, &out, "cli.route.risk",
		match_least(cli, json_get(match, "risk"), "notify.risk"));
	match_add(cli, &out, "cli.route.priority",
		match_least(cli, json_get(match, "priority"), "cli.route.priority"));
	match_add(cli, &out, "cli.route.project", reply_text(cli, match, "project"));
	match_add(cli, &out, "cli.route.agent", reply_text(cli, match, "agent"));
	return buf_keep_done(&out, &cli->arena);
}

static void step_print(struct cli *cli, const struct json *step)
{
	struct str before = reply_text(cli, step, "before");
	struct str after = reply_text(cli, step, "after");
	struct str via = listed(cli, json_get(step, "via"), "web.deliveries");
	struct str when =
		before.len
			? MSG(&cli->arena, "web.routes.words.before", { "span", before })
		: str_is(after, "0s") || !after.len
			? MSG(&cli->arena, "web.routes.atonce")
			: MSG(&cli->arena, "web.routes.words.after", { "span", after });

	printf("   %.*s", STR_ARGS(MSG(&cli->arena, "web.colon", { "words", when },
				  { "text", whom(cli, json_get(step, "to")) })));
	if (via.len)
		printf(" %.*s",
			STR_ARGS(MSG(&cli->arena, "cli.route.by", { "channels", via })));
	if (str_is(reply_text(cli, step, "pick"), "one"))
		printf(", %.*s", STR_ARGS(MSG(&cli->arena, "cli.route.one")));
	printf("\n");
}

static void route_print(struct cli *cli, const struct json *route, uint32_t n)
{
	const struct json *steps = json_get(route, "steps");
	const struct json *repeat = json_get(route, "repeat");
	struct str match = match_words(cli, json_get(route, "match"));
	struct str target = reply_text(cli, route, "target");
	struct str name = reply_text(cli, route, "name");

	printf("%u. %.*s", n,
		STR_ARGS(name.len ? name : MSG(&cli->arena, "web.routes.unnamed")));
	if (match.len) printf(" (%.*s)", STR_ARGS(match));
	printf("\n");
	for (const struct json *item = NULL; json_each(steps, &item);)
		step_print(cli, item);
	if (!steps || !steps->count)
		printf("   %.*s\n", STR_ARGS(MSG(&cli->arena, "web.routes.nobody")));
	if (json_is(repeat, JSON_OBJECT))
		printf("   %.*s\n", STR_ARGS(MSG(&cli->arena, "cli.route.repeat",
					    { "every", reply_text(cli, repeat, "every") },
					    { "n", json_get(repeat, "times")->text })));
	if (target.len)
		printf("   %.*s\n", STR_ARGS(MSG(&cli->arena, "cli.route.target",
					    { "span", target })));
}

static int list_run(struct cli *cli)
{
	const struct json *page = cli_call_get(cli, STR("/v1/routes"));
	uint32_t n = 0;

	if (as_json(cli)) return reply_done(cli, page);
	for (const struct json *item = NULL; json_each(json_get(page, "items"), &item);)
		route_print(cli, item, ++n);
	return EXIT_YES;
}

/* ---- set ---- */

static int set_run(struct cli *cli)
{
	struct str text = resource_file(cli, cli_word(cli, 0));
	const struct json *reply, *version;

	reply = cli_call(cli, "PUT", STR("/v1/routes"), text);
	version = json_get(reply, "version");
	if (!as_json(cli))
		SAY("cli.route.set", { "n", version ? version->text : STR_NONE });
	reply_done(cli, reply);
	warnings_say(cli, reply);
	return EXIT_YES;
}

/* ---- try ---- */

/* A member that is there and is not null; NULL otherwise. */
static const struct json *said(const struct json *ask, const char *name)
{
	const struct json *value = json_get(ask, name);

	return json_is(value, JSON_NULL) ? NULL : value;
}

/* What a trial wants to know of an ask. */
static struct str trial_body(struct cli *cli, const struct json *ask)
{
	int64_t end = ask_time(ask, "expires_at"), from = ask_time(ask, "created_at");
	const struct json *agent = json_get(json_get(ask, "agent"), "name");
	struct str timeout = STR_NONE;

	/* As long as it was given when it was asked. */
	if (end > from)
		timeout = arena_print(
			&cli->arena, "%lld", (long long)(end - from + 999) / 1000);
	return BODY(cli, { "ask", .raw = BODY(cli, { "kind", .json = said(ask, "kind") },
					  { "priority", .json = said(ask, "priority") },
					  { "risk", .json = said(ask, "risk") },
					  { "project", .json = said(ask, "project") },
					  { "assignees", .json = said(ask, "assignees") },
					  { "agent", .json = agent, .raw = STR("null") },
					  { "timeout", .number = timeout }) });
}

static void entry_print(
	struct cli *cli, const struct json *entry, const struct json *users)
{
	int64_t at = ask_time(entry, "at");
	struct str user = json_text_of(entry, "user");
	struct str team = reply_text(cli, entry, "team");
	struct str channel = reply_text(cli, entry, "channel");
	struct str why = reply_text(cli, entry, "why");
	struct str name = user.len   ? reply_text(cli, resource_find(users, user), "name")
			  : team.len ? team
				     : MSG(&cli->arena, "cli.route.nobody");

	printf("%-16.*s  %.*s",
		STR_ARGS(at ? time_local(at, clock_now_ms(), &cli->arena) : STR("-")),
		STR_ARGS(name.len ? name : user));
	if (channel.len) printf("  %.*s", STR_ARGS(channel));
	if (why.len)
		printf("  %.*s", STR_ARGS(MSG(&cli->arena,
					 arena_print(&cli->arena, "web.routes.why.%.*s",
						 STR_ARGS(why))
						 .at)));
	printf("\n");
}

static int try_run(struct cli *cli)
{
	const struct json *ask = cli_call_get(cli, ask_path(cli, cli_word(cli, 0), ""));
	const struct json *trial =
		cli_call(cli, "POST", STR("/v1/routes/try"), trial_body(cli, ask));
	const struct json *plan = json_get(trial, "plan"), *route;
	struct json users;

	if (as_json(cli)) return reply_done(cli, trial);
	users = cli_call_all(cli, STR("/v1/users"));
	route = resource_find(json_get(cli_call_get(cli, STR("/v1/routes")), "items"),
		json_text_of(trial, "route"));
	if (route)
		printf("%.*s\n", STR_ARGS(MSG(&cli->arena, "cli.route.uses",
					 { "name", reply_text(cli, route, "name") })));
	for (const struct json *item = NULL; json_each(plan, &item);)
		entry_print(cli, item, &users);
	if (!plan || !plan->count) SAY("web.routes.preview.nobody");
	return EXIT_YES;
}

const struct command route_verbs[] = {
	{ "route list", list_run, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley route list" },
	{ "route show", list_run, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley route show > routes.json" },
	{ "route set", set_run, "FILE", 1, 1, json_flags, CLIENT, "0 1 2 3 4",
		"parley route set routes.json" },
	{ "route try", try_run, "ASK", 1, 1, json_flags, CLIENT, "0 2 3 4 5",
		"parley route try ask_01jc…" },
	{ 0 },
};
