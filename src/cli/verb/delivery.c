/* delivery.c - delivery list, delivery replay, webhook secret. */
#include "cli/resource.h"
#include "cli/verb/users.h"
#include "cli/verb/verbs.h"

#include <stdio.h>

/* Where it went. A contact without a name is whose it is. */
static struct str target_cell(struct cli *cli, const struct json *d)
{
	static struct json people; /* read once */
	struct str target = reply_text(cli, d, "target");
	const struct json *user;

	if (!str_starts(target, "con_") || !json_text_of(d, "user").len) return target;
	if (!people.count) people = cli_call_all(cli, str_of(users.path));
	user = resource_find(&people, json_text_of(d, "user"));
	return user ? reply_text(cli, user, "name") : target;
}

static void delivery_print(struct cli *cli, const struct json *d)
{
	struct str target = target_cell(cli, d);
	struct str error = reply_text(cli, d, "last_error");
	const struct json *attempts = json_get(d, "attempts");

	printf("%.*s  %-7.*s  %-7.*s  %2lld  %.*s%s%.*s\n",
		STR_ARGS(json_text_of(d, "id")), STR_ARGS(json_text_of(d, "status")),
		STR_ARGS(json_text_of(d, "kind")),
		attempts ? (long long)attempts->integer : 0, STR_ARGS(target),
		error.len ? "  " : "", STR_ARGS(error));
}

static const struct table_column delivery_columns[] = { { "cli.list.id", 0, "id",
								.kind = CELL_ID },
	{ "cli.list.status", 0, "status", .words = "cli.delivery.status" },
	{ "cli.list.kind", 0, "kind" },
	{ "cli.delivery.attempts", -1, "attempts", .kind = CELL_COUNT },
	{ "cli.delivery.target", .cell = target_cell },
	{ "cli.delivery.error", 0, "last_error" }, { 0 } };

static const struct resource deliveries = { "/v1/deliveries", "status",
	"cli.delivery.none", delivery_columns, delivery_print };

static const struct cli_request replay = { "POST", "/replay" };
static const struct request_member secret_members[] = {
	{ "rotate", .type = REQUEST_SWITCH }, { 0 }
};
static const struct cli_request secret = { "POST", "/v1/webhook-secret", secret_members,
	.prints = "secret" };

static const struct flag list_flags[] = {
	{ "status", "STATUS", "waiting done dead dropped" }, { 0 }
};
static const struct flag secret_flags[] = { { "rotate" }, { 0 } };
const struct command delivery_verbs[] = {
	{ "delivery list", resource_list, NULL, 0, 0, list_flags, STORE, "0 2 3",
		"parley delivery list --status dead", .also = admin_flags,
		.of = &deliveries },
	{ "delivery replay", request_run, "ID", 1, 1, admin_flags, STORE, "0 1 2 3 5",
		"parley delivery replay dlv_01jc…", .of = &deliveries, .does = &replay },
	{ "webhook secret", request_run, NULL, 0, 0, secret_flags, STORE, "0 2 3",
		"parley webhook secret\n"
		"parley webhook secret --rotate",
		.also = admin_flags, .does = &secret },
	{ 0 },
};
