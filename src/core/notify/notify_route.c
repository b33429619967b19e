/* notify_route.c - the table of routes: read, written, matched; the times of its steps. */
#include "core/notify/notify_route.h"

#include "base/id.h"
#include "core/notify/channel_limit.h"
#include "core/people/team.h"
#include "core/shared/glob.h"
#include "core/shared/shape.h"

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

/* ---- as JSON ---- */

#define SPAN_MAX_MS (7 * 86400 * 1000LL)
#define SPAN_MUST   "must be a duration such as \"5m\", at most 7d"

/* "role:admin", "team:ops/on_call", … */
static bool to_read(struct str text, void *at)
{
	static const struct {
		const char *suffix;
		enum notify_to_kind kind;
	} parts[] = { { "/on_call", TO_ON_CALL }, { "/leads", TO_LEADS },
		{ "", TO_TEAM } };
	struct notify_to *out = at;

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

static void to_write(struct buf *out, const void *from)
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
	const struct notify_to *t = from;

	buf_add_text(out, words[t->kind].before);
	buf_add(out, t->name);
	buf_add_text(out, words[t->kind].after);
}

static const struct shape to_shape = {
	.size = sizeof(struct notify_to), .from_text = to_read, .to_text = to_write
};

static bool one_of_both(const struct shape_reading *r)
{
	if (shape_said(r, "after") != shape_said(r, "before")) return true;
	wrong(r->check, r->at, "after or before is needed, and not both");
	return false;
}

/* By how much after the ask, or before its deadline. */
static void when_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct notify_step *s = r->out;

	if (!v) return;
	s->before = str_is(m->name, "before");
	if (!duration_of(v, &s->at_ms) || s->at_ms < s->before || s->at_ms > SPAN_MAX_MS)
		wrong_member(r->check, r->at, m->name, SPAN_MUST);
}

static void when_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct notify_step *s = from;

	(void)m;
	jw_key(w, s->before ? "before" : "after");
	span_write(w, s->at_ms);
}

static const char *const picks[] = { NULL, "one" };
static const char *const whens[] = { "away", "always" };
static const char *const unlesses[] = { "claimed", "never" };

static const struct shape_member step_members[] = {
	{ STR("after"), OF_OWN, .read = when_read, .write = when_write },
	{ STR("before"), OF_OWN, .flags = SHAPE_UNSAID, .read = when_read },
	{ STR("to"), OF_LIST, ALL(notify_step, to), .least = 1, .most = ROUTE_TO_MAX,
		.flags = TEXT_NEEDED, .must = "must be an array of {least} to {most}",
		.each = "must be assignees, all, role:admin, user:usr_…, team:NAME, "
			"team:NAME/on_call, team:NAME/leads or contact:con_…",
		.of = &to_shape },
	{ STR("via"), OF_WORDS, AT(notify_step, via), .least = 1, .flags = SHAPE_SPARE,
		.must = "must be an array of channels", .each = CHANNEL_MUST,
		WORDS(channel_names) },
	{ STR("pick"), OF_EITHER, AT(notify_step, pick_one), .flags = SHAPE_SPARE,
		WORDS(picks) },
	{ STR("when"), OF_EITHER, AT(notify_step, always), WORDS(whens) },
	{ STR("unless"), OF_EITHER, AT(notify_step, unless_never), WORDS(unlesses) },
};
static const struct shape step_shape = { SHAPE(step_members, notify_step),
	.first = one_of_both };

/* {"min": …} */
static struct str min_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	static const struct str min_names[] = { STR("min") };
	static const struct members min_members = { min_names, 1 };
	struct json_place at = place_member(r->at, m->name);
	const struct json *min;

	if (!members_read(r->check, &at, v, &min_members, NULL, &min)) return STR_NONE;
	return text_read(r->check, &at, min_names[0], min, 20, TEXT_NEEDED);
}

static void risk_min_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct notify_route *route = r->out;

	route->has_risk = v != NULL;
	if (v && !risk_read(min_read(r, m, v), &route->risk_min))
		wrong_member(r->check, r->at, m->name,
			"min must be low, medium, high or critical");
}

static void priority_min_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct notify_route *route = r->out;

	route->has_priority = v != NULL;
	if (v && !priority_read(min_read(r, m, v), &route->priority_min))
		wrong_member(r->check, r->at, m->name,
			"min must be low, normal, high or urgent");
}

static void min_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct notify_route *r = from;
	bool risk = m->read == risk_min_read;

	if (risk ? !r->has_risk : !r->has_priority) return;
	jw_put_object(w, m->name.at);
	jw_put_text(
		w, "min", risk ? risk_name(r->risk_min) : priority_name(r->priority_min));
	jw_object_end(w);
}

static void any_set(const struct shape_reading *r)
{
	struct notify_route *route = r->out;

	route->any = !route->kinds && !route->has_risk && !route->has_priority &&
		     !route->project.len && !route->agent.len;
}

static const char *const kinds[] = { [ASK_BLOCKING] = "blocking",
	[ASK_NON_BLOCKING] = "non_blocking",
	[ASK_APPROVAL] = "approval",
	[ASK_ERROR_RECOVERY] = "error_recovery",
	[ROUTE_ALERT_BIT] = "alert" };

static const struct shape_member match_members[] = {
	{ STR("kind"), OF_WORDS, AT(notify_route, kinds), .least = 1,
		.flags = SHAPE_SPARE, .must = "must be an array of kinds", WORDS(kinds) },
	{ STR("risk"), OF_OWN, .read = risk_min_read, .write = min_write },
	{ STR("priority"), OF_OWN, .read = priority_min_read, .write = min_write },
	{ STR("project"), OF_TEXT, AT(notify_route, project), 1, TEAM_PATTERN_MAX,
		TEXT_LINE | TEXT_FILLED | SHAPE_SPARE },
	{ STR("agent"), OF_TEXT, AT(notify_route, agent), 1, TEAM_PATTERN_MAX,
		TEXT_LINE | TEXT_FILLED | SHAPE_SPARE },
};
static const struct shape match_shape = { SHAPE(match_members, notify_route),
	.together = any_set };

static const struct shape_member repeat_members[] = {
	{ STR("every"), OF_SPAN, AT(notify_route, every_ms), 1000, SPAN_MAX_MS,
		TEXT_NEEDED, SPAN_MUST },
	{ STR("times"), OF_NUMBER, AT(notify_route, times), 1, ROUTE_TIMES_MAX,
		TEXT_NEEDED },
};
static const struct shape repeat_shape = { SHAPE(repeat_members, notify_route) };

/* Each step comes later than the one before it, those that go by the deadline last. */
static void steps_check(const struct shape_reading *r)
{
	const struct notify_route *route = r->out;
	struct json_place steps = place_member(r->at, STR("steps"));

	for (size_t i = 1; !r->check->failed && i < route->steps_len; i++) {
		const struct notify_step *s = &route->steps[i], *prev = s - 1;
		struct json_place at = place_item(&steps, i);

		if (!s->before && prev->before)
			wrong_member(r->check, &at, STR("after"),
				"steps before the deadline come last");
		else if (s->before == prev->before &&
			 (s->before ? s->at_ms >= prev->at_ms : s->at_ms <= prev->at_ms))
			wrong_member(r->check, &at,
				s->before ? STR("before") : STR("after"),
				"must come later than the step before it");
	}
}

static const struct shape_member route_members[] = {
	{ STR("id"), OF_NAME, AT(notify_route, id),
		.must = "must be the id of a route, or absent", .prefix = "rou" },
	{ STR("name"), OF_TEXT, AT(notify_route, name), 0, ROUTE_NAME_MAX, TEXT_LINE },
	{ STR("match"), OF_OBJECT, .flags = TEXT_NEEDED | SHAPE_BARE,
		.of = &match_shape },
	{ STR("target"), OF_SPAN, AT(notify_route, target_ms), 1000, SPAN_MAX_MS,
		SHAPE_SPARE, SPAN_MUST },
	{ STR("steps"), OF_LIST, ALL(notify_route, steps), .most = ROUTE_STEPS_MAX,
		.flags = TEXT_NEEDED, .must = "must be an array of at most {most} steps",
		.of = &step_shape },
	{ STR("repeat"), OF_OBJECT, .flags = SHAPE_SPARE, .of = &repeat_shape },
};
/* As Route in openapi.json. */
static const struct shape route_shape = { SHAPE(route_members, notify_route),
	.together = steps_check };

enum err routes_read(const struct json *items, const char *pointer, struct arena *arena,
	struct route_table *out, struct fault *why)
{
	struct check c = { .why = why };
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

		shape_check(&route_shape, &c, &item, &items->items[i], NULL, arena,
			&t.rows[i]);
		while (k < i && !str_eq(t.rows[k].id, t.rows[i].id))
			k++;
		if (t.rows[i].id.len && k < i)
			wrong_member(&c, &item, STR("id"), "stands there twice");
		t.len++;
	}
	if (t.len && !c.failed && !t.rows[t.len - 1].any) {
		struct json_place last = place_item(&root, t.len - 1);

		wrong_member(&c, &last, STR("match"),
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

void routes_write(struct json_writer *w, const struct route_table *t)
{
	jw_array(w);
	for (size_t i = 0; i < t->len; i++)
		shape_write(w, &route_shape, &t->rows[i]);
	jw_array_end(w);
}

/* ---- matching ---- */

static bool row_fits(const struct notify_route *r, const struct ask *a)
{
	enum risk risk = ask_effective_risk(a);
	struct str agent = a->agent_name.len ? a->agent_name : a->agent;

	/* Alerts go only where they are named: a row for all asks does not mean them. */
	if ((r->kinds || ask_is_alert(a)) && !(r->kinds & 1u << a->kind)) return false;
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

	digest_fields(fields, sizeof fields / sizeof *fields, out);
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
