/* contact.c - parley contact list, add, verify, test, remove: where one is reached. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"

enum { TEST_MS = 30 * 1000, TEST_LOOK_US = 200 * 1000 };

static struct str line_of(struct cli *cli, const struct json *json, const char *member)
{
	struct str text = reply_text(cli, json, member);

	return text.len ? text : STR("-");
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

static struct str state_words(struct cli *cli, const struct json *c)
{
	return MSG(&cli->arena, contact_state(c));
}

static const struct table_column contact_columns[] = { { "cli.list.id", 0, "id",
							       .kind = CELL_ID },
	{ "cli.contact.channel", 0, "channel" },
	{ "cli.agents.state", 0, .cell = state_words }, { "cli.list.name", 0, "name" },
	{ "cli.contact.address", 0, "address" }, { 0 } };

static int contact_shown(struct cli *cli, const struct json *contact)
{
	if (!as_json(cli)) contact_print(cli, contact);
	return reply_done(cli, contact);
}

/* Whose contacts: one's own, or those of the team that --team names. */
static struct resource contacts_of(struct cli *cli)
{
	struct resource of = { "/v1/me/contacts", NULL, "cli.contact.none",
		contact_columns, contact_print, .list = LIST_PAGE,
		.removed = "cli.contact.removed" };
	struct str name = cli_arg(cli, "team");
	const struct json *team;
	struct json all;

	cli_call_open(cli);
	if (!name.len) return of;
	all = cli_call_all(cli, STR("/v1/teams"));
	team = resource_find(&all, name);
	if (!team) CLI_REFUSE(cli, "cli.contact.team", { "name", name });
	of.path = path_with(cli, "/v1/teams/", json_text_of(team, "id"), "/contacts").at;
	return of;
}

/* The id of the contact that the first word names: its id, the start of it, or its name. */
static struct str contact_named(struct cli *cli, const struct resource *of)
{
	return json_text_of(resource_pick(cli, of, "contact", cli_word(cli, 0)), "id");
}

/* The Slack account with this e-mail address, or with the one that is known of the caller. */
static struct str account_find(
	struct cli *cli, const struct resource *of, struct str email)
{
	const struct json *found =
		cli_call(cli, "POST", resource_path(cli, of, STR("lookup"), ""),
			BODY(cli, { "channel", cli_word(cli, 0) }, { "email", email }));
	struct str address = json_text_of(found, "address");

	SAY("cli.contact.found", { "name", reply_text(cli, found, "name") },
		{ "id", address }, { "email", reply_text(cli, found, "email") });
	return address;
}

static int add_run(struct cli *cli)
{
	struct resource contacts = contacts_of(cli), *of = &contacts;
	struct str channel = cli_word(cli, 0), address = cli_word(cli, 1);

	if (str_is(channel, "slack") && !cli_arg(cli, "team").len &&
		(!address.len || str_find(address, STR("@")) >= 0))
		address = account_find(cli, of, address);
	if (!address.len) return CLI_USAGE(cli, "cli.contact.add");
	return contact_shown(
		cli, cli_call(cli, "POST", str_of(of->path),
			     BODY(cli, { "channel", channel }, { "address", address },
				     { "format", cli_arg(cli, "format") },
				     { "name", cli_arg(cli, "name") })));
}

/* The newest that waits for a code. */
static int verify_run(struct cli *cli)
{
	struct resource contacts = contacts_of(cli), *of = &contacts;
	const struct json *page = cli_call_get(cli, str_of(of->path));
	struct str waits = STR_NONE;

	for (const struct json *item = NULL; json_each(json_get(page, "items"), &item);)
		if (!json_is(json_get(item, "verified"), JSON_TRUE))
			waits = json_text_of(item, "id");
	if (!waits.len) return CLI_USAGE(cli, "cli.contact.verify");
	return contact_shown(
		cli, cli_call(cli, "POST", resource_path(cli, of, waits, "/verify"),
			     BODY(cli, { "code", .text = cli_word(cli, 0) })));
}

/* Sends a test, waits, and says what became of it. */
static int test_run(struct cli *cli)
{
	struct resource of = contacts_of(cli);
	const struct json *delivery = cli_call(cli, "POST",
		resource_path(cli, &of, contact_named(cli, &of), "/test"), STR("{}"));
	struct str path =
		path_with(cli, "/v1/deliveries/", json_text_of(delivery, "id"), "");
	int64_t end_ms = clock_mono_ms() + TEST_MS;
	struct str state, error;

	do {
		delivery = cli_call_get(cli, path);
		state = json_text_of(delivery, "status");
		error = reply_text(cli, delivery, "last_error");
		if (!str_is(state, "waiting") || error.len) break;
		usleep(TEST_LOOK_US);
	} while (clock_mono_ms() < end_ms);
	reply_done(cli, delivery);
	if (str_is(state, "done")) {
		if (!as_json(cli)) SAY("cli.contact.tested");
		return EXIT_YES;
	}
	SAY(!error.len			   ? "cli.contact.test.waits"
		: str_is(state, "waiting") ? "cli.contact.test.retried"
					   : "cli.contact.test.failed",
		{ "error", error });
	return EXIT_NO;
}

static int remove_run(struct cli *cli)
{
	struct resource of = contacts_of(cli);

	return resource_delete(cli, &of, contact_named(cli, &of));
}

static int list_run(struct cli *cli)
{
	struct resource of = contacts_of(cli);

	return resource_list_of(cli, &of);
}

static const struct flag add_flags[] = {
	{ "format", "FORMAT", "parley slack teams ntfy" }, { "name", "TEXT" }, { 0 }
};
static const struct flag contact_flags[] = { { "team", "NAME" }, { "json" }, { 0 } };

const struct command contact_verbs[] = {
	{ "contact list", list_run, NULL, 0, 0, contact_flags, CLIENT, "0 2 3 4",
		"parley contact list\n"
		"parley contact list --team ops" },
	{ "contact add", add_run, "CHANNEL [ADDRESS]", 1, 2, add_flags, CLIENT,
		"0 1 2 3 4 5",
		"parley contact add webhook https://ntfy.example/parley --format ntfy\n"
		"parley contact add command phone\n"
		"parley contact add slack\n"
		"parley contact add slack C0123ABCD --team ops",
		.also = contact_flags },
	{ "contact verify", verify_run, "CODE", 1, 1, contact_flags, CLIENT,
		"0 1 2 3 4 5", "parley contact verify 123456" },
	{ "contact test", test_run, "CONTACT", 1, 1, contact_flags, CLIENT, "0 1 2 3 4 5",
		"parley contact test phone" },
	{ "contact remove", remove_run, "CONTACT", 1, 1, contact_flags, CLIENT,
		"0 2 3 4 5", "parley contact remove phone" },
	{ 0 },
};
