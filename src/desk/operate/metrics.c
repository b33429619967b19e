/* metrics.c - what is counted, as Prometheus reads it: gauges of the store, which are the same on every
 * node, and counters of this process. */
#include "desk/operate.h"

#include "base/build.h"
#include "desk/shared/inner.h"
#include "desk/shared/labels.h"
#include "store/migrate.h"

/* The kinds of asks, whose gauges are always there. */
enum { KINDS = 4 };

static void family_begin(struct buf *out, const char *name, const char *help)
{
	buf_print(out, "# HELP parley_%s %s\n# TYPE parley_%s gauge\n", name, help, name);
}

/* ---- asks that wait ---- */

struct pending_gauges {
	struct buf *out;
	int64_t oldest_ms[KINDS];
	bool plain[KINDS]; /* the one without a project was written */
};

static void pending_write(struct buf *out, int kind, struct str project, int64_t n)
{
	struct buf labels = { .max = 1024 };

	label_add(&labels, "kind", str_of(ask_kind_name((enum ask_kind)kind)));
	label_add(&labels, "project", project);
	buf_print(out, "parley_asks_pending{%.*s} %lld\n", STR_ARGS(buf_str(&labels)),
		(long long)n);
	buf_done(&labels);
}

static enum err pending_row(void *ctx, const struct row *row, struct fault *why)
{
	struct pending_gauges *g = ctx;
	int64_t oldest_ms = row_int(row, 3);
	enum ask_kind kind;

	(void)why;
	if (!ask_kind_read(row_text(row, 0), &kind) || (int)kind >= KINDS) return OK;
	pending_write(g->out, (int)kind, row_text(row, 1), row_int(row, 2));
	if (!row_text(row, 1).len) g->plain[kind] = true;
	if (!g->oldest_ms[kind] || oldest_ms < g->oldest_ms[kind])
		g->oldest_ms[kind] = oldest_ms;
	return OK;
}

static enum err pending_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct pending_gauges g = { .out = &job->out };
	enum err e;

	family_begin(&job->out, "asks_pending", "Asks that wait for an answer.");
	e = rows_query(rows, SQL_ASKS_PENDING, ARGS(job->who.ws, COUNTED_NAMES * KINDS),
		pending_row, &g, why);
	for (int i = 0; i < KINDS; i++)
		if (!g.plain[i]) pending_write(&job->out, i, STR_NONE, 0);
	family_begin(&job->out, "oldest_pending_seconds",
		"Age of the oldest ask that waits; 0: none does.");
	for (int i = 0; i < KINDS; i++)
		buf_print(&job->out, "parley_oldest_pending_seconds{kind=\"%s\"} %lld\n",
			ask_kind_name((enum ask_kind)i),
			(long long)(g.oldest_ms[i]
					    ? (rows->now_ms - g.oldest_ms[i]) / 1000
					    : 0));
	return e;
}

/* ---- deliveries, runs, alerts, nodes ---- */

static enum err deliveries_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	buf_print(ctx, "parley_deliveries{kind=\"%.*s\",status=\"%.*s\"} %lld\n",
		STR_ARGS(row_text(row, 0)), STR_ARGS(row_text(row, 1)),
		(long long)row_int(row, 2));
	return OK;
}

static enum err runs_read(struct job *job, struct rows *rows, struct fault *why)
{
	int64_t n[4] = {
		0
	}; /* queued, running, waiting; since when the oldest is queued */
	enum err e = rows_ints(rows, SQL_RUNS_COUNTED, ARGS(job->who.ws), n, 4, why);

	if (e) return e;
	family_begin(&job->out, "runs", "Runs of the workspace, by status.");
	buf_print(&job->out,
		"parley_runs{status=\"queued\"} %lld\nparley_runs{status=\"running\"} %lld\n"
		"parley_runs{status=\"waiting\"} %lld\n",
		(long long)n[0], (long long)n[1], (long long)n[2]);
	family_begin(&job->out, "run_queue_seconds",
		"For how long the oldest run is queued; 0: none is.");
	buf_print(&job->out, "parley_run_queue_seconds %lld\n",
		(long long)(n[3] && rows->now_ms > n[3] ? (rows->now_ms - n[3]) / 1000
							: 0));
	return OK;
}

static enum err alerts_read(struct job *job, struct rows *rows, struct fault *why)
{
	const struct alert *a = NULL;
	const struct node_record *node = NULL;
	int64_t alerts[ALERT_KINDS] = { 0 }, nodes[2] = { 0 }; /* live, gone */
	enum err e =
		rows_fetch(rows, RECORD_ALERTS, SQL_ALERTS_OPEN, ARGS(job->who.ws), why);

	if (!e) e = rows_fetch(rows, RECORD_NODES, SQL_NODES, NULL, 0, why);
	if (e) return e;
	while ((a = rows_next(rows, RECORD_ALERTS, a)))
		alerts[a->kind]++;
	while ((node = rows_next(rows, RECORD_NODES, node)))
		nodes[rows->now_ms - node->seen_ms > NODE_GONE_MS]++;
	family_begin(&job->out, "alerts", "Open alerts.");
	for (int i = 0; i < ALERT_KINDS; i++)
		buf_print(&job->out, "parley_alerts{kind=\"%s\"} %lld\n",
			alert_kind_name((enum alert_kind)i), (long long)alerts[i]);
	family_begin(&job->out, "nodes", "Processes at this store.");
	buf_print(&job->out,
		"parley_nodes{state=\"live\"} %lld\nparley_nodes{state=\"gone\"} %lld\n",
		(long long)nodes[0], (long long)nodes[1]);
	return OK;
}

static enum err metrics_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct desk *d = task_of(job)->desk;
	struct buf *out = &job->out;
	/* Owners and the local admin see all of the process. */
	int64_t ws = job->who.role >= ROLE_OWNER ? 0 : job->who.ws, waiting = 0, held = 0;
	enum err e = pending_read(job, rows, why);

	family_begin(out, "deliveries", "Deliveries that wait or are dead.");
	if (!e)
		e = rows_query(rows, SQL_DELIVERY_COUNT, ARGS(job->who.ws),
			deliveries_row, out, why);
	if (!e) e = runs_read(job, rows, why);
	if (!e) e = alerts_read(job, rows, why);
	if (!e) e = rows_int(rows, SQL_CALLS_HELD, ARGS(job->who.ws), &held, why);
	if (!e) e = rows_int(rows, SQL_NOTIFY_WAITING, ARGS(job->who.ws), &waiting, why);
	if (e) return e;
	family_begin(out, "gateway_held", "Calls held at the gateway that have no end.");
	buf_print(out, "parley_gateway_held %lld\n", (long long)held);
	family_begin(out, "notify_waiting", "Messages to people that wait.");
	buf_print(out, "parley_notify_waiting %lld\n", (long long)waiting);
	family_begin(out, "store_sync",
		"1: commits wait for a synchronous standby, or the store is a file.");
	buf_print(out, "parley_store_sync %d\n", desk_synced(d));
	family_begin(out, "build_info", "Which program this is.");
	buf_print(out,
		"parley_build_info{version=\"%s\",commit=\"%s\",schema=\"%lld\"} 1\n",
		PARLEY_VERSION, build_commit, (long long)schema_newest());
	notify_metrics(d, out);
	mail_in_metrics(d, out);
	counts_write(&d->counts, ws, out);
	run_counts_write(&d->run_counts, ws, out);
	return OK;
}

const struct use use_metrics =
	READS("metrics", MAY_READ_ALL, JOB_SLOW, metrics_read, NULL);
