/* verb_store.c - workspaces, backup, check. */
#include "cli/administer.h"
#include "cli/verbs_admin.h"
#include "text/safe_text.h"

#include <stdio.h>
#include <unistd.h>

static int workspace_create_run(struct cli *cli)
{
	const struct json *reply = NULL;
	struct str body = arena_print(&cli->arena, "{\"name\":%.*s}",
		STR_ARGS(text_json(cli, args_word(&cli->args, 0))));
	int status = administer(cli, "POST", STR("/v1/workspaces"), body, &reply);

	if (status) return status;
	if (args_have(&cli->args, "json"))
		print_json(reply);
	else
		printf("%.*s%.*s\n", STR_ARGS(administer_url(cli)),
			STR_ARGS(json_text(json_get(reply, "login"))));
	return EXIT_YES;
}

static int workspace_list_run(struct cli *cli)
{
	const struct json *reply = NULL, *items;
	int status = administer(cli, "GET", STR("/v1/workspaces"), STR_NONE, &reply);

	if (status) return status;
	if (args_have(&cli->args, "json")) {
		print_json(reply);
		return EXIT_YES;
	}
	items = json_get(reply, "items");
	for (uint32_t i = 0; items && i < items->count; i++) {
		struct str name = json_text(json_get(&items->items[i], "name"));

		printf("%.*s\n", STR_ARGS(safe_line(&cli->arena, name)));
	}
	return EXIT_YES;
}

static int backup_run(struct cli *cli)
{
	struct str file = args_word(&cli->args, 0);
	const struct json *reply = NULL;
	char here[4096] = "";
	struct str path = file;

	if (!str_starts(file, "/")) {
		if (!getcwd(here, sizeof here)) return EXIT_NO_SERVER;
		path = arena_print(&cli->arena, "%s/%.*s", here, STR_ARGS(file));
	}
	if (access(path.at, F_OK) == 0)
		return CLI_USAGE(cli, "cli.backup.exists", { "file", file });
	return administer(cli, "POST", STR("/v1/backup"),
		arena_print(
			&cli->arena, "{\"path\":%.*s}", STR_ARGS(text_json(cli, path))),
		&reply);
}

static int check_run(struct cli *cli)
{
	const struct json *reply = NULL;
	int status = administer(cli, "POST", STR("/v1/check"), STR_NONE, &reply);
	bool ok;

	if (status) return status;
	ok = json_is(json_get(reply, "ok"), JSON_TRUE);
	if (args_have(&cli->args, "json"))
		print_json(reply);
	else if (ok)
		printf("%s\n", msg_count(&cli->arena, "cli.check.ok",
				       json_get(reply, "events")->integer)
				       .at);
	else
		printf("%s\n", MSG(&cli->arena, "cli.check.bad",
				       { "detail", json_text(json_get(reply, "detail")) })
				       .at);
	return ok ? EXIT_YES : EXIT_NO;
}

static const struct flag json_flags[] = { { .name = "json" }, { 0 } };
static const char *const backup_examples[] = { "parley backup parley-$(date +%F).db",
	NULL };

const struct command verb_workspace_create = {
	.name = "workspace create",
	.run = workspace_create_run,
	.words = "NAME",
	.words_min = 1,
	.words_max = 1,
	.flags = json_flags,
	.settings = SETTINGS_STORE,
	.exits = "0 1 2 3",
};

const struct command verb_workspace_list = {
	.name = "workspace list",
	.run = workspace_list_run,
	.flags = json_flags,
	.settings = SETTINGS_STORE,
	.exits = "0 2 3",
};

const struct command verb_backup = {
	.name = "backup",
	.run = backup_run,
	.words = "FILE",
	.words_min = 1,
	.words_max = 1,
	.flags = json_flags,
	.settings = SETTINGS_STORE,
	.exits = "0 2 3",
	.examples = backup_examples,
};

const struct command verb_check = {
	.name = "check",
	.run = check_run,
	.flags = json_flags,
	.settings = SETTINGS_STORE,
	.exits = "0 1 2 3",
};
