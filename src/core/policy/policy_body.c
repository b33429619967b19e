/* policy_body.c - a policy as JSON. */
#include "base/keep.h"
#include "core/policy/policy.h"

#include "core/policy/rule_inner.h"
#include "core/shared/body.h"

static const int64_t SECOND_MS = 1000, DAY_MS = 86400 * 1000LL;
/* Of runs: 64; earlier programs kept up to 100. */
enum { AT_ONCE_MAX = 64, AT_ONCE_KEPT = 100, ALERT_MIN_MAX = 1000000, DAYS_MAX = 36500 };

const char *const policy_default =
	"{\"mode\":\"selective\",\"default\":true,"
	"\"selective\":{\"tools\":false,\"sub_agents\":false,\"mcp\":true,"
	"\"file_ops\":true,\"db_ops\":true},"
	"\"auto_approve_low\":true,\"always_confirm_high\":true,\"timeout\":null,"
	"\"on_reject\":\"tell\",\"at_once\":{\"auto\":3,\"manual\":1,\"selective\":1},"
	"\"risks\":[{\"tool\":[\"Read\",\"Glob\",\"Grep\"],\"risk\":\"low\"},"
	"{\"tool\":[\"spawn_agent\",\"parallel_tasks\"],\"risk\":\"high\"},"
	"{\"tool\":[\"Bash(rm *)\",\"Bash(sudo *)\"],\"risk\":\"critical\"}],"
	"\"alerts\":{\"timeouts\":0.2,\"window\":\"24h\",\"min\":10,\"unanswered\":\"1h\","
	"\"errors\":0.05,\"dead\":1,\"overdue\":0.2},"
	"\"retention\":{\"settled\":null},"
	"\"scopes\":{\"member\":\"8h\",\"high\":\"1h\"}}";

enum {
	P_MODE,
	P_DEFAULT,
	P_SELECTIVE,
	P_LOW,
	P_HIGH,
	P_TIMEOUT,
	P_REJECT,
	P_AT_ONCE,
	P_RISKS,
	P_ALERTS,
	P_RETENTION,
	P_SCOPES,
	P_LEN,
};

static const struct str names[P_LEN] = {
	[P_MODE] = STR("mode"),
	[P_DEFAULT] = STR("default"),
	[P_SELECTIVE] = STR("selective"),
	[P_LOW] = STR("auto_approve_low"),
	[P_HIGH] = STR("always_confirm_high"),
	[P_TIMEOUT] = STR("timeout"),
	[P_REJECT] = STR("on_reject"),
	[P_AT_ONCE] = STR("at_once"),
	[P_RISKS] = STR("risks"),
	[P_ALERTS] = STR("alerts"),
	[P_RETENTION] = STR("retention"),
	[P_SCOPES] = STR("scopes"),
};
static const struct members members = { names, P_LEN };

static const char *const mode_names[] = {
	[MODE_AUTO] = "auto",
	[MODE_MANUAL] = "manual",
	[MODE_SELECTIVE] = "selective",
};
enum { MODES = sizeof mode_names / sizeof *mode_names };
static const enum policy_mode MODE_SEEDED = MODE_SELECTIVE;

/* By operation_type. */
static const struct str selective_names[] = {
	[TYPE_TOOL] = STR("tools"),
	[TYPE_SUB_AGENT] = STR("sub_agents"),
	[TYPE_MCP] = STR("mcp"),
	[TYPE_FILE_OP] = STR("file_ops"),
	[TYPE_DB_OP] = STR("db_ops"),
};
enum { TYPES = sizeof selective_names / sizeof *selective_names };
static const struct members selective_members = { selective_names, TYPES };

struct policy_reading {
	struct check *check;
	struct json_place root;
	const struct json *m[P_LEN];
	struct arena *arena;
	struct policy *out;
	bool kept; /* read from the store */
};

static struct json_place place_of(const struct policy_reading *r, int which)
{
	return place_member(&r->root, names[which]);
}

static void mode_check(struct policy_reading *r)
{
	int mode = name_find(mode_names, MODES, json_text(r->m[P_MODE]));

	if (mode >= 0)
		r->out->mode = (enum policy_mode)mode;
	else if (r->m[P_MODE])
		wrong_member(r->check, &r->root, names[P_MODE],
			"must be auto, manual or selective");
}

static void selective_check(struct policy_reading *r)
{
	struct json_place at = place_of(r, P_SELECTIVE);
	const struct json *m[TYPES];

	if (!r->m[P_SELECTIVE] || !members_read(r->check, &at, r->m[P_SELECTIVE],
					  &selective_members, NULL, m))
		return;
	for (size_t i = 0; i < TYPES; i++)
		r->out->selective[i] = flag_read(
			r->check, &at, selective_names[i], m[i], r->out->selective[i]);
}

static void at_once_check(struct policy_reading *r)
{
	static const struct str modes[MODES] = { STR("auto"), STR("manual"),
		STR("selective") };
	static const struct members each = { modes, MODES };
	struct json_place at = place_of(r, P_AT_ONCE);
	const struct json *m[MODES];

	if (!r->m[P_AT_ONCE] ||
		!members_read(r->check, &at, r->m[P_AT_ONCE], &each, NULL, m))
		return;
	for (size_t i = 0; i < MODES; i++)
		if (count_read(r->check, &at, modes[i], m[i], 1,
			    r->kept ? AT_ONCE_KEPT : AT_ONCE_MAX) &&
			m[i])
			r->out->at_once[i] =
				m[i]->integer < AT_ONCE_MAX ? m[i]->integer : AT_ONCE_MAX;
}

static void risk_row_check(struct policy_reading *r, const struct json_place *at,
	const struct json *json, struct risk_row *out)
{
	static const struct str both[] = { STR("tool"), STR("risk") };
	static const struct members row = { both, 2 };
	struct json_place tool = place_member(at, both[0]);
	const struct json *m[2];

	if (!members_read(r->check, at, json, &row, NULL, m)) return;
	if (!risk_read(json_text(m[1]), &out->risk))
		wrong_member(
			r->check, at, both[1], "must be low, medium, high or critical");
	/* Rows that lower the risk must match every command of the line, like an allow rule. */
	tools_check(r->check, &tool, m[0],
		out->risk != RISK_NONE && out->risk < RISK_MEDIUM, r->arena, &out->tools,
		&out->tools_len);
}

static void risks_check(struct policy_reading *r)
{
	struct json_place at = place_of(r, P_RISKS);
	const struct json *rows = r->m[P_RISKS];

	if (!rows) return;
	if (rows->type != JSON_ARRAY || rows->count > RISK_ROWS_MAX) {
		wrong(r->check, &at, "must be an array of at most %d rows",
			RISK_ROWS_MAX);
		return;
	}
	r->out->risks = ARENA_ARRAY(r->arena, struct risk_row, rows->count + 1);
	for (uint32_t i = 0; r->out->risks && i < rows->count; i++) {
		struct json_place item = place_item(&at, i);

		risk_row_check(r, &item, &rows->items[i], &r->out->risks[i]);
	}
	r->out->risks_len = r->out->risks ? rows->count : 0;
}

static void share_check(struct check *c, const struct json_place *at, struct str name,
	const struct json *v)
{
	double share = json_real(v);

	if (v && (v->type != JSON_NUMBER || !(share > 0 && share <= 1)))
		wrong_member(
			c, at, name, "must be a number above 0 and at most 1, or null");
}

/* null turns one off. */
static void alerts_check(struct policy_reading *r)
{
	enum { TIMEOUTS, WINDOW, MIN, UNANSWERED, ERRORS, DEAD, OVERDUE, ALERTS };
	static const struct str alerts[ALERTS] = { STR("timeouts"), STR("window"),
		STR("min"), STR("unanswered"), STR("errors"), STR("dead"),
		STR("overdue") };
	static const struct members each = { alerts, ALERTS };
	struct json_place at = place_of(r, P_ALERTS);
	const struct json *m[ALERTS];

	if (!r->m[P_ALERTS] ||
		!members_read(r->check, &at, r->m[P_ALERTS], &each, NULL, m))
		return;
	share_check(r->check, &at, alerts[TIMEOUTS], m[TIMEOUTS]);
	share_check(r->check, &at, alerts[ERRORS], m[ERRORS]);
	share_check(r->check, &at, alerts[OVERDUE], m[OVERDUE]);
	duration_check(
		r->check, &at, alerts[WINDOW], m[WINDOW], 60 * SECOND_MS, 90 * DAY_MS);
	duration_check(
		r->check, &at, alerts[UNANSWERED], m[UNANSWERED], SECOND_MS, 90 * DAY_MS);
	count_read(r->check, &at, alerts[MIN], m[MIN], 1, ALERT_MIN_MAX);
	count_read(r->check, &at, alerts[DEAD], m[DEAD], 1, ALERT_MIN_MAX);
}

static void retention_check(struct policy_reading *r)
{
	static const struct str settled[] = { STR("settled") };
	static const struct members one = { settled, 1 };
	struct json_place at = place_of(r, P_RETENTION);
	const struct json *m[1];

	if (r->m[P_RETENTION] &&
		members_read(r->check, &at, r->m[P_RETENTION], &one, NULL, m))
		r->out->keep_settled_ms = duration_check(
			r->check, &at, settled[0], m[0], DAY_MS, DAYS_MAX * DAY_MS);
}

static void scopes_check(struct policy_reading *r)
{
	static const struct str scopes[] = { STR("member"), STR("high") };
	static const struct members both = { scopes, 2 };
	struct json_place at = place_of(r, P_SCOPES);
	const struct json *m[2];

	if (!r->m[P_SCOPES] ||
		!members_read(r->check, &at, r->m[P_SCOPES], &both, NULL, m))
		return;
	r->out->scope_member_ms =
		duration_check(r->check, &at, scopes[0], m[0], 0, 366 * DAY_MS);
	r->out->scope_high_ms =
		duration_check(r->check, &at, scopes[1], m[1], 0, 366 * DAY_MS);
}

static void policy_check(struct policy_reading *r)
{
	struct str reject = json_text(r->m[P_REJECT]);

	mode_check(r);
	/* A policy that was kept without it: nobody chose the mode of a new workspace. */
	r->out->mode_unset = flag_read(r->check, &r->root, names[P_DEFAULT],
		r->m[P_DEFAULT], r->out->mode == MODE_SEEDED);
	selective_check(r);
	r->out->auto_approve_low =
		flag_read(r->check, &r->root, names[P_LOW], r->m[P_LOW], false);
	r->out->always_confirm_high =
		flag_read(r->check, &r->root, names[P_HIGH], r->m[P_HIGH], true);
	r->out->timeout_ms = duration_check(r->check, &r->root, names[P_TIMEOUT],
		r->m[P_TIMEOUT], SECOND_MS, 366 * DAY_MS);
	r->out->stop_on_reject = str_is(reject, "stop");
	if (r->m[P_REJECT] && !str_is(reject, "tell") && !str_is(reject, "stop"))
		wrong_member(r->check, &r->root, names[P_REJECT], "must be tell or stop");
	at_once_check(r);
	risks_check(r);
	alerts_check(r);
	retention_check(r);
	scopes_check(r);
}

static struct policy policy_json_check(
	struct check *c, const struct json *json, bool kept, struct arena *arena)
{
	struct policy p = { .mode = MODE_MANUAL, .at_once = { 1, 1, 1 } };
	struct policy_reading r = { .check = c,
		.root = place_root(""),
		.arena = arena,
		.out = &p,
		.kept = kept };

	if (members_read(c, &r.root, json, &members, NULL, r.m)) policy_check(&r);
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
static const struct json *brought(const struct json *body, int which)
{
	const struct json *v = json_get_str(body, names[which]);

	return v && v->type == JSON_NULL && which != P_TIMEOUT ? NULL : v;
}

/* `default` ends when somebody sets the mode: with another word, or by saying so. */
static void default_merge(
	struct json_writer *w, const struct json *was, const struct json *body)
{
	struct str mode = json_text(json_get_str(was, names[P_MODE]));
	const struct json *said = brought(body, P_DEFAULT), *word = brought(body, P_MODE),
			  *kept = json_get_str(was, names[P_DEFAULT]);

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
	const struct json *was, *ignored[P_LEN];
	struct buf b = { .max = 1 << 20 };
	struct json_writer w = { .out = &b };
	const struct json *is;
	struct str whole;
	enum err e = json_read(before, NULL, arena, &was, why);

	if (e) return e;
	if (!members_read(&c, &root, body, &members, also, ignored))
		return check_end(&c, arena);
	jw_object(&w);
	for (int i = 0; i < P_LEN; i++) {
		jw_key(&w, names[i].at);
		if (i == P_DEFAULT)
			default_merge(&w, was, body);
		else
			member_merge(&w, json_get_str(was, names[i]), brought(body, i));
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

void policy_write_members(struct json_writer *w, struct str json)
{
	jw_members(w, json.len > 2 ? str_make(json.at + 1, json.len - 2) : STR_NONE);
}
