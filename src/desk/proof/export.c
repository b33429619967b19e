/* export.c - the log of a workspace handed out, with its asks as they are now and their receipts. It is
 * read a page at a time from one snapshot, and each page is passed on before the next one is read. */
#include "core/proof/export.h"

#include "base/keep.h"
#include "base/mem.h"
#include "desk/people/people_log.h"
#include "desk/proof/signing.h"

enum { PAGE_EVENTS = 100, PAGE_BYTES = 512 * 1024, PIECE = 64 * 1024 };

struct export_plan {
	int64_t after;
	struct export_filter filter;
};

static enum err export_check(struct task *t, struct fault *why)
{
	struct export_plan *p = TASK_CHECKED(t, struct export_plan);
	struct export_filter *f = &p->filter;
	enum err e = OK;

	if (!p) return fail_memory(why);
	f->project = task_param(t, "project");
	if (task_has_param(t, "after") &&
		!str_to_int(task_param(t, "after"), 0, INT64_MAX, &p->after))
		e = fail_at(why, "/after", "must be an event's number");
	if (task_has_param(t, "project") && !f->project.len)
		e = fail_at(why, "/project", "must be a project's name");
	if (task_time(t, "from", &f->from_ms, why)) e = why->err;
	if (task_time(t, "to", &f->to_ms, why)) e = why->err;
	if (!e && f->from_ms && f->to_ms && f->to_ms <= f->from_ms)
		e = fail_at(why, "/to", "must be later than from");
	return e;
}

static enum err export_last(struct rows *rows, int64_t ws, const struct export_plan *p,
	int64_t *last, struct fault *why)
{
	enum err e = last_event(rows, ws, last, why);

	if (!e && p->after > *last)
		e = fail(why, ERR_AHEAD, "the last event is %lld", (long long)*last);
	return e;
}

/* ---- it is begun: told before anything is handed out ---- */

static enum err export_begin_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct export_plan *p = t->checked;
	struct jws_signer signer;
	struct buf filter = { 0 };
	int64_t last;
	enum err e = export_last(rows, job->who.ws, p, &last, why);

	if (!e) e = signing_open(t, rows, job->who.ws, &signer, why);
	if (e) return e;
	export_filter_write(&(struct json_writer){ .out = &filter }, &p->filter);
	log_event(rows, job, job->who.ws, "export.made", NULL,
		FIELDS(field_int("after", p->after),
			field_json("filter", buf_keep_done(&filter, rows->arena))));
	return OK;
}

const struct use use_export_begin = WRITES(
	"export_begin", MAY_ADMIN, 0, NULL, export_begin_decide, NULL, export_check);

/* ---- its lines ---- */

struct export_event {
	struct event event;
	bool hidden; /* of another project */
};

struct export_run {
	struct task *task;
	struct rows *rows; /* of one page */
	const struct export_plan *plan;
	struct str workspace;
	int64_t ws, upto, old_events;
	struct jws_signer signer;
	struct export_sums sums;
	struct buf out;
	/* The page at hand. */
	struct export_event events[PAGE_EVENTS];
	size_t len, bytes;
};

static enum err export_pass_on(struct export_run *x, size_t from, struct fault *why)
{
	const struct export_sink *sink = x->task->lines;

	if (x->out.failed) return fail_memory(why);
	if (x->out.len < from) return OK;
	if (!sink->put(sink->ctx, buf_str(&x->out)))
		return fail(why, ERR_UNAVAILABLE, "nobody takes the export any more");
	buf_clear(&x->out);
	return OK;
}

/* What does not fit into this page is read again with the next one. */
static enum err export_row(void *ctx, const struct row *row, struct fault *why)
{
	struct export_run *x = ctx;
	struct export_event *e = &x->events[x->len];
	struct str project = row_text(row, records[RECORD_EVENTS].columns_len);
	enum err err;

	if (x->bytes > PAGE_BYTES) return OK;
	err = event_from_row(row, x->rows->arena, &e->event, why);
	if (err) return err;
	e->hidden = x->plan->filter.project.len && e->event.session.len &&
		    !str_eq(project, x->plan->filter.project);
	x->bytes += e->event.data.len;
	x->len++;
	return OK;
}

/* The asks that lines behind these events are about, in one go. */
static enum err export_load_asks(struct export_run *x, struct fault *why)
{
	struct wants w = { .rows = x->rows };
	enum err e;

	for (size_t i = 0; i < x->len; i++) {
		const struct event *v = &x->events[i].event;

		if (!x->events[i].hidden && v->ask.len &&
			(event_is_settlement(v) || strcmp(v->type, "ask.created") == 0 ||
				strcmp(v->type, "ask.revoked") == 0))
			wants_ask(&w, x->ws, v->ask);
	}
	e = rows_load(x->rows, &w, why);
	table_done(&w.seen);
	return e;
}

static enum err export_receipt(struct export_run *x, const struct export_event *e,
	const struct ask *a, const uint8_t before[SHA256_SIZE], int form,
	struct fault *why)
{
	struct receipt_facts facts = {
		.ask = a, .workspace = x->workspace, .event = &e->event, .form = form
	};
	struct buf receipt = { 0 };
	enum err err;

	memcpy(facts.before, before, SHA256_SIZE);
	err = receipt_sign(&x->signer, &facts, x->rows->arena, &receipt, why);
	if (!err) export_receipt_write(&x->out, &x->sums, buf_str(&receipt));
	buf_done(&receipt);
	return err;
}

static enum err export_event(
	struct export_run *x, const struct export_event *e, struct fault *why)
{
	const struct event *v = &e->event;
	const struct ask *a =
		e->hidden || !v->ask.len ? NULL : rows_ask(x->rows, x->ws, v->ask);
	const struct session *s = a ? rows_session(x->rows, x->ws, a->session) : NULL;
	int form = v->n <= x->old_events ? 1 : 2;
	uint8_t before[SHA256_SIZE];

	memcpy(before, x->sums.hash, SHA256_SIZE);
	export_event_write(&x->out, &x->sums, v, form, e->hidden);
	if (a && strcmp(v->type, "ask.created") == 0)
		export_ask_write(&x->out, &x->sums,
			desk_show(x->task->desk, a, s ? s->title : STR_NONE, x->workspace,
				x->rows->now_ms, x->rows->arena));
	return a && receipt_hangs_on(a, v->type)
		       ? export_receipt(x, e, a, before, form, why)
		       : OK;
}

static enum err export_page(struct export_run *x, struct fault *why)
{
	enum err e = rows_query(x->rows, SQL_EXPORT_EVENTS,
		ARGS(event_place(x->ws, x->sums.last), event_place(x->ws, x->upto),
			PAGE_EVENTS),
		export_row, x, why);

	if (!e && !x->len)
		e = fail(why, ERR_INTERNAL, "event %lld is missing",
			(long long)x->sums.last + 1);
	if (!e) e = export_load_asks(x, why);
	for (size_t i = 0; !e && i < x->len; i++) {
		e = export_event(x, &x->events[i], why);
		if (!e) e = export_pass_on(x, PIECE, why);
	}
	return e;
}

static enum err export_pages(struct export_run *x, struct rows *rows, struct fault *why)
{
	enum err e = OK;

	while (!e && x->sums.last < x->upto) {
		struct arena arena = { 0 };
		struct rows page = { 0 };

		x->len = x->bytes = 0;
		x->rows = &page;
		rows_start_page(&page, rows, &arena);
		e = export_page(x, why);
		if (!e && arena.failed) e = fail_memory(why);
		rows_done(&page);
		arena_done(&arena);
	}
	return e;
}

static enum err hash_row(void *ctx, const struct row *row, struct fault *why)
{
	struct str hash = row_text(row, 0);

	(void)why;
	if (hash.len == SHA256_SIZE) memcpy(ctx, hash.at, SHA256_SIZE);
	return OK;
}

/* Which events: without a gap from the first to the last that the filter wants, so that they are a
 * chain. */
static enum err export_range(struct export_run *x, struct rows *rows, struct fault *why)
{
	const struct export_filter *f = &x->plan->filter;
	int64_t first = 0, end = event_place(x->ws, INT64_MAX);
	enum err e = export_last(rows, x->ws, x->plan, &x->upto, why);

	if (!e && f->to_ms)
		e = rows_int(rows, SQL_EXPORT_TO,
			ARGS(event_place(x->ws, 0), end, f->to_ms), &x->upto, why);
	if (!e && f->from_ms)
		e = rows_int(rows, SQL_EXPORT_FROM,
			ARGS(event_place(x->ws, 0), end, f->from_ms), &first, why);
	if (f->from_ms && !first) first = x->upto + 1;
	x->sums.last = x->plan->after;
	if (first - 1 > x->sums.last) x->sums.last = first - 1;
	if (!e && x->sums.last)
		e = rows_query(rows, SQL_EVENT_HASH,
			ARGS(event_place(x->ws, x->sums.last)), hash_row, x->sums.hash,
			why);
	return e;
}

static enum err export_lines(struct export_run *x, struct rows *rows, struct fault *why)
{
	enum err e;

	export_head_write(&x->out, &x->sums, x->workspace, x->ws, &x->plan->filter);
	e = export_pass_on(x, 0, why);
	if (!e) e = export_pages(x, rows, why);
	if (!e && !export_end_write(
			  &x->out, &x->sums, rows->now_ms, &x->signer, rows->arena))
		e = fail_memory(why);
	return e ? e : export_pass_on(x, 0, why);
}

static enum err export_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct export_run *x = mem_alloc(sizeof *x);
	enum err e;

	if (!x) return fail_memory(why);
	x->task = t;
	x->plan = t->checked;
	x->ws = job->who.ws;
	x->workspace = desk_workspace(t, rows, x->ws);
	e = export_range(x, rows, why);
	if (!e) e = signing_open(t, rows, x->ws, &x->signer, why);
	if (!e) e = signing_old_events(rows, x->ws, &x->old_events, why);
	if (!e && t->lines) {
		clerk_await(t->alone); /* only what is durable is told */
		e = export_lines(x, rows, why);
	}
	buf_done(&x->out);
	mem_free(x);
	return e;
}

const struct use use_export =
	READS("export", MAY_ADMIN, JOB_SLOW, export_read, export_check);
