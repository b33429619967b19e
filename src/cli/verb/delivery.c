/* delivery.c - delivery list, delivery replay, webhook secret. */
#include "cli/administer.h"
#include "cli/verb/verbs_admin.h"
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

static const struct flag list_flags[] = {
	{ .name = "status", .value = "STATUS", .values = "waiting done dead" }, { 0 }
};
static const struct flag secret_flags[] = { { .name = "rotate" }, { 0 } };
static const char *const list_examples[] = { "parley delivery list --status dead", NULL };
static const char *const replay_examples[] = { "parley delivery replay dlv_01jc…", NULL };
static const char *const secret_examples[] = { "parley webhook secret",
	"parley webhook secret --rotate", NULL };

const struct command verb_delivery_list = {
	.name = "delivery list",
	.run = list_run,
	.flags = list_flags,
	.also = admin_flags,
	.settings = SETTINGS_STORE,
	.exits = "0 2 3",
	.examples = list_examples,
};

const struct command verb_delivery_replay = {
	.name = "delivery replay",
	.run = replay_run,
	.words = "ID",
	.flags = admin_flags,
	.settings = SETTINGS_STORE,
	.exits = "0 1 2 3 5",
	.examples = replay_examples,
};

const struct command verb_webhook_secret = {
	.name = "webhook secret",
	.run = secret_run,
	.flags = secret_flags,
	.also = admin_flags,
	.settings = SETTINGS_STORE,
	.exits = "0 2 3",
	.examples = secret_examples,
};
