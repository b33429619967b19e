/* verb_contact.c - parley contact: where one is reached; parley route: who is told of what. */
#include <stdio.h>

#include "cli/outcome.h"
#include "cli/reach.h"
#include "cli/verbs.h"
#include "text/keep.h"
#include "text/safe_text.h"

enum { FILE_MAX_BYTES = 1 << 20 };

/* One call of somebody who is logged in. */
struct contact_call {
	struct cli *cli;
	struct client *client;
	struct api_reply reply;
};

static int call(
	struct contact_call *c, const char *method, struct str path, struct str body)
{
	return reach_call(c->cli, c->client, method, path, body, &c->reply, NULL);
}

static struct str word(struct contact_call *c, size_t i)
{
	return args_word(&c->cli->args, i);
}

static bool as_json(const struct contact_call *c)
{
	return args_have(&c->cli->args, "json");
}

static struct str line_of(struct cli *cli, const struct json *json, const char *member)
{
	struct str text = json_text(json_get(json, member));

	return text.len ? safe_line(&cli->arena, text) : STR("-");
}

/* ---- contact ---- */

static const char *contact_state(const struct json *c)
{
	if (json_is(json_get(c, "broken"), JSON_OBJECT)) return "cli.contact.broken";
	if (!json_is(json_get(c, "verified"), JSON_TRUE)) return "cli.contact.unverified";
	return json_is(json_get(c, "muted"), JSON_TRUE) ? "cli.contact.muted"
							: "cli.contact.works";
}

static void contact_print(struct cli *cli, const struct json *c)
{
	printf("%.*s  %-8.*s  %-14s  %.*s  %.*s\n", STR_ARGS(line_of(cli, c, "id")),
		STR_ARGS(line_of(cli, c, "channel")), msg_text(contact_state(c)),
		STR_ARGS(line_of(cli, c, "address")), STR_ARGS(line_of(cli, c, "name")));
}

static int contact_list(struct contact_call *c)
{
	int status = call(c, "GET", STR("/v1/me/contacts"), STR_NONE);
	const struct json *items;

	if (status != EXIT_YES) return status;
	items = json_get(c->reply.json, "items");
	if (as_json(c)) {
		json_print(items);
		return EXIT_YES;
	}
	for (uint32_t i = 0; items && i < items->count; i++)
		contact_print(c->cli, &items->items[i]);
	if (!items || !items->count) SAY("cli.contact.none");
	return EXIT_YES;
}

static int contact_shown(struct contact_call *c, int status)
{
	if (status != EXIT_YES) return status;
	if (as_json(c))
		json_print(c->reply.json);
	else
		contact_print(c->cli, c->reply.json);
	return EXIT_YES;
}

static int contact_add(struct contact_call *c)
{
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };
	const struct {
		const char *name;
		struct str value;
	} members[] = { { "channel", word(c, 1) }, { "address", word(c, 2) },
		{ "format", args_get(&c->cli->args, "format") },
		{ "name", args_get(&c->cli->args, "name") } };

	if (!word(c, 2).len) return CLI_USAGE(c->cli, "cli.contact.add");
	jw_object(&w);
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (members[i].value.len) {
			jw_key(&w, members[i].name);
			jw_str(&w, members[i].value);
		}
	jw_object_end(&w);
	return contact_shown(c,
		call(c, "POST", STR("/v1/me/contacts"), buf_keep(&body, &c->cli->arena)));
}

static struct str contact_path(struct contact_call *c, struct str id, const char *end)
{
	return arena_print(&c->cli->arena, "/v1/me/contacts/%.*s%s",
		STR_ARGS(str_first(id, 64)), end);
}

/* The one that waits for a code. */
static int contact_verify(struct contact_call *c)
{
	struct arena *arena = &c->cli->arena;
	struct buf body = { .max = 4096 };
	struct json_writer w = { .out = &body };
	struct str waits = STR_NONE;
	int status = call(c, "GET", STR("/v1/me/contacts"), STR_NONE);
	const struct json *items = json_get(c->reply.json, "items");

	if (status != EXIT_YES) return status;
	for (uint32_t i = 0; items && i < items->count; i++)
		if (!json_is(json_get(&items->items[i], "verified"), JSON_TRUE))
			waits = arena_str(
				arena, json_text(json_get(&items->items[i], "id")));
	if (!waits.len) return CLI_USAGE(c->cli, "cli.contact.verify");
	jw_object(&w);
	jw_key(&w, "code");
	jw_str(&w, word(c, 1));
	jw_object_end(&w);
	return contact_shown(c, call(c, "POST", contact_path(c, waits, "/verify"),
					buf_keep(&body, arena)));
}

static int contact_do(struct contact_call *c)
{
	struct str verb = word(c, 0), id = word(c, 1);
	int status;

	if (!verb.len || str_is(verb, "list")) return contact_list(c);
	if (str_is(verb, "add")) return contact_add(c);
	if (!id.len) return CLI_USAGE(c->cli, "cli.contact.word", { "verb", verb });
	if (str_is(verb, "verify")) return contact_verify(c);
	if (str_is(verb, "test")) {
		status = call(c, "POST", contact_path(c, id, "/test"), STR("{}"));
		if (status == EXIT_YES) SAY("cli.contact.tested");
		return status;
	}
	if (str_is(verb, "remove"))
		return call(c, "DELETE", contact_path(c, id, ""), STR_NONE);
	return CLI_USAGE(c->cli, "cli.contact.verb", { "verb", verb });
}

static int with_client(struct cli *cli, int (*run)(struct contact_call *))
{
	struct fault why = { 0 };
	struct contact_call c = { .cli = cli, .client = reach(cli, AS_PERSON, &why) };
	int status;

	if (!c.client) return cli_fail(cli, &why);
	status = run(&c);
	client_free(c.client);
	return status;
}

static int contact_run(struct cli *cli)
{
	return with_client(cli, contact_do);
}

static const struct flag contact_flags[] = {
	{ .name = "format", .value = "FORMAT", .values = "parley slack teams ntfy" },
	{ .name = "name", .value = "TEXT" }, { .name = "json" }, { 0 }
};
static const char *const contact_examples[] = { "parley contact",
	"parley contact add webhook https://ntfy.example/parley --format ntfy",
	"parley contact add command phone", NULL };

const struct command verb_contact = {
	.name = "contact",
	.run = contact_run,
	.words = "[list|add CHANNEL ADDRESS|verify CODE|test ID|remove ID]",
	.words_max = 3,
	.flags = contact_flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 1 2 3 4",
	.examples = contact_examples,
};

/* ---- route ---- */

static void steps_print(struct cli *cli, const struct json *route)
{
	const struct json *steps = json_get(route, "steps");

	for (uint32_t i = 0; steps && i < steps->count; i++) {
		const struct json *to = json_get(&steps->items[i], "to");
		struct str before = json_text(json_get(&steps->items[i], "before"));

		printf("   %.*s %s:",
			STR_ARGS(line_of(
				cli, &steps->items[i], before.len ? "before" : "after")),
			msg_text(before.len ? "cli.route.before" : "cli.route.after"));
		for (uint32_t k = 0; to && k < to->count; k++)
			printf(" %.*s", STR_ARGS(safe_line(
						&cli->arena, json_text(&to->items[k]))));
		printf("\n");
	}
}

static int route_list(struct contact_call *c)
{
	int status = call(c, "GET", STR("/v1/routes"), STR_NONE);
	const struct json *items;

	if (status != EXIT_YES) return status;
	if (as_json(c) || str_is(word(c, 0), "show")) {
		json_print(c->reply.json);
		return EXIT_YES;
	}
	items = json_get(c->reply.json, "items");
	for (uint32_t i = 0; items && i < items->count; i++) {
		printf("%u. %.*s\n", i + 1,
			STR_ARGS(line_of(c->cli, &items->items[i], "name")));
		steps_print(c->cli, &items->items[i]);
	}
	return EXIT_YES;
}

static int route_set(struct contact_call *c)
{
	struct buf text = { .max = FILE_MAX_BYTES };
	struct str name = word(c, 1);
	bool stdin_is = str_is(name, "-");
	FILE *file = stdin_is ? stdin : fopen(arena_copy(&c->cli->arena, name), "re");
	char piece[4096];
	size_t n;
	int status;

	if (!file) return CLI_USAGE(c->cli, "cli.route.file", { "file", name });
	while ((n = fread(piece, 1, sizeof piece, file)) > 0)
		buf_add(&text, str_make(piece, n));
	if (!stdin_is) fclose(file);
	status = call(c, "PUT", STR("/v1/routes"), buf_keep(&text, &c->cli->arena));
	if (status == EXIT_YES && as_json(c)) json_print(c->reply.json);
	return status;
}

/* What a trial wants to know of an ask. */
static struct str trial_body(struct cli *cli, const struct json *ask)
{
	static const char *const members[] = { "kind", "priority", "risk", "project",
		"assignees" };
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };

	jw_object(&w);
	jw_key(&w, "ask");
	jw_object(&w);
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const struct json *value = json_get(ask, members[i]);

		if (!value || value->type == JSON_NULL) continue;
		jw_key(&w, members[i]);
		jw_json(&w, value);
	}
	jw_key(&w, "agent");
	jw_json(&w, json_get(json_get(ask, "agent"), "name"));
	jw_object_end(&w);
	jw_object_end(&w);
	return buf_keep(&body, &cli->arena);
}

static int route_try(struct contact_call *c)
{
	struct cli *cli = c->cli;
	const struct json *plan;
	int status = call(c, "GET",
		arena_print(&cli->arena, "/v1/asks/%.*s",
			STR_ARGS(str_first(word(c, 1), 64))),
		STR_NONE);

	if (status == EXIT_YES)
		status = call(
			c, "POST", STR("/v1/routes/try"), trial_body(cli, c->reply.json));
	if (status != EXIT_YES) return status;
	if (as_json(c)) {
		json_print(c->reply.json);
		return EXIT_YES;
	}
	plan = json_get(c->reply.json, "plan");
	for (uint32_t i = 0; plan && i < plan->count; i++)
		printf("%.*s  %.*s  %.*s  %.*s\n",
			STR_ARGS(line_of(cli, &plan->items[i], "at")),
			STR_ARGS(line_of(cli, &plan->items[i], "user")),
			STR_ARGS(line_of(cli, &plan->items[i], "channel")),
			STR_ARGS(line_of(cli, &plan->items[i], "why")));
	if (!plan || !plan->count) SAY("cli.route.nobody");
	return EXIT_YES;
}

static int route_do(struct contact_call *c)
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
	return with_client(cli, route_do);
}

static const struct flag route_flags[] = { { .name = "json" }, { 0 } };
static const char *const route_examples[] = { "parley route",
	"parley route show > routes.json", "parley route set routes.json", NULL };

const struct command verb_route = {
	.name = "route",
	.run = route_run,
	.words = "[list|show|try ASK|set FILE]",
	.words_max = 2,
	.flags = route_flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 1 2 3 4",
	.examples = route_examples,
};
