/* delivery.c - delivery list, delivery replay, webhook secret. */
#include "cli/resource.h"
#include "cli/verb/verbs.h"

#include <stdio.h>

static void delivery_print(struct cli *cli, const struct json *d)
{
	struct str target = reply_text(cli, d, "target");
	struct str error = reply_text(cli, d, "last_error");
	const struct json *attempts = json_get(d, "attempts");

	printf("%.*s  %-7.*s  %-7.*s  %2lld  %.*s%s%.*s\n",
		STR_ARGS(json_text_of(d, "id")), STR_ARGS(json_text_of(d, "status")),
		STR_ARGS(json_text_of(d, "kind")),
		attempts ? (long long)attempts->integer : 0, STR_ARGS(target),
		error.len ? "  " : "", STR_ARGS(error));
}

static const struct resource deliveries = { "/v1/deliveries", "status",
	"cli.delivery.none", .print = delivery_print };

static int replay_run(struct cli *cli)
{
	struct str path = resource_path(cli, &deliveries, cli_word(cli, 0), "/replay");

	return cli_call(cli, "POST", path, STR("{}"), NULL);
}

static int secret_run(struct cli *cli)
{
	bool rotate = cli_has(cli, "rotate");
	const struct json *reply;
	int status = cli_call(cli, "POST", STR("/v1/webhook-secret"),
		rotate ? STR("{\"rotate\":true}") : STR("{}"), &reply);

	if (!status && !as_json(cli))
		printf("%.*s\n", STR_ARGS(json_text_of(reply, "secret")));
	return reply_done(cli, status, reply);
}

static const struct flag list_flags[] = { { "status", "STATUS", "waiting done dead" },
	{ 0 } };
static const struct flag secret_flags[] = { { "rotate" }, { 0 } };
const struct command delivery_verbs[] = {
	{ "delivery list", resource_list, NULL, 0, 0, list_flags, STORE, "0 2 3",
		"parley delivery list --status dead", .also = admin_flags,
		.of = &deliveries },
	{ "delivery replay", replay_run, "ID", 1, 1, admin_flags, STORE, "0 1 2 3 5",
		"parley delivery replay dlv_01jc…" },
	{ "webhook secret", secret_run, NULL, 0, 0, secret_flags, STORE, "0 2 3",
		"parley webhook secret\n"
		"parley webhook secret --rotate",
		.also = admin_flags },
	{ 0 },
};
