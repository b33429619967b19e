/* agents.c - agent list, show, test, import, remove: the agents that Parley runs. */
#include "cli/agentfile/agent_markdown.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "core/run/agent.h"
#include "core/run/provider.h"
#include "text/safe_text.h"

/* ---- list ---- */

static const struct table_column columns[] = { { "cli.list.name", 20, "name" },
	{ "cli.agents.provider", 16, "provider" }, { "cli.agents.model", 28, "model" },
	{ "cli.agents.state", 0, .cell = state_cell }, { 0 } };

static const struct resource own_agents = { "/v1/agents", NULL, "cli.agents.none",
	columns };

/* ---- import ---- */

/* The provider to use when the file names none: the first there is. */
static struct str provider_first(struct cli *cli)
{
	struct json all = cli_call_all(cli, STR("/v1/providers"));

	return all.count ? json_text_of(&all.items[0], "name") : STR_NONE;
}

/* Names that other programs have for models, and none at all. */
static struct str model_named(struct str model, struct str provider)
{
	static const char *const lines[][2] = { { "sonnet", "claude-sonnet-" },
		{ "opus", "claude-opus-" }, { "haiku", "claude-haiku-" } };

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (str_is(model, lines[i][0]))
			return known_model_newest(lines[i][1], "");
	if (model.len && !str_is(model, "inherit")) return model;
	for (const struct usual_provider *u = usual_providers; u->name; u++)
		if (str_is(provider, u->name)) return model_wire_usual_model(u);
	return model;
}

/* Tools of another program are not ours: they are left out, and said so. */
static struct str tools_own(struct cli *cli, struct str list)
{
	struct str one, own = STR_NONE, lost = STR_NONE, *to;

	while (str_cut(&list, ',', &one)) {
		one = str_trim(one);
		to = agent_tool_valid(one) ? &own : &lost;
		if (one.len)
			*to = arena_print(&cli->arena, "%.*s%s%.*s", STR_ARGS(*to),
				to->len ? ", " : "", STR_ARGS(one));
	}
	if (lost.len)
		SAY("cli.agents.tools_lost", { "tools", safe_line(&cli->arena, lost) });
	return own;
}

static enum err markdown_body(
	struct cli *cli, struct str text, struct str *out, struct fault *why)
{
	struct str said = cli_arg(cli, "provider"), provider, tools;
	struct agent_markdown m;
	enum err e = agent_markdown_read(text, &cli->arena, &m, why);

	if (e) return e;
	provider = said.len ? said : m.provider.len ? m.provider : provider_first(cli);
	said = cli_arg(cli, "model");
	tools = tools_own(cli, m.tools);
	*out = BODY(cli, { "name", m.name }, { "description", m.description },
		{ "provider", provider },
		{ "model", model_named(said.len ? said : m.model, provider) },
		{ "effort", m.effort }, { "prompt", m.prompt },
		{ "tools", .list = tools, .raw = STR("[]") });
	return OK;
}

/* Over the one that is there, or new. */
static int agent_put(struct cli *cli, const struct json *agent)
{
	struct str name = json_text_of(agent, "name");
	/* What the server adds when it shows one is left out. */
	static const char shown[] =
		"id source version model_now price retires_at runnable why default program cwd mode "
		"created_at updated_at";
	struct json all = cli_call_all(cli, str_of(own_agents.path));
	const struct json *version = json_get(resource_find(&all, name), "version");
	const struct body_member more[] = { { "version", .json = version }, { 0 } };
	const struct json *reply = cli_call(cli, version ? "PATCH" : "POST",
		version ? resource_path(cli, &own_agents, name, "")
			: str_of(own_agents.path),
		request_without(&cli->arena, agent, shown, more));

	if (!as_json(cli))
		SAY(version ? "cli.agents.changed" : "cli.agents.made",
			{ "name", json_text_of(reply, "name") });
	return reply_done(cli, reply);
}

static int agents_import_run(struct cli *cli)
{
	struct fault why = { 0 };
	const struct json *agent = NULL;
	struct str text;
	enum err e = OK;

	if (!file_whole(cli, cli_word(cli, 0), &text, &why)) return cli_fail(cli, &why);
	if (!str_starts(str_trim(text), "{")) e = markdown_body(cli, text, &text, &why);
	if (!e) e = json_read(text, NULL, &cli->arena, &agent, &why);
	return e ? cli_fail(cli, &why) : agent_put(cli, agent);
}

/* ---- commands ---- */

static const struct flag import_flags[] = { { "provider", "NAME" }, { "model", "MODEL" },
	{ "workspace", "NAME" }, { "json" }, { 0 } };

const struct command agents_verbs[] = {
	{ "agent list", resource_list, NULL, 0, 0, admin_flags, EITHER | SERVED,
		"0 2 3 4", "parley agent list", .of = &own_agents },
	{ "agent show", resource_show, "AGENT", 1, 1, admin_flags, EITHER | SERVED,
		"0 2 3 4 5", "parley agent show assistant", .of = &own_agents },
	{ "agent test", resource_test, "AGENT", 1, 1, admin_flags, EITHER | SERVED,
		"0 1 2 3 4 5", "parley agent test assistant", .of = &own_agents },
	{ "agent import", agents_import_run, "FILE", 1, 1, import_flags, EITHER | SERVED,
		"0 1 2 3 4",
		"parley agent import researcher.md\n"
		"parley agent import researcher.md --provider anthropic \\\n"
		"      --model claude-sonnet-5" },
	{ "agent remove", resource_remove, "AGENT", 1, 1, admin_flags, EITHER | SERVED,
		"0 1 2 3 4 5", "parley agent remove researcher", .of = &own_agents },
	{ 0 },
};
