/* run_counts.c - runs, tool calls and model calls of this process, counted for metrics. */
#include "desk/shared/run_counts.h"

#include "base/json_pattern.h"
#include "base/mem.h"
#include "desk/operate.h"
#include "desk/run.h"
#include "desk/shared/inner.h"
#include "desk/shared/labels.h"

#include <stdio.h>

enum { BUCKETS = 10, LABELS_MAX = 700, SERIES_MAX = 2000 };

enum metric {
	RUNS,
	RUN_SECONDS,
	TOOL_CALLS,
	MODEL_CALLS,
	MODEL_TOKENS,
	MODEL_COST,
	MODEL_SECONDS,
	MODEL_FIRST,
	GATEWAY_CALLS,
	GATEWAY_SECONDS,
	METRICS
};

static const struct {
	const char *name, *help;
	bool histogram;
} metrics[METRICS] = {
	[RUNS] = { "runs_total", "Runs that ended, by agent and how." },
	[RUN_SECONDS] = { "run_seconds", "Working time of runs that ended.", true },
	[TOOL_CALLS] = { "tool_calls_total", "Tool calls that ended, by tool and how." },
	[MODEL_CALLS] = { "model_calls_total", "Model calls, by what came of them." },
	[MODEL_TOKENS] = { "model_tokens_total", "Tokens of model calls." },
	[MODEL_COST] = { "model_cost_usd_total", "Cost of model calls, in dollars." },
	[MODEL_SECONDS] = { "model_seconds", "Time of model calls.", true },
	[MODEL_FIRST] = { "model_first_token_seconds", "To the first word of a model.",
		true },
	[GATEWAY_CALLS] = { "gateway_calls_total",
		"Calls at the gateway, by server and what was decided." },
	[GATEWAY_SECONDS] = { "gateway_seconds", "Time of calls at MCP servers.", true },
};

static const double bounds_s[BUCKETS] = { 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 120, 600 };

struct run_series {
	int64_t ws;
	enum metric metric;
	double sum;
	int64_t count, under[BUCKETS];
	char key[LABELS_MAX + 32]; /* "ws/metric/", and behind it the labels */
	size_t labels;		   /* where those begin */
};

void run_counts_init(struct run_counts *c)
{
	pthread_mutex_init(&c->lock, NULL);
}

void run_counts_done(struct run_counts *c)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&c->series, &at, &key, &value))
		mem_free(value);
	table_done(&c->series);
	counts_names_done(&c->agents);
	counts_names_done(&c->models);
	pthread_mutex_destroy(&c->lock);
}

/* One of a workspace; beyond what there may be, one whose labels are all "other". NULL: no memory. */
static struct run_series *series_of(
	struct run_counts *c, int64_t ws, enum metric m, struct str labels)
{
	static const char *const other[METRICS] = {
		[RUNS] = "agent=\"other\",status=\"other\"",
		[TOOL_CALLS] = "tool=\"other\",status=\"other\"",
		[MODEL_CALLS] = "provider=\"other\",model=\"other\",outcome=\"other\"",
		[MODEL_TOKENS] = "provider=\"other\",model=\"other\",type=\"other\"",
		[MODEL_COST] = "provider=\"other\",model=\"other\"",
		[MODEL_SECONDS] = "provider=\"other\",model=\"other\"",
		[MODEL_FIRST] = "provider=\"other\",model=\"other\"",
		[GATEWAY_CALLS] = "server=\"other\",effect=\"other\"",
	};
	struct run_series *s, fresh = { .ws = ws, .metric = m };

	for (int i = 0; i < 2; i++) {
		int len = snprintf(
			fresh.key, sizeof fresh.key, "%lld/%d/", (long long)ws, (int)m);

		fresh.labels = (size_t)len;
		snprintf(fresh.key + len, sizeof fresh.key - (size_t)len, "%.*s",
			STR_ARGS(labels));
		s = table_get(&c->series, str_of(fresh.key));
		if (s) return s;
		if (c->len[m] < SERIES_MAX || !other[m]) break;
		labels = str_of(other[m]);
	}
	s = mem_alloc(sizeof *s);
	if (!s) return NULL;
	*s = fresh;
	if (table_put(&c->series, str_of(s->key), s)) {
		c->len[m]++;
		return s;
	}
	mem_free(s);
	return NULL;
}

static void series_add(
	struct run_counts *c, int64_t ws, enum metric m, struct str labels, double value)
{
	struct run_series *both[] = { series_of(c, ws, m, labels),
		series_of(c, 0, m, labels) };

	for (int k = 0; k < 2; k++) {
		if (!both[k]) continue;
		both[k]->count++;
		both[k]->sum += value;
		for (int i = 0; i < BUCKETS; i++)
			both[k]->under[i] += value <= bounds_s[i];
	}
}

/* ---- what was committed ---- */

static void run_ended_count(struct run_counts *c, const struct run *r)
{
	struct buf b = { .max = LABELS_MAX };

	label_add(&b, "agent", counts_name(&c->agents, r->agent));
	label_add(&b, "status", str_of(run_status_name(r->status)));
	series_add(c, r->ws, RUNS, buf_str(&b), 1);
	series_add(c, r->ws, RUN_SECONDS, STR_NONE, (double)r->worked_ms / 1000);
	buf_done(&b);
}

static void call_ended_count(struct run_counts *c, const struct event *e)
{
	struct arena arena = { 0 };
	struct buf b = { .max = LABELS_MAX };
	const struct json *data;

	if (!json_read(e->data, NULL, &arena, &data, NULL)) {
		label_add(&b, "tool", json_text_of(data, "name"));
		label_add(&b, "status", json_text_of(data, "status"));
		series_add(c, e->ws, TOOL_CALLS, buf_str(&b), 1);
	}
	buf_done(&b);
	arena_done(&arena);
}

static const struct run *run_in(const struct rows *rows, struct str id)
{
	const struct run *r = NULL;

	while ((r = rows_next(rows, RECORD_RUNS, r)))
		if (str_eq(r->id, id)) return r;
	return NULL;
}

static void event_count(
	struct run_counts *c, const struct rows *rows, const struct event *e)
{
	const struct run *r;
	bool ended = strcmp(e->type, "run.completed") == 0 ||
		     strcmp(e->type, "run.failed") == 0 ||
		     strcmp(e->type, "run.cancelled") == 0;

	if (strcmp(e->type, "run.tool_finished") == 0) call_ended_count(c, e);
	r = ended ? run_in(rows, e->run) : NULL;
	if (r) run_ended_count(c, r);
}

void run_counts_commit(struct run_counts *c, const struct rows *rows)
{
	pthread_mutex_lock(&c->lock);
	for (const struct staged *s = rows->staged_first; s; s = s->next)
		if (strncmp(s->event.type, "run.", 4) == 0)
			event_count(c, rows, &s->event);
	pthread_mutex_unlock(&c->lock);
}

/* ---- model calls ---- */

void run_count_call(struct desk *d, int64_t ws, const struct run_model_call *call)
{
	struct run_counts *c = &d->run_counts;
	const struct {
		const char *kind;
		int64_t tokens;
	} tokens[] = { { "input", call->usage.input },
		{ "cache_read", call->usage.cache_read },
		{ "cache_write", call->usage.cache_write },
		{ "cache_write_1h", call->usage.cache_write_1h },
		{ "output", call->usage.output },
		{ "reasoning", call->usage.reasoning } };
	struct buf b = { .max = LABELS_MAX }, more = { .max = LABELS_MAX };
	struct str model;

	pthread_mutex_lock(&c->lock);
	model = counts_name(&c->models, call->model);
	pthread_mutex_unlock(&c->lock);
	tally_model(d, ws, call->provider, strcmp(call->status, "ok") == 0);
	label_add(&b, "provider", call->provider);
	label_add(&b, "model", model);
	buf_add(&more, buf_str(&b));
	label_add(&more, "outcome", str_of(call->status));
	pthread_mutex_lock(&c->lock);
	series_add(c, ws, MODEL_CALLS, buf_str(&more), 1);
	series_add(c, ws, MODEL_SECONDS, buf_str(&b), (double)call->took_ms / 1000);
	if (call->first_ms >= 0)
		series_add(
			c, ws, MODEL_FIRST, buf_str(&b), (double)call->first_ms / 1000);
	if (call->cost > 0)
		series_add(c, ws, MODEL_COST, buf_str(&b), (double)call->cost / 1e9);
	for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
		if (!tokens[i].tokens) continue;
		buf_clear(&more);
		buf_add(&more, buf_str(&b));
		label_add(&more, "type", str_of(tokens[i].kind));
		series_add(c, ws, MODEL_TOKENS, buf_str(&more), (double)tokens[i].tokens);
	}
	pthread_mutex_unlock(&c->lock);
	buf_done(&b);
	buf_done(&more);
}

void run_count_gateway(struct desk *d, int64_t ws, struct str server, const char *effect,
	int64_t took_ms)
{
	struct run_counts *c = &d->run_counts;
	struct buf b = { .max = LABELS_MAX };

	label_add(&b, "server", server);
	label_add(&b, "effect", str_of(effect));
	pthread_mutex_lock(&c->lock);
	if (effect) series_add(c, ws, GATEWAY_CALLS, buf_str(&b), 1);
	if (took_ms >= 0)
		series_add(c, ws, GATEWAY_SECONDS, STR_NONE, (double)took_ms / 1000);
	pthread_mutex_unlock(&c->lock);
	buf_done(&b);
}

/* ---- as text ---- */

static void histogram_write(struct buf *out, const struct run_series *s)
{
	const char *name = metrics[s->metric].name, *labels = s->key + s->labels,
		   *comma = *labels ? "," : "", *open = *labels ? "{" : "",
		   *close = *labels ? "}" : "";

	for (int i = 0; i < BUCKETS; i++)
		buf_print(out, "parley_%s_bucket{%s%sle=\"%g\"} %lld\n", name, labels,
			comma, bounds_s[i], (long long)s->under[i]);
	buf_print(out,
		"parley_%s_bucket{%s%sle=\"+Inf\"} %lld\n"
		"parley_%s_sum%s%s%s %.9g\n"
		"parley_%s_count%s%s%s %lld\n",
		name, labels, comma, (long long)s->count, name, open, labels, close,
		s->sum, name, open, labels, close, (long long)s->count);
}

static void metric_write(struct run_counts *c, int64_t ws, enum metric m, struct buf *out)
{
	size_t at = 0;
	struct str key;
	void *value;

	buf_print(out, "# HELP parley_%s %s\n# TYPE parley_%s %s\n", metrics[m].name,
		metrics[m].help, metrics[m].name,
		metrics[m].histogram ? "histogram" : "counter");
	while (table_next(&c->series, &at, &key, &value)) {
		const struct run_series *s = value;

		if (s->ws != ws || s->metric != m) continue;
		if (metrics[m].histogram)
			histogram_write(out, s);
		else
			buf_print(out, "parley_%s{%s} %.9g\n", metrics[m].name,
				s->key + s->labels, s->sum);
	}
}

void run_counts_write(struct run_counts *c, int64_t ws, struct buf *out)
{
	pthread_mutex_lock(&c->lock);
	for (int m = 0; m < METRICS; m++)
		metric_write(c, ws, (enum metric)m, out);
	pthread_mutex_unlock(&c->lock);
}
