/* rule_match.c - what an operation must be for a rule to fit: reading it, and which match
 * covers which. Prefix: operation_category_. */
#include "core/policy/rule.h"

#include "core/shared/glob.h"
#include "core/shared/shape.h"

enum { WHERE_MAX = 200 };

static const char *const type_names[] = {
	[TYPE_TOOL] = "tool",
	[TYPE_SUB_AGENT] = "sub_agent",
	[TYPE_MCP] = "mcp",
	[TYPE_FILE_OP] = "file_op",
	[TYPE_DB_OP] = "db_op",
	[TYPE_PLAN] = "plan",
	[TYPE_MANDATE] = "mandate",
};

ENUM_NAMES(operation_type, type_names)

static const char *const categories[] = {
	[TYPE_TOOL] = "tools",
	[TYPE_SUB_AGENT] = "sub_agents",
	[TYPE_MCP] = "mcp",
	[TYPE_FILE_OP] = "file_ops",
	[TYPE_DB_OP] = "db_ops",
};

const char *operation_category_name(enum operation_type t)
{
	return categories[t];
}

bool operation_category_read(struct str name, enum operation_type *out)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (str_is(name, categories[i])) {
			*out = (enum operation_type)i;
			return true;
		}
	return false;
}

enum operation_type operation_type_of(const struct json *operation)
{
	enum operation_type type = TYPE_TOOL;

	operation_type_read(json_text(json_get(operation, "type")), &type);
	return type;
}

/* ---- reading ---- */

void tools_check(struct check *c, const struct json_place *at, const struct json *v,
	bool allows, struct arena *arena, struct tool_pattern **out, size_t *len)
{
	struct tool_pattern *tools;

	if (!json_is(v, JSON_ARRAY) || v->count == 0 || v->count > RULE_TOOLS_MAX) {
		wrong(c, at, "must be an array of 1 to %d patterns", RULE_TOOLS_MAX);
		return;
	}
	tools = ARENA_ARRAY(arena, struct tool_pattern, v->count);
	for (uint32_t i = 0; tools && i < v->count; i++) {
		struct json_place item = place_item(at, i);
		const char *flaw =
			v->items[i].type != JSON_STRING
				? "must be a string such as Bash(git *)"
				: tool_pattern_read(v->items[i].text, allows, &tools[i]);

		if (flaw) wrong(c, &item, "%s", flaw);
	}
	if (!tools) return;
	*out = tools;
	*len = v->count;
}

static enum risk bound_read(struct check *c, const struct json_place *at,
	const char *name, const struct json *risk, enum risk otherwise)
{
	const struct json *v = json_get(risk, name);
	enum risk out = otherwise;

	if (v && v->type != JSON_NULL && !risk_read(json_text(v), &out))
		wrong_member(
			c, at, str_of(name), "must be low, medium, high or critical");
	return out;
}

/* An allow fits up to medium unless it says more, and never critical. */
static void risk_check(struct check *c, const struct json_place *at, const struct json *v,
	enum effect effect, struct rule_match *out)
{
	static const struct str bounds[] = { STR("min"), STR("max") };
	static const struct members both = { bounds, 2 };
	const struct json *ignored[2];
	struct json_place spot = place_member(at, STR("risk"));
	enum risk most = effect == EFFECT_ALLOW ? RISK_MEDIUM : RISK_CRITICAL;

	out->min = RISK_LOW;
	out->max = most;
	if (!v || !members_read(c, &spot, v, &both, NULL, ignored)) return;
	out->min = bound_read(c, &spot, "min", v, RISK_LOW);
	out->max = bound_read(c, &spot, "max", v, most);
	if (effect == EFFECT_ALLOW && out->min == RISK_CRITICAL)
		wrong_member(c, &spot, STR("min"),
			"never matches: critical operations are always asked");
	else if (effect == EFFECT_ALLOW && out->min > out->max && !ignored[1])
		wrong_member(c, &spot, STR("min"),
			"never matches: without max an allow goes up to medium; add "
			"\"max\": \"high\"");
	else if (out->min > out->max)
		wrong_member(
			c, &spot, STR("min"), "never matches: min is greater than max");
	if (effect == EFFECT_ALLOW && out->max == RISK_CRITICAL) out->max = RISK_HIGH;
}

static bool digest_valid(struct str s)
{
	if (s.len != DIGEST_SIZE - 1 || !str_starts(s, "sha256:")) return false;
	for (size_t i = strlen("sha256:"); i < s.len; i++)
		if (!(s.at[i] >= '0' && s.at[i] <= '9') &&
			!(s.at[i] >= 'a' && s.at[i] <= 'f'))
			return false;
	return true;
}

static void tool_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	const enum effect *effect = r->ctx;
	struct rule_match *match = r->out;

	if (v)
		tools_check(r->check, &at, v, *effect == EFFECT_ALLOW, r->arena,
			&match->tools, &match->tools_len);
}

static void arguments_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	struct rule_match *match = r->out;

	if (v)
		argument_tests_read(r->check, &at, v, r->arena, &match->arguments,
			&match->arguments_len);
}

static void risk_bounds_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	const enum effect *effect = r->ctx;

	(void)m;
	risk_check(r->check, r->at, v, *effect, r->out);
}

static void match_complete(const struct shape_reading *r)
{
	struct rule_match *match = r->out;

	match->has_type = shape_said(r, "type");
	match->no_project = json_is(json_get(r->json, "project"), JSON_NULL);
}

static const struct shape_member rule_match_members[] = {
	{ STR("tool"), OF_OWN, .read = tool_read },
	{ STR("type"), OF_WORD, AT(rule_match, type),
		.must = "must be tool, sub_agent, mcp, file_op, db_op, plan or mandate; "
			"other types count as tool",
		WORDS(type_names) },
	{ STR("arguments"), OF_OWN, .read = arguments_read },
	{ STR("risk"), OF_OWN, .read = risk_bounds_read },
	{ STR("agent"), OF_TEXT, AT(rule_match, agent), 1, WHERE_MAX,
		TEXT_LINE | TEXT_FILLED },
	{ STR("project"), OF_TEXT, AT(rule_match, project), 1, WHERE_MAX,
		TEXT_LINE | TEXT_FILLED | SHAPE_NULL },
	{ STR("session"), OF_NAME, AT(rule_match, session),
		.must = "must be the id of a session", .prefix = "ses" },
	{ STR("same"), OF_NAME, AT(rule_match, same),
		.must = "must be sha256: and 64 hexadecimal digits in small letters",
		.fits = digest_valid },
};
/* As RuleMatch in openapi.json. */
static const struct shape rule_match_shape = { SHAPE(rule_match_members, rule_match),
	.together = match_complete };
/* The match of a stop: agent, project and session. */
static const struct shape where_shape = { .members = rule_match_members + 4,
	.len = 3,
	.size = sizeof(struct rule_match),
	.together = match_complete };

void rule_match_check(struct check *c, const struct json_place *at,
	const struct json *json, enum effect effect, bool literal, struct arena *arena,
	struct rule_match *out)
{
	out->literal = literal;
	shape_read(&rule_match_shape, &(struct shape_reading){ .check = c,
					      .at = at,
					      .json = json,
					      .arena = arena,
					      .out = out,
					      .ctx = &effect });
}

enum err rule_where_read(const struct json *json, const char *pointer,
	struct rule_match *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place at = place_root(pointer);
	struct rule_match match = { .min = RISK_LOW, .max = RISK_CRITICAL };

	shape_check(&where_shape, &c, &at, json, NULL, NULL, &match);
	enum err e = check_end(&c, NULL);
	if (!e) *out = match;
	return e;
}

bool rule_match_write(struct json_writer *w, const struct json *json)
{
	return shape_copy(w, &rule_match_shape, json);
}

/* ---- comparing ---- */

static bool where_fits(struct str pattern, bool literal, struct str text)
{
	if (!pattern.len) return true;
	return literal ? str_eq(pattern, text) : glob_fits(pattern, text);
}

bool rule_match_where(const struct rule_match *m, struct str agent, struct str project,
	struct str session)
{
	return where_fits(m->agent, m->literal, agent) &&
	       (m->no_project ? project.len == 0
			      : where_fits(m->project, m->literal, project)) &&
	       (!m->session.len || str_eq(m->session, session));
}

static bool where_covers(
	struct str wide, bool wide_literal, struct str narrow, bool narrow_literal)
{
	if (!wide.len) return true;
	if (!narrow.len) return !wide_literal && str_is(wide, "*");
	if (wide_literal) return narrow_literal && str_eq(wide, narrow);
	return narrow_literal ? glob_fits(wide, narrow) : glob_covers(wide, narrow);
}

static bool tools_cover(const struct rule_match *wide, const struct rule_match *narrow)
{
	if (wide->tools_len == 0) return true;
	for (size_t i = 0; i < narrow->tools_len; i++) {
		bool covered = false;

		for (size_t k = 0; k < wide->tools_len && !covered; k++)
			covered = tool_pattern_covers(&wide->tools[k], &narrow->tools[i]);
		if (!covered) return false;
	}
	return narrow->tools_len > 0;
}

static bool arguments_cover(
	const struct rule_match *wide, const struct rule_match *narrow)
{
	for (size_t i = 0; i < wide->arguments_len; i++) {
		bool found = false;

		for (size_t k = 0; k < narrow->arguments_len && !found; k++)
			found = argument_tests_equal(
				&wide->arguments[i], &narrow->arguments[k]);
		if (!found) return false;
	}
	return true;
}

static bool text_covers(struct str wide, struct str narrow)
{
	return !wide.len || str_eq(wide, narrow);
}

static bool project_covers(const struct rule_match *wide, const struct rule_match *narrow)
{
	if (wide->no_project) return narrow->no_project;
	if (narrow->no_project) return !wide->project.len || str_is(wide->project, "*");
	return where_covers(
		wide->project, wide->literal, narrow->project, narrow->literal);
}

bool rule_match_covers(const struct rule_match *wide, const struct rule_match *narrow)
{
	return tools_cover(wide, narrow) && arguments_cover(wide, narrow) &&
	       (!wide->has_type || (narrow->has_type && wide->type == narrow->type)) &&
	       wide->min <= narrow->min && wide->max >= narrow->max &&
	       where_covers(wide->agent, wide->literal, narrow->agent, narrow->literal) &&
	       project_covers(wide, narrow) &&
	       text_covers(wide->session, narrow->session) &&
	       text_covers(wide->same, narrow->same);
}
