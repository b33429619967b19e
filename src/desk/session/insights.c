/* insights.c - how asking goes: times to answer, rates, days. */
#include "desk/session/insights.h"

#include "base/clock.h"
#include "base/zone.h"
#include "desk/notify/notify_ask.h"
#include "desk/session/insight_questions.h"

enum { DAY_MS = 24 * 3600 * 1000, DAYS_MAX = 366, DEFAULT_DAYS = 30 };

struct tally {
	int64_t created, by[ASK_CANCELLED + 1];
	int64_t by_rules; /* of those answered */
};

struct day {
	struct tally tally;
};

/* Of a route with a target: its asks, and those that were open for longer. */
struct target {
	int64_t asks, overdue;
};

struct insights {
	int64_t from_ms, to_ms, now_ms;
	struct route_table routes;
	struct target *targets; /* by row of the table */
	int64_t first_day_ms;	/* the start of from's day */
	struct tally all, kinds[ASK_ERROR_RECOVERY + 1];
	struct day *days;
	size_t days_len;
	struct durations times;	    /* to a person's answer, in order of asking */
	struct durations times_day; /* the days of those */
	struct insight_groups agents, people, projects, hours;
	struct insight_questions questions;
	enum question_order order;
	const struct zone *zone;	 /* NULL: UTC */
	struct str project, agent, kind; /* empty: all */
	bool sees_people;
	struct table sessions;
	struct arena arena;
};

static void tally_add(struct tally *t, enum ask_status s, bool by_rule)
{
	t->created++;
	t->by[s]++;
	t->by_rules += by_rule;
}

static void target_add(
	struct insights *in, struct str route, int64_t created_ms, int64_t settled_ms)
{
	const struct notify_route *r =
		route.len ? routes_by_id(&in->routes, route) : NULL;
	struct target *t;

	if (!r || !r->target_ms) return;
	t = &in->targets[r - in->routes.rows];
	t->asks++;
	if ((settled_ms ? settled_ms : in->now_ms) - created_ms > r->target_ms)
		t->overdue++;
}

/* Who asked and who answered. The texts are the row's and the arena's. */
static struct insight_ask ask_of(const struct row *row, enum ask_kind kind,
	enum ask_status status, struct arena *arena)
{
	struct insight_ask a = { .id = row_text(row, 14),
		.kind = kind,
		.status = status,
		.session = row_text(row, 4),
		.agent = row_text(row, 7),
		.agent_name = row_text(row, 8),
		.project = row_text(row, 10),
		.search = row_text(row, 11),
		.fixed = row_text(row, 12),
		.answer = row_text(row, 13),
		.session_status = row_text(row, 15),
		.decided = kind == ASK_APPROVAL && status == ASK_ANSWERED,
		.took_ms = row_int(row, 3) - row_int(row, 2) };
	const struct json *by = NULL;

	a.approved = a.decided && row_int(row, 9);
	if (status != ASK_ANSWERED || json_read(row_text(row, 5), NULL, arena, &by, NULL))
		return a;
	a.by_rule = str_is(json_text(json_get(by, "kind")), "policy");
	if (!str_is(json_text(json_get(by, "kind")), "human")) return a;
	a.user = json_text(json_get(by, "user"));
	a.user_name = json_text(json_get(by, "name"));
	a.via = json_text(json_get(by, "via"));
	return a;
}

static int64_t hour_of(const struct zone *zone, int64_t at_ms)
{
	int64_t at_s = at_ms / 1000;

	return (at_s + (zone ? zone_offset_s(zone, at_s) : 0)) / 3600 % 24;
}

static bool ask_count(struct insights *in, const struct insight_ask *a, int64_t day)
{
	if (!agents_count(&in->agents, a) || !projects_count(&in->projects, a) ||
		!hours_count(&in->hours, a) || !questions_count(&in->questions, a))
		return false;
	if (!a->user.len) return true;
	return durations_add(&in->times, a->took_ms) &&
	       durations_add(&in->times_day, day) &&
	       (!in->sees_people || people_count(&in->people, a));
}

static enum err insight_row(void *ctx, const struct row *row, struct fault *why)
{
	struct insights *in = ctx;
	struct arena scratch = { 0 };
	struct insight_ask a;
	bool counted;
	int64_t created_ms = row_int(row, 2), settled_ms = row_int(row, 3);
	size_t day = (size_t)((created_ms - in->first_day_ms) / DAY_MS);
	enum ask_kind kind;
	enum ask_status status;

	if (created_ms < in->from_ms || created_ms >= in->to_ms || day >= in->days_len)
		return OK;
	if (!ask_kind_read(row_text(row, 0), &kind) ||
		!ask_status_read(row_text(row, 1), &status))
		return OK;
	a = ask_of(row, kind, status, &scratch);
	a.hour = hour_of(in->zone, created_ms);
	tally_add(&in->all, status, a.by_rule);
	tally_add(&in->kinds[kind], status, a.by_rule);
	tally_add(&in->days[day].tally, status, a.by_rule);
	target_add(in, row_text(row, 6), created_ms, settled_ms);
	counted = ask_count(in, &a, (int64_t)day);
	arena_done(&scratch);
	if (!counted) return fail_memory(why);
	if (!table_get(&in->sessions, row_text(row, 4)) &&
		!table_put(&in->sessions, arena_str(&in->arena, row_text(row, 4)), in))
		return fail_memory(why);
	return OK;
}

static void jw_rate(struct json_writer *w, int64_t part, int64_t whole)
{
	if (whole)
		jw_real(w, (double)part / (double)whole);
	else
		jw_null(w);
}

static void tally_write(struct json_writer *w, const struct tally *t)
{
	jw_object(w);
	jw_put_int(w, "created", t->created);
	for (enum ask_status s = ASK_ANSWERED; s <= ASK_CANCELLED; s++)
		jw_put_int(w, ask_status_name(s), t->by[s]);
	jw_put_int(w, "by_rules", t->by_rules);
	jw_object_end(w);
}

static void days_write(struct json_writer *w, struct insights *in)
{
	size_t at = 0;
	char time[TIME_SIZE];

	jw_array(w);
	for (size_t d = 0; d < in->days_len; d++) {
		const struct tally *t = &in->days[d].tally;
		size_t start = at;

		/* One asked after the clock was set back counts a day late. */
		while (at < in->times.len && in->times_day.ms[at] <= (int64_t)d)
			at++;
		durations_sort(in->times.ms + start, at - start);
		time_write(in->first_day_ms + (int64_t)d * DAY_MS, time);
		jw_object(w);
		jw_put_str(w, "day", str_make(time, 10));
		jw_put_int(w, "created", t->created);
		jw_put_int(w, "answered", t->by[ASK_ANSWERED]);
		jw_put_int(w, "by_rules", t->by_rules);
		jw_put_int(w, "expired", t->by[ASK_EXPIRED]);
		jw_key(w, "median_ms");
		durations_part_write(w, in->times.ms + start, at - start, 50);
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void times_write(struct json_writer *w, struct durations *times)
{
	double sum = 0;

	durations_sort(times->ms, times->len);
	for (size_t i = 0; i < times->len; i++)
		sum += (double)times->ms[i];
	jw_object(w);
	jw_key(w, "p50");
	durations_part_write(w, times->ms, times->len, 50);
	jw_key(w, "p90");
	durations_part_write(w, times->ms, times->len, 90);
	jw_key(w, "mean");
	if (times->len)
		jw_real(w, sum / (double)times->len);
	else
		jw_null(w);
	jw_object_end(w);
}

static void targets_write(struct json_writer *w, const struct insights *in)
{
	jw_array(w);
	for (size_t i = 0; i < in->routes.len; i++) {
		const struct notify_route *r = &in->routes.rows[i];

		if (!r->target_ms) continue;
		jw_object(w);
		jw_put_str(w, "route", r->id);
		jw_put_str(w, "name", r->name);
		jw_put_int(w, "target_ms", r->target_ms);
		jw_put_int(w, "asks", in->targets[i].asks);
		jw_put_int(w, "overdue", in->targets[i].overdue);
		jw_object_end(w);
	}
	jw_array_end(w);
}

static enum err insights_write(struct json_writer *w, struct insights *in,
	struct rows *rows, int64_t ws, struct fault *why)
{
	const struct tally *t = &in->all;
	int64_t settled = t->by[ASK_ANSWERED] + t->by[ASK_SKIPPED] + t->by[ASK_EXPIRED];
	struct buf days = { 0 };
	struct json_writer days_to = { .out = &days };
	char at[TIME_SIZE];
	enum err e;

	days_write(&days_to, in); /* before the times are sorted as a whole */
	jw_object(w);
	jw_key(w, "from");
	time_write(in->from_ms, at);
	jw_text(w, at);
	jw_key(w, "to");
	time_write(in->to_ms, at);
	jw_text(w, at);
	jw_key(w, "asks");
	tally_write(w, t);
	jw_put_object(w, "by_kind");
	for (enum ask_kind k = ASK_BLOCKING; k <= ASK_ERROR_RECOVERY; k++) {
		jw_key(w, ask_kind_name(k));
		tally_write(w, &in->kinds[k]);
	}
	jw_object_end(w);
	jw_key(w, "time_to_answer_ms");
	times_write(w, &in->times);
	jw_key(w, "expiry_rate");
	jw_rate(w, t->by[ASK_EXPIRED], settled);
	jw_key(w, "response_rate");
	jw_rate(w, t->by[ASK_ANSWERED], settled);
	jw_key(w, "asks_per_session");
	jw_rate(w, t->created, (int64_t)in->sessions.len);
	jw_key(w, "targets");
	targets_write(w, in);
	jw_key(w, "by_agent");
	agents_counted_write(w, &in->agents, ws);
	jw_key(w, "by_person");
	people_counted_write(w, &in->people);
	jw_put_raw(w, "by_day", buf_str(&days));
	jw_key(w, "by_project");
	projects_counted_write(w, &in->projects);
	jw_key(w, "by_hour");
	hours_counted_write(w, &in->hours);
	jw_key(w, "questions");
	e = questions_counted_write(w, &in->questions, in->order, rows, ws, why);
	jw_object_end(w);
	if (days.failed) w->out->failed = true;
	buf_done(&days);
	return e;
}

static bool moment_read(struct task *t, const char *name, int64_t *ms)
{
	struct str s = task_param(t, name);
	struct str whole =
		s.len == 10 ? arena_print(&t->job.arena, "%.*sT00:00:00Z", STR_ARGS(s))
			    : s;

	return !task_has_param(t, name) || time_read(whole, ms);
}

static enum err insights_span(
	struct task *t, int64_t now_ms, struct insights *in, struct fault *why)
{
	enum err e = OK;

	in->to_ms = now_ms + 1;
	if (!moment_read(t, "to", &in->to_ms))
		e = fail_at(why, "/to", "a date or a time");
	in->from_ms =
		(in->to_ms - 1) / DAY_MS * DAY_MS - (DEFAULT_DAYS - 1) * (int64_t)DAY_MS;
	if (!moment_read(t, "from", &in->from_ms))
		e = fail_at(why, "/from", "a date or a time");
	if (!e && (in->from_ms >= in->to_ms || in->from_ms < 0 ||
			  in->to_ms - in->from_ms > (int64_t)DAYS_MAX * DAY_MS))
		e = fail_at(why, "/from", "before `to`, at most %d days", DAYS_MAX);
	return e;
}

static enum err insights_filter(struct task *t, struct insights *in, struct fault *why)
{
	struct str tz = task_param(t, "tz"), order = task_param(t, "order");
	enum ask_kind kind;
	enum err e = OK;

	in->project = task_param(t, "project");
	in->agent = task_param(t, "agent");
	in->kind = task_param(t, "kind");
	if (in->kind.len && !ask_kind_read(in->kind, &kind))
		e = fail_at(why, "/kind",
			"must be blocking, non_blocking, approval or error_recovery");
	if (tz.len && zone_load(tz, &in->arena, &in->zone, NULL))
		e = fail_at(why, "/tz", "must be a time zone such as Europe/Paris");
	while (order.len && in->order < QUESTION_ORDERS &&
		!str_is(order, question_order_names[in->order]))
		in->order++;
	if (in->order == QUESTION_ORDERS)
		e = fail_at(why, "/order", "must be asks, expired or time");
	return e;
}

static enum err insights_look(struct task *t, struct rows *rows, struct insights *in,
	struct json_writer *w, struct fault *why)
{
	const struct principal *who = &t->job.who;
	struct arena *arena = &t->job.arena;
	enum err e = insights_span(t, rows->now_ms, in, why);

	if (insights_filter(t, in, why)) e = why->err;
	/* Only people may see routes and who answered. */
	in->sees_people = role_may(who->role, MAY_READ_ALL);
	if (!e && in->sees_people) e = route_table_load(rows, who->ws, &in->routes, why);
	if (e) return e;
	in->targets = ARENA_ARRAY(arena, struct target, in->routes.len + 1);
	in->first_day_ms = in->from_ms / DAY_MS * DAY_MS;
	in->days_len = (size_t)((in->to_ms - in->first_day_ms + DAY_MS - 1) / DAY_MS);
	in->days = ARENA_ARRAY(arena, struct day, in->days_len);
	if (!in->days || !in->targets) return fail_memory(why);
	e = rows_query(rows, SQL_INSIGHTS,
		ARGS(who->ws, desk_id_bound("ask", in->from_ms, arena),
			desk_id_bound("ask", in->to_ms + 1000, arena),
			in->sees_people ? STR_NONE : who->agent, in->agent, in->project,
			in->kind),
		insight_row, in, why);
	return e ? e : insights_write(w, in, rows, who->ws, why);
}

enum err insights_counted(
	struct task *t, struct rows *rows, struct buf *out, struct fault *why)
{
	struct insights in = { .now_ms = rows->now_ms };
	struct json_writer w = { .out = out };
	enum err e = insights_look(t, rows, &in, &w, why);

	if (!e && out->failed) e = fail_memory(why);
	table_done(&in.sessions);
	arena_done(&in.arena);
	groups_done(&in.agents);
	groups_done(&in.people);
	groups_done(&in.projects);
	groups_done(&in.hours);
	questions_done(&in.questions);
	durations_done(&in.times);
	durations_done(&in.times_day);
	return e;
}

static enum err insights_read(struct job *job, struct rows *rows, struct fault *why)
{
	return insights_counted(task_of(job), rows, &job->out, why);
}

const struct use use_insights = READS("insights", 0, JOB_SLOW, insights_read, NULL);
