/* rule_match.c - what an operation must be for a rule to fit: reading it, and which match
 * covers which. */
#include "core/policy/rule.h"

#include "base/id.h"
#include "core/policy/glob.h"
#include "core/shared/body.h"

enum { WHERE_MAX = 200 };

enum {
	M_TOOL,
	M_TYPE,
	M_ARGUMENTS,
	M_RISK,
	M_AGENT,
	M_PROJECT,
	M_SESSION,
	M_SAME,
	M_LEN
};

static const struct str names[M_LEN] = {
	[M_TOOL] = STR("tool"),
	[M_TYPE] = STR("type"),
	[M_ARGUMENTS] = STR("arguments"),
	[M_RISK] = STR("risk"),
	[M_AGENT] = STR("agent"),
	[M_PROJECT] = STR("project"),
	[M_SESSION] = STR("session"),
	[M_SAME] = STR("same"),
};
static const struct members members = { names, M_LEN };

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
	struct json_place spot = place_member(at, names[M_RISK]);
	enum risk most = effect == EFFECT_ALLOW ? RISK_MEDIUM : RISK_CRITICAL;

	out->min = RISK_LOW;
	out->max = most;
	if (!v || !members_read(c, &spot, v, &both, NULL, ignored)) return;
	out->min = bound_read(c, &spot, "min", v, RISK_LOW);
	out->max = bound_read(c, &spot, "max", v, most);
	if (effect == EFFECT_ALLOW && out->min == RISK_CRITICAL)
		wrong_member(c, &spot, STR("min"),
			"can never fit: critical operations are always asked");
	else if (effect == EFFECT_ALLOW && out->min > out->max && !ignored[1])
		wrong_member(c, &spot, STR("min"),
			"can never fit: without max an allow goes up to medium; add "
			"\"max\": \"high\"");
	else if (out->min > out->max)
		wrong_member(
			c, &spot, STR("min"), "can never fit: min is greater than max");
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

static void where_check(struct check *c, const struct json_place *at,
	const struct json *json, const struct json *const m[M_LEN],
	struct rule_match *out)
{
	out->agent = text_read(
		c, at, names[M_AGENT], m[M_AGENT], WHERE_MAX, TEXT_LINE | TEXT_FILLED);
	out->project = text_read(c, at, names[M_PROJECT], m[M_PROJECT], WHERE_MAX,
		TEXT_LINE | TEXT_FILLED);
	out->no_project = json_is(json_get(json, "project"), JSON_NULL);
	out->session = json_text(m[M_SESSION]);
	if (m[M_SESSION] && !id_valid(out->session, "ses"))
		wrong_member(c, at, names[M_SESSION], "must be the id of a session");
}

void rule_match_check(struct check *c, const struct json_place *at,
	const struct json *json, enum effect effect, bool literal, struct arena *arena,
	struct rule_match *out)
{
	struct json_place tool = place_member(at, names[M_TOOL]);
	struct json_place arguments = place_member(at, names[M_ARGUMENTS]);
	const struct json *m[M_LEN];

	out->literal = literal;
	if (!members_read(c, at, json, &members, NULL, m)) return;
	if (m[M_TOOL])
		tools_check(c, &tool, m[M_TOOL], effect == EFFECT_ALLOW, arena,
			&out->tools, &out->tools_len);
	out->has_type = m[M_TYPE] != NULL;
	if (m[M_TYPE] && !operation_type_read(json_text(m[M_TYPE]), &out->type))
		wrong_member(c, at, names[M_TYPE],
			"must be tool, sub_agent, mcp, file_op, db_op, plan or mandate; "
			"other types count as tool");
	if (m[M_ARGUMENTS])
		argument_tests_read(c, &arguments, m[M_ARGUMENTS], arena, &out->arguments,
			&out->arguments_len);
	risk_check(c, at, m[M_RISK], effect, out);
	where_check(c, at, json, m, out);
	out->same = json_text(m[M_SAME]);
	if (m[M_SAME] && !digest_valid(out->same))
		wrong_member(c, at, names[M_SAME],
			"must be sha256: and 64 hexadecimal digits in small letters");
}

enum err rule_where_read(const struct json *json, const char *pointer,
	struct rule_match *out, struct fault *why)
{
	static const struct str where[] = { STR("agent"), STR("project"),
		STR("session") };
	static const struct members only = { where, 3 };
	struct check c = { .why = why };
	struct json_place at = place_root(pointer);
	struct rule_match match = { .min = RISK_LOW, .max = RISK_CRITICAL };
	const struct json *found[3], *m[M_LEN] = { NULL };

	if (members_read(&c, &at, json, &only, NULL, found)) {
		m[M_AGENT] = found[0];
		m[M_PROJECT] = found[1];
		m[M_SESSION] = found[2];
		where_check(&c, &at, json, m, &match);
	}
	enum err e = check_end(&c, NULL);
	if (!e) *out = match;
	return e;
}

bool rule_match_empty(const struct json *json)
{
	for (size_t i = 0; i < M_LEN; i++) {
		const struct json *v = json_get_str(json, names[i]);

		if (v && (v->type != JSON_NULL || i == M_PROJECT)) return false;
	}
	return true;
}

void rule_match_write(struct json_writer *w, const struct json *json)
{
	jw_object(w);
	for (size_t i = 0; i < M_LEN; i++) {
		const struct json *v = json_get_str(json, names[i]);

		if (!v || (v->type == JSON_NULL && i != M_PROJECT)) continue;
		jw_put_json(w, names[i].at, v);
	}
	jw_object_end(w);
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
