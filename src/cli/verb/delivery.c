/* delivery.c - delivery list, delivery replay, webhook secret. */
#include "cli/administer.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

#include <stdio.h>

static void delivery_print(struct cli *cli, const struct json *d)
{
	struct str target = safe_line(&cli->arena, json_text(json_get(d, "target")));
	struct str error = safe_line(&cli->arena, json_text(json_get(d, "last_error")));
	const struct json *attempts = json_get(d, "attempts");

	printf("%.*s  %-7.*s  %-7.*s  %2lld  %.*s%s%.*s\n",
		STR_ARGS(json_text(json_get(d, "id"))),
		STR_ARGS(json_text(json_get(d, "status"))),
		STR_ARGS(json_text(json_get(d, "kind"))),
		attempts ? (long long)attempts->integer : 0, STR_ARGS(target),
		error.len ? "  " : "", STR_ARGS(error));
}

static int list_run(struct cli *cli)
{
	struct str status = args_get(&cli->args, "status");
	struct str path = arena_print(&cli->arena, "/v1/deliveries?limit=200%s%.*s",
		status.len ? "&status=" : "", STR_ARGS(status));
	const struct json **items;
	size_t len;
	int code = administer_list(cli, path, &items, &len);

	if (code) return code;
	if (args_have(&cli->args, "json")) return print_items(items, len), EXIT_YES;
	if (len == 0) SAY("cli.delivery.none");
	for (size_t i = 0; i < len; i++)
		delivery_print(cli, items[i]);
	return EXIT_YES;
}

static int replay_run(struct cli *cli)
{
	struct str path = arena_print(&cli->arena, "/v1/deliveries/%.*s/replay",
		STR_ARGS(args_word(&cli->args, 0)));
	const struct json *reply = NULL;

	return administer(cli, "POST", path, STR("{}"), &reply);
}

static int secret_run(struct cli *cli)
{
	bool rotate = args_have(&cli->args, "rotate");
	const struct json *reply = NULL;
	int code = administer(cli, "POST", STR("/v1/webhook-secret"),
		rotate ? STR("{\"rotate\":true}") : STR("{}"), &reply);

	if (code) return code;
	if (args_have(&cli->args, "json"))
		print_json(reply);
	else
		printf("%.*s\n", STR_ARGS(json_text(json_get(reply, "secret"))));
	return EXIT_YES;
}

static const struct flag list_flags[] = { { "status", "STATUS", "waiting done dead" },
	{ 0 } };
static const struct flag secret_flags[] = { { "rotate" }, { 0 } };
const struct command delivery_verbs[] = {
	{ "delivery list", list_run, NULL, 0, 0, list_flags, SETTINGS_STORE, "0 2 3",
		"parley delivery list --status dead", .also = admin_flags },
	{ "delivery replay", replay_run, "ID", 1, 1, admin_flags, SETTINGS_STORE,
		"0 1 2 3 5", "parley delivery replay dlv_01jc…" },
	{ "webhook secret", secret_run, NULL, 0, 0, secret_flags, SETTINGS_STORE, "0 2 3",
		"parley webhook secret\n"
		"parley webhook secret --rotate",
		.also = admin_flags },
	{ 0 },
};
