/* rule_file.c - parley rule export, apply: rules in a file, as people keep them under version
 * control. */
#include <stdio.h>

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/rule_body.h"
#include "cli/verb/rule_words.h"
#include "cli/verb/verbs.h"

/* ---- export ---- */

/* A rule for one call or one session is not exported: it means nothing in another workspace. */
static bool rule_is_bound(const struct json *rule)
{
	const struct json *match = json_get(rule, "match");

	return json_get(match, "same") || json_get(match, "session");
}

static int export_run(struct cli *cli)
{
	struct str file = cli_word(cli, 0);
	struct buf text = { .max = 1 << 26 }, pretty = { .max = 1 << 26 };
	struct json_writer w = { .out = &text };
	const struct json *whole;
	struct json all = cli_call_all(cli, STR("/v1/rules"));
	FILE *out = stdout;
	int64_t left = 0;

	jw_object(&w);
	jw_put_array(&w, "rules");
	/* The oldest first, so that a new one is a new line at the end. */
	for (uint32_t i = all.count; i-- > 0;) {
		struct json terms = rule_terms(&all.items[i], true, &cli->arena);

		if (rule_is_bound(&all.items[i]))
			left++;
		else
			jw_json(&w, &terms);
	}
	jw_array_end(&w);
	jw_object_end(&w);
	if (json_read(buf_keep_done(&text, &cli->arena), NULL, &cli->arena, &whole, NULL))
		return EXIT_NO_SERVER;
	json_write_pretty(&pretty, whole);
	if (file.len) out = fopen(arena_copy(&cli->arena, file), "we");
	if (!out || fprintf(out, "%s\n", buf_text(&pretty)) < 0 || fflush(out)) {
		buf_done(&pretty);
		return CLI_USAGE(cli, "cli.rule.file.write", { "file", file });
	}
	if (file.len) fclose(out);
	buf_done(&pretty);
	if (left) count_print(cli, stderr, "cli.rule.export.left", left);
	return EXIT_YES;
}

/* ---- apply ---- */

struct apply {
	struct cli *cli;
	struct json live;
	bool *taken; /* of the live ones: the file has it */
	bool dry;
	int64_t created, changed, same;
};

/* What the member says; NULL: as if it were not there. */
static const struct json *said(const struct json *rule, const char *name)
{
	const struct json *value = json_get(rule, name);

	if (!value || value->type == JSON_NULL) return NULL;
	if (value->type == JSON_STRING && !value->text.len) return NULL;
	if (value->type == JSON_OBJECT && !value->count) return NULL;
	return value->type == JSON_TRUE ? NULL : value;
}

static bool says_same(
	const struct json *a, const struct json *b, const char *const *names)
{
	for (; *names; names++)
		if (!json_equal(said(a, *names), said(b, *names))) return false;
	return true;
}

/* The rule in force that this one is about: of the same id, else of the same words. */
static const struct json *live_find(struct apply *a, const struct json *rule)
{
	static const char *const words[] = { "effect", "match", "ask", NULL };
	struct str id = json_text_of(rule, "id");
	uint32_t found = a->live.count;

	for (uint32_t i = 0; id.len && i < a->live.count; i++)
		if (str_eq(json_text_of(&a->live.items[i], "id"), id)) found = i;
	for (uint32_t i = 0; found == a->live.count && i < a->live.count; i++)
		if (!a->taken[i] && says_same(&a->live.items[i], rule, words)) found = i;
	if (found == a->live.count || a->taken[found]) return NULL;
	a->taken[found] = true;
	return &a->live.items[found];
}

/* As the server would take it; nothing is made. EXIT_YES, or said. */
static int rule_check(struct apply *a, const struct json *terms)
{
	const struct json *reply;
	char never[TIME_SIZE];

	/* `from` in the future: past approvals need not be searched. */
	time_write(clock_now_ms() + 86400000, never);
	return cli_call_try(a->cli, "POST", STR("/v1/rules/try"),
		BODY(a->cli, { "rule", .json = terms }, { "from", str_of(never) }),
		&reply);
}

/* The patch that makes the rule as the file has it: members the file lacks are removed.
 * uses_left is left alone, as it counts down. */
static struct str patch_of(
	struct apply *a, const struct json *live, const struct json *terms)
{
	bool off = json_is(json_get(terms, "enabled"), JSON_FALSE);
	struct str note = json_text_of(terms, "note"), none = STR("null");

	return BODY(a->cli, { "effect", .json = json_get(terms, "effect"), .raw = none },
		{ "match", .json = json_get(terms, "match"), .raw = STR("{}") },
		{ "ask", .json = json_get(terms, "ask"), .raw = none },
		{ "expires_at", .json = json_get(terms, "expires_at"), .raw = none },
		{ "note", .text = note.at ? note : STR("") },
		{ "enabled", .raw = json_bool(!off) },
		{ "version", .json = json_get(live, "version"), .raw = none });
}

static void change_print(
	struct apply *a, const struct json *live, const struct json *rule)
{
	struct buf line = { .max = 65536 };

	rule_says(&line, rule, a->cli);
	if (live)
		printf("~ %.*s  %s\n", STR_ARGS(json_text_of(live, "id")),
			buf_text(&line));
	else
		printf("+ %s\n", buf_text(&line));
	buf_done(&line);
}

/* `check`: only whether the server would take it. */
static int rule_apply(
	struct apply *a, const struct json *rule, const struct json *live, bool check)
{
	static const char *const all[] = { "effect", "match", "ask", "note", "enabled",
		"expires_at", NULL };
	struct json terms = rule_terms(rule, false, &a->cli->arena);
	const struct json *reply;
	struct buf body = { .max = 1 << 20 };

	if (live && says_same(live, rule, all)) {
		a->same += !check;
		return EXIT_YES;
	}
	if (check) return rule_check(a, &terms);
	change_print(a, live, rule);
	a->created += !live;
	a->changed += live != NULL;
	if (a->dry) return EXIT_YES;
	if (live)
		return cli_call_try(a->cli, "PATCH",
			path_with(a->cli, "/v1/rules/", json_text_of(live, "id"), ""),
			patch_of(a, live, &terms), &reply);
	json_write(&body, &terms);
	return cli_call_try(a->cli, "POST", STR("/v1/rules"),
		buf_keep_done(&body, &a->cli->arena), &reply);
}

/* First all are checked, so that a wrong file changes nothing. */
static int rules_apply(struct apply *a, const struct json *rules)
{
	struct arena *arena = &a->cli->arena;
	const struct json **live =
		ARENA_ARRAY(arena, const struct json *, rules->count + 1);
	int status = EXIT_YES;

	a->taken = ARENA_ARRAY(arena, bool, a->live.count + 1);
	if (!live || !a->taken) return EXIT_NO_SERVER;
	for (uint32_t i = 0; i < rules->count; i++)
		live[i] = live_find(a, &rules->items[i]);
	for (int check = 1; check >= 0; check--)
		for (uint32_t i = 0; status == EXIT_YES && i < rules->count; i++) {
			status = rule_apply(a, &rules->items[i], live[i], check == 1);
			if (status != EXIT_YES)
				fprintf(stderr, "%s\n",
					MSG(arena, "cli.rule.apply.wrong",
						{ "n", arena_print(arena, "%u", i + 1) })
						.at);
		}
	return status;
}

static int apply_run(struct cli *cli)
{
	struct apply a = { .cli = cli, .dry = cli_has(cli, "dry-run") };
	struct str name = cli_word(cli, 0);
	const struct json *file, *rules;
	int64_t others = 0;
	int status;

	file = rule_file(cli, name);
	rules = json_is(file, JSON_ARRAY) ? file : json_get(file, "rules");
	if (!json_is(rules, JSON_ARRAY))
		return CLI_USAGE(cli, "cli.rule.apply.shape", { "file", name });
	a.live = cli_call_all(cli, STR("/v1/rules"));
	status = rules_apply(&a, rules);
	if (status != EXIT_YES) return status;
	for (uint32_t i = 0; i < a.live.count; i++)
		others += !a.taken[i] && !rule_is_bound(&a.live.items[i]);
#define COUNT(n) arena_print(&cli->arena, "%lld", (long long)(n))
	fprintf(stderr, "%s\n",
		MSG(&cli->arena, a.dry ? "cli.rule.apply.dry" : "cli.rule.apply.done",
			{ "created", COUNT(a.created) }, { "changed", COUNT(a.changed) },
			{ "same", COUNT(a.same) })
			.at);
#undef COUNT
	if (others) count_print(cli, stderr, "cli.rule.apply.others", others);
	return EXIT_YES;
}

static const struct flag apply_flags[] = { { "dry-run" }, { 0 } };
const struct command rule_file_verbs[] = {
	{ "rule export", export_run, "[FILE]", 0, 1, NULL, CLIENT, "0 2 3 4",
		"parley rule export rules.json\n"
		"parley rule export | diff rules.json -" },
	{ "rule apply", apply_run, "FILE", 1, 1, apply_flags, CLIENT, "0 1 2 3 4",
		"parley rule apply rules.json --dry-run\n"
		"parley rule apply rules.json" },
	{ 0 },
};
