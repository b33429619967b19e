/* providers.c - provider list, add, test, prices, remove: who serves models. */
#include <stdio.h>

#include "base/keep.h"
#include "cli/outcome.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "core/run/provider.h"

enum { BATCH = 400 }; /* prices of a request */

static struct str key_cell(struct cli *cli, const struct json *provider)
{
	const struct json *key = json_get(provider, "key");
	struct str last4 = json_text_of(key, "last4");

	if (last4.len) return arena_print(&cli->arena, "…%.*s", STR_ARGS(last4));
	return json_is(json_get(key, "set"), JSON_TRUE) ? STR("set") : STR("-");
}

static const struct table_column columns[] = { { "cli.list.name", 20, "name" },
	{ "cli.providers.kind", 18, "kind" },
	{ "cli.providers.key", 10, .cell = key_cell },
	{ "cli.agents.state", 0, .cell = state_cell }, { 0 } };

static const struct resource providers = { "/v1/providers", NULL, "cli.providers.none",
	columns };

/* ---- add ---- */

static int providers_add_run(struct cli *cli)
{
	struct str name = cli_word(cli, 0), kind = cli_arg(cli, "kind");
	struct str file = cli_arg(cli, "key-file"), key = STR_NONE;
	struct fault why = { 0 };
	const struct json *reply;
	enum model_wire wire;

	if (!kind.len && model_wire_find(name, &wire)) kind = name;
	if (!kind.len) return CLI_USAGE(cli, "cli.providers.no_kind");
	if (file.len && !file_whole(cli, file, &key, &why)) return cli_fail(cli, &why);
	reply = cli_call(cli, "POST", str_of(providers.path),
		BODY(cli, { "name", name }, { "kind", kind },
			{ "url", cli_arg(cli, "provider-url") },
			{ "key", str_trim(key) }));
	if (!as_json(cli)) SAY("cli.providers.made", { "name", name });
	return reply_done(cli, reply);
}

/* ---- prices ---- */

static void prices_put(struct cli *cli, const struct provider_model *models, size_t len)
{
	struct buf body = { .max = 4 << 20 };
	struct json_writer w = { .out = &body };

	jw_object(&w);
	jw_put_array(&w, "items");
	for (const struct provider_model *m = models; m < models + len; m++) {
		jw_object(&w);
		jw_put_str(&w, "id", m->id);
		jw_key(&w, "context");
		m->context ? jw_int(&w, m->context) : jw_null(&w);
		jw_key(&w, "output");
		m->output ? jw_int(&w, m->output) : jw_null(&w);
		jw_key(&w, "price");
		price_write(&w, &m->price);
		jw_object_end(&w);
	}
	jw_array_end(&w);
	jw_object_end(&w);
	cli_call(cli, "PUT", STR("/v1/prices"), buf_keep_done(&body, &cli->arena));
}

static struct str price_cell(struct cli *cli, const struct json *model, const char *name)
{
	const struct json *price = json_get(json_get(model, "price"), name);

	return json_is(price, JSON_NUMBER)
		       ? arena_print(&cli->arena, "$%.*s", STR_ARGS(price->text))
		       : STR("-");
}

static struct str input_cell(struct cli *cli, const struct json *model)
{
	return price_cell(cli, model, "input");
}

static struct str output_cell(struct cli *cli, const struct json *model)
{
	return price_cell(cli, model, "output");
}

static const struct table_column price_columns[] = { { "cli.agents.model", 0, "id" },
	{ "cli.providers.context", -1, "context", .kind = CELL_COUNT },
	{ "cli.providers.input", -1, .cell = input_cell },
	{ "cli.providers.output", 0, .cell = output_cell }, { 0 } };

/* In dollars for a million tokens. */
static int prices_show(struct cli *cli)
{
	const struct json *prices = cli_call_get(cli, STR("/v1/prices"));
	const struct json *items = json_get(prices, "items");

	if (as_json(cli)) return reply_done(cli, prices);
	if (items && items->count) table_print(cli, price_columns, items, false);
	puts(MSG(&cli->arena, "cli.providers.built_in",
		{ "date", json_text_of(prices, "built_in") })
			.at);
	return EXIT_YES;
}

static int providers_prices_run(struct cli *cli)
{
	static const struct json_limits big = { .values = 2000000 };
	struct str file = cli_word(cli, 0), text;
	const struct json *list;
	struct provider_model *models;
	struct fault why = { 0 };
	size_t len = 0;

	if (!file.len) return prices_show(cli);
	cli->arena.max = 512u << 20;
	if (!file_whole(cli, file, &text, &why) ||
		json_read(text, &big, &cli->arena, &list, &why) ||
		price_list_read(list, &cli->arena, &models, &len, &why))
		return cli_fail(cli, &why);
	for (size_t i = 0; i < len; i += BATCH)
		prices_put(cli, models + i, len - i < BATCH ? len - i : BATCH);
	return CLI_SAY(EXIT_YES, "cli.providers.prices",
		{ "n", arena_print(&cli->arena, "%zu", len) });
}

/* ---- commands ---- */

static const struct flag add_flags[] = {
	{ "kind", "KIND", "anthropic openai openai_responses gemini" },
	{ "provider-url", "URL" }, { "key-file", "FILE" }, { "workspace", "NAME" },
	{ "json" }, { 0 }
};

const struct command providers_verbs[] = {
	{ "provider list", resource_list, NULL, 0, 0, admin_flags, EITHER | SERVED,
		"0 2 3 4", "parley provider list", .of = &providers },
	{ "provider add", providers_add_run, "NAME", 1, 1, add_flags, EITHER | SERVED,
		"0 1 2 3 4",
		"parley provider add ollama --kind openai \\\n"
		"      --provider-url http://127.0.0.1:11434/v1\n"
		"parley provider add anthropic --key-file - < key.txt" },
	{ "provider test", resource_test, "NAME [MODEL]", 1, 2, admin_flags,
		EITHER | SERVED, "0 1 2 3 4 5",
		"parley provider test anthropic claude-sonnet-5", .of = &providers },
	{ "provider prices", providers_prices_run, "[FILE]", 0, 1, admin_flags,
		EITHER | SERVED, "0 2 3 4", "parley provider prices api.json" },
	{ "provider remove", resource_remove, "NAME", 1, 1, admin_flags, EITHER | SERVED,
		"0 1 2 3 4 5", "parley provider remove ollama", .of = &providers },
	{ 0 },
};
