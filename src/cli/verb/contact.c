/* contact.c - parley contact: where one is reached. */
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

static int contact_shown(struct cli *cli, const struct json *contact)
{
	if (!as_json(cli)) contact_print(cli, contact);
	return reply_done(cli, contact);
}

/* The Slack account with this e-mail address, or with the one that is known of the caller. */
static struct str account_find(
	struct cli *cli, const struct resource *of, struct str email)
{
	const struct json *found =
		cli_call(cli, "POST", resource_path(cli, of, STR("lookup"), ""),
			BODY(cli, { "channel", cli_word(cli, 1) }, { "email", email }));
	struct str address = json_text_of(found, "address");

	SAY("cli.contact.found", { "name", reply_text(cli, found, "name") },
		{ "id", address }, { "email", reply_text(cli, found, "email") });
	return address;
}

static int contact_add(struct cli *cli, const struct resource *of)
{
	struct str channel = cli_word(cli, 1), address = cli_word(cli, 2);

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
static int contact_verify(struct cli *cli, const struct resource *of)
{
	const struct json *page = cli_call_get(cli, str_of(of->path));
	struct str waits = STR_NONE;

	for (const struct json *item = NULL; json_each(json_get(page, "items"), &item);)
		if (!json_is(json_get(item, "verified"), JSON_TRUE))
			waits = json_text_of(item, "id");
	if (!waits.len) return CLI_USAGE(cli, "cli.contact.verify");
	return contact_shown(
		cli, cli_call(cli, "POST", resource_path(cli, of, waits, "/verify"),
			     BODY(cli, { "code", .text = cli_word(cli, 1) })));
}

/* Sends a test, waits, and says what became of it. */
static int contact_test(struct cli *cli, const struct resource *of)
{
	const struct json *delivery = cli_call(cli, "POST",
		resource_path(cli, of, cli_word(cli, 1), "/test"), STR("{}"));
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

static int contact_remove(struct cli *cli, const struct resource *of)
{
	cli_call(cli, "DELETE", resource_path(cli, of, cli_word(cli, 1), ""), STR_NONE);
	return CLI_SAY(EXIT_YES, "cli.contact.removed");
}

/* Whose contacts: one's own, or those of the team that --team names. */
static struct resource contacts_of(struct cli *cli)
{
	struct resource of = { "/v1/me/contacts", NULL, "cli.contact.none",
		.print = contact_print, .list = LIST_PAGE };
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

static int contact_run(struct cli *cli)
{
	static const struct {
		const char *word;
		int (*run)(struct cli *, const struct resource *);
	} verbs[] = { { "list", resource_list_of }, { "add", contact_add },
		{ "verify", contact_verify }, { "test", contact_test },
		{ "remove", contact_remove } };
	struct str verb = cli_word(cli, 0).len ? cli_word(cli, 0) : STR("list");
	struct resource of = contacts_of(cli);
	bool alone = str_is(verb, "list") || str_is(verb, "add");

	if (!alone && !cli_word(cli, 1).len)
		return CLI_USAGE(cli, "cli.contact.word", { "verb", verb });
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (str_is(verb, verbs[i].word)) return verbs[i].run(cli, &of);
	return CLI_USAGE(cli, "cli.contact.verb", { "verb", verb });
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
		"[list|add CHANNEL [ADDRESS]|verify CODE|test ID|remove ID]", 0, 3,
		contact_flags, CLIENT, "0 1 2 3 4 5",
		"parley contact\n"
		"parley contact add webhook https://ntfy.example/parley --format ntfy\n"
		"parley contact add command phone\n"
		"parley contact add slack\n"
		"parley contact add slack C0123ABCD --team ops" },
	{ 0 },
};
