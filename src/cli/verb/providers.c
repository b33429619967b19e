/* providers.c - providers list, add, test, prices, remove: who serves models. */
#include "cli/administer.h"
#include "cli/verb/verbs.h"
#include "core/run/price_list.h"
#include "text/problem_words.h"
#include "text/safe_text.h"

enum { BATCH = 400 }; /* prices of a request */

static int providers_list_run(struct cli *cli)
{
	static const char *const heads[] = { "cli.list.name", "cli.providers.kind",
		"cli.providers.key", "cli.agents.state" };
	static const int widths[] = { 20, 18, 10, 0 };
	const struct json **providers;
	size_t len;
	int status =
		administer_list(cli, STR("/v1/providers?limit=200"), &providers, &len);

	if (status) return status;
	if (args_have(&cli->args, "json")) return print_items(providers, len), EXIT_YES;
	if (len == 0) SAY("cli.providers.none");
	for (size_t i = 0; i < len; i++) {
		const struct json *p = providers[i], *key = json_get(p, "key");
		struct str last4 = json_text(json_get(key, "last4"));
		bool set = json_is(json_get(key, "set"), JSON_TRUE);
		struct str cells[] = { json_text(json_get(p, "name")),
			json_text(json_get(p, "kind")),
			last4.len ? arena_print(&cli->arena, "…%.*s", STR_ARGS(last4))
			: set	  ? STR("set")
				  : STR("-"),
			json_is(json_get(p, "usable"), JSON_TRUE)
				? STR("ok")
				: problem_words(safe_line(&cli->arena,
							json_text(json_get(p, "why"))),
					  msg_lang(), &cli->arena) };

		print_cells(cli, i ? NULL : heads, widths, cells, 4);
	}
	return EXIT_YES;
}

/* ---- add ---- */

static int providers_add_run(struct cli *cli)
{
	struct str name = args_word(&cli->args, 0), kind = args_get(&cli->args, "kind");
	struct str file = args_get(&cli->args, "key-file"), key = STR_NONE;
	struct fault why = { 0 };
	const struct json *reply = NULL;
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };
	enum model_wire wire;
	int status;

	if (!kind.len && model_wire_find(name, &wire)) kind = name;
	if (!kind.len) return CLI_USAGE(cli, "cli.providers.no_kind");
	if (file.len && !file_whole(cli, file, &key, &why)) return cli_fail(cli, &why);
	jw_object(&w);
	jw_put_some(&w, "name", name);
	jw_put_some(&w, "kind", kind);
	jw_put_some(&w, "url", args_get(&cli->args, "provider-url"));
	jw_put_some(&w, "key", str_trim(key));
	jw_object_end(&w);
	status = administer(cli, "POST", STR("/v1/providers"), buf_str(&body), &reply);
	buf_done(&body);
	if (status) return status;
	if (args_have(&cli->args, "json"))
		print_json(reply);
	else
		SAY("cli.providers.made", { "name", name });
	return EXIT_YES;
}

static int providers_remove_run(struct cli *cli)
{
	const struct json *reply = NULL;

	return administer_done(cli,
		administer(cli, "DELETE",
			path_with(cli, "/v1/providers/", args_word(&cli->args, 0)),
			STR_NONE, &reply),
		NULL);
}

static int providers_test_run(struct cli *cli)
{
	struct str name = args_word(&cli->args, 0), model = args_word(&cli->args, 1);
	struct str path =
		arena_print(&cli->arena, "/v1/providers/%.*s/test", STR_ARGS(name));
	struct str body = model.len ? arena_print(&cli->arena, "{\"model\":%.*s}",
					      STR_ARGS(text_json(cli, model)))
				    : STR("{}");
	const struct json *reply = NULL;
	int status = administer(cli, "POST", path, body, &reply);

	return status ? status : print_checks(cli, reply);
}

/* ---- prices ---- */

static void price_item(struct json_writer *w, const struct provider_model *m)
{
	jw_object(w);
	jw_put_str(w, "id", m->id);
	jw_key(w, "context");
	m->context ? jw_int(w, m->context) : jw_null(w);
	jw_key(w, "output");
	m->output ? jw_int(w, m->output) : jw_null(w);
	jw_key(w, "price");
	price_write(w, &m->price);
	jw_object_end(w);
}

static int prices_put(struct cli *cli, const struct provider_model *models, size_t len)
{
	struct buf body = { .max = 4 << 20 };
	struct json_writer w = { .out = &body };
	const struct json *reply = NULL;
	int status;

	jw_object(&w);
	jw_put_array(&w, "items");
	for (size_t i = 0; i < len; i++)
		price_item(&w, &models[i]);
	jw_array_end(&w);
	jw_object_end(&w);
	status = administer(cli, "PUT", STR("/v1/prices"), buf_str(&body), &reply);
	buf_done(&body);
	return status;
}

static int providers_prices_run(struct cli *cli)
{
	static const struct json_limits big = { .values = 2000000 };
	struct str file = args_word(&cli->args, 0), text;
	const struct json *list, *reply = NULL;
	struct provider_model *models;
	struct fault why = { 0 };
	size_t len = 0;
	int status = EXIT_YES;

	if (!file.len) {
		status = administer(cli, "GET", STR("/v1/prices"), STR_NONE, &reply);
		if (!status) print_json(reply);
		return status;
	}
	cli->arena.max = 512u << 20;
	if (!file_whole(cli, file, &text, &why) ||
		json_read(text, &big, &cli->arena, &list, &why) ||
		price_list_read(list, &cli->arena, &models, &len, &why))
		return cli_fail(cli, &why);
	for (size_t i = 0; i < len && !status; i += BATCH)
		status = prices_put(cli, models + i, len - i < BATCH ? len - i : BATCH);
	if (!status)
		SAY("cli.providers.prices",
			{ "n", arena_print(&cli->arena, "%zu", len) });
	return status;
}

/* ---- commands ---- */

static const struct flag add_flags[] = {
	{ "kind", "KIND", "anthropic openai openai_responses gemini" },
	{ "provider-url", "URL" }, { "key-file", "FILE" }, { "workspace", "NAME" },
	{ "json" }, { 0 }
};

const struct command providers_verbs[] = {
	{ "providers list", providers_list_run, NULL, 0, 0, admin_flags,
		SETTINGS_STORE | COMMAND_SERVED, "0 2 3", "parley providers list" },
	{ "providers add", providers_add_run, "NAME", 1, 1, add_flags,
		SETTINGS_STORE | COMMAND_SERVED, "0 1 2 3",
		"parley providers add ollama --kind openai \\\n"
		"      --provider-url http://127.0.0.1:11434/v1\n"
		"parley providers add anthropic --key-file - < key.txt" },
	{ "providers test", providers_test_run, "NAME [MODEL]", 1, 2, admin_flags,
		SETTINGS_STORE | COMMAND_SERVED, "0 1 2 3 5",
		"parley providers test anthropic claude-sonnet-4-5" },
	{ "providers prices", providers_prices_run, "[FILE]", 0, 1, admin_flags,
		SETTINGS_STORE | COMMAND_SERVED, "0 2 3",
		"parley providers prices api.json" },
	{ "providers remove", providers_remove_run, "NAME", 1, 1, admin_flags,
		SETTINGS_STORE | COMMAND_SERVED, "0 1 2 3 5",
		"parley providers remove ollama" },
	{ 0 },
};
