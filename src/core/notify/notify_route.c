/* notify_route.c - the table of routes: read, written, matched; the times of its steps. */
#include "core/notify/notify_route.h"

#include "base/id.h"
#include "core/notify/channel_limit.h"
#include "core/people/team.h"
#include "core/policy/glob.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

#include <stdio.h>

static const int64_t AFTER_MAX_MS = 7 * 86400 * 1000LL, EVERY_MIN_MS = 1000;

const char *const routes_default =
	"[{\"id\":\"rou_00000000000000000000000001\",\"name\":\"Urgent\","
	"\"match\":{\"priority\":{\"min\":\"urgent\"}},\"steps\":["
	"{\"after\":\"0s\",\"to\":[\"assignees\"],\"via\":[\"push\",\"slack\",\"email\"]},"
	"{\"after\":\"10m\",\"to\":[\"all\"]}],\"repeat\":{\"every\":\"10m\",\"times\":6}},"
	"{\"id\":\"rou_00000000000000000000000002\",\"name\":\"Critical\","
	"\"match\":{\"risk\":{\"min\":\"critical\"}},\"steps\":["
	"{\"after\":\"0s\",\"to\":[\"assignees\"],\"via\":[\"push\",\"slack\",\"email\"]},"
	"{\"after\":\"10m\",\"to\":[\"all\"]}],\"repeat\":{\"every\":\"10m\",\"times\":6}},"
	"{\"id\":\"rou_00000000000000000000000003\",\"name\":\"Approvals and blocking questions\","
	"\"match\":{\"kind\":[\"approval\",\"blocking\"]},\"steps\":["
	"{\"after\":\"20s\",\"to\":[\"assignees\"],\"via\":[\"push\"]},"
	"{\"after\":\"5m\",\"to\":[\"assignees\"]},"
	"{\"after\":\"15m\",\"to\":[\"role:admin\"]}]},"
	"{\"id\":\"rou_00000000000000000000000004\",\"name\":\"Errors\","
	"\"match\":{\"kind\":[\"error_recovery\"]},\"steps\":["
	"{\"after\":\"20s\",\"to\":[\"assignees\"],\"via\":[\"push\"]},"
	"{\"after\":\"5m\",\"to\":[\"assignees\"]}]},"
	"{\"id\":\"rou_00000000000000000000000005\",\"name\":\"Questions that can wait\","
	"\"match\":{\"kind\":[\"non_blocking\"]},\"steps\":["
	"{\"after\":\"2m\",\"to\":[\"assignees\"],\"via\":[\"push\"]}]},"
	"{\"id\":\"rou_00000000000000000000000006\",\"name\":\"Alerts\","
	"\"match\":{\"kind\":[\"alert\"]},\"steps\":["
	"{\"after\":\"0s\",\"to\":[\"role:admin\"]}]},"
	"{\"id\":\"rou_00000000000000000000000007\",\"name\":\"Everything else\","
	"\"match\":{},\"steps\":[]}]";

/* ---- reading ---- */

enum { R_ID, R_NAME, R_MATCH, R_TARGET, R_STEPS, R_REPEAT, R_LEN };
static const struct str names[R_LEN] = { [R_ID] = STR("id"),
	[R_NAME] = STR("name"),
	[R_MATCH] = STR("match"),
	[R_TARGET] = STR("target"),
	[R_STEPS] = STR("steps"),
	[R_REPEAT] = STR("repeat") };
static const struct members members = { names, R_LEN };

enum { M_KIND, M_RISK, M_PRIORITY, M_PROJECT, M_AGENT, M_LEN };
static const struct str match_names[M_LEN] = { [M_KIND] = STR("kind"),
	[M_RISK] = STR("risk"),
	[M_PRIORITY] = STR("priority"),
	[M_PROJECT] = STR("project"),
	[M_AGENT] = STR("agent") };
static const struct members match_members = { match_names, M_LEN };

enum { S_AFTER, S_BEFORE, S_TO, S_VIA, S_PICK, S_WHEN, S_UNLESS, S_LEN };
static const struct str step_names[S_LEN] = { [S_AFTER] = STR("after"),
	[S_BEFORE] = STR("before"),
	[S_TO] = STR("to"),
	[S_VIA] = STR("via"),
	[S_PICK] = STR("pick"),
	[S_WHEN] = STR("when"),
	[S_UNLESS] = STR("unless") };
static const struct members step_members = { step_names, S_LEN };

struct route_reading {
	struct check *check;
	struct arena *arena;
};

static bool kind_bit(struct str name, unsigned *out)
{
	enum ask_kind kind;

	if (str_is(name, "alert"))
		*out |= ROUTE_ALERT;
	else if (ask_kind_read(name, &kind))
		*out |= 1u << kind;
	else
		return false;
	return true;
}

static void kinds_read(struct check *c, const struct json_place *up,
	const struct json *json, struct notify_route *r)
{
	struct json_place at = place_member(up, match_names[M_KIND]);

	if (!json) return;
	if (json->type != JSON_ARRAY || !json->count) {
		wrong(c, &at, "must be an array of kinds");
		return;
	}
	for (uint32_t i = 0; i < json->count; i++) {
		struct json_place item = place_item(&at, i);

		if (!kind_bit(json_text(&json->items[i]), &r->kinds))
			wrong(c, &item,
				"must be blocking, non_blocking, approval, error_recovery "
				"or alert");
	}
}

/* {"min": …} */
static struct str min_read(struct check *c, const struct json_place *up, struct str name,
	const struct json *json)
{
	static const struct str min_names[] = { STR("min") };
	static const struct members min_members = { min_names, 1 };
	struct json_place at = place_member(up, name);
	const struct json *m[1];

	if (!members_read(c, &at, json, &min_members, NULL, m)) return STR_NONE;
	return text_read(c, &at, min_names[0], m[0], 20, TEXT_NEEDED);
}

static void match_read(struct check *c, const struct json_place *up,
	const struct json *json, struct notify_route *r)
{
	struct json_place at = place_member(up, names[R_MATCH]);
	const struct json *m[M_LEN];

	if (!json) {
		wrong(c, &at, "required");
		return;
	}
	if (!members_read(c, &at, json, &match_members, NULL, m)) return;
	kinds_read(c, &at, m[M_KIND], r);
	r->has_risk = m[M_RISK] != NULL;
	if (r->has_risk && !risk_read(min_read(c, &at, match_names[M_RISK], m[M_RISK]),
				   &r->risk_min))
		wrong_member(c, &at, match_names[M_RISK],
			"min must be low, medium, high or critical");
	r->has_priority = m[M_PRIORITY] != NULL;
	if (r->has_priority &&
		!priority_read(min_read(c, &at, match_names[M_PRIORITY], m[M_PRIORITY]),
			&r->priority_min))
		wrong_member(c, &at, match_names[M_PRIORITY],
			"min must be low, normal, high or urgent");
	r->project = text_read(c, &at, match_names[M_PROJECT], m[M_PROJECT],
		TEAM_PATTERN_MAX, TEXT_LINE | TEXT_FILLED);
	r->agent = text_read(c, &at, match_names[M_AGENT], m[M_AGENT], TEAM_PATTERN_MAX,
		TEXT_LINE | TEXT_FILLED);
	r->any = !r->kinds && !r->has_risk && !r->has_priority && !r->project.len &&
		 !r->agent.len;
}

/* "role:admin", "team:ops/on_call", … */
static bool to_read(struct str text, struct notify_to *out)
{
	static const struct {
		const char *suffix;
		enum notify_to_kind kind;
	} parts[] = { { "/on_call", TO_ON_CALL }, { "/leads", TO_LEADS },
		{ "", TO_TEAM } };

	*out = (struct notify_to){ TO_ASSIGNEES, STR_NONE };
	if (str_is(text, "assignees")) return true;
	out->kind = TO_ALL;
	if (str_is(text, "all")) return true;
	out->kind = TO_ADMINS;
	if (str_is(text, "role:admin")) return true;
	if (str_starts(text, "user:")) {
		*out = (struct notify_to){ TO_USER, str_from(text, 5) };
		return id_valid(out->name, "usr");
	}
	if (str_starts(text, "contact:")) {
		*out = (struct notify_to){ TO_CONTACT, str_from(text, 8) };
		return id_valid(out->name, "con");
	}
	if (!str_starts(text, "team:")) return false;
	for (size_t i = 0; i < 3; i++) {
		if (!str_ends(text, parts[i].suffix)) continue;
		*out = (struct notify_to){ parts[i].kind, str_from(text, 5) };
		out->name.len -= strlen(parts[i].suffix);
		return team_name_valid(out->name);
	}
	return false;
}

static void tos_read(struct route_reading *q, const struct json_place *up,
	const struct json *json, struct notify_step *s)
{
	struct json_place at = place_member(up, step_names[S_TO]);

	if (!json_is(json, JSON_ARRAY) || !json->count || json->count > ROUTE_TO_MAX) {
		wrong(q->check, &at, "must be an array of 1 to %d", ROUTE_TO_MAX);
		return;
	}
	s->to = ARENA_ARRAY(q->arena, struct notify_to, json->count);
	for (uint32_t i = 0; s->to && i < json->count; i++) {
		struct json_place item = place_item(&at, i);

		if (to_read(json_text(&json->items[i]), &s->to[s->to_len]))
			s->to_len++;
		else
			wrong(q->check, &item,
				"must be assignees, all, role:admin, user:usr_…, team:NAME, "
				"team:NAME/on_call, team:NAME/leads or contact:con_…");
	}
}

static void via_read(struct check *c, const struct json_place *up,
	const struct json *json, struct notify_step *s)
{
	struct json_place at = place_member(up, step_names[S_VIA]);

	if (!json) return;
	if (json->type != JSON_ARRAY || !json->count) {
		wrong(c, &at, "must be an array of channels");
		return;
	}
	for (uint32_t i = 0; i < json->count; i++) {
		struct json_place item = place_item(&at, i);
		enum delivery_kind kind;

		if (delivery_kind_read(json_text(&json->items[i]), &kind) &&
			delivery_kind_is_channel(kind))
			s->via |= 1u << kind;
		else
			wrong(c, &item, "must be email, slack, push, webhook or command");
	}
}

static int64_t span_read(struct check *c, const struct json_place *at, struct str name,
	const struct json *json, int64_t min_ms)
{
	int64_t ms = 0;

	if (!duration_of(json, &ms) || ms < min_ms || ms > AFTER_MAX_MS)
		wrong_member(
			c, at, name, "must be a duration such as \"5m\", at most 7d");
	return ms;
}

/* One of two words; absent is the first. */
static bool word_read(struct check *c, const struct json_place *at, struct str name,
	const struct json *json, const char *usual, const char *other)
{
	if (!json || str_is(json_text(json), usual)) return false;
	if (str_is(json_text(json), other)) return true;
	wrong_member(c, at, name, "must be %s or %s", usual, other);
	return false;
}

static void step_read(struct route_reading *q, const struct json_place *at,
	const struct json *json, const struct notify_step *prev, struct notify_step *s)
{
	struct check *c = q->check;
	const struct json *m[S_LEN];

	if (!members_read(c, at, json, &step_members, NULL, m)) return;
	if (!m[S_AFTER] == !m[S_BEFORE]) {
		wrong(c, at, "after or before is needed, and not both");
		return;
	}
	s->before = m[S_BEFORE] != NULL;
	s->at_ms = span_read(c, at, step_names[s->before ? S_BEFORE : S_AFTER],
		m[s->before ? S_BEFORE : S_AFTER], s->before);
	tos_read(q, at, m[S_TO], s);
	via_read(c, at, m[S_VIA], s);
	if (m[S_PICK] && !str_is(json_text(m[S_PICK]), "one"))
		wrong_member(c, at, step_names[S_PICK], "must be one");
	s->pick_one = m[S_PICK] != NULL;
	s->always = word_read(c, at, step_names[S_WHEN], m[S_WHEN], "away", "always");
	s->unless_never =
		word_read(c, at, step_names[S_UNLESS], m[S_UNLESS], "claimed", "never");
	if (!prev) return;
	if (!s->before && prev->before)
		wrong_member(c, at, step_names[S_AFTER],
			"steps before the deadline come last");
	else if (s->before == prev->before &&
		 (s->before ? s->at_ms >= prev->at_ms : s->at_ms <= prev->at_ms))
		wrong_member(c, at, step_names[s->before ? S_BEFORE : S_AFTER],
			"must come later than the step before it");
}

static void steps_read(struct route_reading *q, const struct json_place *up,
	const struct json *json, struct notify_route *r)
{
	struct json_place at = place_member(up, names[R_STEPS]);

	if (!json_is(json, JSON_ARRAY) || json->count > ROUTE_STEPS_MAX) {
		wrong(q->check, &at, "must be an array of at most %d steps",
			ROUTE_STEPS_MAX);
		return;
	}
	r->steps = ARENA_ARRAY(q->arena, struct notify_step, json->count + 1);
	for (uint32_t i = 0; r->steps && i < json->count; i++) {
		struct json_place item = place_item(&at, i);

		step_read(q, &item, &json->items[i], i ? &r->steps[i - 1] : NULL,
			&r->steps[i]);
		r->steps_len++;
	}
}

static void repeat_read(struct check *c, const struct json_place *up,
	const struct json *json, struct notify_route *r)
{
	static const struct str repeat_names[] = { STR("every"), STR("times") };
	static const struct members repeat_members = { repeat_names, 2 };
	struct json_place at = place_member(up, names[R_REPEAT]);
	const struct json *m[2];

	if (!json || !members_read(c, &at, json, &repeat_members, NULL, m)) return;
	r->every_ms = span_read(c, &at, repeat_names[0], m[0], EVERY_MIN_MS);
	if (!m[1])
		wrong_member(c, &at, repeat_names[1], "required");
	else if (count_read(c, &at, repeat_names[1], m[1], 1, ROUTE_TIMES_MAX))
		r->times = m[1]->integer;
}

static void row_read(struct route_reading *q, const struct json_place *at,
	const struct json *json, struct notify_route *r)
{
	struct check *c = q->check;
	const struct json *m[R_LEN];

	if (!members_read(c, at, json, &members, NULL, m)) return;
	r->id = json_text(m[R_ID]);
	if (m[R_ID] && !id_valid(r->id, "rou"))
		wrong_member(c, at, names[R_ID], "must be the id of a route, or absent");
	r->name = text_read(c, at, names[R_NAME], m[R_NAME], ROUTE_NAME_MAX, TEXT_LINE);
	match_read(c, at, m[R_MATCH], r);
	if (m[R_TARGET])
		r->target_ms = span_read(c, at, names[R_TARGET], m[R_TARGET], 1000);
	steps_read(q, at, m[R_STEPS], r);
	repeat_read(c, at, m[R_REPEAT], r);
}

enum err routes_read(const struct json *items, const char *pointer, struct arena *arena,
	struct route_table *out, struct fault *why)
{
	struct check c = { .why = why };
	struct route_reading q = { &c, arena };
	struct json_place root = place_root(pointer);
	struct route_table t = { 0 };

	if (!json_is(items, JSON_ARRAY) || !items->count || items->count > ROUTES_MAX) {
		wrong(&c, &root, "must be an array of 1 to %d routes", ROUTES_MAX);
		return check_end(&c, arena);
	}
	t.rows = ARENA_ARRAY(arena, struct notify_route, items->count);
	for (uint32_t i = 0; t.rows && i < items->count; i++) {
		struct json_place item = place_item(&root, i);
		size_t k = 0;

		row_read(&q, &item, &items->items[i], &t.rows[i]);
		while (k < i && !str_eq(t.rows[k].id, t.rows[i].id))
			k++;
		if (t.rows[i].id.len && k < i)
			wrong_member(&c, &item, names[R_ID], "stands there twice");
		t.len++;
	}
	if (t.len && !c.failed && !t.rows[t.len - 1].any) {
		struct json_place last = place_item(&root, t.len - 1);

		wrong_member(&c, &last, names[R_MATCH],
			"the last route must fit everything: {}");
	}
	enum err e = check_end(&c, arena);
	if (!e) *out = t;
	return e;
}

enum err routes_load(struct str stored, struct arena *arena, struct route_table *out,
	struct fault *why)
{
	const struct json *json;
	enum err e = json_read(
		stored.len ? stored : str_of(routes_default), NULL, arena, &json, why);

	return e ? e : routes_read(json, "", arena, out, why);
}

/* ---- writing ---- */

static void span_write(struct json_writer *w, const char *key, int64_t ms)
{
	static const struct {
		int64_t ms;
		char unit;
	} units[] = { { 86400000, 'd' }, { 3600000, 'h' }, { 60000, 'm' },
		{ 1000, 's' } };
	char text[32];
	size_t i = 0;

	while (i < 3 && (ms < units[i].ms || ms % units[i].ms))
		i++;
	snprintf(text, sizeof text, "%lld%c", (long long)(ms / units[i].ms),
		units[i].unit);
	jw_put_text(w, key, text);
}

static void to_write(struct json_writer *w, const struct notify_to *t)
{
	static const struct {
		const char *before, *after;
	} words[] = { [TO_ASSIGNEES] = { "assignees", "" },
		[TO_ALL] = { "all", "" },
		[TO_USER] = { "user:", "" },
		[TO_TEAM] = { "team:", "" },
		[TO_ON_CALL] = { "team:", "/on_call" },
		[TO_LEADS] = { "team:", "/leads" },
		[TO_ADMINS] = { "role:admin", "" },
		[TO_CONTACT] = { "contact:", "" } };
	struct buf text = { .max = 200 };

	buf_add_text(&text, words[t->kind].before);
	buf_add(&text, t->name);
	buf_add_text(&text, words[t->kind].after);
	jw_str(w, buf_str(&text));
	buf_done(&text);
}

static void step_write(struct json_writer *w, const struct notify_step *s)
{
	jw_object(w);
	span_write(w, s->before ? "before" : "after", s->at_ms);
	jw_put_array(w, "to");
	for (size_t i = 0; i < s->to_len; i++)
		to_write(w, &s->to[i]);
	jw_array_end(w);
	if (s->via) {
		jw_put_array(w, "via");
		for (int k = 0; k < DELIVERY_KINDS; k++)
			if (s->via & 1u << k)
				jw_text(w, delivery_kind_name((enum delivery_kind)k));
		jw_array_end(w);
	}
	if (s->pick_one) jw_put_text(w, "pick", "one");
	jw_put_text(w, "when", s->always ? "always" : "away");
	jw_put_text(w, "unless", s->unless_never ? "never" : "claimed");
	jw_object_end(w);
}

static void min_write(struct json_writer *w, const char *key, const char *min)
{
	jw_put_object(w, key);
	jw_put_text(w, "min", min);
	jw_object_end(w);
}

static void match_write(struct json_writer *w, const struct notify_route *r)
{
	jw_put_object(w, "match");
	if (r->kinds) {
		jw_put_array(w, "kind");
		for (int k = ASK_BLOCKING; k <= ASK_ERROR_RECOVERY; k++)
			if (r->kinds & 1u << k)
				jw_text(w, ask_kind_name((enum ask_kind)k));
		if (r->kinds & ROUTE_ALERT) jw_text(w, "alert");
		jw_array_end(w);
	}
	if (r->has_risk) min_write(w, "risk", risk_name(r->risk_min));
	if (r->has_priority) min_write(w, "priority", priority_name(r->priority_min));
	if (r->project.len) show_text(w, "project", r->project);
	if (r->agent.len) show_text(w, "agent", r->agent);
	jw_object_end(w);
}

static void row_write(struct json_writer *w, const struct notify_route *r)
{
	jw_object(w);
	show_text(w, "id", r->id);
	show_text(w, "name", r->name);
	match_write(w, r);
	if (r->target_ms) span_write(w, "target", r->target_ms);
	jw_put_array(w, "steps");
	for (size_t i = 0; i < r->steps_len; i++)
		step_write(w, &r->steps[i]);
	jw_array_end(w);
	if (r->times) {
		jw_put_object(w, "repeat");
		span_write(w, "every", r->every_ms);
		jw_put_int(w, "times", r->times);
		jw_object_end(w);
	}
	jw_object_end(w);
}

void routes_write(struct json_writer *w, const struct route_table *t)
{
	jw_array(w);
	for (size_t i = 0; i < t->len; i++)
		row_write(w, &t->rows[i]);
	jw_array_end(w);
}

/* ---- matching ---- */

static bool row_fits(const struct notify_route *r, const struct ask *a)
{
	enum risk risk = ask_effective_risk(a);
	struct str agent = a->agent_name.len ? a->agent_name : a->agent;

	if (r->kinds && !(r->kinds & 1u << a->kind)) return false;
	if (r->has_risk && (risk == RISK_NONE || risk < r->risk_min)) return false;
	if (r->has_priority && a->priority < r->priority_min) return false;
	if (r->project.len && !glob_fits(r->project, a->project)) return false;
	return !r->agent.len || glob_fits(r->agent, agent);
}

const struct notify_route *routes_find(const struct route_table *t, const struct ask *a)
{
	for (size_t i = 0; i < t->len; i++)
		if (row_fits(&t->rows[i], a)) return &t->rows[i];
	return NULL;
}

const struct notify_route *routes_by_id(const struct route_table *t, struct str id)
{
	for (size_t i = 0; i < t->len; i++)
		if (str_eq(t->rows[i].id, id)) return &t->rows[i];
	return NULL;
}

/* ---- times ---- */

/* When the step is due for the first time; -1: it does not happen. */
static int64_t step_due(
	const struct notify_route *r, size_t i, int64_t created_ms, int64_t deadline_ms)
{
	const struct notify_step *s = &r->steps[i];
	int64_t due = created_ms;

	if (s->before && !deadline_ms) return -1;
	if (s->before) {
		/* Behind every step that follows the ask and happens at all. */
		for (size_t k = 0; k < i; k++) {
			int64_t at = created_ms + r->steps[k].at_ms;

			if (!r->steps[k].before && at < deadline_ms) due = at;
		}
		if (deadline_ms - s->at_ms > due) due = deadline_ms - s->at_ms;
	} else {
		due += s->at_ms;
	}
	return deadline_ms && due >= deadline_ms ? -1 : due;
}

bool route_next(const struct notify_route *r, int64_t created_ms, int64_t deadline_ms,
	const struct route_point *from, struct route_point *out)
{
	size_t i = from ? (size_t)from->step : 0;
	int64_t due;

	if (from && i + 1 >= r->steps_len) {
		struct route_point p = { from->step, from->round + 1, 0 };

		if (i >= r->steps_len || p.round > r->times) return false;
		due = step_due(r, i, created_ms, deadline_ms);
		p.due_ms = due + p.round * r->every_ms;
		if (due < 0 || (deadline_ms && p.due_ms >= deadline_ms)) return false;
		*out = p;
		return true;
	}
	for (i = from ? i + 1 : 0; i < r->steps_len; i++) {
		due = step_due(r, i, created_ms, deadline_ms);
		if (due < 0) continue;
		*out = (struct route_point){ (int64_t)i, 0, due };
		return true;
	}
	return false;
}

void routes_digest(const struct routes_record *k, char out[SHORT_DIGEST_SIZE])
{
	char changed[NUMBER_SIZE];
	const struct str fields[] = { k->body, digest_number(k->changed_ms, changed) };

	fields_digest(fields, sizeof fields / sizeof *fields, out);
}

const char *notify_to_name(enum notify_to_kind kind)
{
	static const char *const kinds_of_to[] = {
		[TO_ASSIGNEES] = "assignees",
		[TO_ALL] = "all",
		[TO_USER] = "user",
		[TO_TEAM] = "team",
		[TO_ON_CALL] = "on_call",
		[TO_LEADS] = "leads",
		[TO_ADMINS] = "admins",
		[TO_CONTACT] = "contact",
	};

	return kinds_of_to[kind];
}

bool route_names_team(const struct notify_route *r, struct str name)
{
	for (size_t s = 0; s < r->steps_len; s++)
		for (size_t i = 0; i < r->steps[s].to_len; i++) {
			const struct notify_to *to = &r->steps[s].to[i];

			if ((to->kind == TO_TEAM || to->kind == TO_ON_CALL ||
				    to->kind == TO_LEADS) &&
				str_eq(to->name, name))
				return true;
		}
	return false;
}
