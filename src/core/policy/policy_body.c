/* policy_body.c - a policy as JSON. */
#include "base/keep.h"
#include "core/policy/policy.h"

#include "core/policy/rule.h"
#include "core/shared/shape.h"

#define SECOND_MS 1000LL
#define DAY_MS	  (86400 * SECOND_MS)
/* Of runs: 64; earlier programs kept up to 100. */
enum { AT_ONCE_MAX = 64, AT_ONCE_KEPT = 100, ALERT_MIN_MAX = 1000000, DAYS_MAX = 36500 };

const char *const policy_default =
	"{\"mode\":\"selective\",\"default\":true,"
	"\"selective\":{\"tools\":false,\"sub_agents\":false,\"mcp\":true,"
	"\"file_ops\":true,\"db_ops\":true},"
	"\"auto_approve_low\":true,\"always_confirm_high\":true,\"timeout\":null,"
	"\"on_reject\":\"tell\",\"at_once\":{\"auto\":8,\"manual\":8,\"selective\":8},"
	"\"risks\":[{\"tool\":[\"Read\",\"Glob\",\"Grep\"],\"risk\":\"low\"},"
	"{\"tool\":[\"spawn_agent\",\"parallel_tasks\"],\"risk\":\"high\"},"
	"{\"tool\":[\"Bash(rm *)\",\"Bash(sudo *)\"],\"risk\":\"critical\"}],"
	"\"alerts\":{\"timeouts\":0.2,\"window\":\"24h\",\"min\":10,\"unanswered\":\"1h\","
	"\"unreachable\":\"10m\",\"errors\":0.05,\"dead\":1,\"overdue\":0.2,"
	"\"budget\":null,\"model\":0.2,\"node\":\"60s\"},"
	"\"retention\":{\"settled\":null},"
	"\"scopes\":{\"member\":\"8h\",\"high\":\"1h\"}}";

static const char *const mode_names[] = {
	[MODE_AUTO] = "auto",
	[MODE_MANUAL] = "manual",
	[MODE_SELECTIVE] = "selective",
};
static const enum policy_mode MODE_SEEDED = MODE_SELECTIVE;

static const struct shape_member selective_members[] = {
	{ STR("tools"), OF_BOOL, AT(policy, selective[TYPE_TOOL]) },
	{ STR("sub_agents"), OF_BOOL, AT(policy, selective[TYPE_SUB_AGENT]) },
	{ STR("mcp"), OF_BOOL, AT(policy, selective[TYPE_MCP]) },
	{ STR("file_ops"), OF_BOOL, AT(policy, selective[TYPE_FILE_OP]) },
	{ STR("db_ops"), OF_BOOL, AT(policy, selective[TYPE_DB_OP]) },
};
static const struct shape selective_shape = { SHAPE(selective_members, policy) };

/* What was kept may have more than fits today: that counts as the most. */
static void at_once_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	int64_t *out = (int64_t *)(void *)((char *)r->out + m->at);
	const bool *kept = r->ctx;

	*out = 1;
	if (v && count_read(
			 r->check, r->at, m->name, v, 1, *kept ? AT_ONCE_KEPT : m->most))
		*out = v->integer < m->most ? v->integer : m->most;
}

#define AT_ONCE(name, mode)                                                              \
	{                                                                                \
		STR(name), OF_OWN, AT(policy, at_once[mode]), 1, AT_ONCE_MAX,            \
			.read = at_once_read                                             \
	}
static const struct shape_member at_once_members[] = {
	AT_ONCE("auto", MODE_AUTO),
	AT_ONCE("manual", MODE_MANUAL),
	AT_ONCE("selective", MODE_SELECTIVE),
};
static const struct shape at_once_shape = { SHAPE(at_once_members, policy) };

/* Rows that lower the risk must match every command of the line, like an allow rule. */
static void risk_tools_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	struct risk_row *row = r->out;

	tools_check(r->check, &at, v, row->risk != RISK_NONE && row->risk < RISK_MEDIUM,
		r->arena, &row->tools, &row->tools_len);
}

static const struct shape_member risk_members[] = {
	{ STR("risk"), OF_WORD, AT(risk_row, risk), .flags = TEXT_NEEDED,
		.must = "must be low, medium, high or critical", WORDS(risk_names) },
	{ STR("tool"), OF_OWN, .flags = TEXT_NEEDED, .read = risk_tools_read },
};
static const struct shape risk_shape = { SHAPE(risk_members, risk_row) };

/* Alerts are checked here, and taken from the JSON by who needs them (core/notify/alert.h). null
 * turns one off. */
static void share_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	double share = json_real(v);

	if (v && (v->type != JSON_NUMBER || !(share > 0 && share <= 1)))
		wrong_member(r->check, r->at, m->name,
			"must be a number above 0 and at most 1, or null");
}

static void dollars_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	double dollars = json_real(v);

	if (v && (v->type != JSON_NUMBER || !(dollars > 0 && dollars <= 1e9)))
		wrong_member(r->check, r->at, m->name,
			"must be a number of dollars above 0, or null");
}

static void alert_span_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	duration_check(r->check, r->at, m->name, v, m->least, m->most);
}

static void alert_count_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	count_read(r->check, r->at, m->name, v, 1, ALERT_MIN_MAX);
}

static const struct shape_member alerts_members[] = {
	{ STR("timeouts"), OF_OWN, .read = share_read },
	{ STR("errors"), OF_OWN, .read = share_read },
	{ STR("overdue"), OF_OWN, .read = share_read },
	{ STR("model"), OF_OWN, .read = share_read },
	{ STR("budget"), OF_OWN, .read = dollars_read },
	{ STR("window"), OF_OWN, 0, 60 * SECOND_MS, 90 * DAY_MS,
		.read = alert_span_read },
	{ STR("unanswered"), OF_OWN, 0, SECOND_MS, 90 * DAY_MS, .read = alert_span_read },
	{ STR("unreachable"), OF_OWN, 0, SECOND_MS, 90 * DAY_MS,
		.read = alert_span_read },
	/* Nodes are heard of every 10 s. */
	{ STR("node"), OF_OWN, 0, 20 * SECOND_MS, DAY_MS, .read = alert_span_read },
	{ STR("min"), OF_OWN, .read = alert_count_read },
	{ STR("dead"), OF_OWN, .read = alert_count_read },
};
static const struct shape alerts_shape = { SHAPE(alerts_members, policy) };

static const struct shape_member retention_members[] = {
	{ STR("settled"), OF_SPAN, AT(policy, keep_settled_ms), DAY_MS,
		DAYS_MAX *DAY_MS },
};
static const struct shape retention_shape = { SHAPE(retention_members, policy) };

static const struct shape_member scopes_members[] = {
	{ STR("member"), OF_SPAN, AT(policy, scope_member_ms), 0, 366 * DAY_MS },
	{ STR("high"), OF_SPAN, AT(policy, scope_high_ms), 0, 366 * DAY_MS },
};
static const struct shape scopes_shape = { SHAPE(scopes_members, policy) };

/* A policy that was kept without it: nobody chose the mode of a new workspace. */
static void answer_default_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct policy *p = r->out;

	p->mode_unset = flag_read(r->check, r->at, m->name, v, p->mode == MODE_SEEDED);
}

static const char *const rejects[] = { "tell", "stop" };

static const struct shape_member policy_members[] = {
	{ STR("mode"), OF_WORD, AT(policy, mode), .otherwise = MODE_MANUAL,
		WORDS(mode_names) },
	{ STR("default"), OF_OWN, .read = answer_default_read },
	{ STR("selective"), OF_OBJECT, .of = &selective_shape },
	{ STR("auto_approve_low"), OF_BOOL, AT(policy, auto_approve_low) },
	{ STR("always_confirm_high"), OF_BOOL, AT(policy, always_confirm_high),
		.otherwise = true },
	{ STR("timeout"), OF_SPAN, AT(policy, timeout_ms), SECOND_MS, 366 * DAY_MS },
	{ STR("on_reject"), OF_EITHER, AT(policy, stop_on_reject), WORDS(rejects) },
	{ STR("at_once"), OF_OBJECT, .of = &at_once_shape },
	{ STR("risks"), OF_LIST, ALL(policy, risks), .most = RISK_ROWS_MAX,
		.must = "must be an array of at most {most} rows", .of = &risk_shape },
	{ STR("alerts"), OF_OBJECT, .of = &alerts_shape },
	{ STR("retention"), OF_OBJECT, .of = &retention_shape },
	{ STR("scopes"), OF_OBJECT, .of = &scopes_shape },
};
/* As PolicyRequest in openapi.json, but for version. */
static const struct shape policy_shape = { SHAPE(policy_members, policy) };

static struct policy policy_json_check(
	struct check *c, const struct json *json, bool kept, struct arena *arena)
{
	struct json_place root = place_root("");
	struct policy p = { 0 };

	shape_read(&policy_shape, &(struct shape_reading){ .check = c,
					  .at = &root,
					  .json = json,
					  .arena = arena,
					  .out = &p,
					  .ctx = &kept });
	return p;
}

enum err policy_parse(
	struct str text, struct arena *arena, struct policy *out, struct fault *why)
{
	struct check c = { .why = why };
	const struct json *json;
	enum err e = json_read(arena_str(arena, text), NULL, arena, &json, why);

	if (e) return e;
	struct policy p = policy_json_check(&c, json, true, arena);
	e = check_end(&c, arena);
	if (!e) *out = p;
	return e;
}

/* Members within selective, at_once, alerts, retention and scopes are replaced one by one,
 * too: who sends one of them means that one. */
static void member_merge(
	struct json_writer *w, const struct json *before, const struct json *after)
{
	if (!json_is(before, JSON_OBJECT) || !json_is(after, JSON_OBJECT)) {
		jw_json(w, after ? after : before);
		return;
	}
	jw_object(w);
	for (uint32_t i = 0; i < before->count; i++) {
		struct str name = before->members[i].name;
		const struct json *v = json_get_str(after, name);

		jw_name(w, name);
		jw_json(w, v ? v : &before->members[i].value);
	}
	for (uint32_t i = 0; i < after->count; i++) {
		if (json_get_str(before, after->members[i].name)) continue;
		jw_name(w, after->members[i].name);
		jw_json(w, &after->members[i].value);
	}
	jw_object_end(w);
}

/* Only `timeout` may be null; null elsewhere leaves it as it is. */
static const struct json *brought(const struct json *body, struct str name)
{
	const struct json *v = json_get_str(body, name);

	return v && v->type == JSON_NULL && !str_is(name, "timeout") ? NULL : v;
}

/* `default` ends when somebody sets the mode: with another word, or by saying so. */
static void default_merge(
	struct json_writer *w, const struct json *was, const struct json *body)
{
	struct str mode = json_text(json_get(was, "mode"));
	const struct json *said = brought(body, STR("default")),
			  *word = brought(body, STR("mode")),
			  *kept = json_get(was, "default");

	if (word && !str_eq(json_text(word), mode))
		jw_bool(w, false);
	else if (said || kept)
		jw_json(w, said ? said : kept);
	else
		jw_bool(w, str_is(mode, mode_names[MODE_SEEDED]));
}

enum err policy_read(const struct json *body, struct str before,
	const struct members *also, struct arena *arena, struct str *json,
	struct policy *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	const struct json *was;
	struct buf b = { .max = 1 << 20 };
	struct json_writer w = { .out = &b };
	const struct json *is;
	struct str whole;
	enum err e = json_read(before, NULL, arena, &was, why);

	if (e) return e;
	if (!json_is(body, JSON_OBJECT)) return fail_at(why, "", "must be an object");
	for (uint32_t i = 0; i < body->count; i++)
		if (shape_find(&policy_shape, body->members[i].name) < 0 &&
			(!also || members_find(also, body->members[i].name) < 0))
			wrong_member(&c, &root, body->members[i].name, "unknown member");
	jw_object(&w);
	for (size_t i = 0; i < policy_shape.len; i++) {
		struct str name = policy_members[i].name;

		jw_key_str(&w, name);
		if (str_is(name, "default"))
			default_merge(&w, was, body);
		else
			member_merge(&w, json_get_str(was, name), brought(body, name));
	}
	jw_object_end(&w);
	whole = buf_keep_done(&b, arena);
	e = json_read(whole, NULL, arena, &is, why);
	if (e) return e;
	struct policy p = policy_json_check(&c, is, false, arena);
	e = check_end(&c, arena);
	if (e) return e;
	*json = whole;
	if (out) *out = p;
	return OK;
}
