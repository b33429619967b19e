/* read_run.c - runs and what belongs to them, as they are: lists, one, and what they used. */
#include "desk/run/read_run.h"

#include "base/clock.h"
#include "base/table.h"
#include "core/run/run_tool.h"
#include "core/shared/body.h"
#include "core/shared/field.h"
#include "core/shared/show.h"

#include <stdlib.h>

/* ---- rows as JSON ---- */

/* Records of one kind under way to a list. */
struct written_list {
	struct json_writer *w;
	int64_t left;
	bool more;
	struct str last;
	struct arena *arena;
	struct table *results; /* of tool calls, by their ids; or NULL */
};

/* Is there room for it? */
static bool list_takes(struct written_list *l, struct str id)
{
	l->more |= !l->left;
	if (l->more) return false;
	l->left--;
	l->last = arena_str(l->arena, id);
	return true;
}

#define LISTED(name, type, write)                                                        \
	static enum err name(void *ctx, const void *record, const struct row *row,       \
		struct arena *scratch, struct fault *why)                                \
	{                                                                                \
		struct written_list *l = ctx;                                            \
		const struct type *r = record;                                           \
                                                                                         \
		(void)row, (void)scratch, (void)why;                                     \
		if (list_takes(l, r->id)) write;                                         \
		return OK;                                                               \
	}

LISTED(run_listed, run, run_write(l->w, r, 0))

/* The results that a message brings, for the calls that are listed after it. */
static void results_keep(struct written_list *l, const struct run_message *m)
{
	const struct json *parts;

	if (!l->results || m->role != MESSAGE_TOOL ||
		json_read(arena_str(l->arena, m->content), NULL, l->arena, &parts, NULL))
		return;
	for (uint32_t i = 0; i < parts->count; i++) {
		const struct json *part = &parts->items[i];
		struct str call = json_text(json_get(part, "call"));

		if (call.len && !table_put(l->results, call, (void *)(uintptr_t)part))
			l->arena->failed = true;
	}
}

static struct str result_kept(const struct written_list *l, const struct tool_call *c)
{
	const struct json *part = l->results ? table_get(l->results, c->id) : NULL;

	return part && c->status == CALL_DONE ? json_text(json_get(part, "content"))
					      : STR_NONE;
}

LISTED(message_listed, run_message, (results_keep(l, r), message_write(l->w, r)))
LISTED(call_listed, tool_call, tool_call_write(l->w, r, result_kept(l, r)))
LISTED(todo_listed, todo, todo_write(l->w, r))

/* ---- the state of a session ---- */

enum { STATE_MAX = 1000 };

/* The thoughts in a message, each on its own. */
static enum err thoughts_listed(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	struct written_list *l = ctx;
	const struct run_message *m = record;
	const struct json *parts;
	enum err e;

	(void)row;
	if (m->role != MESSAGE_ASSISTANT) return OK;
	e = json_read(m->content, NULL, scratch, &parts, why);
	for (uint32_t i = 0; !e && i < parts->count; i++) {
		const struct json *p = &parts->items[i];

		if (!str_is(json_text(json_get(p, "type")), "thought") || !l->left)
			continue;
		l->left--;
		fields_object(l->w,
			FIELDS(field_text("message", m->id), field_text("run", m->run),
				field_text("text", json_text(json_get(p, "text"))),
				field_time("created_at", m->created_ms)));
	}
	return e;
}

/* Results before the calls that they are of. */
static const struct {
	const char *key;
	enum record_id record;
	enum sql sql;
	record_fn *fn;
	bool from_end; /* its statement wants to know where to begin */
} state_lists[] = {
	{ "runs", RECORD_RUNS, SQL_RUNS_OF_SESSION, run_listed },
	{ "messages", RECORD_MESSAGES, SQL_MESSAGE_LIST, message_listed, true },
	{ "tool_calls", RECORD_TOOL_CALLS, SQL_CALL_LIST, call_listed },
	{ "thoughts", RECORD_MESSAGES, SQL_MESSAGE_LIST, thoughts_listed, true },
	{ "tasks", RECORD_TASKS, SQL_TASK_LIST, todo_listed },
};

enum err read_run_state(struct rows *rows, struct job *job, const struct session *s,
	struct json_writer *w, bool *truncated, struct fault *why)
{
	const struct val args[] = { VALS_3(s->ws, s->id, STATE_MAX + 1) };
	const struct val said[] = { VALS_4(s->ws, s->id, "zz", STATE_MAX + 1) };
	struct table results = { 0 };
	enum err e = OK;

	for (size_t i = 0; !e && i < sizeof state_lists / sizeof *state_lists; i++) {
		bool end = state_lists[i].from_end;
		struct written_list l = { .w = w,
			.left = STATE_MAX,
			.arena = &job->arena,
			.results = &results };

		jw_put_array(w, state_lists[i].key);
		e = rows_each(rows, state_lists[i].record, state_lists[i].sql,
			end ? said : args, end ? 4 : 3, state_lists[i].fn, &l, why);
		jw_array_end(w);
		*truncated |= l.more;
	}
	table_done(&results);
	return e;
}

/* ---- lists ---- */

static enum err reads_all(struct job *job, struct fault *why)
{
	return role_may(job->who.role, MAY_READ_ALL)
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "the role %s may not see runs",
				 role_name(job->who.role));
}

enum err read_run_may(struct job *job, struct fault *why)
{
	return job->who.runs ? OK : reads_all(job, why);
}

enum err read_run_session(
	struct job *job, struct rows *rows, struct str id, struct fault *why)
{
	struct session *s;
	enum err e = rows_fetch_session(rows, job->who.ws, id, &s, why);

	if (e || session_seen_by(s, &job->who)) return e;
	return desk_missing("session", id, why);
}

static enum err run_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct str status = task_param(t, "status"), session = task_param(t, "session");
	struct str agent = STR_NONE;
	bool all = role_may(job->who.role, MAY_READ_ALL);
	struct list_page p;
	enum run_status known;
	enum err e = read_run_may(job, why);

	if (!e && !all && session.len) e = read_run_session(job, rows, session, why);
	if (!e) e = page_read(t, rows, "runs", &p, why);
	if (!e) e = agents_param(t, rows, &agent, why);
	if (!e && status.len && !run_status_read(status, &known))
		e = fail_at(why, "/status", "has a value that is not accepted");
	if (e) return e;
	struct written_list l = { .w = &w, .left = p.limit, .arena = &job->arena };

	page_begin(&w);
	e = rows_each(rows, RECORD_RUNS, SQL_RUN_LIST,
		ARGS(job->who.ws, p.has_cursor ? p.cursor[0] : STR("zz"), p.limit + 1,
			status, session, agent, task_param(t, "parent"),
			all || session.len ? STR_NONE : principal_starter(&job->who)),
		run_listed, &l, why);
	page_end(t, &w, &p, l.more ? &l.last : NULL, 1);
	return e;
}

const struct use use_run_list = READS("run_list", 0, 0, run_list_read, NULL);

enum err read_run_one(struct job *job, struct rows *rows, enum record_id id,
	struct str which, const char *what, void *out, struct fault *why)
{
	const void *found;
	enum err e = rows_get(rows, id, KEY(job->who.ws, which), &found, why);

	if (!e && !found) e = desk_missing(what, which, why);
	if (!e) memcpy(out, found, records[id].size);
	return e;
}

enum err read_run_part(struct job *job, struct rows *rows, struct str session,
	const char *what, struct fault *why)
{
	enum err e;

	if (role_may(job->who.role, MAY_READ_ALL)) return OK;
	e = read_run_session(job, rows, session, why);
	return e == ERR_NOT_FOUND ? desk_missing(what, task_of(job)->id, why) : e;
}

static enum err run_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct run r;
	enum err e = read_run_may(job, why);

	if (!e) e = read_run_one(job, rows, RECORD_RUNS, t->id, "run", &r, why);
	if (!e) e = read_run_part(job, rows, r.session, "run", why);
	if (e) return e;
	run_write(TO_REPLY(job), &r, rows->now_ms);
	t->run = r.id;
	t->settled = run_ended(&r) || (r.status == RUN_WAITING &&
					      str_find(r.waits_for, STR("\"ask\"")) >= 0);
	return OK;
}

const struct use use_run_get = READS("run_get", 0, 0, run_get_read, NULL);

static enum err message_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct list_page p;
	enum err e = read_run_session(job, rows, task_of(job)->id, why);

	if (!e) e = page_read(t, rows, "messages", &p, why);
	if (e) return e;
	struct written_list l = { .w = &w, .left = p.limit, .arena = &job->arena };

	page_begin(&w);
	e = rows_each(rows, RECORD_MESSAGES, SQL_MESSAGE_LIST,
		ARGS(job->who.ws, t->id, p.has_cursor ? p.cursor[0] : STR("zz"),
			p.limit + 1),
		message_listed, &l, why);
	page_end(t, &w, &p, l.more ? &l.last : NULL, 1);
	return e;
}

const struct use use_message_list = READS("message_list", 0, 0, message_list_read, NULL);

static enum err task_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct written_list l = { .w = &w, .left = STATE_MAX, .arena = &job->arena };
	struct list_page p;
	enum err e = read_run_session(job, rows, task_of(job)->id, why);

	if (!e) e = page_read(t, rows, "tasks", &p, why);
	if (e) return e;
	page_begin(&w);
	e = rows_each(rows, RECORD_TASKS, SQL_TASK_LIST,
		ARGS(job->who.ws, t->id, STATE_MAX), todo_listed, &l, why);
	page_end(t, &w, &p, l.more ? &l.last : NULL, 1);
	return e;
}

const struct use use_task_list = READS("task_list", 0, 0, task_list_read, NULL);

/* ---- GET /v1/usage ---- */

enum { USAGE_KEYS = 10000 };

struct usage_sum {
	struct str key;
	int64_t runs;
	struct spending spent;
};

struct usage_sums {
	struct arena *arena;
	struct table keys;
	struct usage_sum *at;
	size_t len;
	int by;
};

static const char *const usage_by[] = { "agent", "model", "session", "day" };

static enum err usage_row(void *ctx, const struct row *row, struct fault *why)
{
	struct usage_sums *sums = ctx;
	struct usage u = { row_int(row, 4), row_int(row, 5), row_int(row, 6),
		row_int(row, 7), row_int(row, 8), row_int(row, 9) };
	char day[TIME_SIZE];
	struct str key;
	struct usage_sum *sum;

	time_write(row_int(row, 3), day);
	key = sums->by == 3 ? str_first(str_of(day), 10) : row_text(row, sums->by);
	sum = table_get(&sums->keys, key);
	if (!sum) {
		if (sums->len == USAGE_KEYS) return OK;
		sum = &sums->at[sums->len++];
		sum->key = arena_str(sums->arena, key);
		if (sums->arena->failed || !table_put(&sums->keys, sum->key, sum))
			return fail_memory(why);
	}
	sum->runs++;
	usage_add(&sum->spent.usage, &u);
	sum->spent.cost = usage_count_add(sum->spent.cost, row_int(row, 10));
	sum->spent.priced |= row_int(row, 11) != 0;
	sum->spent.partial |= row_int(row, 12) != 0;
	return OK;
}

static enum err usage_read_sums(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct usage_sums sums = { .arena = &job->arena };
	int64_t from = rows->now_ms - 30LL * 86400000, to = rows->now_ms + 1;
	enum err e = reads_all(job, why);

	if (!e) e = task_time(t, "from", &from, why);
	if (!e) e = task_time(t, "to", &to, why);
	if (!e && task_has_param(t, "by"))
		sums.by = name_find(usage_by, 4, task_param(t, "by"));
	if (!e && sums.by < 0) e = fail_at(why, "/by", "agent, model, session or day");
	sums.at = e ? NULL : ARENA_ARRAY(&job->arena, struct usage_sum, USAGE_KEYS);
	if (!e && !sums.at) e = fail_memory(why);
	if (e) return e;
	e = rows_query(
		rows, SQL_RUN_USAGE, ARGS(job->who.ws, from, to), usage_row, &sums, why);
	table_done(&sums.keys);
	page_begin(&w);
	for (size_t i = 0; i < sums.len; i++) {
		jw_object(&w);
		show_text(&w, "key", sums.at[i].key);
		jw_put_int(&w, "runs", sums.at[i].runs);
		jw_key(&w, "usage");
		usage_write(&w, &sums.at[i].spent.usage);
		jw_key(&w, "cost_usd");
		cost_write(&w, spending_cost(&sums.at[i].spent));
		jw_put_bool(&w, "cost_partial", sums.at[i].spent.partial);
		jw_object_end(&w);
	}
	jw_array_end(&w);
	show_time(&w, "from", from);
	show_time(&w, "to", to);
	jw_object_end(&w);
	return e;
}

const struct use use_usage = READS("usage", 0, JOB_SLOW, usage_read_sums, NULL);
