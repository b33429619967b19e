/* mcp_servers.c - mcp-server list, show, add, test, accept, remove: MCP servers that agents use. */
#include <stdio.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/keep.h"
#include "cli/outcome.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"

static struct str tools_cell(struct cli *cli, const struct json *server)
{
	const struct json *tools = json_get(server, "tools"), *one = NULL;
	size_t on = 0, off = 0;

	while (json_each(tools, &one))
		json_is(json_get(one, "enabled"), JSON_TRUE) ? on++ : off++;
	return off ? arena_print(&cli->arena, "%zu +%zu", on, off)
		   : arena_print(&cli->arena, "%zu", on);
}

static struct str where_cell(struct cli *cli, const struct json *server)
{
	const struct json *url = json_get(server, "url");

	return reply_text(cli, server, json_is(url, JSON_STRING) ? "url" : "command");
}

static const struct table_column columns[] = { { "cli.list.name", 20, "name" },
	{ "cli.mcp_servers.status", 13, "status", .words = "web.mcp.status" },
	{ "cli.mcp_servers.tools", 8, .cell = tools_cell },
	{ "cli.mcp_servers.where", 0, .cell = where_cell }, { 0 } };

static const struct resource servers = { "/v1/mcp-servers", NULL, "cli.mcp_servers.none",
	columns };

static const struct json *server_add(
	struct cli *cli, struct str name, struct str url, struct str bearer)
{
	return cli_call(cli, "POST", str_of(servers.path),
		BODY(cli, { "name", name }, { "url", url }, { "bearer", bearer },
			{ "trust", .yes = cli_has(cli, "trust") }));
}

/* The token of --bearer-file; ends the program when it cannot be read. */
static struct str bearer_read(struct cli *cli)
{
	struct str file = cli_arg(cli, "bearer-file");

	return file.len ? str_trim(resource_file(cli, file)) : STR_NONE;
}

static int server_add_run(struct cli *cli)
{
	struct str name = cli_word(cli, 0);
	const struct json *reply =
		server_add(cli, name, cli_word(cli, 1), bearer_read(cli));

	if (!as_json(cli)) SAY("cli.mcp_servers.made", { "name", name });
	return reply_done(cli, reply);
}

/* ---- test ---- */

static int server_test(struct cli *cli, struct str id)
{
	struct str tool = cli_arg(cli, "call"), arguments = cli_word(cli, 1);
	struct str call = STR_NONE;
	const struct json *read;
	struct fault why = { 0 };

	if (arguments.len && json_read(arguments, NULL, &cli->arena, &read, &why))
		return cli_fail(cli, &why);
	if (tool.len)
		call = BODY(cli, { "name", tool }, { "arguments", .raw = arguments });
	return resource_checks(
		cli, cli_call(cli, "POST", resource_path(cli, &servers, id, "/test"),
			     BODY(cli, { "call", .raw = call })));
}

/* An address is added for as long as the test takes. */
static int server_test_run(struct cli *cli)
{
	struct str which = cli_word(cli, 0);
	uint8_t bytes[4];
	char name[32] = "test-";
	const struct json *made;
	int end;

	if (!str_starts(which, "http://") && !str_starts(which, "https://"))
		return server_test(cli, which);
	random_bytes(NULL, bytes, sizeof bytes);
	hex_write(bytes, sizeof bytes, name + 5);
	made = server_add(cli, str_of(name), which, bearer_read(cli));
	if (cli_has(cli, "call"))
		cli_call(cli, "POST",
			resource_path(cli, &servers, json_text_of(made, "id"), "/test"),
			STR("{}"));
	end = server_test(cli, json_text_of(made, "id"));
	cli_call(cli, "DELETE",
		resource_path(cli, &servers, json_text_of(made, "id"), ""), STR_NONE);
	return end;
}

/* ---- accept ---- */

static bool tool_named(struct cli *cli, struct str name)
{
	for (size_t i = 1; i < cli->args.words_len; i++)
		if (str_eq(cli_word(cli, i), name)) return true;
	return false;
}

/* Those that are named; without names all that wait and hide nothing. */
static struct str tools_waiting(
	struct cli *cli, const struct json *server, struct str risk, size_t *len)
{
	const struct json *one = NULL;
	struct buf b = { .max = 1 << 20 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	while (json_each(json_get(server, "tools"), &one)) {
		bool waits = !str_is(json_text_of(one, "state"), "accepted") &&
			     !json_text_of(one, "why").len &&
			     !json_is(json_get(one, "hidden"), JSON_TRUE);

		if (cli->args.words_len > 1 ? !tool_named(cli, json_text_of(one, "name"))
					    : !waits)
			continue;
		jw_object(&w);
		jw_put_json(&w, "name", json_get(one, "name"));
		jw_put_json(&w, "digest", json_get(one, "digest"));
		jw_put_some(&w, "risk", risk);
		jw_object_end(&w);
		++*len;
	}
	jw_array_end(&w);
	return buf_keep_done(&b, &cli->arena);
}

static int server_accept_run(struct cli *cli)
{
	struct str name = cli_word(cli, 0);
	const struct json *server =
		cli_call_get(cli, resource_path(cli, &servers, name, ""));
	size_t len = 0;
	struct str tools = tools_waiting(cli, server, cli_arg(cli, "risk"), &len);

	if (cli->args.words_len > 1 && len < cli->args.words_len - 1)
		return CLI_SAY(
			EXIT_UNKNOWN_ID, "cli.mcp_servers.no_tool", { "name", name });
	if (len)
		server = cli_call(cli, "POST",
			resource_path(cli, &servers, name, "/accept"),
			BODY(cli, { "tools", .raw = tools }));
	if (!as_json(cli))
		SAY("cli.mcp_servers.accepted",
			{ "n", arena_print(&cli->arena, "%zu", len) }, { "name", name });
	return reply_done(cli, server);
}

/* ---- commands ---- */

static const struct flag add_flags[] = { { "bearer-file", "FILE" }, { "trust" },
	{ "workspace", "NAME" }, { "json" }, { 0 } };
static const struct flag test_flags[] = { { "call", "TOOL" }, { "bearer-file", "FILE" },
	{ "workspace", "NAME" }, { "json" }, { 0 } };
static const struct flag accept_flags[] = { { "risk", "RISK",
						    "low medium high critical" },
	{ "workspace", "NAME" }, { "json" }, { 0 } };

const struct command mcp_servers_verbs[] = {
	{ "mcp-server list", resource_list, NULL, 0, 0, admin_flags, EITHER | SERVED,
		"0 2 3 4", "parley mcp-server list", .of = &servers },
	{ "mcp-server show", resource_show, "NAME", 1, 1, admin_flags, EITHER | SERVED,
		"0 2 3 4 5", "parley mcp-server show github", .of = &servers },
	{ "mcp-server add", server_add_run, "NAME URL", 2, 2, add_flags, EITHER | SERVED,
		"0 1 2 3 4",
		"parley mcp-server add github https://mcp.example.org/mcp \\\n"
		"      --bearer-file - < token.txt" },
	{ "mcp-server test", server_test_run, "NAME|URL [JSON]", 1, 2, test_flags,
		EITHER | SERVED, "0 1 2 3 4 5",
		"parley mcp-server test github\n"
		"parley mcp-server test github --call get_issue '{\"id\": 7}'" },
	{ "mcp-server accept", server_accept_run, "NAME [TOOL…]", 1, WORDS_MANY,
		accept_flags, EITHER | SERVED, "0 1 2 3 4 5",
		"parley mcp-server accept github\n"
		"parley mcp-server accept github close_issue --risk medium" },
	{ "mcp-server remove", resource_remove, "NAME", 1, 1, admin_flags,
		EITHER | SERVED, "0 1 2 3 4 5", "parley mcp-server remove github",
		.of = &servers },
	{ 0 },
};
