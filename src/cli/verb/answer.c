/* answer.c - parley answer. */
#include "base/keep.h"
#include "cli/request.h"
#include "cli/value.h"
#include "cli/verb/answer_many.h"
#include "cli/verb/settle.h"
#include "cli/verb/verbs.h"
#include "core/ask/question_kind.h"

/* The questions of an ask, and what was said to each. */
struct answer_form {
	struct question *questions;
	size_t len;
	struct spoken *said;
};

static struct answer_form form_load(struct cli *cli, const struct json *ask)
{
	struct answer_form form = { 0 };
	struct fault why = { 0 };

	if (questions_load(json_get(ask, "questions"), &cli->arena, &form.questions,
		    &form.len, &why) != OK)
		cli_fail_end(cli, &why);
	form.said = ARENA_ARRAY(&cli->arena, struct spoken, form.len + 1);
	if (!form.said) cli_fail_end(cli, &(struct fault){ .err = ERR_MEMORY });
	return form;
}

static void said_add(struct cli *cli, struct spoken *said, struct str word)
{
	struct str *words = ARENA_ARRAY(&cli->arena, struct str, said->len + 1);

	if (!words) cli_fail_end(cli, &(struct fault){ .err = ERR_MEMORY });
	for (size_t i = 0; i < said->len; i++)
		words[i] = said->words[i];
	words[said->len] = word;
	said->words = words;
	said->len++;
}

/* KEY=VALUE: several questions are answered by name. */
static void pair_take(struct cli *cli, struct answer_form *form, struct str pair)
{
	struct str key, value = pair, keys = STR_NONE;

	str_cut(&value, '=', &key);
	for (size_t i = 0; key.len < pair.len && i < form->len; i++)
		if (str_eq(key, form->questions[i].key)) {
			said_add(cli, &form->said[i], value);
			return;
		}
	for (size_t i = 0; i < form->len; i++)
		keys = arena_print(&cli->arena, "%.*s%s%.*s", STR_ARGS(keys),
			i ? ", " : "", STR_ARGS(form->questions[i].key));
	CLI_REFUSE(cli, "cli.answer.pair", { "value", pair }, { "keys", keys });
}

static void words_take(struct cli *cli, struct answer_form *form)
{
	struct str arguments = cli_arg(cli, "arguments");
	struct fault why = { 0 };

	for (size_t i = 1; i < cli->args.words_len; i++)
		if (form->len == 1)
			said_add(cli, &form->said[0], cli_word(cli, i));
		else
			pair_take(cli, form, cli_word(cli, i));
	if (form->len != 1) return;
	form->said[0].other = cli_arg(cli, "other");
	form->said[0].note = cli_arg(cli, "note");
	if (arguments.at && json_read(arguments, NULL, &cli->arena,
				    &form->said[0].arguments, &why) != OK)
		CLI_REFUSE(cli, "cli.answer.arguments", { "detail", str_of(why.detail) });
}

static _Noreturn void value_wrong(
	struct cli *cli, const struct answer_form *form, size_t i, struct str detail)
{
	if (form->len == 1) cli_end(cli, cli_usage(cli, detail));
	CLI_REFUSE(cli, "cli.answer.keyed", { "key", form->questions[i].key },
		{ "detail", detail });
}

struct str answer_scope(struct cli *cli)
{
	struct str length = cli_arg(cli, "for"), pattern = cli_arg(cli, "pattern");

	if (!length.at && (pattern.at || cli_has(cli, "open")))
		CLI_REFUSE(cli, "cli.answer.for");
	if (!length.at) return STR_NONE;
	return BODY(cli, { "for", .text = length },
		{ "what", pattern.at ? STR("pattern") : STR("same") },
		{ "tool", .text = pattern }, { "open", .yes = cli_has(cli, "open") });
}

/* {KEY: value, …} */
static struct str form_answers(struct cli *cli, const struct answer_form *form)
{
	struct buf body = { .max = 1 << 20 };
	struct json_writer w = { .out = &body };
	struct fault why = { 0 };

	jw_object(&w);
	for (size_t i = 0; i < form->len; i++) {
		const struct spoken *said = &form->said[i];

		if (said->len == 0 && said->other.len == 0 && form->len > 1) continue;
		jw_name(&w, form->questions[i].key);
		if (value_write(&form->questions[i], said, &cli->arena, &w, &why) != OK)
			value_wrong(cli, form, i, str_of(why.detail));
	}
	jw_object_end(&w);
	if (body.failed) CLI_REFUSE(cli, "cli.too_long");
	return buf_keep_done(&body, &cli->arena);
}

static bool form_approves(
	struct cli *cli, const struct answer_form *form, struct str answers)
{
	const struct json *json = NULL;

	if (json_read(answers, NULL, &cli->arena, &json, NULL) != OK) return true;
	for (size_t i = 0; i < form->len; i++) {
		const struct json *value = json_get_str(json, form->questions[i].key);

		if (question_decides(&form->questions[i]) &&
			(str_is(json_text(value), "approve") ||
				str_is(json_text_of(value, "value"), "approve")))
			return true;
	}
	return false;
}

/* What would run is shown before it is approved; a digest says that it was. */
static int answer_send(struct cli *cli)
{
	struct str word = cli_word(cli, 0), rest = word, id, answers;
	struct answer_form form;
	const struct json *ask;
	bool approve;

	str_cut(&rest, '@', &id);
	ask = cli_call_get(cli, ask_path(cli, id, ""));
	form = form_load(cli, ask);
	words_take(cli, &form);
	answers = form_answers(cli, &form);
	approve = json_is(json_get(ask, "operation"), JSON_OBJECT) &&
		  form_approves(cli, &form, answers);
	if (approve || id.len < word.len) return answer_seen(cli, approve, answers);
	return settle(cli, id, "/answer",
		BODY(cli, { "answers", .raw = answers },
			{ "scope", .raw = answer_scope(cli) }));
}

static int answer_run(struct cli *cli)
{
	size_t ids = answer_ids(cli);

	answer_scope(cli);
	cli_call_open(cli);
	return ids > 1 ? answer_many(cli, ids) : answer_send(cli);
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
