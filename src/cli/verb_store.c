/* verb_store.c - workspaces, backup, check. */
#include "admin/backup.h"
#include "cli/administer.h"
#include "cli/verbs_admin.h"
#include "text/safe_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

static struct str path_absolute(struct cli *cli, struct str file)
{
	char here[4096] = "";

	if (str_starts(file, "/") || !getcwd(here, sizeof here)) return file;
	return arena_print(&cli->arena, "%s/%.*s", here, STR_ARGS(file));
}

/* By ourselves, not by the server: it may see another /tmp, and has other rights. */
static int backup_run(struct cli *cli)
{
	struct str file = args_word(&cli->args, 0), path = path_absolute(cli, file);
	struct fault why = { 0 };

	if (access(path.at, F_OK) == 0)
		return CLI_USAGE(cli, "cli.backup.exists", { "file", file });
	if (store_backup(cli->settings.store, path.at, &why))
		return why.err == ERR_NOT_FOUND
			       ? CLI_USAGE(cli, "cli.admin.no_store",
					 { "file", str_from(cli->settings.store, 7) })
			       : cli_fail(cli, &why);
	SAY("cli.backup.done", { "file", file });
	return EXIT_YES;
}

static bool file_copy(const char *from, const char *to)
{
	char bytes[65536];
	ssize_t n = -1;
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	while (out >= 0 && (n = read(in, bytes, sizeof bytes)) > 0)
		if (write(out, bytes, (size_t)n) != n) {
			n = -1;
			break;
		}
	if (in >= 0) close(in);
	if (out >= 0) n = close(out) == 0 ? n : -1;
	return n == 0;
}

/* A file is checked as a copy: it may lie where nothing can be written beside it, and must
 * stay as it is. */
static int file_check(struct cli *cli, struct str file, const struct json **reply)
{
	const char *tmp = getenv("TMPDIR");
	char folder[4096], copy[4200];
	struct str store = arena_print(&cli->arena, "sqlite:%.*s", STR_ARGS(file));
	int status;

	if (store_missing(store))
		return CLI_USAGE(cli, "cli.admin.no_store", { "file", file });
	snprintf(folder, sizeof folder, "%s/parley-check-XXXXXX",
		tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(folder) || (snprintf(copy, sizeof copy, "%s/parley.db", folder),
					!file_copy(file.at, copy))) {
		struct fault why = { 0 };

		fail(&why, ERR_INVALID, "%s: %s", file.at, strerror(errno));
		return cli_fail(cli, &why);
	}
	file_copy(arena_print(&cli->arena, "%s-wal", file.at).at,
		arena_print(&cli->arena, "%s-wal", copy).at);
	cli->settings.store = arena_print(&cli->arena, "sqlite:%s", copy);
	cli->settings.data = str_of(arena_copy(&cli->arena, str_of(folder)));
	status = administer(cli, "POST", STR("/v1/check"), STR_NONE, reply);
	static const char *const tails[] = { "", "-wal", "-shm", ".lock" };
	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
		unlink(arena_print(&cli->arena, "%s%s", copy, tails[i]).at);
	rmdir(folder);
	return status;
}

static int check_run(struct cli *cli)
{
	const struct json *reply = NULL;
	struct str file = args_word(&cli->args, 0);
	int status = file.len > 0 ? file_check(cli, path_absolute(cli, file), &reply)
				  : administer(cli, "POST", STR("/v1/check"), STR_NONE,
					    &reply);
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
	.makes_store = true,
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
	.words = "[FILE]",
	.words_max = 1,
	.flags = json_flags,
	.settings = SETTINGS_STORE,
	.exits = "0 1 2 3",
};
