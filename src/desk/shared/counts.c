/* counts.c - counting what was committed. */
#include "desk/shared/counts.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "desk/shared/problem.h"

#include <stddef.h>
#include <stdio.h>

struct workspace_counts {
	int64_t ws; /* its bytes are the key */
	struct desk_counts counts;
};

/* ---- asks, by labels ---- */

enum series_of { CREATED, SETTLED, DECISIONS, USES };
enum { SERIES_BUCKETS = 10, SERIES_KEY_MAX = 512 };
static const int bounds_s[SERIES_BUCKETS] = { 1, 5, 15, 60, 300, 900, 3600, 14400, 86400,
	604800 };
static const double commit_bounds_s[COMMIT_BUCKETS] = { 0.001, 0.0025, 0.005, 0.01, 0.05,
	0.1, 0.5, 2.5 };

/* What a series counts; its bytes are the key. */
struct series_key {
	int64_t ws;
	uint8_t of, kind, outcome, by; /* names by number */
	uint8_t project_len, project[LABEL_VALUE_MAX * 4];
};

struct ask_series {
	struct series_key key;
	int64_t count;
	int64_t answered, under[SERIES_BUCKETS]; /* by people, and within so long */
	double sum_s;
};

enum { OUTCOME_APPROVED, OUTCOME_REJECTED, OUTCOME_OF_STATUS }; /* then the status */
static const char *const outcomes[] = { "approved", "rejected",
	[OUTCOME_OF_STATUS + ASK_ANSWERED] = "answered",
	[OUTCOME_OF_STATUS + ASK_SKIPPED] = "skipped",
	[OUTCOME_OF_STATUS + ASK_EXPIRED] = "expired",
	[OUTCOME_OF_STATUS + ASK_CANCELLED] = "cancelled" };
enum { BY_HUMAN, BY_POLICY, BY_DEFAULT, BY_NONE };
static const char *const settlers[] = { "human", "policy", "default", "none" };
static const char *const effects[] = { "allow", "ask", "deny" };
enum { DECIDED_RULE, DECIDED_MANDATE, DECIDED_POLICY, DECIDED_STOP };
static const char *const deciders[] = { "rule", "mandate", "policy", "stop" };
static const char *const used[] = { "used", "refused" };

static size_t key_size(const struct series_key *k)
{
	return offsetof(struct series_key, project) + k->project_len;
}

static struct ask_series *series_of(struct counts *c, const struct series_key *k)
{
	struct str key = str_make((const char *)k, key_size(k));
	struct ask_series *s = table_get(&c->series, key);

	if (s) return s;
	s = mem_alloc(sizeof *s);
	if (!s) return NULL;
	memcpy(&s->key, k, key_size(k));
	if (table_put(&c->series, str_make((const char *)&s->key, key.len), s)) return s;
	mem_free(s);
	return NULL;
}

static struct series_key key_of(struct counts *c, enum series_of of, const struct ask *a)
{
	struct series_key k = {
		.ws = a->ws, .of = (uint8_t)of, .kind = (uint8_t)a->kind
	};
	struct str project = str_first(
		utf8_first(counts_name(&c->projects, a->project), LABEL_VALUE_MAX), 255);

	k.project_len = (uint8_t)project.len;
	if (project.len) memcpy(k.project, project.at, project.len);
	return k;
}

static uint8_t settler_of(const struct ask *a)
{
	for (uint8_t i = 0; i < BY_NONE; i++) {
		char kind[32];

		snprintf(kind, sizeof kind, "\"kind\":\"%s\"", settlers[i]);
		if (str_find(a->answered_by, str_of(kind)) >= 0) return i;
	}
	return BY_NONE;
}

static void settled_count(struct counts *c, const struct ask *a)
{
	struct series_key k = key_of(c, SETTLED, a);
	int64_t took_ms = a->settled_ms - a->created_ms;
	struct ask_series *s;

	k.by = settler_of(a);
	k.outcome = (uint8_t)(OUTCOME_OF_STATUS + a->status);
	if (a->kind == ASK_APPROVAL && a->status == ASK_ANSWERED)
		k.outcome = str_find(a->answer, STR("\"value\":\"reject\"")) >= 0
				    ? OUTCOME_REJECTED
				    : OUTCOME_APPROVED;
	s = series_of(c, &k);
	if (!s) return;
	s->count++;
	if (k.by != BY_HUMAN) return;
	s->answered++;
	s->sum_s += (double)took_ms / 1000;
	for (int i = 0; i < SERIES_BUCKETS; i++)
		s->under[i] += took_ms <= bounds_s[i] * 1000LL;
}

static void plain_count(
	struct counts *c, enum series_of of, int64_t ws, uint8_t outcome, uint8_t by)
{
	const struct series_key k = {
		.ws = ws, .of = (uint8_t)of, .outcome = outcome, .by = by
	};
	struct ask_series *s = series_of(c, &k);

	if (s) s->count++;
}

static void decided_count(struct counts *c, const struct event *e)
{
	struct str data = e->data;
	uint8_t effect = str_find(data, STR("\"effect\":\"allow\"")) >= 0 ? 0 : 2;
	uint8_t by = str_find(data, STR("\"stp_")) >= 0	  ? DECIDED_STOP
		     : str_find(data, STR("\"man_")) >= 0 ? DECIDED_MANDATE
		     : str_find(data, STR("\"rul_")) >= 0 ? DECIDED_RULE
							  : DECIDED_POLICY;

	plain_count(c, DECISIONS, e->ws, effect, by);
}

/* Counts what an event tells. An ask that a rule settled counts as a decision, too. */
static void event_count(struct counts *c, const struct staged *s)
{
	const struct event *e = &s->event;
	const struct ask *a = s->of_ask;

	if (strcmp(e->type, "policy.decided") == 0) decided_count(c, e);
	if (strcmp(e->type, "ask.used") == 0) plain_count(c, USES, e->ws, 0, 0);
	if (!a) return;
	if (strcmp(e->type, "ask.created") == 0) {
		const struct series_key k = key_of(c, CREATED, a);
		struct ask_series *made = series_of(c, &k);

		if (made) made->count++;
	} else if (event_is_settlement(e)) {
		settled_count(c, a);
		if (settler_of(a) == BY_POLICY)
			plain_count(c, DECISIONS, e->ws,
				str_find(a->answer, STR("\"reject\"")) >= 0 ? 2 : 0,
				DECIDED_RULE);
	}
}

void counts_init(struct counts *c)
{
	pthread_mutex_init(&c->lock, NULL);
}

void counts_done(struct counts *c)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&c->workspaces, &at, &key, &value))
		mem_free(value);
	table_done(&c->workspaces);
	for (at = 0; table_next(&c->series, &at, &key, &value);)
		mem_free(value);
	table_done(&c->series);
	counts_names_done(&c->projects);
	pthread_mutex_destroy(&c->lock);
}

static struct str workspace_key(const int64_t *ws)
{
	return str_make((const char *)ws, sizeof *ws);
}

/* NULL: out of memory; it is counted in all of them only. */
static struct desk_counts *counts_of(struct counts *c, int64_t ws)
{
	struct workspace_counts *w = table_get(&c->workspaces, workspace_key(&ws));

	if (w) return &w->counts;
	w = mem_alloc(sizeof *w);
	if (!w) return NULL;
	w->ws = ws;
	if (table_put(&c->workspaces, workspace_key(&w->ws), w)) return &w->counts;
	mem_free(w);
	return NULL;
}

static void counts_event(struct desk_counts *c, const char *type)
{
	if (!c) return;
	c->events++;
	c->answers += strcmp(type, "ask.answered") == 0;
	c->skips += strcmp(type, "ask.skipped") == 0;
	c->expiries += strcmp(type, "ask.expired") == 0;
	c->draws += strcmp(type, "mandate.drawn") == 0;
}

static void commit_count(struct counts *c, double took_s)
{
	c->commit_s += took_s;
	for (int i = 0; i < COMMIT_BUCKETS; i++)
		c->commit_under[i] += took_s <= commit_bounds_s[i];
}

void counts_commit(struct counts *c, const struct rows *rows)
{
	pthread_mutex_lock(&c->lock);
	c->all.commits++;
	for (const struct staged *s = rows->staged_first; s; s = s->next) {
		counts_event(&c->all, s->event.type);
		counts_event(counts_of(c, s->event.ws), s->event.type);
		event_count(c, s);
	}
	commit_count(c, (double)rows->commit_ns / 1e9);
	pthread_mutex_unlock(&c->lock);
}

enum ask_refusal counts_refusal_of(enum err e)
{
	switch (problem_status(e)) {
	case 400:
	case 413:
	case 415:
	case 422: return REFUSAL_INVALID;
	case 409: return REFUSAL_CONFLICT;
	case 429: return REFUSAL_RATE;
	case 503: return REFUSAL_UNAVAILABLE;
	default: return REFUSAL_NONE;
	}
}

void counts_refused(struct counts *c, int64_t ws, enum ask_refusal why)
{
	struct desk_counts *own;

	pthread_mutex_lock(&c->lock);
	c->all.refused[why]++;
	own = ws ? counts_of(c, ws) : NULL;
	if (own) own->refused[why]++;
	pthread_mutex_unlock(&c->lock);
}

void counts_read(struct counts *c, int64_t ws, struct desk_counts *out)
{
	const struct workspace_counts *w;

	pthread_mutex_lock(&c->lock);
	w = ws ? table_get(&c->workspaces, workspace_key(&ws)) : NULL;
	*out = !ws ? c->all : w ? w->counts : (struct desk_counts){ 0 };
	pthread_mutex_unlock(&c->lock);
}

void counts_use_refused(struct counts *c, int64_t ws)
{
	pthread_mutex_lock(&c->lock);
	plain_count(c, USES, ws, 1, 0);
	pthread_mutex_unlock(&c->lock);
}

/* ---- as text ---- */

/* The labels of a series, without its outcome and who settled it where `bare`. */
static void labels_write(struct buf *b, const struct series_key *k, bool bare)
{
	switch ((enum series_of)k->of) {
	case DECISIONS:
		label_add(b, "effect", str_of(effects[k->outcome]));
		label_add(b, "by", str_of(deciders[k->by]));
		return;
	case USES: label_add(b, "outcome", str_of(used[k->outcome])); return;
	case CREATED:
	case SETTLED: break;
	}
	label_add(b, "kind", str_of(ask_kind_name((enum ask_kind)k->kind)));
	label_add(b, "project", str_make((const char *)k->project, k->project_len));
	if (k->of == CREATED || bare) return;
	label_add(b, "outcome", str_of(outcomes[k->outcome]));
	label_add(b, "by", str_of(settlers[k->by]));
}

/* Series of several workspaces, or outcomes, under the same labels. */
struct sums {
	struct table by_labels; /* → struct ask_series */
	struct arena arena;
};

static void sum_add(struct sums *sums, const struct ask_series *s, bool bare)
{
	struct buf b = { .max = 2048 };
	struct ask_series *to;
	struct str labels;

	labels_write(&b, &s->key, bare);
	to = table_get(&sums->by_labels, buf_str(&b));
	if (!to) {
		to = ARENA_NEW(&sums->arena, struct ask_series);
		labels = arena_str(&sums->arena, buf_str(&b));
		if (to && !table_put(&sums->by_labels, labels, to)) to = NULL;
	}
	buf_done(&b);
	if (!to) return;
	to->count += s->count;
	to->answered += s->answered;
	to->sum_s += s->sum_s;
	for (int i = 0; i < SERIES_BUCKETS; i++)
		to->under[i] += s->under[i];
}

static struct sums sums_of(struct counts *c, int64_t ws, enum series_of of, bool bare)
{
	struct sums sums = { 0 };
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&c->series, &at, &key, &value)) {
		const struct ask_series *s = value;

		if (s->key.of == of && (!ws || s->key.ws == ws)) sum_add(&sums, s, bare);
	}
	return sums;
}

static void family_write(struct counts *c, int64_t ws, enum series_of of,
	const char *name, const char *help, struct buf *out)
{
	struct sums sums = sums_of(c, ws, of, false);
	size_t at = 0;
	struct str labels;
	void *value;

	buf_print(
		out, "# HELP parley_%s %s\n# TYPE parley_%s counter\n", name, help, name);
	while (table_next(&sums.by_labels, &at, &labels, &value))
		buf_print(out, "parley_%s{%.*s} %lld\n", name, STR_ARGS(labels),
			(long long)((const struct ask_series *)value)->count);
	table_done(&sums.by_labels);
	arena_done(&sums.arena);
}

static void answers_write(struct counts *c, int64_t ws, struct buf *out)
{
	struct sums sums = sums_of(c, ws, SETTLED, true);
	size_t at = 0;
	struct str labels;
	void *value;

	buf_add_text(out,
		"# HELP parley_answer_seconds From asked to settled by a person.\n"
		"# TYPE parley_answer_seconds histogram\n");
	while (table_next(&sums.by_labels, &at, &labels, &value)) {
		const struct ask_series *s = value;

		for (int i = 0; i < SERIES_BUCKETS && s->answered; i++)
			buf_print(out,
				"parley_answer_seconds_bucket{%.*s,le=\"%d\"} %lld\n",
				STR_ARGS(labels), bounds_s[i], (long long)s->under[i]);
		if (s->answered)
			buf_print(out,
				"parley_answer_seconds_bucket{%.*s,le=\"+Inf\"} %lld\n"
				"parley_answer_seconds_sum{%.*s} %.9g\n"
				"parley_answer_seconds_count{%.*s} %lld\n",
				STR_ARGS(labels), (long long)s->answered,
				STR_ARGS(labels), s->sum_s, STR_ARGS(labels),
				(long long)s->answered);
	}
	table_done(&sums.by_labels);
	arena_done(&sums.arena);
}

static void refused_write(const struct desk_counts *n, struct buf *out)
{
	static const char *const reasons[REFUSALS] = { [REFUSAL_INVALID] = "invalid",
		[REFUSAL_CONFLICT] = "conflict",
		[REFUSAL_RATE] = "rate",
		[REFUSAL_UNAVAILABLE] = "unavailable" };

	buf_add_text(out, "# HELP parley_asks_refused_total Asks that were refused.\n"
			  "# TYPE parley_asks_refused_total counter\n");
	for (int i = REFUSAL_INVALID; i < REFUSALS; i++)
		buf_print(out, "parley_asks_refused_total{reason=\"%s\"} %lld\n",
			reasons[i], (long long)n->refused[i]);
}

static void commits_write(struct counts *c, struct buf *out)
{
	buf_add_text(out,
		"# HELP parley_commit_seconds How long a transaction took to be written.\n"
		"# TYPE parley_commit_seconds histogram\n");
	for (int i = 0; i < COMMIT_BUCKETS; i++)
		buf_print(out, "parley_commit_seconds_bucket{le=\"%g\"} %lld\n",
			commit_bounds_s[i], (long long)c->commit_under[i]);
	buf_print(out,
		"parley_commit_seconds_bucket{le=\"+Inf\"} %lld\n"
		"parley_commit_seconds_sum %.9g\nparley_commit_seconds_count %lld\n",
		(long long)c->all.commits, c->commit_s, (long long)c->all.commits);
}

void counts_write(struct counts *c, int64_t ws, struct buf *out)
{
	struct desk_counts n;

	counts_read(c, ws, &n);
	refused_write(&n, out);
	buf_print(out,
		"# HELP parley_mandate_draws_total Calls drawn from approvals in advance.\n"
		"# TYPE parley_mandate_draws_total counter\n"
		"parley_mandate_draws_total %lld\n",
		(long long)n.draws);
	pthread_mutex_lock(&c->lock);
	family_write(c, ws, CREATED, "asks_created_total", "Asks made.", out);
	family_write(c, ws, SETTLED, "asks_settled_total", "Asks settled.", out);
	answers_write(c, ws, out);
	family_write(c, ws, DECISIONS, "decisions_total",
		"What rules, the policy and stops decided.", out);
	family_write(c, ws, USES, "uses_total", "Approvals used, or refused.", out);
	if (!ws) commits_write(c, out);
	pthread_mutex_unlock(&c->lock);
}
