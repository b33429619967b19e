/* template.c - template: lists, shows, sets and deletes templates of asks, and with --list
 * the lists of options. */
#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

enum { BODY_BYTES = 1 << 17 };

/* "env, app?": a question mark for what may be left out. Of a list: its labels. */
static struct str contents_cell(struct cli *cli, const struct json *preset)
{
	const struct json *values = json_get(preset, "values");
	struct buf b = { .max = 65536 };

	for (const struct json *item = NULL;
		json_each(json_get(preset, "items"), &item);) {
		if (b.len) buf_add_text(&b, ", ");
		safe_line_add(&b, json_text_of(item, "label"));
	}
	for (uint32_t i = 0; values && i < values->count; i++) {
		const struct json_member *v = &values->members[i];

		if (i) buf_add_text(&b, ", ");
		safe_line_add(&b, v->name);
		if (json_is(json_get(&v->value, "required"), JSON_FALSE))
			buf_add_char(&b, '?');
	}
	return buf_keep_done(&b, &cli->arena);
}

static const struct table_column template_columns[] = { { "cli.list.name", 30, "name" },
	{ "cli.template.values", 0, .cell = contents_cell }, { 0 } };
static const struct table_column list_columns[] = { { "cli.list.name", 30, "name" },
	{ "cli.template.options", 0, .cell = contents_cell }, { 0 } };

static const struct resource presets[] = {
	{ "/v1/templates", NULL, "cli.template.none", template_columns },
	{ "/v1/lists", NULL, "cli.template.no_list", list_columns },
};

/* Over what is there now, whichever version that is. */
static int preset_set(struct cli *cli, const struct resource *of, struct str name)
{
	struct fault why = { 0 };
	struct json all = cli_call_all(cli, str_of(of->path));
	const struct json *said,
		*version = json_get(resource_find(&all, name), "version");
	const struct body_member more[] = {
		{ "version", .json = version, .raw = STR("0") }, { 0 }
	};
	struct str text;

	if (!stdin_read(BODY_BYTES, &cli->arena, &text))
		return CLI_USAGE(cli, "cli.template.no_body");
	if (json_read(text, NULL, &cli->arena, &said, &why)) return cli_fail(cli, &why);
	if (said->type != JSON_OBJECT) return CLI_USAGE(cli, "cli.template.no_body");
	/* What the server adds when it shows one is left out. */
	text = request_without(&cli->arena, said, "version changed_at changed_by", more);
	return reply_done(
		cli, cli_call(cli, "PUT", resource_path(cli, of, name, ""), text));
}

static int template_run(struct cli *cli)
{
	const struct resource *of = &presets[cli_has(cli, "list")];
	struct str name = cli_word(cli, 0), verb = cli_word(cli, 1);
	struct str path = resource_path(cli, of, name, "");

	if (!name.len) return resource_list_of(cli, of);
	if (str_is(verb, "set")) return preset_set(cli, of, name);
	if (str_is(verb, "delete"))
		return cli_call(cli, "DELETE", path, STR_NONE), EXIT_YES;
	if (verb.len) return CLI_USAGE(cli, "cli.template.verb", { "verb", verb });
	return resource_show_at(cli, path);
}

static const struct flag template_flags[] = { { "list" }, { "workspace", "NAME" },
	{ "json" }, { 0 } };

const struct command template_verbs[] = {
	{ "template", template_run, "[NAME [set|delete]]", 0, 2, template_flags, STORE,
		"0 1 2 3 5",
		"parley template deploy set < deploy.json\n"
		"parley template --list personas set < personas.json\n"
		"parley ask --template deploy --value env=prod" },
	{ 0 },
};
