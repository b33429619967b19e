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
	struct fault why = { 0 };

	project_say_here(cli);
	if (client.at) return config_print(cli, client);
	term_watch(&cli->term);
	setup.stop_fd = cli->term.stop_fd;
	return bridge_run(&setup, &why) == BRIDGED_STOPPED ? term_stopped() : EXIT_YES;
}

bool mcp_named(struct str name)
{
	bool fits = name.len > 0 && name.len <= 40 && name.at[0] != '-' &&
		    name.at[name.len - 1] != '-';

	for (size_t i = 0; i < name.len; i++)
		fits &= strchr("abcdefghijklmnopqrstuvwxyz0123456789-", name.at[i]) !=
			NULL;
	return fits;
}

/* Is the name free for a server that is started here? The desk may be away: then it is told later. */
static int name_check(struct cli *cli, const struct bridge_setup *setup)
{
	const struct header headers[] = { { "Parley-Transport: ", STR("local") }, { 0 } };
	struct fault why = { 0 };
	struct client *client = server_open(cli, &why);
	struct api_reply r = { 0 };
	struct str wrong = STR_NONE;

	if (!client) return EXIT_YES;
	client_call(client,
		&(struct api_call){ .method = "POST",
			.path = setup->path,
			.headers = headers,
			.body = STR(
				"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"parley/tools\"}") },
		&cli->arena, &r, &why);
	client_free(client);
	if (r.status >= 400 && r.status < 500 && r.status != 429)
		return cli_fail(cli, &why);
	wrong = json_text_of(json_get(r.json, "error"), "message");
	return wrong.len ? CLI_USAGE(cli, "cli.mcp_gateway.desk",
				   { "name", cli_word(cli, 0) })
			 : EXIT_YES;
}

static int gateway_run(struct cli *cli)
{
	struct str name = cli_word(cli, 0);
	struct bridge_setup setup = { .open = server_open,
		.ctx = cli,
		.path = arena_print(&cli->arena, "/mcp/%.*s", STR_ARGS(name)),
		.gate = true,
		.session = str_of(getenv("PARLEY_SESSION")),
		.command = cli->args.words_len > 1 ? cli->args.words + 1 : NULL,
		.in_fd = STDIN_FILENO,
		.out_fd = STDOUT_FILENO };
	struct fault why = { 0 };
	int wrong;

	if (!mcp_named(name))
		return CLI_USAGE(cli, "cli.mcp_gateway.name", { "name", name });
	project_say_here(cli);
	wrong = setup.command ? name_check(cli, &setup) : EXIT_YES;
	if (wrong) return wrong;
	term_watch(&cli->term);
	setup.stop_fd = cli->term.stop_fd;
	switch (bridge_run(&setup, &why)) {
	case BRIDGED_STOPPED: return term_stopped();
	case BRIDGED_SERVER_ENDED: return why.err ? cli_fail(cli, &why) : EXIT_NO;
	case BRIDGED_ENDED: break;
	}
	return EXIT_YES;
}

static const struct flag gateway_flags[] = { { "project", "NAME" }, { 0 } };

static const struct flag flags[] = { { "print-config", "CLIENT" }, { "strict" },
	{ "host", "SESSION" }, { "project", "NAME" }, { 0 } };

const struct command mcp_verbs[] = {
	{ "mcp", mcp_run, NULL, 0, 0, flags, CLIENT, "0 2 130",
		"claude mcp add parley -- parley mcp\n"
		"parley mcp --print-config codex >> ~/.codex/config.toml\n"
		"parley mcp --print-config claude --url https://desk.example.org > .mcp.json" },
	{ "mcp-gateway", gateway_run, "NAME [-- COMMAND…]", 1, WORDS_MANY, gateway_flags,
		CLIENT, "0 1 2 130",
		"claude mcp add github -- parley mcp-gateway github\n"
		"claude mcp add files -- parley mcp-gateway files -- mcp-server-filesystem ." },
	{ 0 },
};
