/* insights.c - parley insights, expect, rehearse: how asking goes, when somebody will answer, and what other
 * rules would have changed. */
#include <stdio.h>

#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/rule_body.h"
#include "cli/verb/verbs.h"
#include "text/alert_words.h"
#include "text/problem_words.h"
#include "text/safe_text.h"

/* ---- insights ---- */

/* What a row is about: the member that it is named by, of whichever list. */
static struct str what_cell(struct cli *cli, const struct json *row)
{
	static const char *const names[] = { "kind_of", "text", "day", "name",
		"project" };
	const struct json *agent = json_get(row, "agent"), *hour = json_get(row, "hour");

	if (agent) return reply_text(cli, agent, "name");
	if (hour) return arena_print(&cli->arena, "%02lld:00", (long long)hour->integer);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (json_text_of(row, names[i]).len)
			return reply_text(cli, row, names[i]);
	return STR("-");
}

static struct str count_cell(struct cli *cli, const struct json *row, const char *name)
{
	const struct json *n = json_get(row, name);

	return n ? arena_print(&cli->arena, "%lld", (long long)n->integer) : STR("-");
}

static struct str asked_cell(struct cli *cli, const struct json *row)
{
	return count_cell(cli, row, json_get(row, "asks") ? "asks" : "created");
}

static struct str answered_cell(struct cli *cli, const struct json *row)
{
	return count_cell(cli, row, "answered");
}

static struct str expired_cell(struct cli *cli, const struct json *row)
{
	return count_cell(cli, row, "expired");
}

static struct str rules_cell(struct cli *cli, const struct json *row)
{
	return count_cell(cli, row, "by_rules");
}

static struct str median_cell(struct cli *cli, const struct json *row)
{
	const struct json *ms = json_get(row, "median_ms");

	return json_is(ms, JSON_NUMBER)
		       ? alert_span((int64_t)json_real(ms), msg_lang(), &cli->arena)
		       : STR("-");
}

static const struct table_column insight_columns[] = { { "cli.insights.asked", -8,
							       .cell = asked_cell },
	{ "cli.insights.answered", -8, .cell = answered_cell },
	{ "cli.insights.expired", -8, .cell = expired_cell },
	{ "cli.insights.rules", -8, .cell = rules_cell },
	{ "cli.insights.median", 10, .cell = median_cell },
	{ "cli.insights.what", 0, .cell = what_cell }, { 0 } };

/* An object of counts by kind as rows that say their kind. */
static const struct json *kinds_listed(struct cli *cli, const struct json *by_kind)
{
	struct json *list = ARENA_NEW(&cli->arena, struct json);

	if (!list || !json_is(by_kind, JSON_OBJECT)) return NULL;
	list->type = JSON_ARRAY;
	list->items = ARENA_ARRAY(&cli->arena, struct json, by_kind->count + 1);
	for (uint32_t i = 0; list->items && i < by_kind->count; i++) {
		const struct json_member *m = &by_kind->members[i];
		const struct body_member kind[] = { { "kind_of", m->name }, { 0 } };
		const struct json *row;

		if (!json_read(request_without(&cli->arena, &m->value, "", kind), NULL,
			    &cli->arena, &row, NULL))
			list->items[list->count++] = *row;
	}
	return list;
}

static const struct json *rows_by(
	struct cli *cli, const struct json *insights, struct str by)
{
	if (str_is(by, "question")) return json_get(insights, "questions");
	if (str_is(by, "kind")) return kinds_listed(cli, json_get(insights, "by_kind"));
	return json_get(
		insights, arena_copy(&cli->arena,
				  arena_print(&cli->arena, "by_%.*s", STR_ARGS(by))));
}

static bool csv_take(void *ctx, struct str bytes)
{
	(void)ctx;
	return fwrite(bytes.at, 1, bytes.len, stdout) == bytes.len;
}

static int insights_csv(struct cli *cli, struct str query, struct str by)
{
	struct api_call call = { .method = "GET",
		.path = arena_print(&cli->arena, "/v1/insights.csv?by=%.*s%s%.*s",
			STR_ARGS(by), query.len ? "&" : "",
			STR_ARGS(str_from(query, query.len ? 1 : 0))),
		.take = csv_take };
	struct api_reply reply;
	struct fault why = { 0 };

	cli_call_open(cli);
	return client_call(cli->client, &call, &cli->arena, &reply, &why)
		       ? cli_fail(cli, &why)
		       : EXIT_YES;
}

static void summary_say(struct cli *cli, const struct json *insights)
{
	const struct json *asks = json_get(insights, "asks");
	struct arena *arena = &cli->arena;

	printf("%s\n",
		MSG(arena, "cli.insights.summary",
			{ "from", str_first(reply_text(cli, insights, "from"), 10) },
			{ "to", str_first(reply_text(cli, insights, "to"), 10) },
			{ "asked", count_cell(cli, asks, "created") },
			{ "answered", count_cell(cli, asks, "answered") },
			{ "rules", count_cell(cli, asks, "by_rules") },
			{ "expired", count_cell(cli, asks, "expired") })
			.at);
}

static int insights_run(struct cli *cli)
{
	struct str query = flags_query(cli, "", "from to project agent kind tz order");
	struct str by = cli_has(cli, "by") ? cli_arg(cli, "by") : STR("question");
	const struct json *insights, *rows;

	if (cli_has(cli, "csv")) return insights_csv(cli, query, by);
	insights = cli_call_get(
		cli, arena_print(&cli->arena, "/v1/insights%.*s", STR_ARGS(query)));
	if (as_json(cli)) return reply_done(cli, insights);
	if (!cli_has(cli, "by")) summary_say(cli, insights);
	rows = rows_by(cli, insights, by);
	if (json_is(rows, JSON_ARRAY) && rows->count)
		table_print(cli, insight_columns, rows, false);
	else
		SAY("cli.insights.none");
	return EXIT_YES;
}

/* ---- expect ---- */

static int expect_run(struct cli *cli)
{
	const struct json *said =
		cli_call_get(cli, flags_query(cli, "/v1/expect", "kind project"));

	if (as_json(cli)) return reply_done(cli, said);
	printf("%.*s\n", STR_ARGS(problem_words(reply_text(cli, said, "text"), msg_lang(),
				 &cli->arena)));
	return EXIT_YES;
}

/* ---- rehearse ---- */

/* What the file says: the body, or rules as `rule export` writes them. */
static struct str rehearse_body(struct cli *cli)
{
	const struct json *file = rule_file(cli, cli_word(cli, 0));
	const struct json *rules =
		json_is(file, JSON_ARRAY) ? file : json_get(file, "rules");
	const struct body_member days[] = { { "days", .number = cli_arg(cli, "days") },
		{ 0 } };
	struct buf add = { .max = 1 << 26 };
	struct json_writer w = { .out = &add };

	if (!rules)
		return request_without(
			&cli->arena, file, cli_has(cli, "days") ? "days" : "", days);
	jw_array(&w);
	for (const struct json *rule = NULL; json_each(rules, &rule);) {
		struct json terms = rule_terms(rule, false, &cli->arena);

		jw_json(&w, &terms);
	}
	jw_array_end(&w);
	return BODY(cli, { "add", .raw = buf_keep_done(&add, &cli->arena) },
		{ "days", .number = cli_arg(cli, "days") });
}

/* "asked", "approved": what was done, or said. */
static const char *done_word(struct cli *cli, const struct json *one, const char *member)
{
	struct str word = json_text_of(one, member);
	const char *id =
		arena_print(&cli->arena, "cli.rehearse.word.%.*s", STR_ARGS(word)).at;

	return word.len ? MSG(&cli->arena, id).at : "";
}

static void differs_print(struct cli *cli, const struct json *differs)
{
	for (const struct json *d = NULL; json_each(differs, &d);) {
		struct str id = reply_text(cli, d, "ask");
		const char *person = done_word(cli, d, "person");

		if (!id.len) id = reply_text(cli, d, "call");
		printf("%.*s  %s → %s%s%s\n", STR_ARGS(id), done_word(cli, d, "was"),
			done_word(cli, d, "would"), *person ? "  " : "", person);
	}
}

static int rehearse_run(struct cli *cli)
{
	const struct json *said =
		cli_call(cli, "POST", STR("/v1/rehearse"), rehearse_body(cli));
	const struct json *was = json_get(said, "was"), *would = json_get(said, "would");

	if (as_json(cli)) return reply_done(cli, said);
	printf("%s\n", MSG(&cli->arena, "cli.rehearse.asked",
			       { "operations", count_cell(cli, said, "operations") },
			       { "was", count_cell(cli, was, "asked") },
			       { "would", count_cell(cli, would, "asked") },
			       { "allowed", count_cell(cli, would, "allowed") },
			       { "denied", count_cell(cli, would, "denied") })
			       .at);
	if (json_int_of(said, "ran_though_rejected"))
		count_print(cli, stdout, "cli.rehearse.ran",
			json_int_of(said, "ran_though_rejected"));
	if (json_int_of(said, "stopped_though_approved"))
		count_print(cli, stdout, "cli.rehearse.stopped",
			json_int_of(said, "stopped_though_approved"));
	differs_print(cli, json_get(said, "differs"));
	return EXIT_YES;
}

static const struct flag insights_flags[] = {
	{ "by", "WHAT", "kind agent project person hour day question" }, { "csv" },
	{ "from", "TIME" }, { "to", "TIME" }, { "project", "NAME" }, { "agent", "AGENT" },
	{ "kind", "KIND", "blocking non_blocking approval error_recovery" },
	{ "tz", "ZONE" }, { "order", "WHAT", "asks expired time" }, { "json" }, { 0 }
};
static const struct flag expect_flags[] = {
	{ "kind", "KIND", "blocking non_blocking approval error_recovery" },
	{ "project", "NAME" }, { "json" }, { 0 }
};
static const struct flag rehearse_flags[] = { { "days", "N" }, { "json" }, { 0 } };

const struct command insights_verbs[] = {
	{ "insights", insights_run, NULL, 0, 0, insights_flags, CLIENT, "0 2 3 4",
		"parley insights\n"
		"parley insights --by question --order expired\n"
		"parley insights --by day --csv > days.csv" },
	{ "expect", expect_run, NULL, 0, 0, expect_flags, CLIENT, "0 2 3 4",
		"parley expect --kind approval" },
	{ "rehearse", rehearse_run, "FILE", 1, 1, rehearse_flags, CLIENT, "0 2 3 4",
		"parley rehearse rules.json\n"
		"parley rehearse rules.json --days 90" },
	{ 0 },
};
