/* template.c - template list, show, set, remove: templates of asks, and with --list the lists of
 * options. */
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

static const struct resource *presets_of(const struct cli *cli)
{
	return &presets[cli_has(cli, "list")];
}

static int list_run(struct cli *cli)
{
	return resource_list_of(cli, presets_of(cli));
}

static int show_run(struct cli *cli)
{
	return resource_show_at(
		cli, resource_path(cli, presets_of(cli), cli_word(cli, 0), ""));
}

static int remove_run(struct cli *cli)
{
	return resource_delete(cli, presets_of(cli), cli_word(cli, 0));
}

/* Over what is there now, whichever version that is. */
static int set_run(struct cli *cli)
{
	const struct resource *of = presets_of(cli);
	struct str name = cli_word(cli, 0);
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
	said = cli_call(cli, "PUT", resource_path(cli, of, name, ""), text);
	if (!as_json(cli) && cli->term.err_tty) SAY("cli.done");
	return reply_done(cli, said);
}

static const struct flag template_flags[] = { { "list" }, { 0 } };

const struct command template_verbs[] = {
	{ "template list", list_run, NULL, 0, 0, template_flags, STORE, "0 2 3",
		"parley template list", .also = admin_flags },
	{ "template show", show_run, "NAME", 1, 1, template_flags, STORE, "0 2 3 5",
		"parley template show deploy", .also = admin_flags },
	{ "template set", set_run, "NAME", 1, 1, template_flags, STORE, "0 1 2 3",
		"parley template set deploy < deploy.json\n"
		"parley template set personas --list < personas.json\n"
		"parley ask --template deploy --value env=prod",
		.also = admin_flags },
	{ "template remove", remove_run, "NAME", 1, 1, template_flags, STORE, "0 2 3 5",
		"parley template remove deploy", .also = admin_flags },
	{ 0 },
};
