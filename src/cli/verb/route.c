/* route.c - parley route: who is told of which question, and when. */
#include <stdio.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/outcome.h"
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum { FILE_MAX_BYTES = 1 << 20 };

struct route_call {
	struct cli *cli;
	struct client *client;
	struct api_reply reply;
};

static int call(
	struct route_call *c, const char *method, struct str path, struct str body)
{
	return cli_call(c->cli, c->client, method, path, body, &c->reply, NULL);
}

static struct str word(struct route_call *c, size_t i)
{
	return args_word(&c->cli->args, i);
}

static bool as_json(const struct route_call *c)
{
	return args_have(&c->cli->args, "json");
}

static struct str text_of(struct cli *cli, const struct json *json, const char *member)
{
	return safe_line(&cli->arena, json_text(json_get(json, member)));
}

/* Items of an array, with commas; `family`: each is a word of the catalogue. */
static struct str listed(struct cli *cli, const struct json *items, const char *family)
{
	struct buf out = { .max = 4096 };

	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++) {
		struct str one = json_text(&items->items[i]);

		if (i) buf_add_text(&out, ", ");
		if (!family)
			safe_line_add(&out, one);
		else
			buf_add(&out, MSG(&cli->arena, arena_print(&cli->arena, "%s.%.*s",
							       family, STR_ARGS(one))
							       .at));
	}
	return buf_keep_done(&out, &cli->arena);
}

/* Whom a step tells, as the page says it: the groups that everybody has in words, the rest as
 * it is written. */
static struct str whom(struct cli *cli, const struct json *to)
{
	struct buf out = { .max = 4096 };

	for (uint32_t i = 0; json_is(to, JSON_ARRAY) && i < to->count; i++) {
		struct str one = json_text(&to->items[i]);
		const char *id = str_is(one, "assignees")    ? "web.told.to.assignees"
				 : str_is(one, "all")	     ? "web.told.to.all"
				 : str_is(one, "role:admin") ? "web.told.to.admins"
							     : NULL;

		if (i) buf_add_text(&out, ", ");
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
	struct str min = json_text(json_get(least, "min"));

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
	match_add(cli, &out, "cli.route.project", text_of(cli, match, "project"));
	match_add(cli, &out, "cli.route.agent", text_of(cli, match, "agent"));
	return buf_keep_done(&out, &cli->arena);
}

static void step_print(struct cli *cli, const struct json *step)
{
	struct str before = text_of(cli, step, "before");
	struct str after = text_of(cli, step, "after");
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
	if (str_is(text_of(cli, step, "pick"), "one"))
		printf(", %.*s", STR_ARGS(MSG(&cli->arena, "cli.route.one")));
	printf("\n");
}

static void route_print(struct cli *cli, const struct json *route, uint32_t n)
{
	const struct json *steps = json_get(route, "steps");
	const struct json *repeat = json_get(route, "repeat");
	struct str match = match_words(cli, json_get(route, "match"));
	struct str target = text_of(cli, route, "target");
	struct str name = text_of(cli, route, "name");

	printf("%u. %.*s", n,
		STR_ARGS(name.len ? name : MSG(&cli->arena, "web.routes.unnamed")));
	if (match.len) printf(" (%.*s)", STR_ARGS(match));
	printf("\n");
	for (uint32_t i = 0; steps && i < steps->count; i++)
		step_print(cli, &steps->items[i]);
	if (!steps || !steps->count)
		printf("   %.*s\n", STR_ARGS(MSG(&cli->arena, "web.routes.nobody")));
	if (json_is(repeat, JSON_OBJECT))
		printf("   %.*s\n", STR_ARGS(MSG(&cli->arena, "cli.route.repeat",
					    { "every", text_of(cli, repeat, "every") },
					    { "n", json_get(repeat, "times")->text })));
	if (target.len)
		printf("   %.*s\n", STR_ARGS(MSG(&cli->arena, "cli.route.target",
					    { "span", target })));
}

static int route_list(struct route_call *c)
{
	int status = call(c, "GET", STR("/v1/routes"), STR_NONE);
	const struct json *items;

	if (status != EXIT_YES) return status;
	if (as_json(c) || str_is(word(c, 0), "show")) {
		json_print(c->reply.json);
		return EXIT_YES;
	}
	items = json_get(c->reply.json, "items");
	for (uint32_t i = 0; items && i < items->count; i++)
		route_print(c->cli, &items->items[i], i + 1);
	return EXIT_YES;
}

/* ---- set ---- */

static int route_set(struct route_call *c)
{
	struct buf text = { .max = FILE_MAX_BYTES };
	struct str name = word(c, 1);
	bool stdin_is = str_is(name, "-");
	FILE *file = stdin_is ? stdin : fopen(arena_copy(&c->cli->arena, name), "re");
	const struct json *version;
	char piece[4096];
	size_t n;
	int status;

	if (!file) return CLI_USAGE(c->cli, "cli.route.file", { "file", name });
	while ((n = fread(piece, 1, sizeof piece, file)) > 0)
		buf_add(&text, str_make(piece, n));
	if (!stdin_is) fclose(file);
	status = call(c, "PUT", STR("/v1/routes"), buf_keep_done(&text, &c->cli->arena));
	if (status != EXIT_YES) return status;
	version = json_get(c->reply.json, "version");
	if (as_json(c))
		json_print(c->reply.json);
	else
		SAY("cli.route.set", { "n", version ? version->text : STR_NONE });
	warnings_say(c->cli, c->reply.json);
	return EXIT_YES;
}

/* ---- try ---- */

/* As long as it was given when it was asked. */
static void timeout_put(struct json_writer *w, const struct json *ask)
{
	int64_t end = ask_time(ask, "expires_at"), from = ask_time(ask, "created_at");

	if (!end || end <= from) return;
	jw_put_int(w, "timeout", (end - from + 999) / 1000);
}

/* What a trial wants to know of an ask. */
static struct str trial_body(struct cli *cli, const struct json *ask)
{
	static const char *const members[] = { "kind", "priority", "risk", "project",
		"assignees" };
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };

	jw_object(&w);
	jw_put_object(&w, "ask");
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const struct json *value = json_get(ask, members[i]);

		if (!value || value->type == JSON_NULL) continue;
		jw_put_json(&w, members[i], value);
	}
	jw_put_json(&w, "agent", json_get(json_get(ask, "agent"), "name"));
	timeout_put(&w, ask);
	jw_object_end(&w);
	jw_object_end(&w);
	return buf_keep_done(&body, &cli->arena);
}

/* The item of this id in a list; NULL: none. */
static const struct json *item_of(const struct json *page, struct str id)
{
	const struct json *items = json_get(page, "items");

	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++)
		if (str_eq(json_text(json_get(&items->items[i], "id")), id))
			return &items->items[i];
	return NULL;
}

static void entry_print(
	struct route_call *c, const struct json *entry, const struct json *users)
{
	struct cli *cli = c->cli;
	int64_t at = ask_time(entry, "at");
	struct str user = json_text(json_get(entry, "user"));
	struct str team = text_of(cli, entry, "team");
	struct str channel = text_of(cli, entry, "channel");
	struct str why = text_of(cli, entry, "why");
	struct str name = user.len   ? text_of(cli, item_of(users, user), "name")
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

static int trial_print(struct route_call *c, const struct json *trial)
{
	const struct json *plan = json_get(trial, "plan"), *users, *route;
	int status = call(c, "GET", STR("/v1/users?limit=200"), STR_NONE);

	if (status != EXIT_YES) return status;
	users = c->reply.json;
	status = call(c, "GET", STR("/v1/routes"), STR_NONE);
	if (status != EXIT_YES) return status;
	route = item_of(c->reply.json, json_text(json_get(trial, "route")));
	if (route)
		printf("%.*s\n", STR_ARGS(MSG(&c->cli->arena, "cli.route.uses",
					 { "name", text_of(c->cli, route, "name") })));
	for (uint32_t i = 0; plan && i < plan->count; i++)
		entry_print(c, &plan->items[i], users);
	if (!plan || !plan->count) SAY("web.routes.preview.nobody");
	return EXIT_YES;
}

static int route_try(struct route_call *c)
{
	int status = call(c, "GET", ask_path(c->cli, word(c, 1), ""), STR_NONE);

	if (status == EXIT_YES)
		status = call(c, "POST", STR("/v1/routes/try"),
			trial_body(c->cli, c->reply.json));
	if (status != EXIT_YES) return status;
	if (!as_json(c)) return trial_print(c, c->reply.json);
	json_print(c->reply.json);
	return EXIT_YES;
}

static int route_do(struct route_call *c)
{
	struct str verb = word(c, 0);

	if (!verb.len || str_is(verb, "list") || str_is(verb, "show"))
		return route_list(c);
	if (!word(c, 1).len) return CLI_USAGE(c->cli, "cli.route.word", { "verb", verb });
	if (str_is(verb, "try")) return route_try(c);
	if (str_is(verb, "set")) return route_set(c);
	return CLI_USAGE(c->cli, "cli.route.verb", { "verb", verb });
}

static int route_run(struct cli *cli)
{
	struct fault why = { 0 };
	struct route_call c = { .cli = cli, .client = pick_client(cli, AS_PERSON, &why) };
	int status;

	if (!c.client) return cli_fail(cli, &why);
	status = route_do(&c);
	client_free(c.client);
	return status;
}

const struct command route_verbs[] = {
	{ "route", route_run, "[list|show|try ASK|set FILE]", 0, 2, json_flags,
		SETTINGS_CLIENT, "0 1 2 3 4 5",
		"parley route\n"
		"parley route show > routes.json\n"
		"parley route set routes.json\n"
		"parley route try ask_01jc…" },
	{ 0 },
};
