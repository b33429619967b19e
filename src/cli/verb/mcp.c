/* mcp.c - parley mcp. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/keep.h"
#include "cli/connect/connect.h"
#include "cli/pick_client.h"
#include "cli/project.h"
#include "cli/verb/verbs.h"
#include "client/bridge.h"

static int config_print(struct cli *cli, struct str client)
{
	const struct agent *a = agent_find(client);
	const struct agent_entry entry =
		connect_entry(cli, false, cli_arg(cli, "project"));
	struct buf names = { .max = 4096 };
	struct fault why = { 0 };
	struct str text;

	if (!a || !a->remote.file) {
		agents_write(&names, true);
		return CLI_USAGE(cli, "cli.mcp.client", { "client", client },
			{ "clients", buf_keep_done(&names, &cli->arena) });
	}
	if (agent_file_write(a, &entry, &cli->arena, &text, &why))
		return cli_fail(cli, &why);
	if (cli->term.err_tty) SAY("cli.mcp.file", { "file", str_of(a->remote.file) });
	fwrite(text.at, 1, text.len, stdout);
	return EXIT_YES;
}

static struct client *server_open(void *ctx, struct fault *why)
{
	return pick_client(ctx, AS_AGENT, why);
}

static int mcp_run(struct cli *cli)
{
	struct str client = cli_arg(cli, "print-config");
	struct bridge_setup setup = { .open = server_open,
		.ctx = cli,
		.path = cli_has(cli, "strict") ? STR("/mcp?strict=true") : STR("/mcp"),
		.host = cli_arg(cli, "host"),
		.in_fd = STDIN_FILENO,
		.out_fd = STDOUT_FILENO };

	project_say_here(cli);
	if (client.at) return config_print(cli, client);
	term_watch(&cli->term);
	setup.stop_fd = cli->term.stop_fd;
	return bridge_run(&setup) == BRIDGED_STOPPED ? term_stopped() : EXIT_YES;
}

/* What a server of the desk may be called. */
static bool server_named(struct str name)
{
	bool fits = name.len > 0 && name.len <= 40 && name.at[0] != '-' &&
		    name.at[name.len - 1] != '-';

	for (size_t i = 0; i < name.len; i++)
		fits &= strchr("abcdefghijklmnopqrstuvwxyz0123456789-", name.at[i]) !=
			NULL;
	return fits;
}

static int gateway_run(struct cli *cli)
{
	struct str name = cli_word(cli, 0);
	struct bridge_setup setup = { .open = server_open,
		.ctx = cli,
		.path = arena_print(&cli->arena, "/mcp/%.*s", STR_ARGS(name)),
		.gate = true,
		.session = str_of(getenv("PARLEY_SESSION")),
		.in_fd = STDIN_FILENO,
		.out_fd = STDOUT_FILENO };

	if (!server_named(name))
		return CLI_USAGE(cli, "cli.mcp_gateway.name", { "name", name });
	project_say_here(cli);
	term_watch(&cli->term);
	setup.stop_fd = cli->term.stop_fd;
	return bridge_run(&setup) == BRIDGED_STOPPED ? term_stopped() : EXIT_YES;
}

static const struct flag gateway_flags[] = { { "project", "NAME" }, { 0 } };

static const struct flag flags[] = { { "print-config", "CLIENT" }, { "strict" },
	{ "host", "SESSION" }, { "project", "NAME" }, { 0 } };

const struct command mcp_verbs[] = {
	{ "mcp", mcp_run, NULL, 0, 0, flags, CLIENT, "0 2 130",
		"claude mcp add parley -- parley mcp\n"
		"parley mcp --print-config codex >> ~/.codex/config.toml\n"
		"parley mcp --print-config claude --url https://desk.example.org > .mcp.json" },
	{ "mcp-gateway", gateway_run, "NAME", 1, 1, gateway_flags, CLIENT, "0 2 130",
		"claude mcp add github -- parley mcp-gateway github" },
	{ 0 },
};
