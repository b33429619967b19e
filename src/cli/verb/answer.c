/* answer.c - parley answer. */
#include "cli/request.h"
#include "cli/value.h"
#include "cli/verb/answer_many.h"
#include "cli/verb/settle.h"
#include "cli/verb/verbs.h"

/* The questions of an ask, and what was said to each. */
struct answer_form {
	struct question *questions;
	size_t len;
	struct spoken *said;
};

static int form_load(struct cli *cli, const struct json *ask, struct answer_form *form)
{
	struct fault why = { 0 };

	if (questions_load(json_get(ask, "questions"), &cli->arena, &form->questions,
		    &form->len, &why) != OK)
		return cli_fail(cli, &why);
	form->said = ARENA_ARRAY(&cli->arena, struct spoken, form->len + 1);
	return form->said ? EXIT_YES
			  : cli_fail(cli, &(struct fault){ .err = ERR_MEMORY });
}

static int said_add(struct cli *cli, struct spoken *said, struct str word)
{
	struct str *words = ARENA_ARRAY(&cli->arena, struct str, said->len + 1);

	if (!words) return cli_fail(cli, &(struct fault){ .err = ERR_MEMORY });
	for (size_t i = 0; i < said->len; i++)
		words[i] = said->words[i];
	words[said->len] = word;
	said->words = words;
	said->len++;
	return EXIT_YES;
}

/* KEY=VALUE: several questions are answered by name. */
static int pair_take(struct cli *cli, struct answer_form *form, struct str pair)
{
	struct str key, value = pair;

	str_cut(&value, '=', &key);
	for (size_t i = 0; key.len < pair.len && i < form->len; i++)
		if (str_eq(key, form->questions[i].key))
			return said_add(cli, &form->said[i], value);
	struct str keys = STR_NONE;
	for (size_t i = 0; i < form->len; i++)
		keys = arena_print(&cli->arena, "%.*s%s%.*s", STR_ARGS(keys),
			i ? ", " : "", STR_ARGS(form->questions[i].key));
	return CLI_USAGE(cli, "cli.answer.pair", { "value", pair }, { "keys", keys });
}

static int arguments_take(struct cli *cli, struct spoken *said)
{
	struct str text = cli_arg(cli, "arguments");
	struct fault why = { 0 };

	if (!text.at) return EXIT_YES;
	if (json_read(text, NULL, &cli->arena, &said->arguments, &why) == OK)
		return EXIT_YES;
	return CLI_USAGE(cli, "cli.answer.arguments", { "detail", str_of(why.detail) });
}

static int words_take(struct cli *cli, struct answer_form *form)
{
	int status = EXIT_YES;

	for (size_t i = 1; status == EXIT_YES && i < cli->args.words_len; i++) {
		struct str word = cli_word(cli, i);

		status = form->len == 1 ? said_add(cli, &form->said[0], word)
					: pair_take(cli, form, word);
	}
	if (form->len != 1 || status != EXIT_YES) return status;
	form->said[0].other = cli_arg(cli, "other");
	form->said[0].note = cli_arg(cli, "note");
	return arguments_take(cli, &form->said[0]);
}

static int value_wrong(
	struct cli *cli, const struct answer_form *form, size_t i, struct str detail)
{
	if (form->len == 1) return cli_usage(cli, detail);
	return CLI_USAGE(cli, "cli.answer.keyed", { "key", form->questions[i].key },
		{ "detail", detail });
}

/* An approval that holds for longer; the server checks what is wanted of whom. */
static struct str scope_given(struct cli *cli)
{
	struct str length = cli_arg(cli, "for"), pattern = cli_arg(cli, "pattern");

	return BODY(cli, { "for", .text = length },
		{ "what", pattern.at ? STR("pattern") : STR("same") },
		{ "tool", .text = pattern }, { "open", .yes = cli_has(cli, "open") });
}

static int form_write(struct cli *cli, const struct answer_form *form, struct buf *body)
{
	struct json_writer w = { .out = body };
	struct fault why = { 0 };

	jw_object(&w);
	jw_put_object(&w, "answers");
	for (size_t i = 0; i < form->len; i++) {
		const struct spoken *said = &form->said[i];

		if (said->len == 0 && said->other.len == 0 && form->len > 1) continue;
		jw_name(&w, form->questions[i].key);
		if (value_write(&form->questions[i], said, &cli->arena, &w, &why) != OK)
			return value_wrong(cli, form, i, str_of(why.detail));
	}
	jw_object_end(&w);
	if (cli_has(cli, "for")) jw_put_raw(&w, "scope", scope_given(cli));
	jw_object_end(&w);
	return body->failed ? CLI_USAGE(cli, "cli.too_long") : EXIT_YES;
}

static int answer_send(struct cli *cli)
{
	struct str id = cli_word(cli, 0);
	struct buf body = { .max = 1 << 20 };
	struct answer_form form = { 0 };
	const struct json *ask = cli_call_get(cli, ask_path(cli, id, ""));
	int status = form_load(cli, ask, &form);

	if (status == EXIT_YES) status = words_take(cli, &form);
	if (status == EXIT_YES) status = form_write(cli, &form, &body);
	if (status == EXIT_YES) status = settle(cli, id, "/answer", buf_str(&body));
	buf_done(&body);
	return status;
}

static int answer_run(struct cli *cli)
{
	size_t ids = answer_ids(cli);
	bool seen = ids && str_find(cli_word(cli, 0), STR("@")) >= 0;

	if (!cli_has(cli, "for") && (cli_has(cli, "pattern") || cli_has(cli, "open")))
		return CLI_USAGE(cli, "cli.answer.for");
	cli_call_open(cli);
	return ids > 1 || seen ? answer_many(cli, ids) : answer_send(cli);
}

static const struct flag flags[] = { { "other", "TEXT" }, { "note", "TEXT" },
	{ "arguments", "JSON" }, { "for", "TIME" }, { "pattern", "PATTERN" }, { "open" },
	{ "yes" }, { "json" }, { 0 } };

const struct command answer_verbs[] = {
	{ "answer", answer_run, "ID… [VALUE… | KEY=VALUE…]", 1, WORDS_MANY, flags, CLIENT,
		"0 1 2 3 4 5",
		"parley answer ask_01jc… yes\n"
		"parley answer ask_01jc… staging --note 'Tests first'\n"
		"parley answer ask_01jc… env=staging tests=unit tests=api\n"
		"parley answer ask_01jc… reject --note 'Not on a Friday'\n"
		"parley answer ask_01jc… approve --for 1h --pattern 'Bash(npm test *)'\n"
		"parley answer ask_01jc… ask_01jd… approve\n"
		"parley answer ask_01jc…@3f2a91c04d5e6b7a approve --yes" },
	{ 0 },
};
