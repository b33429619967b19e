/* rule.c - parley rule list, add, show, edit, try, end; parley policy. */
#include <stdio.h>

#include "base/keep.h"
#include "cli/facts.h"
#include "cli/resource.h"
#include "cli/verb/rule_body.h"
#include "cli/verb/rule_words.h"
#include "cli/verb/verbs.h"
#include "text/problem_words.h"

static const struct resource rules = { "/v1/rules", "effect agent state", "cli.rule.none",
	rule_columns, rule_print, .removed = "cli.rule.end" };

static const struct flag list_flags[] = { { "effect", "EFFECT", "allow ask deny" },
	{ "agent", "NAME" }, { "state", "STATE", "live ended all" }, { "json" }, { 0 } };
/* ---- add ---- */

/* A rule as the server took it, and what it says about it. */
static int rule_said(struct cli *cli, const struct json *rule)
{
	const struct json *waiting = json_get(rule, "waiting");

	if (as_json(cli)) return reply_done(cli, rule);
	rule_print(cli, rule);
	warnings_say(cli, rule);
	if (waiting && waiting->is_int && waiting->integer > 0)
		count_print(cli, stderr, "cli.rule.waiting", waiting->integer);
	return EXIT_YES;
}

static int add_run(struct cli *cli)
{
	struct str effect = cli_word(cli, 0);

	if (!effect.len == !cli_has(cli, "file"))
		return CLI_USAGE(cli, "cli.rule.add.what");
	return rule_said(cli, cli_call(cli, "POST", STR("/v1/rules"),
				      rule_given(cli, effect, cli_word(cli, 1))));
}

#define TERMS                                                                            \
	{ "agent", "NAME" }, { "project", "NAME" },                                      \
		{ "argument", "TEST", .many = true },                                    \
		{ "require", "N[:FROM]", .many = true },                                 \
		{ "risk", "RISK", "low medium high critical" }, { "verify", "NAME" },    \
		{ "for", "TIME" }, { "note", "TEXT" }, { "file", "FILE" },               \
	{                                                                                \
		"json"                                                                   \
	}

static const struct flag add_flags[] = { TERMS, { "shadow" }, { 0 } };
/* ---- show, edit ---- */

static int show_run(struct cli *cli)
{
	const struct json *rule =
		cli_call_get(cli, resource_path(cli, &rules, cli_word(cli, 0), ""));
	struct json terms = rule_terms(rule, true, &cli->arena);

	if (as_json(cli)) return reply_done(cli, rule);
	rule_print(cli, rule);
	facts_print(cli, &terms);
	return EXIT_YES;
}

/* The members of `given`, and those of `now` that it does not bring. */
static void merged_put(
	struct json_writer *w, const struct json *now, const struct json *given)
{
	jw_object(w);
	for (uint32_t i = 0; json_is(now, JSON_OBJECT) && i < now->count; i++)
		if (!json_get_str(given, now->members[i].name))
			jw_name(w, now->members[i].name),
				jw_json(w, &now->members[i].value);
	for (uint32_t i = 0; i < given->count; i++) {
		jw_key_str(w, given->members[i].name);
		jw_json(w, &given->members[i].value);
	}
	jw_object_end(w);
}

/* A file says the whole of a match; options change members of it. */
static struct str edit_body(
	struct cli *cli, const struct json *now, const struct json *given)
{
	struct buf body = { .max = 1 << 20 };
	struct json_writer w = { .out = &body };
	bool file = cli_has(cli, "file");

	jw_object(&w);
	for (uint32_t i = 0; i < given->count; i++) {
		const struct json *value = &given->members[i].value;
		const char *name = arena_copy(&cli->arena, given->members[i].name);

		jw_key(&w, name);
		if (!file && value->type == JSON_OBJECT)
			merged_put(&w, json_get(now, name), value);
		else
			jw_json(&w, value);
	}
	if (cli_has(cli, "enable") || cli_has(cli, "disable"))
		jw_put_bool(&w, "enabled", cli_has(cli, "enable"));
	if (cli_has(cli, "live")) jw_put_bool(&w, "shadow", false);
	jw_put_json(&w, "version", json_get(now, "version"));
	jw_object_end(&w);
	return buf_keep_done(&body, &cli->arena);
}

static int edit_run(struct cli *cli)
{
	struct str path = resource_path(cli, &rules, cli_word(cli, 0), "");
	const struct json *now = cli_call_get(cli, path), *given;
	struct str text = rule_given(cli, json_text_of(now, "effect"), cli_word(cli, 1));

	if (json_read(text, NULL, &cli->arena, &given, NULL)) return EXIT_USAGE;
	return rule_said(cli, cli_call(cli, "PATCH", path, edit_body(cli, now, given)));
}

static const struct flag edit_flags[] = { TERMS, { "enable" }, { "disable" }, { "live" },
	{ 0 } };
/* ---- try ---- */

/* {"operation": …} of JSON; of a pattern a rule that would allow it. */
static struct str try_body(struct cli *cli, struct str said)
{
	struct str effect = cli_arg(cli, "effect"), rule = STR_NONE;
	const struct json *operation = NULL;

	if (!str_starts(said, "{"))
		rule = rule_given(cli, effect.len ? effect : STR("allow"), said);
	else if (json_read(said, NULL, &cli->arena, &operation, NULL))
		CLI_REFUSE(cli, "cli.rule.json");
	return BODY(cli, { "operation", .json = operation }, { "rule", .raw = rule },
		{ "from", moment_read(cli, "since", -1) },
		{ "agent", cli_arg(cli, "agent") },
		{ "project", cli_arg(cli, "project") });
}

/* For pipes: names and numbers, tabs between. */
static void tried_write(struct cli *cli, const struct json *tried)
{
	const struct json *fits = json_get(tried, "fits");

	if (!json_is(fits, JSON_ARRAY)) {
		static const char *const counts[] = { "looked", "fits", "allow", "ask",
			"deny", "open" };
		for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
			printf("%s\t%lld\n", counts[i],
				(long long)json_get(tried, counts[i])->integer);
		fits = json_get(tried, "differs");
		for (const struct json *item = NULL; json_each(fits, &item);)
			printf("%.*s\t%.*s\t%.*s\t%.*s\t%.*s\n",
				STR_ARGS(json_text_of(item, "ask")),
				STR_ARGS(json_text_of(item, "was")),
				STR_ARGS(json_text_of(item, "would")),
				STR_ARGS(reply_text(cli, item, "agent")),
				STR_ARGS(reply_text(cli, item, "call")));
		return;
	}
	printf("%.*s\t%.*s\t%.*s\n", STR_ARGS(json_text_of(tried, "effect")),
		STR_ARGS(json_text_of(tried, "risk")),
		STR_ARGS(json_text_of(tried, "by")));
	for (const struct json *one = NULL; json_each(fits, &one);)
		printf("%.*s\t%.*s\t%.*s\t%.*s\n", STR_ARGS(json_text_of(one, "rule")),
			STR_ARGS(json_text_of(one, "effect")),
			STR_ARGS(reply_text(cli, one, "detail")),
			STR_ARGS(reply_text(cli, one, "name")));
}

/* ---- what a trial found, for people ---- */

static struct str differs_cell(struct cli *cli, const struct json *item)
{
	return MSG(&cli->arena, "cli.rule.try.change",
		{ "was", reply_text(cli, item, "was") },
		{ "would", reply_text(cli, item, "would") });
}

static const struct table_column differs_columns[] = { { "cli.list.id", 0, "ask" },
	{ "cli.rule.try.differs", .cell = differs_cell },
	{ "cli.list.agent", 0, "agent" }, { "cli.rule.try.call", 0, "call" }, { 0 } };

static struct str count_of(const struct json *tried, const char *name)
{
	const struct json *n = json_get(tried, name);

	return n ? n->text : STR("0");
}

/* What the rule would have done. */
static void past_print(struct cli *cli, const struct json *tried)
{
	static const char *const effects[] = { "allow", "ask", "deny" };
	const struct json *differs = json_get(tried, "differs");
	const struct json *beyond = json_get(tried, "beyond");
	struct arena *arena = &cli->arena;

	puts(MSG(arena, "cli.rule.try.looked", { "n", count_of(tried, "looked") },
		{ "fits", count_of(tried, "fits") })
			.at);
	if (beyond && beyond->integer)
		puts(msg_count(arena, "web.rules.tried.beyond", beyond->integer).at);
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
		if (!str_is(count_of(tried, effects[i]), "0"))
			puts(MSG(arena,
				arena_print(arena, "cli.rule.try.%s", effects[i]).at,
				{ "n", count_of(tried, effects[i]) })
					.at);
	if (!str_is(count_of(tried, "open"), "0"))
		puts(MSG(arena, "cli.rule.try.open", { "n", count_of(tried, "open") })
				.at);
	if (json_is(differs, JSON_ARRAY) && differs->count)
		table_print(cli, differs_columns, differs, true);
}

/* What would become of the operation, and which rules match it. */
static void verdict_print(struct cli *cli, const struct json *tried)
{
	struct arena *arena = &cli->arena;
	struct str effect = json_text_of(tried, "effect");

	puts(MSG(arena,
		arena_print(arena, "cli.rule.try.would.%.*s", STR_ARGS(effect)).at,
		{ "risk", msg_named(arena, "cli.risk", json_text_of(tried, "risk")) },
		{ "by", reply_text(cli, tried, "by") })
			.at);
	for (const struct json *one = NULL; json_each(json_get(tried, "fits"), &one);)
		printf("  %.*s  %.*s  %.*s  %.*s\n", STR_ARGS(json_text_of(one, "rule")),
			STR_ARGS(json_text_of(one, "effect")),
			STR_ARGS(problem_words(
				json_text_of(one, "detail"), msg_lang(), arena)),
			STR_ARGS(reply_text(cli, one, "name")));
}

static void tried_print(struct cli *cli, const struct json *tried)
{
	if (!cli->term.out_tty)
		tried_write(cli, tried);
	else if (json_is(json_get(tried, "fits"), JSON_ARRAY))
		verdict_print(cli, tried);
	else
		past_print(cli, tried);
}

static int try_run(struct cli *cli)
{
	const struct json *reply = cli_call(
		cli, "POST", STR("/v1/rules/try"), try_body(cli, cli_word(cli, 0)));

	if (!as_json(cli)) tried_print(cli, reply);
	return reply_done(cli, reply);
}

static const struct flag try_flags[] = { { "effect", "EFFECT", "allow ask deny" },
	{ "agent", "NAME" }, { "project", "NAME" }, { "since", "TIME" }, { "json" },
	{ 0 } };
const struct command rule_verbs[] = {
	{ "rule list", resource_list, NULL, 0, 0, list_flags, CLIENT, "0 2 3 4",
		"parley rule list --effect allow", .of = &rules },
	{ "rule add", add_run, "[EFFECT [PATTERN]]", 0, 2, add_flags, CLIENT, "0 1 2 3 4",
		"parley rule add deny 'Bash(git push *--force*)' --note 'never force-push'\n"
		"parley rule add allow 'Bash(npm test*)' --agent ci --project web --for 8h\n"
		"parley rule add ask --project 'prod-*' --require 2:team:ops --note 'by two'\n"
		"parley rule add ask pay --argument /amount:min=100 --risk high\n"
		"parley rule add allow 'Bash(npm test*)' --shadow\n"
		"parley rule add --file rule.json" },
	{ "rule show", show_run, "RULE", 1, 1, json_flags, CLIENT, "0 2 3 4 5",
		"parley rule show rul_01jc…" },
	{ "rule edit", edit_run, "RULE [PATTERN]", 1, 2, edit_flags, CLIENT,
		"0 1 2 3 4 5",
		"parley rule edit rul_01jc… --note 'until the freeze ends' --for 3d\n"
		"parley rule edit rul_01jc… --disable\n"
		"parley rule edit rul_01jc… --live" },
	{ "rule try", try_run, "PATTERN|JSON", 1, 1, try_flags, CLIENT, "0 2 3 4",
		"parley rule try 'Bash(npm test*)' --since 7d\n"
		"parley rule try '{\"name\": \"Bash\", \"arguments\": {\"command\": \"rm -r x\"}}'" },
	{ "rule end", resource_remove, "RULE", 1, 1, json_flags, CLIENT, "0 1 2 3 4 5",
		"parley rule end rul_01jc…", .of = &rules },
	{ 0 },
};

/* ---- policy ---- */

/* What its mode means, then all that can be set. */
static void policy_print(struct cli *cli, const struct json *policy)
{
	bool unset = json_is(json_get(policy, "default"), JSON_TRUE);

	puts(unset ? MSG(&cli->arena, "cli.policy.default").at
		   : msg_named(
			     &cli->arena, "cli.policy.mode", json_text_of(policy, "mode"))
				.at);
	facts_print(cli, policy);
}

/* "alerts.node=2m" into "alerts" and "node=2m"; without a dot the first is empty. */
static struct str part_cut(struct str *pair)
{
	struct str rest = *pair, name, part;

	str_cut(&rest, '=', &name);
	if (str_find(name, STR(".")) < 0) return STR_NONE;
	str_cut(pair, '.', &part);
	return part;
}

/* What --set names within this part, or beside all parts. */
static void part_put(struct cli *cli, struct json_writer *w, struct str part)
{
	struct str pair;

	for (size_t i = 0; args_next(&cli->args, "set", &i, &pair);) {
		struct str whole = pair;

		if (str_eq(part_cut(&pair), part) && !request_pair(w, pair, &cli->arena))
			CLI_REFUSE(cli, "cli.arg.wrong", { "value", whole });
	}
}

static bool part_came(struct cli *cli, size_t before, struct str part)
{
	struct str pair;

	for (size_t i = 0; args_next(&cli->args, "set", &i, &pair) && i < before;)
		if (str_eq(part_cut(&pair), part)) return true;
	return false;
}

/* On the version that holds. Who names a mode sets it, also if it is the one that is there. */
static struct str policy_wanted(struct cli *cli, const struct json *policy)
{
	const struct json *version = json_get(policy, "version");
	struct buf text = { .max = 1 << 20 };
	struct json_writer w = { .out = &text };
	struct str pair, part;

	jw_object(&w);
	jw_put_int(&w, "version", version ? version->integer : 0);
	if (cli_has(cli, "mode")) {
		jw_put_str(&w, "mode", cli_arg(cli, "mode"));
		jw_put_bool(&w, "default", false);
	}
	part_put(cli, &w, STR_NONE);
	for (size_t i = 0; args_next(&cli->args, "set", &i, &pair);) {
		part = part_cut(&pair);
		if (!part.len || part_came(cli, i, part)) continue;
		jw_name(&w, part);
		jw_object(&w);
		part_put(cli, &w, part);
		jw_object_end(&w);
	}
	jw_object_end(&w);
	return buf_keep_done(&text, &cli->arena);
}

static int policy_run(struct cli *cli)
{
	const struct json *policy = cli_call_get(cli, STR("/v1/policy"));
	bool sets = cli_has(cli, "set");

	if (sets || cli_has(cli, "mode"))
		policy = cli_call(
			cli, "PUT", STR("/v1/policy"), policy_wanted(cli, policy));
	if (as_json(cli)) return reply_done(cli, policy);
	if (cli_has(cli, "mode") && !sets)
		SAY("cli.policy.set", { "mode", json_text_of(policy, "mode") });
	else
		policy_print(cli, policy);
	warnings_say(cli, policy);
	return EXIT_YES;
}

static const struct flag policy_flags[] = { { "mode", "MODE", "auto manual selective" },
	{ "set", "NAME=VALUE", .many = true }, { "json" }, { 0 } };
const struct command policy_verbs[] = {
	{ "policy", policy_run, NULL, 0, 0, policy_flags, CLIENT, "0 1 2 3 4",
		"parley policy\n"
		"parley policy --mode manual\n"
		"parley policy --set alerts.unanswered=2h --set alerts.budget=50" },
	{ 0 },
};
