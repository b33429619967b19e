/* rule_body.c - rules as bodies: from the options of a command, or from a file. */
#include "cli/verb/rule_body.h"

#include "base/keep.h"
#include "cli/text_file.h"

enum { ARGUMENTS_MAX = 20, APPROVALS_MAX = 10 };

/* ---- files ---- */

int rule_file(struct cli *cli, struct str name, const struct json **out)
{
	struct fault why = { 0 };
	struct str text;

	text_file_read(arena_copy(&cli->arena, name), false, &cli->arena, &text, NULL);
	if (json_read(text, NULL, &cli->arena, out, &why) == OK) return EXIT_YES;
	return text.len ? CLI_USAGE(cli, "cli.rule.file.json", { "file", name },
				  { "detail", str_of(why.detail) })
			: CLI_USAGE(cli, "cli.route.file", { "file", name });
}

struct json rule_terms(const struct json *rule, bool id, struct arena *arena)
{
	static const char *const names[] = { "id", "effect", "note", "enabled", "match",
		"ask", "expires_at", "uses_left" };
	struct json_member *room = ARENA_ARRAY(arena, struct json_member, 8);
	struct json out = { .type = JSON_OBJECT, .members = room };

	for (size_t i = id ? 0 : 1; room && i < 8; i++) {
		const struct json *value = json_get(rule, names[i]);

		if (value && value->type != JSON_NULL)
			room[out.count++] =
				(struct json_member){ str_of(names[i]), *value };
	}
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

/* Tests of one pointer stand together: min and max. */
static int arguments_put(struct cli *cli, struct json_writer *w)
{
	struct test_given given[ARGUMENTS_MAX];
	size_t len = 0, at = 0;
	struct str one;

	while (args_next(&cli->args, "argument", &at, &one))
		if (len == ARGUMENTS_MAX || !argument_split(one, &given[len++]))
			return CLI_USAGE(cli, "cli.rule.argument", { "value", one });
	if (len) jw_put_object(w, "arguments");
	for (size_t i = 0; i < len; i++) {
		bool seen = false;

		for (size_t k = 0; k < i; k++)
			seen = seen || str_eq(given[k].pointer, given[i].pointer);
		if (seen) continue;
		jw_name(w, given[i].pointer);
		jw_object(w);
		for (size_t k = i; k < len; k++)
			if (str_eq(given[k].pointer, given[i].pointer))
				test_put(cli, w, &given[k]);
		jw_object_end(w);
	}
	if (len) jw_object_end(w);
	return EXIT_YES;
}

/* 2, or 2:team:ops,role:admin */
static bool require_put(struct json_writer *w, struct str said)
{
	int colon = str_find(said, STR(":"));
	struct str n = colon < 0 ? said : str_first(said, (size_t)colon), one,
		   from = colon < 0 ? STR_NONE : str_from(said, (size_t)colon + 1);
	int64_t approvals;

	if (!str_to_int(n, 1, APPROVALS_MAX, &approvals)) return false;
	jw_object(w);
	jw_put_int(w, "approvals", approvals);
	if (from.len) jw_put_array(w, "from");
	while (from.len && str_cut(&from, ',', &one))
		jw_str(w, one);
	if (colon >= 0) jw_array_end(w);
	jw_object_end(w);
	return true;
}

static int asks_put(struct cli *cli, struct json_writer *w, bool asks)
{
	struct str verify = cli_arg(cli, "verify"),
		   risk = asks ? cli_arg(cli, "risk") : STR_NONE, one;
	bool require = cli_has(cli, "require");
	size_t at = 0;

	if (!require && !verify.len && !risk.len) return EXIT_YES;
	jw_put_object(w, "ask");
	if (require) jw_put_array(w, "require");
	while (args_next(&cli->args, "require", &at, &one))
		if (!require_put(w, one))
			return CLI_USAGE(cli, "cli.rule.require.wrong", { "value", one });
	if (require) jw_array_end(w);
	jw_put_some(w, "risk", risk);
	jw_put_some(w, "verify", verify);
	jw_object_end(w);
	return EXIT_YES;
}

static int match_put(
	struct cli *cli, struct json_writer *w, struct str effect, struct str pattern)
{
	struct str risk = cli_arg(cli, "risk");
	int status;

	jw_put_object(w, "match");
	if (pattern.len) {
		jw_put_array(w, "tool");
		jw_str(w, pattern);
		jw_array_end(w);
	}
	status = arguments_put(cli, w);
	/* An ask rule raises the risk, an allow reaches up to it, a deny begins there. */
	if (risk.len && !str_is(effect, "ask")) {
		jw_put_object(w, "risk");
		jw_put_some(w, str_is(effect, "deny") ? "min" : "max", risk);
		jw_object_end(w);
	}
	jw_put_some(w, "agent", cli_arg(cli, "agent"));
	jw_put_some(w, "project", cli_arg(cli, "project"));
	jw_object_end(w);
	return status;
}

static int options_put(
	struct cli *cli, struct json_writer *w, struct str effect, struct str pattern)
{
	struct str until;
	int status = moment_read(cli, "for", 1, &until);

	if (status != EXIT_YES) return status;
	jw_object(w);
	jw_put_some(w, "effect", effect);
	jw_put_some(w, "note", cli_arg(cli, "note"));
	status = match_put(cli, w, effect, pattern);
	if (status == EXIT_YES) status = asks_put(cli, w, str_is(effect, "ask"));
	jw_put_some(w, "expires_at", until);
	jw_object_end(w);
	return status;
}

int rule_given(struct cli *cli, struct str effect, struct str pattern, struct str *out)
{
	struct str file = cli_arg(cli, "file");
	struct buf body = { .max = 1 << 20 };
	struct json_writer w = { .out = &body };
	const struct json *json;
	struct json terms;
	int status;

	if (file.len) {
		status = rule_file(cli, file, &json);
		if (status != EXIT_YES) return status;
		terms = rule_terms(json, false, &cli->arena);
		json_write(&body, &terms);
	} else {
		status = options_put(cli, &w, effect, pattern);
	}
	*out = buf_keep_done(&body, &cli->arena);
	return status;
}
