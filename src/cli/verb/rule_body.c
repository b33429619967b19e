/* rule_body.c - rules as bodies: from the options of a command, or from a file. */
#include "cli/verb/rule_body.h"

#include "base/keep.h"
#include "cli/request.h"
#include "cli/resource.h"

enum { ARGUMENTS_MAX = 20, APPROVALS_MAX = 10 };

/* ---- files ---- */

const struct json *rule_file(struct cli *cli, struct str name)
{
	const struct json *json;
	struct fault why = { 0 };
	struct str text = resource_file(cli, name);

	if (json_read(text, NULL, &cli->arena, &json, &why) != OK)
		cli_end(cli, CLI_USAGE(cli, "cli.rule.file.json", { "file", name },
				     { "detail", str_of(why.detail) }));
	return json;
}

struct json rule_terms(const struct json *rule, bool id, struct arena *arena)
{
	static const char *const names[] = { "id", "effect", "note", "enabled", "match",
		"ask", "expires_at", "uses_left" };
	struct json_member *room = ARENA_ARRAY(arena, struct json_member, 9);
	struct json out = { .type = JSON_OBJECT, .members = room };
	const struct json *shadow = json_get(rule, "shadow");

	for (size_t i = id ? 0 : 1; room && i < 8; i++) {
		const struct json *value = json_get(rule, names[i]);

		if (value && value->type != JSON_NULL)
			room[out.count++] =
				(struct json_member){ str_of(names[i]), *value };
	}
	/* It is shown with what it counts. Without this a copy of it would decide. */
	if (room && (json_is(shadow, JSON_OBJECT) || json_is(shadow, JSON_TRUE)))
		room[out.count++] =
			(struct json_member){ STR("shadow"), { .type = JSON_TRUE } };
	return out;
}

/* ---- options ---- */

/* A number, true or false as JSON has them; else a text. */
static void value_put(struct cli *cli, struct json_writer *w, struct str said)
{
	const struct json *json;

	if (json_read(said, NULL, &cli->arena, &json, NULL) == OK &&
		(json->type == JSON_NUMBER || json_is_bool(json)))
		jw_raw(w, said);
	else
		jw_str(w, said);
}

struct test_given {
	struct str pointer, value;
	const char *test;
};

/* /branch=main, /amount:min=100, /branch:in=main,release */
static bool argument_split(struct str said, struct test_given *out)
{
	static const char *const tests[] = { "is", "in", "glob", "under", "host", "min",
		"max", "has" };
	int eq = str_find(said, STR("="));

	if (eq < 1 || said.at[0] != '/') return false;
	*out = (struct test_given){ str_first(said, (size_t)eq),
		str_from(said, (size_t)eq + 1), "is" };
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		size_t len = strlen(tests[i]) + 1, all = out->pointer.len;

		if (all <= len || out->pointer.at[all - len] != ':' ||
			!str_is(str_from(out->pointer, all - len + 1), tests[i]))
			continue;
		out->pointer = str_first(out->pointer, all - len);
		out->test = tests[i];
		break;
	}
	return true;
}

static void test_put(struct cli *cli, struct json_writer *w, const struct test_given *t)
{
	struct str rest = t->value, one;

	jw_key(w, t->test);
	if (strcmp(t->test, "in") != 0) {
		value_put(cli, w, t->value);
		return;
	}
	jw_array(w);
	while (str_cut(&rest, ',', &one))
		value_put(cli, w, one);
	jw_array_end(w);
}

/* Tests of one pointer stand together: min and max. Empty without any. */
static struct str arguments_given(struct cli *cli)
{
	struct test_given given[ARGUMENTS_MAX];
	struct buf out = { .max = 1 << 20 };
	struct json_writer w = { .out = &out };
	size_t len = 0, at = 0;
	struct str one;

	while (args_next(&cli->args, "argument", &at, &one))
		if (len == ARGUMENTS_MAX || !argument_split(one, &given[len++]))
			CLI_REFUSE(cli, "cli.rule.argument", { "value", one });
	if (!len) return STR_NONE;
	jw_object(&w);
	for (size_t i = 0; i < len; i++) {
		bool seen = false;

		for (size_t k = 0; k < i; k++)
			seen = seen || str_eq(given[k].pointer, given[i].pointer);
		if (seen) continue;
		jw_name(&w, given[i].pointer);
		jw_object(&w);
		for (size_t k = i; k < len; k++)
			if (str_eq(given[k].pointer, given[i].pointer))
				test_put(cli, &w, &given[k]);
		jw_object_end(&w);
	}
	jw_object_end(&w);
	return buf_keep_done(&out, &cli->arena);
}

/* 2, or 2:team:ops,role:admin */
static struct str require_one(struct cli *cli, struct str said)
{
	struct str from = said, n;
	int64_t approvals;

	str_cut(&from, ':', &n);
	if (!str_to_int(n, 1, APPROVALS_MAX, &approvals))
		CLI_REFUSE(cli, "cli.rule.require.wrong", { "value", said });
	return BODY(cli, { "approvals", .number = n }, { "from", .list = from });
}

/* Empty without --require. */
static struct str require_given(struct cli *cli)
{
	struct buf out = { .max = 1 << 20 };
	struct json_writer w = { .out = &out };
	struct str one;

	if (!cli_has(cli, "require")) return STR_NONE;
	jw_array(&w);
	for (size_t i = 0; args_next(&cli->args, "require", &i, &one);)
		jw_raw(&w, require_one(cli, one));
	jw_array_end(&w);
	return buf_keep_done(&out, &cli->arena);
}

/* What an ask rule wants; empty when it is nothing. */
static struct str asks_given(struct cli *cli, struct str risk)
{
	struct str verify = cli_arg(cli, "verify"), require = require_given(cli);

	if (!require.len && !verify.len && !risk.len) return STR_NONE;
	return BODY(cli, { "require", .raw = require }, { "risk", risk },
		{ "verify", verify });
}

/* A list of this one text. */
static struct str list_of(struct cli *cli, struct str text)
{
	struct buf out = { .max = 1 << 20 };

	buf_add_char(&out, '[');
	json_write_str(&out, text);
	buf_add_char(&out, ']');
	return buf_keep_done(&out, &cli->arena);
}

static struct str match_given(
	struct cli *cli, struct str pattern, const char *bound, struct str risk)
{
	struct str tool = pattern.len ? list_of(cli, pattern) : STR_NONE;

	return BODY(cli, { "tool", .raw = tool },
		{ "arguments", .raw = arguments_given(cli) },
		{ "risk", .raw = risk.len ? BODY(cli, { bound, risk }) : STR_NONE },
		{ "agent", cli_arg(cli, "agent") },
		{ "project", cli_arg(cli, "project") });
}

struct str rule_given(struct cli *cli, struct str effect, struct str pattern)
{
	struct str file = cli_arg(cli, "file"), risk = cli_arg(cli, "risk"), until, match;
	bool asks = str_is(effect, "ask");
	struct buf body = { .max = 1 << 20 };
	struct json terms;

	if (file.len) {
		terms = rule_terms(rule_file(cli, file), false, &cli->arena);
		json_write(&body, &terms);
		return buf_keep_done(&body, &cli->arena);
	}
	until = moment_read(cli, "for", 1);
	/* An ask rule raises the risk, an allow reaches up to it, a deny begins there. */
	match = match_given(cli, pattern, str_is(effect, "deny") ? "min" : "max",
		asks ? STR_NONE : risk);
	return BODY(cli, { "effect", effect }, { "note", cli_arg(cli, "note") },
		{ "match", .raw = match },
		{ "ask", .raw = asks_given(cli, asks ? risk : STR_NONE) },
		{ "expires_at", until },
		{ "shadow", .raw = cli_has(cli, "shadow") ? STR("true") : STR_NONE });
}
