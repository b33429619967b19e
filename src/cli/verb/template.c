/* template.c - template: lists, shows, sets and deletes templates of asks, and with --list
 * the lists of options. */
#include "cli/administer.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

enum { BODY_BYTES = 1 << 17 };

static bool of_lists(const struct cli *cli)
{
	return args_have(&cli->args, "list");
}

static struct str preset_path(struct cli *cli, struct str name)
{
	return path_with(cli, of_lists(cli) ? "/v1/lists/" : "/v1/templates/", name);
}

/* "env, app?": a question mark for what may be left out. Of a list: its labels. */
static struct str contents(struct cli *cli, const struct json *preset)
{
	const struct json *items = json_get(preset, "items");
	const struct json *values = json_get(preset, "values");
	struct buf b = { .max = 65536 };
	struct str out;

	for (uint32_t i = 0; items && i < items->count; i++) {
		if (i) buf_add_text(&b, ", ");
		buf_add(&b, json_text(json_get(&items->items[i], "label")));
	}
	for (uint32_t i = 0; values && i < values->count; i++) {
		const struct json_member *v = &values->members[i];

		if (i) buf_add_text(&b, ", ");
		buf_add(&b, v->name);
		if (json_is(json_get(&v->value, "required"), JSON_FALSE))
			buf_add_char(&b, '?');
	}
	out = safe_line(&cli->arena, buf_str(&b));
	buf_done(&b);
	return out;
}

static int presets_print(struct cli *cli)
{
	static const char *const template_heads[] = { "cli.list.name",
		"cli.template.values" };
	static const char *const list_heads[] = { "cli.list.name",
		"cli.template.options" };
	static const int widths[] = { 30, 0 };
	const struct json **presets;
	size_t len;
	int status = administer_list(cli,
		of_lists(cli) ? STR("/v1/lists?limit=200")
			      : STR("/v1/templates?limit=200"),
		&presets, &len);

	if (status) return status;
	if (args_have(&cli->args, "json")) return print_items(presets, len), EXIT_YES;
	for (size_t i = 0; i < len; i++) {
		struct str cells[] = { json_text(json_get(presets[i], "name")),
			contents(cli, presets[i]) };

		print_cells(cli,
			i		? NULL
			: of_lists(cli) ? list_heads
					: template_heads,
			widths, cells, 2);
	}
	if (!len) SAY(of_lists(cli) ? "cli.template.no_list" : "cli.template.none");
	return EXIT_YES;
}

/* Over what is there now, whichever version that is. */
static int preset_set(struct cli *cli, struct str name)
{
	struct fault why = { 0 };
	const struct json *body, **presets, *reply = NULL;
	const struct json *version = NULL;
	struct buf b = { .max = BODY_BYTES };
	struct json_writer w = { .out = &b };
	struct str text;
	size_t len;
	int status = administer_list(cli,
		of_lists(cli) ? STR("/v1/lists?limit=200")
			      : STR("/v1/templates?limit=200"),
		&presets, &len);

	for (size_t i = 0; !status && i < len; i++)
		if (str_eq(json_text(json_get(presets[i], "name")), name))
			version = json_get(presets[i], "version");
	if (status) return status;
	if (!stdin_read(BODY_BYTES, &cli->arena, &text))
		return CLI_USAGE(cli, "cli.template.no_body");
	if (json_read(text, NULL, &cli->arena, &body, &why)) return cli_fail(cli, &why);
	if (body->type != JSON_OBJECT) return CLI_USAGE(cli, "cli.template.no_body");
	jw_object(&w);
	for (uint32_t i = 0; i < body->count; i++) {
		struct str member = body->members[i].name;

		/* As it is shown, too: what the server adds to it is left out. */
		if (str_is(member, "version") || str_is(member, "changed_at") ||
			str_is(member, "changed_by"))
			continue;
		jw_name(&w, member);
		jw_json(&w, &body->members[i].value);
	}
	jw_put_int(&w, "version", version ? version->integer : 0);
	jw_object_end(&w);
	status = administer(cli, "PUT", preset_path(cli, name), buf_str(&b), &reply);
	buf_done(&b);
	if (!status && args_have(&cli->args, "json")) print_json(reply);
	return status;
}

static int template_run(struct cli *cli)
{
	struct str name = args_word(&cli->args, 0), verb = args_word(&cli->args, 1);
	const struct json *reply = NULL;
	int status;

	if (!name.len) return presets_print(cli);
	if (str_is(verb, "set")) return preset_set(cli, name);
	if (str_is(verb, "delete"))
		return administer(
			cli, "DELETE", preset_path(cli, name), STR_NONE, &reply);
	if (verb.len) return CLI_USAGE(cli, "cli.template.verb", { "verb", verb });
	status = administer(cli, "GET", preset_path(cli, name), STR_NONE, &reply);
	if (!status) print_json(reply);
	return status;
}

static const struct flag template_flags[] = { { "list" }, { "workspace", "NAME" },
	{ "json" }, { 0 } };

const struct command template_verbs[] = {
	{ "template", template_run, "[NAME [set|delete]]", 0, 2, template_flags,
		SETTINGS_STORE, "0 1 2 3 5",
		"parley template deploy set < deploy.json\n"
		"parley template --list personas set < personas.json\n"
		"parley ask --template deploy --value env=prod" },
	{ 0 },
};
