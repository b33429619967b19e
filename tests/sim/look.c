/* look.c - what the desk shows, against what the model knows. */
#include "world.h"

#include "base/clock.h"
#include "desk/shared/inner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool differ(char why[200], const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static bool differ(char why[200], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, 200, format, args);
	va_end(args);
	return false;
}

/* ---- one ask as it is shown ---- */

static bool text_is(const struct json *object, const char *name, const char *want)
{
	const struct json *j = json_get(object, name);

	return want[0] ? str_is(json_text(j), want) : j && j->type == JSON_NULL;
}

static bool time_is(const struct json *object, const char *name, int64_t ms)
{
	char at[TIME_SIZE] = "";

	if (ms) time_write(ms, at);
	return text_is(object, name, at);
}

static bool canonical_is(const struct json *json, const char *want)
{
	struct buf b = { 0 };
	bool same;

	if (!want[0]) return json && json->type == JSON_NULL;
	json_canonical(&b, json);
	same = str_is(buf_str(&b), want);
	buf_done(&b);
	return same;
}

static bool by_is(const struct json *by, int who)
{
	if (who == NOBODY) return by && by->type == JSON_NULL;
	if (who == BY_DEFAULT)
		return text_is(by, "kind", "default") && text_is(by, "name", "");
	return text_is(by, "kind", "human") && text_is(by, "name", actors[who].name) &&
	       text_is(by, "user", base_user((enum who)who));
}

static bool assignees_are(const struct json *list, int want)
{
	int got = 0;

	for (uint32_t k = 0; list && k < list->count; k++)
		for (int i = MIA; i <= OLGA; i++)
			if (str_is(json_text(&list->items[k]), base_user((enum who)i)))
				got |= 1 << i;
	return json_is(list, JSON_ARRAY) && got == want;
}

static bool claim_is(const struct json *claim, const struct model_ask *a, int64_t now_ms)
{
	if (a->claimed_until_ms <= now_ms) return claim && claim->type == JSON_NULL;
	return text_is(claim, "user", base_user((enum who)a->claimed_by)) &&
	       time_is(claim, "until", a->claimed_until_ms);
}

static bool votes_are(const struct json *list, const struct model_ask *a)
{
	uint32_t given = 0;

	for (int i = 0; i < WHO_LEN; i++) {
		if (!a->votes[i].given) continue;
		given++;
		for (uint32_t k = 0; list && k < list->count; k++)
			if (text_is(json_get(&list->items[k], "by"), "user",
				    base_user((enum who)i)) &&
				!text_is(&list->items[k], "value",
					a->votes[i].approves ? "approve" : "reject"))
				return false;
	}
	return json_is(list, JSON_ARRAY) && list->count == given;
}

static bool look_ask(const struct world *w, const struct model *m, int i,
	const struct json *j, char why[200])
{
	const struct model_ask *a = &m->asks[i];
	const struct json *version = json_get(j, "version"),
			  *replies = json_get(j, "replies");
	const char *wrong = NULL;

	if (!text_is(j, "id", a->id))
		wrong = "id";
	else if (!text_is(j, "session", m->sessions[a->session].id))
		wrong = "session";
	else if (!text_is(j, "kind", ask_kind_name(a->kind)))
		wrong = "kind";
	else if (!text_is(j, "status", ask_status_name(a->status)))
		wrong = "status";
	else if (!canonical_is(json_get(j, "answer"), a->answer))
		wrong = "answer";
	else if (!by_is(json_get(j, "answered_by"), a->settled_by))
		wrong = "answered_by";
	else if (!version || version->integer != a->version)
		wrong = "version";
	else if (!time_is(j, "created_at", a->created_ms))
		wrong = "created_at";
	else if (!time_is(j, "expires_at", a->deadline_ms))
		wrong = "expires_at";
	else if (!time_is(j, "settled_at", a->settled_ms))
		wrong = "settled_at";
	else if (!text_is(j, "digest", a->digest))
		wrong = "digest";
	else if (!text_is(j, "approved_digest", a->approved_digest))
		wrong = "approved_digest";
	else if (!replies || (int)replies->count != a->replies)
		wrong = "replies";
	else if (!votes_are(json_get(j, "votes"), a))
		wrong = "votes";
	else if (!assignees_are(json_get(j, "assignees"), a->assignees))
		wrong = "assignees";
	else if (!claim_is(json_get(j, "claimed_by"), a, w->now_ms))
		wrong = "claimed_by";
	else if (!text_is(json_get(j, "agent"), "name", m->sessions[a->session].agent))
		wrong = "agent";
	if (!wrong) return true;
	struct buf got = { .max = 80 };
	json_write(&got, json_get(j, wrong));
	differ(why, "ask #%d (%s) is shown with another %s: %.*s", i,
		ask_status_name(a->status), wrong, STR_ARGS(buf_str(&got)));
	buf_done(&got);
	return false;
}

/* ---- one session ---- */

static int open_asks(const struct model *m, int session)
{
	int n = 0;

	for (int i = 0; i < m->asks_len; i++)
		n += m->asks[i].session == session && model_open(&m->asks[i]);
	return n;
}

static bool waits(const struct model_session *s)
{
	return s->open[ASK_BLOCKING] || s->open[ASK_ERROR_RECOVERY] ||
	       s->open[ASK_APPROVAL];
}

static bool look_session(
	const struct model *m, int i, const struct json *j, char why[200])
{
	const struct model_session *s = &m->sessions[i];
	const struct json *asks = json_get(j, "pending_asks");
	char title[40], external[20] = "";

	snprintf(title, sizeof title, "Work %d", s->title);
	if (s->external) snprintf(external, sizeof external, "x%d", s->external);
	if (!text_is(j, "id", s->id)) return differ(why, "session %d has another id", i);
	if (!text_is(j, "status", session_status_name(s->status)))
		return differ(why, "session %d is %.*s, not %s", i,
			STR_ARGS(json_text(json_get(j, "status"))),
			session_status_name(s->status));
	if (s->title && !text_is(j, "title", title))
		return differ(why, "session %d has another title", i);
	if (!text_is(j, "external_id", external))
		return differ(why, "session %d has another external_id", i);
	if (!text_is(json_get(j, "agent"), "name", s->agent))
		return differ(why, "session %d is another agent's", i);
	if (json_is(json_get(j, "parallel"), JSON_TRUE) != s->parallel)
		return differ(why, "session %d: parallel", i);
	if (!json_is(asks, JSON_ARRAY) || (int)asks->count != open_asks(m, i))
		return differ(why, "session %d shows %d pending asks of %d", i,
			asks ? (int)asks->count : -1, open_asks(m, i));
	return true;
}

/* ---- replies ---- */

static bool look_many(const struct world *w, const struct model *m, const struct op *op,
	const struct expect *x, const struct json *j, char why[200])
{
	const struct json *results = json_get(j, "results");

	if (!json_is(results, JSON_ARRAY) || (int)results->count != x->results_len)
		return differ(why, "settle-many has other results");
	for (int i = 0; i < x->results_len; i++) {
		const struct json *r = &results->items[i];
		const struct json *status = json_get(r, "status");
		int ask = op->many[i], wanted = x->results[i];

		/* Of a deleted one nothing is left to be shown. */
		if (wanted == 200 && m->asks[ask].gone) wanted = 404;
		if (!status || status->integer != wanted)
			return differ(why, "settle-many: ask #%d is %lld, not %d", ask,
				status ? (long long)status->integer : 0, wanted);
		if (wanted == 200 && !look_ask(w, m, ask, json_get(r, "ask"), why))
			return false;
	}
	return true;
}

static bool look_shape(struct world *w, const struct model *m, const struct op *op,
	const struct expect *x, const struct json *j, char why[200])
{
	bool settles = op->act >= ACT_ANSWER && op->act <= ACT_CANCEL;

	if (op->act == ACT_MANY) return look_many(w, m, op, x, j, why);
	if (x->session != NOBODY) return look_session(m, x->session, j, why);
	if (x->ask == NOBODY) return true;
	if (!look_ask(w, m, x->ask, settles ? json_get(j, "ask") : j, why)) return false;
	if (!settles) return true;
	bool resumed = !waits(&m->sessions[m->asks[x->ask].session]);
	if (json_is(json_get(j, "resumed"), JSON_TRUE) != resumed)
		return differ(why, "ask #%d: resumed should be %d", x->ask, resumed);
	return true;
}

/* Losers learn who won. */
static bool look_conflict(const struct model *m, const struct op *op,
	const struct json *winner, char why[200])
{
	const struct model_ask *a = &m->asks[op->ask];

	if (!text_is(winner, "id", a->id) ||
		!text_is(winner, "status", ask_status_name(a->status)))
		return differ(
			why, "the loser of ask #%d does not learn who won", op->ask);
	return true;
}

bool look_reply(struct world *w, const struct model *m, const struct request *r,
	const struct expect *x, char why[200])
{
	const struct job *job = &r->task.job;
	const struct op *op = r->op;
	struct arena arena = { 0 };
	const struct json *j = NULL;
	struct str text = job->err ? job->conflict : buf_str(&job->out);
	bool settles = op->act >= ACT_ANSWER && op->act <= ACT_CANCEL, ok = true;

	if (job->err != x->err)
		return differ(why, "got %s (%.80s), should be %s", err_name(job->err),
			job->err ? job->why.detail : "", err_name(x->err));
	if (!job->err && job->status != x->status)
		return differ(why, "status %d, should be %d", job->status, x->status);
	if (text.len && json_read(text, NULL, &arena, &j, NULL))
		ok = differ(why, "the reply is no JSON");
	else if (job->err == ERR_CONFLICT && settles)
		ok = look_conflict(m, op, j, why);
	else if (!job->err && x->status != 204)
		ok = look_shape(w, m, op, x, j, why);
	arena_done(&arena);
	return ok;
}

/* ---- reading ---- */

static void read_done(struct job *job)
{
	(void)job;
}

struct query {
	struct task task;
	struct param params[6];
	const struct json *json;
};

static void query_param(struct query *q, const char *name, struct str value)
{
	q->params[q->task.params_len++] = (struct param){ str_of(name), value };
	q->task.params = q->params;
}

static enum err query_do(struct world *w, const struct use *use, struct query *q)
{
	struct job *job = &q->task.job;

	job->done = read_done;
	desk_do(w->desk, use, &q->task);
	if (!job->err && job->out.len)
		json_read(buf_str(&job->out), NULL, &job->arena, &q->json, NULL);
	return job->err;
}

static void query_end(struct query *q)
{
	buf_done(&q->task.job.out);
	arena_done(&q->task.job.arena);
	*q = (struct query){ 0 };
}

static void copy(char *to, size_t size, struct str from)
{
	snprintf(to, size, "%.*s", STR_ARGS(from));
}

bool look_seen(struct seen *to, const struct event *e)
{
	*to = (struct seen){ .n = e->n, .type = e->type, .at_ms = e->at_ms };
	copy(to->session, sizeof to->session, e->session);
	copy(to->ask, sizeof to->ask, e->ask);
	copy(to->agent, sizeof to->agent, e->agent);
	copy(to->data, sizeof to->data, e->data);
	return true;
}

bool look_log(
	struct world *w, int place, int64_t after, struct seen *out, int max, int *len)
{
	int64_t as_of = after;

	*len = 0;
	do {
		struct query q = { 0 };
		bool ok;

		q.task.job.who.role = ROLE_LOCAL_ADMIN;
		q.task.job.who.ws = base_place(place);
		q.task.stream = true;
		q.task.after = after;
		ok = query_do(w, &use_events, &q) == OK;
		if (!ok)
			world_fail(
				w, "the log cannot be read: %s", q.task.job.why.detail);
		as_of = q.task.as_of;
		for (size_t i = 0; ok && i < q.task.events_len && *len < max; i++) {
			look_seen(&out[*len], &q.task.events[i]);
			after = out[(*len)++].n;
		}
		ok = ok && q.task.events_len > 0 && after < as_of;
		query_end(&q);
		if (!ok) break;
	} while (*len < max);
	return !w->failed[0];
}

static bool get_ask(struct world *w, enum who who, int i)
{
	const struct model_ask *a = &w->model.asks[i];
	struct query q = { 0 };
	bool sees = !a->gone &&
		    model_sees(who, w->model.sessions[a->session].agent, a->place);
	char why[200];
	bool ok = true;

	base_show(who, &q.task.job);
	q.task.id = str_of(a->id);
	query_do(w, &use_ask_get, &q);
	if (q.task.job.err != (who == STRANGER ? ERR_NO_TOKEN
				      : sees   ? OK
					       : ERR_NOT_FOUND))
		ok = world_fail(w, "%s gets ask #%d: %s", actors[who].name, i,
			err_name(q.task.job.err));
	else if (!q.task.job.err && !look_ask(w, &w->model, i, q.json, why))
		ok = world_fail(w, "%s", why);
	query_end(&q);
	return ok;
}

static bool get_session(struct world *w, enum who who, int i)
{
	const struct model_session *s = &w->model.sessions[i];
	static const struct use *const uses[] = { &use_session_get, &use_session_state,
		&use_session_resume };
	enum err want = who == STRANGER					  ? ERR_NO_TOKEN
			: !s->gone && model_sees(who, s->agent, s->place) ? OK
									  : ERR_NOT_FOUND;
	int which = (int)below(w, 3);
	struct query q = { 0 };
	char why[200] = "";
	bool ok = true;

	base_show(who, &q.task.job);
	q.task.id = str_of(s->id);
	query_do(w, uses[which], &q);
	if (q.task.job.err != want)
		ok = differ(why, "%s gets session %d: %s", actors[who].name, i,
			err_name(q.task.job.err));
	else if (!want && which < 2)
		ok = look_session(
			&w->model, i, which ? json_get(q.json, "session") : q.json, why);
	else if (!want && json_is(json_get(q.json, "can_resume"), JSON_TRUE) !=
				  (s->settled > 0 && !waits(s)))
		ok = differ(why, "session %d: can_resume", i);
	query_end(&q);
	return ok || world_fail(w, "%s", why);
}

/* ---- lists ---- */

struct listing {
	enum who who;
	bool all, attention, sessions;
	int session; /* or NOBODY */
	int64_t soon_ms;
	const struct model *m;
};

static int urgency(const struct model_ask *a)
{
	return a->risk == RISK_CRITICAL ? 2 : a->risk == RISK_HIGH;
}

static int rank(const struct listing *l, const struct model_ask *a)
{
	if (a->deadline_ms && a->deadline_ms <= l->soon_ms) return 0;
	return urgency(a) ? 1 : 2;
}

/* Does the ask a stand before b in this list? */
static bool before(
	const struct listing *l, const struct model_ask *a, const struct model_ask *b)
{
	if (l->attention && rank(l, a) != rank(l, b)) return rank(l, a) < rank(l, b);
	if (l->attention && urgency(a) != urgency(b)) return urgency(a) > urgency(b);
	return l->all ? strcmp(a->id, b->id) > 0 : strcmp(a->id, b->id) < 0;
}

static bool listed(const struct listing *l, const struct model_ask *a)
{
	const struct model *m = l->m;

	if (a->gone || !model_sees(l->who, m->sessions[a->session].agent, a->place))
		return false;
	if (l->session != NOBODY && a->session != l->session) return false;
	return l->all || a->status == ASK_PENDING;
}

static int list_expect(const struct listing *l, int out[ASKS_MAX])
{
	int len = 0;

	for (int i = 0; i < l->m->asks_len; i++) {
		int at = len;

		if (!listed(l, &l->m->asks[i])) continue;
		for (; at > 0 && before(l, &l->m->asks[i], &l->m->asks[out[at - 1]]);
			at--)
			out[at] = out[at - 1];
		out[at] = i;
		len++;
	}
	return len;
}

static bool list_page(struct world *w, const struct listing *l, char cursor[600],
	const int *want, int len, int *at)
{
	struct query q = { 0 };
	const struct json *items, *next;
	char why[200];
	bool ok = true;

	base_show(l->who, &q.task.job);
	if (l->all) query_param(&q, "status", STR("all"));
	if (l->attention) query_param(&q, "order", STR("attention"));
	if (l->session != NOBODY)
		query_param(&q, "session", str_of(l->m->sessions[l->session].id));
	query_param(&q, "limit", len > 30 ? STR("20") : STR("3"));
	if (cursor[0]) query_param(&q, "cursor", str_of(cursor));
	if (query_do(w, &use_ask_list, &q))
		ok = world_fail(w, "a list: %s", q.task.job.why.detail);
	items = json_get(q.json, "items");
	for (uint32_t i = 0; ok && items && i < items->count; i++, ++*at) {
		if (*at >= len)
			ok = world_fail(
				w, "%s's list has too many asks", actors[l->who].name);
		else if (!look_ask(w, l->m, want[*at], &items->items[i], why))
			ok = world_fail(w, "at %d of %s's list: %s", *at,
				actors[l->who].name, why);
	}
	next = json_get(q.json, "next_cursor");
	copy(cursor, 600, json_text(next));
	query_end(&q);
	return ok;
}

static bool list_asks(struct world *w, const struct listing *l)
{
	int want[ASKS_MAX];
	int len = list_expect(l, want), at = 0;
	char cursor[600] = "";

	do {
		if (!list_page(w, l, cursor, want, len, &at)) return false;
	} while (cursor[0]);
	return at == len ||
	       world_fail(w, "%s's list has %d asks of %d", actors[l->who].name, at, len);
}

static bool list_sessions(struct world *w, enum who who)
{
	const struct model *m = &w->model;
	struct query q = { 0 };
	const struct json *items;
	int want = 0;
	bool ok = true;

	for (int i = 0; i < m->sessions_len; i++)
		want += !m->sessions[i].gone &&
			model_sees(who, m->sessions[i].agent, m->sessions[i].place);
	base_show(who, &q.task.job);
	query_param(&q, "limit", STR("200"));
	query_do(w, &use_session_list, &q);
	items = json_get(q.json, "items");
	if (q.task.job.err || !items || (int)items->count != want)
		ok = world_fail(w, "%s's list has %d sessions of %d", actors[who].name,
			items ? (int)items->count : -1, want);
	query_end(&q);
	return ok;
}

/* ---- pages of the log ---- */

static bool page_item(const struct model *m, int place, int64_t n, const struct json *j)
{
	const struct model_event *e = &m->log[place][n - 1];

	return text_is(j, "type", e->type) && time_is(j, "at", e->at_ms) &&
	       text_is(j, "session", m->sessions[e->session].id) &&
	       (e->ask == NOBODY || text_is(j, "ask", m->asks[e->ask].id));
}

static bool page_read_on(struct world *w, struct pager *p)
{
	const struct model *m = &w->model;
	int place = actors[p->who].place;
	char after[24];
	struct query q = { 0 };
	const struct json *items;
	bool ok = true;

	snprintf(after, sizeof after, "%lld", (long long)p->after);
	base_show(p->who, &q.task.job);
	query_param(&q, "after", str_of(after));
	query_param(&q, "limit", STR("20"));
	query_do(w, &use_events, &q);
	items = json_get(q.json, "items");
	if (q.task.job.err || !items)
		ok = world_fail(w, "the log: %s", q.task.job.why.detail);
	for (uint32_t i = 0; ok && i < items->count; i++) {
		const struct json *id = json_get(&items->items[i], "id");

		/* The next that they may see. */
		do
			p->after++;
		while (p->after <= m->log_len[place] &&
			!model_sees(p->who,
				m->sessions[m->log[place][p->after - 1].session].agent,
				place));
		if (p->after > m->log_len[place] || !id || id->integer != p->after ||
			!page_item(m, place, p->after, &items->items[i]))
			ok = world_fail(w, "%s reads event %lld where %lld should be",
				actors[p->who].name, id ? (long long)id->integer : 0,
				(long long)p->after);
	}
	world_add(w, " up to %lld", (long long)p->after);
	query_end(&q);
	return ok;
}

/* ---- a look at something ---- */

bool look_something(struct world *w)
{
	const struct model *m = &w->model;
	enum who who = (enum who)below(w, WHO_LEN);
	struct listing l = {
		.who = who, .session = NOBODY, .m = m, .soon_ms = w->now_ms + 300000
	};

	switch (below(w, 5)) {
	case 0:
		if (!m->asks_len) return true;
		world_say(w, "%s gets an ask", actors[who].name);
		return get_ask(w, who, (int)below(w, (uint64_t)m->asks_len));
	case 1:
		if (!m->sessions_len) return true;
		world_say(w, "%s gets a session", actors[who].name);
		return get_session(w, who, (int)below(w, (uint64_t)m->sessions_len));
	case 2: {
		struct pager *p = &w->pagers[below(w, PAGERS)];

		world_say(w, "%s reads the log", actors[p->who].name);
		return page_read_on(w, p);
	}
	case 3:
		if (who == STRANGER) return true;
		world_say(w, "%s lists sessions", actors[who].name);
		return list_sessions(w, who);
	default:
		if (who == STRANGER) return true;
		world_say(w, "%s lists asks", actors[who].name);
		l.all = one_in(w, 2);
		l.attention = !l.all && one_in(w, 2);
		if (m->sessions_len && !l.all && one_in(w, 3))
			l.session = (int)below(w, (uint64_t)m->sessions_len);
		return list_asks(w, &l);
	}
}

/* ---- everything ---- */

static bool look_chain(struct world *w)
{
	struct query q = { 0 };
	bool ok;

	q.task.job.who.role = ROLE_LOCAL_ADMIN;
	query_do(w, &use_check, &q);
	ok = !q.task.job.err && json_is(json_get(q.json, "ok"), JSON_TRUE);
	if (!ok)
		world_fail(w, "check: %.*s",
			STR_ARGS(json_text(json_get(q.json, "detail"))));
	query_end(&q);
	return ok;
}

struct stored {
	struct arena arena;
	struct session session;
	struct ask ask;
	bool found;
};

static enum err stored_session(void *ctx, const struct row *row, struct fault *why)
{
	struct stored *s = ctx;

	s->found = true;
	return session_from_row(row, &s->arena, &s->session, why);
}

static enum err stored_ask(void *ctx, const struct row *row, struct fault *why)
{
	struct stored *s = ctx;

	s->found = true;
	return ask_from_row(row, &s->arena, &s->ask, why);
}

static enum err stored_key(void *ctx, const struct row *row, struct fault *why)
{
	(void)row, (void)why;
	*(bool *)ctx = true;
	return OK;
}

bool look_traces(
	struct world *w, const struct model *m, const struct request *r, char why[200])
{
	const struct op *op = r->op;
	const struct val args[] = { val_int(base_place(actors[op->who].place)),
		val_text(str_of(base_token(op->who))), val_text(r->task.job.path),
		val_text(r->task.job.key) };
	struct db *db = clerk_db(w->desk->writer);
	bool there = false;

	if (op->key) {
		db_one(db, SQL_OF(RECORD_KEYS, RECORD_GET), args, 4, stored_key, &there,
			NULL);
		if (there != (model_key(m, op) != NULL))
			return differ(
				why, "key %d is %s", op->key, there ? "kept" : "lost");
	}
	if (op->act != ACT_PATCH || op->session == NOBODY) return true;
	const struct model_session *s = &m->sessions[op->session];
	const struct val named[] = { val_int(base_place(s->place)),
		val_text(str_of(s->id)) };
	struct stored row = { 0 };
	char title[40];

	snprintf(title, sizeof title, "Work %d", s->title);
	db_one(db, SQL_OF(RECORD_SESSIONS, RECORD_GET), named, 2, stored_session, &row,
		NULL);
	there = !row.found || !s->title || str_is(row.session.title, title);
	arena_done(&row.arena);
	return there || differ(why, "session %d has another title", op->session);
}

/* The counters equal what the asks say. */
static bool look_counters(struct world *w, int i)
{
	const struct model_session *s = &w->model.sessions[i];
	const struct val args[] = { val_int(base_place(s->place)),
		val_text(str_of(s->id)) };
	struct stored row = { 0 };
	bool ok;

	db_one(clerk_db(w->desk->writer), SQL_OF(RECORD_SESSIONS, RECORD_GET), args, 2,
		stored_session, &row, NULL);
	ok = row.found != s->gone &&
	     (s->gone || (row.session.open_blocking == s->open[ASK_BLOCKING] &&
				 row.session.open_input ==
					 s->open[ASK_BLOCKING] +
						 s->open[ASK_ERROR_RECOVERY] &&
				 row.session.open_approval == s->open[ASK_APPROVAL] &&
				 row.session.open_other == s->open[ASK_NON_BLOCKING] &&
				 row.session.settled == s->settled &&
				 row.session.status == s->status));
	arena_done(&row.arena);
	return ok || world_fail(w, "session %d does not count as its asks say", i);
}

static bool look_row(struct world *w, int i)
{
	const struct model_ask *a = &w->model.asks[i];
	const struct val args[] = { val_int(base_place(a->place)),
		val_text(str_of(a->id)) };
	struct stored row = { 0 };
	bool ok;

	db_one(clerk_db(w->desk->writer), SQL_ASK_GET, args, 2, stored_ask, &row, NULL);
	ok = row.found != a->gone &&
	     (a->gone || (row.ask.used_ms == a->used_ms &&
				 row.ask.exclusive == a->exclusive));
	arena_done(&row.arena);
	return ok || world_fail(w, "ask #%d is not stored as it was used", i);
}

/* A session that is not parallel has one open blocking ask at most. */
static bool look_exclusive(struct world *w)
{
	const struct model *m = &w->model;
	int open[SESSIONS_MAX] = { 0 };

	for (int i = 0; i < m->asks_len; i++)
		if (model_open(&m->asks[i]) && m->asks[i].exclusive &&
			++open[m->asks[i].session] > 1)
			return world_fail(w, "session %d has two open blocking asks",
				m->asks[i].session);
	return true;
}

static bool look_whole_log(struct world *w, int place)
{
	struct seen *log = calloc(LOG_MAX, sizeof *log);
	const struct model *m = &w->model;
	int len = 0;
	bool ok = log && look_log(w, place, 0, log, LOG_MAX, &len);

	if (ok && len != m->log_len[place])
		ok = world_fail(w, "the log has %d events of %d", len, m->log_len[place]);
	for (int n = 1; ok && n <= len; n++) {
		const struct seen *s = &log[n - 1];
		int session = m->log[place][n - 1].session;
		bool gone = session != NOBODY && m->sessions[session].gone;

		if (!model_same_event(m, place, n, s))
			ok = world_fail(w, "event %d of the log has become %lld %s", n,
				(long long)s->n, s->type);
		else if (!s->data[0] != (gone && strcmp(s->type, "session.deleted") != 0))
			ok = world_fail(w, "event %d has %s data", n,
				s->data[0] ? "still" : "no");
	}
	free(log);
	return ok;
}

bool look_all(struct world *w)
{
	const struct model *m = &w->model;
	bool ok = true;

	world_say(w, "everything is looked at");
	for (int i = 0; ok && i < PLACES; i++)
		ok = look_whole_log(w, i);
	for (int i = 0; ok && i < m->asks_len; i++)
		ok = get_ask(w, m->asks[i].place ? OLGA : VIC, i) && look_row(w, i);
	for (int i = 0; ok && i < m->sessions_len; i++)
		ok = look_counters(w, i);
	return ok && look_exclusive(w) && look_chain(w);
}
