/* contact.c - parley contact: where one is reached. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/outcome.h"
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

enum { TEST_MS = 30 * 1000, TEST_LOOK_US = 200 * 1000 };

/* One call of somebody who is logged in. */
struct contact_call {
	struct cli *cli;
	struct str base; /* "/v1/me/contacts", or a team's */
	struct client *client;
	struct api_reply reply;
};

static int call(
	struct contact_call *c, const char *method, struct str path, struct str body)
{
	return cli_call(c->cli, c->client, method, path, body, &c->reply, NULL);
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

static const char *contact_state(const struct json *c)
{
	if (json_is(json_get(c, "broken"), JSON_OBJECT)) return "cli.contact.broken";
	if (!json_is(json_get(c, "verified"), JSON_TRUE)) return "cli.contact.unverified";
	if (json_is(json_get(c, "muted"), JSON_TRUE)) return "cli.contact.muted";
	return json_is(json_get(c, "tested"), JSON_TRUE) ? "cli.contact.works"
							 : "cli.contact.untested";
}

static void contact_print(struct cli *cli, const struct json *c)
{
	printf("%.*s  %-8.*s  %-14s  %.*s  %.*s\n", STR_ARGS(line_of(cli, c, "id")),
		STR_ARGS(line_of(cli, c, "channel")), msg_text(contact_state(c)),
		STR_ARGS(line_of(cli, c, "address")), STR_ARGS(line_of(cli, c, "name")));
}

static int contact_list(struct contact_call *c)
{
	int status = call(c, "GET", c->base, STR_NONE);
	const struct json *items;

	if (status != EXIT_YES) return status;
	items = json_get(c->reply.json, "items");
	if (as_json(c)) {
		json_print(c->reply.json);
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
		if (members[i].value.len)
			jw_put_str(&w, members[i].name, members[i].value);
	jw_object_end(&w);
	return contact_shown(
		c, call(c, "POST", c->base, buf_keep_done(&body, &c->cli->arena)));
}

static struct str contact_path(struct contact_call *c, struct str id, const char *end)
{
	return arena_print(&c->cli->arena, "%.*s/%.*s%s", STR_ARGS(c->base),
		STR_ARGS(str_first(id, 64)), end);
}

/* The newest that waits for a code. */
static int contact_verify(struct contact_call *c)
{
	struct arena *arena = &c->cli->arena;
	struct buf body = { .max = 4096 };
	struct json_writer w = { .out = &body };
	struct str waits = STR_NONE;
	int status = call(c, "GET", c->base, STR_NONE);
	const struct json *items = json_get(c->reply.json, "items");

	if (status != EXIT_YES) return status;
	for (uint32_t i = 0; items && i < items->count; i++)
		if (!json_is(json_get(&items->items[i], "verified"), JSON_TRUE))
			waits = arena_str(
				arena, json_text(json_get(&items->items[i], "id")));
	if (!waits.len) return CLI_USAGE(c->cli, "cli.contact.verify");
	jw_object(&w);
	jw_put_str(&w, "code", word(c, 1));
	jw_object_end(&w);
	return contact_shown(c, call(c, "POST", contact_path(c, waits, "/verify"),
					buf_keep_done(&body, arena)));
}

/* Sends a test, waits, and says what became of it. */
static int contact_test(struct contact_call *c, struct str id)
{
	struct arena *arena = &c->cli->arena;
	int status = call(c, "POST", contact_path(c, id, "/test"), STR("{}"));
	struct str path = arena_print(arena, "/v1/deliveries/%.*s",
		STR_ARGS(json_text(json_get(c->reply.json, "id"))));
	int64_t end_ms = clock_mono_ms() + TEST_MS;
	struct str state, error;

	do {
		if (status == EXIT_YES) status = call(c, "GET", path, STR_NONE);
		if (status != EXIT_YES) return status;
		state = json_text(json_get(c->reply.json, "status"));
		error = safe_line(
			arena, json_text(json_get(c->reply.json, "last_error")));
		if (!str_is(state, "waiting") || error.len) break;
		usleep(TEST_LOOK_US);
	} while (clock_mono_ms() < end_ms);
	if (as_json(c)) json_print(c->reply.json);
	if (str_is(state, "done")) {
		if (!as_json(c)) SAY("cli.contact.tested");
		return EXIT_YES;
	}
	if (!error.len)
		SAY("cli.contact.test.waits");
	else if (str_is(state, "waiting"))
		SAY("cli.contact.test.retried", { "error", error });
	else
		SAY("cli.contact.test.failed", { "error", error });
	return EXIT_NO;
}

static int contact_do(struct contact_call *c)
{
	struct str verb = word(c, 0), id = word(c, 1);
	int status;

	if (!verb.len || str_is(verb, "list")) return contact_list(c);
	if (str_is(verb, "add")) return contact_add(c);
	if (!id.len) return CLI_USAGE(c->cli, "cli.contact.word", { "verb", verb });
	if (str_is(verb, "verify")) return contact_verify(c);
	if (str_is(verb, "test")) return contact_test(c, id);
	if (str_is(verb, "remove")) {
		status = call(c, "DELETE", contact_path(c, id, ""), STR_NONE);
		if (status == EXIT_YES) SAY("cli.contact.removed");
		return status;
	}
	return CLI_USAGE(c->cli, "cli.contact.verb", { "verb", verb });
}

/* Whose contacts: one's own, or those of the team that --team names. */
static int base_find(struct contact_call *c)
{
	struct str name = args_get(&c->cli->args, "team");
	const struct json *items;
	int status;

	c->base = STR("/v1/me/contacts");
	if (!name.len) return EXIT_YES;
	status = call(c, "GET", STR("/v1/teams?limit=200"), STR_NONE);
	items = json_get(c->reply.json, "items");
	for (uint32_t i = 0; status == EXIT_YES && items && i < items->count; i++)
		if (str_eq(json_text(json_get(&items->items[i], "name")), name)) {
			c->base = arena_print(&c->cli->arena, "/v1/teams/%.*s/contacts",
				STR_ARGS(json_text(json_get(&items->items[i], "id"))));
			return EXIT_YES;
		}
	return status == EXIT_YES
		       ? CLI_USAGE(c->cli, "cli.contact.team", { "name", name })
		       : status;
}

static int contact_run(struct cli *cli)
{
	struct fault why = { 0 };
	struct contact_call c = { .cli = cli,
		.client = pick_client(cli, AS_PERSON, &why) };
	int status;

	if (!c.client) return cli_fail(cli, &why);
	status = base_find(&c);
	if (status == EXIT_YES) status = contact_do(&c);
	client_free(c.client);
	return status;
}

static const struct flag contact_flags[] = {
	{ "format", "FORMAT", "parley slack teams ntfy" },
	{ "name", "TEXT" },
	{ "team", "NAME" },
	{ "json" },
	{ 0 },
};
const struct command contact_verbs[] = {
	{ "contact", contact_run,
		"[list|add CHANNEL ADDRESS|verify CODE|test ID|remove ID]", 0, 3,
		contact_flags, SETTINGS_CLIENT, "0 1 2 3 4 5",
		"parley contact\n"
		"parley contact add webhook https://ntfy.example/parley --format ntfy\n"
		"parley contact add command phone\n"
		"parley contact add slack C0123ABCD --team ops" },
	{ 0 },
};
