/* model.c - the rules once more, as simply as they can be said. */
#include "model.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>

const struct actor actors[WHO_LEN] = {
	[ALPHA_1] = { "alpha-1", ROLE_AGENT, 0, "alpha" },
	[ALPHA_2] = { "alpha-2", ROLE_AGENT, 0, "alpha" },
	[BETA] = { "beta", ROLE_AGENT, 0, "beta" },
	[FAR_ALPHA] = { "far-alpha", ROLE_AGENT, 1, "alpha" },
	[MIA] = { "mia", ROLE_MEMBER, 0, "mia" },
	[ADA] = { "ada", ROLE_ADMIN, 0, "ada" },
	[VIC] = { "vic", ROLE_VIEWER, 0, "vic" },
	[NED] = { "ned", ROLE_MEMBER, 0, "ned" },
	[OLGA] = { "olga", ROLE_ADMIN, 1, "olga" },
	[STRANGER] = { "stranger", ROLE_NONE, 0, "stranger" },
};

/* ---- who may ---- */

static bool asks(enum who w)
{
	enum role r = actors[w].role;

	return r == ROLE_AGENT || r == ROLE_MEMBER || r == ROLE_ADMIN;
}

static bool settles(enum who w)
{
	return actors[w].role == ROLE_MEMBER || actors[w].role == ROLE_ADMIN;
}

bool model_sees(enum who w, const char *agent, int place)
{
	if (actors[w].place != place) return false;
	if (actors[w].role != ROLE_AGENT) return actors[w].role != ROLE_NONE;
	return strcmp(actors[w].agent, agent) == 0;
}

static bool asks_as(enum who w, const char *agent)
{
	return asks(w) && strcmp(actors[w].agent, agent) == 0;
}

static bool owns(enum who w, const char *agent)
{
	return actors[w].role == ROLE_ADMIN || asks_as(w, agent);
}

bool model_open(const struct model_ask *a)
{
	return !a->gone && a->status == ASK_PENDING;
}

static bool due(const struct model_ask *a, int64_t now_ms)
{
	return model_open(a) && a->deadline_ms && a->deadline_ms <= now_ms;
}

int model_due(const struct model *m, int64_t now_ms)
{
	int n = 0;

	for (int i = 0; i < m->asks_len; i++)
		n += due(&m->asks[i], now_ms);
	return n;
}

bool model_full(const struct model *m)
{
	return m->asks_len + 12 > ASKS_MAX || m->sessions_len + 12 > SESSIONS_MAX ||
	       m->keys_len + 12 > KEYS_MAX || m->log_len[0] + STAGED_MAX > LOG_MAX ||
	       m->log_len[1] + STAGED_MAX > LOG_MAX;
}

/* ---- events ---- */

static struct model_event *stage(
	struct model *m, const char *type, int session, int ask, int64_t now_ms)
{
	struct model_event *e = &m->staged[m->staged_len++];

	if (m->staged_len == STAGED_MAX) abort();
	*e = (struct model_event){
		.type = type, .session = session, .ask = ask, .at_ms = now_ms
	};
	return e;
}

static struct model_event *stage_status(struct model *m, int session, int64_t now_ms)
{
	struct model_event *e = stage(m, "session.status", session, NOBODY, now_ms);

	e->status = m->sessions[session].status;
	return e;
}

static bool ended(const struct model_session *s)
{
	return s->status == SESSION_COMPLETED || s->status == SESSION_FAILED ||
	       s->status == SESSION_CANCELLED;
}

/* The status that its open asks give a session. True: it changed. */
static bool turn(
	struct model_session *s, enum ask_kind kind, bool settled, int64_t now_ms)
{
	enum session_status was = s->status;

	if (ended(s)) return false;
	if (s->for_ask && settled)
		s->status = SESSION_COMPLETED;
	else if (kind == ASK_NON_BLOCKING)
		return false;
	else if (s->open[ASK_BLOCKING] || s->open[ASK_ERROR_RECOVERY])
		s->status = SESSION_WAITING_FOR_INPUT;
	else if (s->open[ASK_APPROVAL])
		s->status = SESSION_WAITING_FOR_APPROVAL;
	else
		s->status = now_ms - s->heard_ms < SESSION_HEARD_MS ? SESSION_RUNNING
								    : SESSION_IDLE;
	return s->status != was;
}

/* ---- settling ---- */

static const char *const settled_types[] = { [ASK_ANSWERED] = "ask.answered",
	[ASK_SKIPPED] = "ask.skipped",
	[ASK_EXPIRED] = "ask.expired",
	[ASK_CANCELLED] = "ask.cancelled" };

static struct model_event *settle(
	struct model *m, int ask, enum ask_status to, int by, int64_t now_ms)
{
	struct model_ask *a = &m->asks[ask];
	struct model_session *s = &m->sessions[a->session];
	struct model_event *e = stage(m, settled_types[to], a->session, ask, now_ms);

	e->wakes = true;
	a->status = to;
	a->settled_ms = now_ms;
	a->settled_by = by;
	a->claimed_by = NOBODY;
	a->claimed_until_ms = 0;
	a->version++;
	s->open[a->kind]--;
	s->settled++;
	return e;
}

static const char *const defaults[] = {
	[FORM_YES] = "{\"q1\":{\"value\":true}}",
	[FORM_PLAIN] = "",
	[FORM_CHOICE] = "{\"q1\":{\"selected\":[\"b\"]}}",
	[FORM_TEXT] = "{\"q1\":{\"text\":\"nothing\"}}",
	[FORM_APPROVAL] = "{\"decision\":{\"value\":\"reject\"}}",
	[FORM_RECOVERY] = "{\"recovery\":{\"selected\":[\"skip\"]}}",
};

static void expire(struct model *m, int ask, int64_t now_ms)
{
	struct model_ask *a = &m->asks[ask];

	settle(m, ask, ASK_EXPIRED, a->has_default ? BY_DEFAULT : NOBODY, now_ms);
	if (a->has_default)
		snprintf(a->answer, sizeof a->answer, "%s", defaults[a->form]);
	if (turn(&m->sessions[a->session], a->kind, true, now_ms))
		stage_status(m, a->session, now_ms);
}

/* Running is who was heard of. */
static void silence(struct model *m, int64_t now_ms)
{
	for (int i = 0; i < m->sessions_len; i++) {
		struct model_session *s = &m->sessions[i];

		if (s->gone || s->status != SESSION_RUNNING ||
			now_ms - s->heard_ms < SESSION_HEARD_MS)
			continue;
		s->status = SESSION_IDLE;
		stage_status(m, i, now_ms)->any_order = true;
	}
}

/* Oldest deadline first. */
static void expire_due(struct model *m, int64_t now_ms)
{
	for (;;) {
		int first = NOBODY;

		for (int i = 0; i < m->asks_len; i++)
			if (due(&m->asks[i], now_ms) &&
				(first == NOBODY || m->asks[i].deadline_ms <
							    m->asks[first].deadline_ms))
				first = i;
		if (first == NOBODY) return;
		expire(m, first, now_ms);
	}
}

/* ---- one ask ---- */

static struct model_ask *found(struct model *m, const struct op *op)
{
	struct model_ask *a = op->ask == NOBODY ? NULL : &m->asks[op->ask];

	if (!a || a->gone ||
		!model_sees(op->who, m->sessions[a->session].agent, a->place))
		return NULL;
	return a;
}

/* What a word to settle it meets: it may come too late, and then the deadline has won. */
static enum err settleable(struct model *m, const struct op *op, int64_t now_ms)
{
	struct model_ask *a = found(m, op);

	if (!a) return ERR_NOT_FOUND;
	if (op->act == ACT_CANCEL && !owns(op->who, m->sessions[a->session].agent))
		return ERR_FORBIDDEN;
	if (op->act != ACT_CANCEL && !settles(op->who)) return ERR_NOT_ENTITLED;
	if (op->spoiled) return ERR_INVALID;
	if (due(a, now_ms)) expire(m, op->ask, now_ms);
	if (a->status != ASK_PENDING) return ERR_CONFLICT;
	if (op->act != ACT_CANCEL && a->kind == ASK_APPROVAL && a->asked_by == op->who)
		return ERR_NOT_ENTITLED;
	return OK;
}

/* A vote is for one operation, and the last of each person counts. True: it settles. */
static bool vote(struct model *m, const struct op *op, int64_t now_ms)
{
	struct model_ask *a = &m->asks[op->ask];
	int agree = 0;

	a->votes[op->who].given = true;
	a->votes[op->who].approves = op->approves;
	a->votes[op->who].arguments = op->arguments;
	if (!op->approves) return true; /* kept with the settlement that it is */
	stage(m, "ask.voted", a->session, op->ask, now_ms);
	for (int i = 0; i < WHO_LEN; i++)
		agree += a->votes[i].given && a->votes[i].approves &&
			 a->votes[i].arguments == op->arguments;
	if (agree >= VOTES_NEEDED) return true;
	a->version++;
	return false;
}

static enum err settle_op(struct model *m, const struct op *op, int64_t now_ms)
{
	static const enum ask_status to[] = { [ACT_ANSWER] = ASK_ANSWERED,
		[ACT_SKIP] = ASK_SKIPPED,
		[ACT_CANCEL] = ASK_CANCELLED };
	enum err e = settleable(m, op, now_ms);
	struct model_ask *a;

	if (!e && op->act == ACT_ANSWER && !op->answer[0]) e = ERR_INVALID;
	if (e) return e;
	a = &m->asks[op->ask];
	if (op->act == ACT_ANSWER && a->voted && !vote(m, op, now_ms)) return OK;
	settle(m, op->ask, to[op->act], op->act == ACT_CANCEL ? NOBODY : (int)op->who,
		now_ms);
	if (op->act == ACT_ANSWER) {
		snprintf(a->answer, sizeof a->answer, "%s", op->answer);
		a->approved = a->kind == ASK_APPROVAL && op->approves;
		a->arguments = op->arguments;
		if (op->arguments && a->has_digest)
			model_digest(m, a, op->arguments, a->approved_digest);
		else if (a->approved && a->has_digest)
			memcpy(a->approved_digest, a->digest, DIGEST_SIZE);
	}
	if (turn(&m->sessions[a->session], a->kind, true, now_ms))
		stage_status(m, a->session, now_ms);
	return OK;
}

static int status_of(enum err e)
{
	switch (e) {
	case OK: return 200;
	case ERR_FORBIDDEN: return 403;
	case ERR_NOT_ENTITLED: return 403;
	case ERR_NOT_FOUND: return 404;
	case ERR_CONFLICT: return 409;
	case ERR_INVALID: return 422;
	default: return 500;
	}
}

static void many_op(
	struct model *m, const struct op *op, int64_t now_ms, struct expect *out)
{
	struct op one = *op;

	one.act = op->many_skip ? ACT_SKIP : ACT_ANSWER;
	out->results_len = op->many_len;
	for (int i = 0; i < op->many_len; i++) {
		const struct model_ask *a;

		one.ask = op->many[i];
		a = found(m, &one);
		/* Its one body says yes: that is an answer to yes-or-no only. */
		if (a && a->form != FORM_YES && a->form != FORM_PLAIN)
			one.answer[0] = '\0';
		else
			snprintf(one.answer, sizeof one.answer, "%s", op->answer);
		out->results[i] = status_of(settle_op(m, &one, now_ms));
	}
}

static enum err route_op(struct model *m, const struct op *op, int64_t now_ms)
{
	struct model_ask *a = found(m, op);
	struct model_event *e;
	bool late;

	if (!a) return ERR_NOT_FOUND;
	if (!settles(op->who) &&
		(op->act != ACT_REPLY || !owns(op->who, m->sessions[a->session].agent)))
		return ERR_FORBIDDEN;
	if (op->spoiled) return ERR_INVALID;
	/* A person's late word to what has run out is kept. */
	late = op->act == ACT_REPLY && settles(op->who) && a->status == ASK_EXPIRED;
	if (!late && (a->status != ASK_PENDING || due(a, now_ms))) return ERR_CONFLICT;
	switch (op->act) {
	case ACT_REPLY:
		a->replies++;
		e = stage(m, "ask.replied", a->session, op->ask, now_ms);
		e->wakes = settles(op->who);
		break;
	case ACT_ASSIGN:
		if (op->bad_assignee) return ERR_INVALID;
		a->assignees = op->assignees;
		stage(m, "ask.assigned", a->session, op->ask, now_ms);
		break;
	case ACT_CLAIM:
		if (a->claimed_until_ms > now_ms && a->claimed_by != (int)op->who)
			return ERR_CONFLICT;
		a->claimed_by = (int)op->who;
		a->claimed_until_ms = now_ms + 120000;
		stage(m, "ask.claimed", a->session, op->ask, now_ms);
		break;
	default:
		if (op->timeout_ms)
			a->deadline_ms = (a->deadline_ms ? a->deadline_ms : now_ms) +
					 op->timeout_ms;
		else
			a->deadline_ms = 0;
		stage(m, "ask.extended", a->session, op->ask, now_ms);
		break;
	}
	a->version++;
	return OK;
}

static enum err use_op(struct model *m, const struct op *op, int64_t now_ms)
{
	struct model_ask *a = found(m, op);
	const char *right;

	if (!a) return ERR_NOT_FOUND;
	if (!asks_as(op->who, m->sessions[a->session].agent)) return ERR_FORBIDDEN;
	if (op->spoiled) return ERR_INVALID;
	right = a->approved_digest[0] ? a->approved_digest : a->digest;
	if (!a->approved || a->used_ms || !right[0] || strcmp(right, op->digest) != 0)
		return ERR_CONFLICT;
	a->used_ms = now_ms;
	a->version++;
	stage(m, "ask.used", a->session, op->ask, now_ms);
	return OK;
}

/* The RFC 8785 form, written by hand: sorted, no blanks. */
void model_digest(const struct model *m, const struct model_ask *a, int arguments,
	char out[DIGEST_SIZE])
{
	char text[200];
	char hex[SHA256_HEX_SIZE];

	snprintf(text, sizeof text,
		"{\"arguments\":{\"n\":%d},\"name\":\"shell\",\"session\":\"%s\",\"type\":\"tool\"}",
		arguments ? arguments : a->number, m->sessions[a->session].id);
	sha256_hex(str_of(text), hex);
	snprintf(out, DIGEST_SIZE, "sha256:%s", hex);
}

/* ---- asking ---- */

static int session_add(
	struct model *m, const struct op *op, const char *agent, int64_t now_ms)
{
	struct model_session *s = &m->sessions[m->sessions_len];

	*s = (struct model_session){ .place = actors[op->who].place,
		.agent = agent,
		.parallel = op->parallel,
		.external = op->external,
		.for_ask = op->act == ACT_ASK,
		.heard_ms = now_ms,
		.title = op->act == ACT_SESSION ? op->number : 0 };
	return m->sessions_len++;
}

static enum err may_ask(struct model *m, const struct op *op)
{
	const struct model_session *s =
		op->session == NOBODY ? NULL : &m->sessions[op->session];

	if (op->session == NOBODY && !op->by_path) return OK;
	if (!s || s->gone || !model_sees(op->who, s->agent, s->place))
		return ERR_NOT_FOUND;
	if (!owns(op->who, s->agent)) return ERR_FORBIDDEN;
	if (ended(s) && !(s->for_ask && s->status == SESSION_COMPLETED))
		return ERR_CONFLICT;
	return op->kind == ASK_BLOCKING && s->open[ASK_BLOCKING] && !s->parallel
		       ? ERR_CONFLICT
		       : OK;
}

static enum err ask_op(
	struct model *m, const struct op *op, int64_t now_ms, struct expect *out)
{
	struct model_ask *a = &m->asks[m->asks_len];
	bool fresh = op->session == NOBODY;
	enum session_status was;
	enum err e = may_ask(m, op);
	struct model_session *s;
	int session = op->session;

	if (!e && op->bad_assignee) e = ERR_INVALID;
	if (e) return e;
	if (fresh) {
		session = session_add(m, op, actors[op->who].agent, now_ms);
		stage(m, "session.created", session, NOBODY, now_ms);
	}
	s = &m->sessions[session];
	was = s->status;
	*a = (struct model_ask){ .place = s->place,
		.session = session,
		.asked_by = op->who,
		.kind = op->kind,
		.form = op->form,
		.risk = op->risk,
		.has_default = op->has_default,
		.assignees = op->assignees,
		.version = 1,
		.exclusive = op->kind == ASK_BLOCKING && !s->parallel,
		.created_ms = now_ms,
		.claimed_by = NOBODY,
		.settled_by = NOBODY,
		.has_digest = op->has_operation && op->kind == ASK_APPROVAL,
		.voted = op->voted,
		.number = op->number };
	if (op->timeout_ms) a->deadline_ms = now_ms + op->timeout_ms;
	if (!fresh) {
		if (s->for_ask && s->status == SESSION_COMPLETED)
			s->status = SESSION_IDLE;
		s->for_ask = false;
		s->heard_ms = now_ms;
	}
	s->open[op->kind]++;
	out->ask = m->asks_len++;
	out->status = 201;
	stage(m, "ask.created", session, out->ask, now_ms);
	turn(s, op->kind, false, now_ms);
	if (s->status != was && !fresh) stage_status(m, session, now_ms);
	return OK;
}

/* ---- sessions ---- */

static enum err own_session(const struct model *m, const struct op *op)
{
	const struct model_session *s =
		op->session == NOBODY ? NULL : &m->sessions[op->session];

	if (!s || s->gone || !model_sees(op->who, s->agent, s->place))
		return ERR_NOT_FOUND;
	return owns(op->who, s->agent) ? OK : ERR_FORBIDDEN;
}

static void cancel_open(struct model *m, int session, int64_t now_ms)
{
	for (int i = 0; i < m->asks_len; i++)
		if (m->asks[i].session == session && model_open(&m->asks[i]))
			settle(m, i, ASK_CANCELLED, NOBODY, now_ms)->any_order = true;
}

static void become(struct model *m, int session, enum session_status to, int64_t now_ms)
{
	struct model_session *s = &m->sessions[session];
	struct model_session next = { .status = to };
	enum session_status was = s->status;

	if (ended(&next)) cancel_open(m, session, now_ms);
	s->status = to;
	if (was == to) return;
	s->heard_ms = now_ms;
	stage_status(m, session, now_ms);
}

static enum err create_op(
	struct model *m, const struct op *op, int64_t now_ms, struct expect *out)
{
	int place = actors[op->who].place;
	const char *agent = op->agent ? op->agent : actors[op->who].agent;

	if (actors[op->who].role < ROLE_ADMIN &&
		strcmp(agent, actors[op->who].agent) != 0)
		return ERR_FORBIDDEN;
	for (int i = 0; op->external && i < m->sessions_len; i++) {
		const struct model_session *s = &m->sessions[i];

		if (s->gone || s->place != place || s->external != op->external ||
			strcmp(s->agent, agent) != 0)
			continue;
		out->session = i;
		return OK;
	}
	out->session = session_add(m, op, agent, now_ms);
	out->status = 201;
	stage(m, "session.created", out->session, NOBODY, now_ms);
	return OK;
}

static void delete_session(struct model *m, int session, int64_t now_ms)
{
	cancel_open(m, session, now_ms);
	stage(m, "session.deleted", session, NOBODY, now_ms);
	m->sessions[session].gone = true;
	for (int i = 0; i < m->asks_len; i++)
		if (m->asks[i].session == session) m->asks[i].gone = true;
	for (int i = 0; i < m->keys_len; i++)
		if (m->keys[i].dies_with == session)
			m->keys[i--] = m->keys[--m->keys_len];
}

/* A session waits for what is asked in it, not because somebody says so. */
static bool waits_for_nothing(const struct model_session *s, const struct op *op)
{
	bool waits =
		op->has_status && (op->status == SESSION_WAITING_FOR_INPUT ||
					  op->status == SESSION_WAITING_FOR_APPROVAL);

	return waits && !s->open[ASK_BLOCKING] && !s->open[ASK_ERROR_RECOVERY] &&
	       !s->open[ASK_APPROVAL] && !s->open[ASK_NON_BLOCKING];
}

static enum err session_op(
	struct model *m, const struct op *op, int64_t now_ms, struct expect *out)
{
	enum err e = own_session(m, op);

	if (!e && op->act == ACT_PROGRESS && ended(&m->sessions[op->session]))
		e = ERR_CONFLICT;
	if (!e && op->act == ACT_PATCH &&
		waits_for_nothing(&m->sessions[op->session], op))
		e = ERR_CONFLICT;
	if (e) return e;
	out->session = op->session;
	switch (op->act) {
	case ACT_PATCH:
		if (op->has_title) {
			m->sessions[op->session].title = op->title;
			stage(m, "session.changed", op->session, NOBODY, now_ms);
		}
		if (op->has_status) become(m, op->session, op->status, now_ms);
		break;
	case ACT_END: become(m, op->session, SESSION_CANCELLED, now_ms); break;
	case ACT_PROGRESS:
		m->sessions[op->session].heard_ms = now_ms;
		stage(m, "session.progress", op->session, NOBODY, now_ms);
		break;
	default:
		delete_session(m, op->session, now_ms);
		out->status = 204;
		out->session = NOBODY;
		break;
	}
	return OK;
}

/* ---- any request ---- */

/* What is wrong before anything is looked at. Of one ask nothing is told to who may not
 * see it, so that the rest comes later there. */
static enum err refused(const struct op *op)
{
	bool one_ask = op->act >= ACT_ANSWER && op->act <= ACT_USE && op->act != ACT_MANY;

	if (op->who == STRANGER) return ERR_NO_TOKEN;
	if ((op->act == ACT_ASK || op->act == ACT_SESSION) && !asks(op->who))
		return ERR_FORBIDDEN;
	if (op->act == ACT_MANY && !settles(op->who)) return ERR_FORBIDDEN;
	return op->spoiled && !one_ask ? ERR_INVALID : OK;
}

static int path_of(const struct op *op)
{
	switch (op->act) {
	case ACT_ASK: return op->by_path ? op->session : NOBODY;
	case ACT_SESSION:
	case ACT_MANY: return NOBODY;
	case ACT_END:
	case ACT_PROGRESS: return op->session;
	default: return op->ask;
	}
}

const struct model_key *model_key(const struct model *m, const struct op *op)
{
	for (int i = 0; op->key && i < m->keys_len; i++) {
		const struct model_key *k = &m->keys[i];

		if (k->who == op->who && k->act == op->act && k->on == path_of(op) &&
			k->key == op->key)
			return k;
	}
	return NULL;
}

static void key_add(struct model *m, const struct op *op, const struct expect *x)
{
	struct model_key *k = &m->keys[m->keys_len++];

	*k = (struct model_key){ .who = op->who,
		.act = op->act,
		.on = path_of(op),
		.key = op->key,
		.body_hash = op->body_hash,
		.status = x->status,
		.ask = x->ask,
		.session = x->session,
		.results_len = x->results_len };
	memcpy(k->results, x->results, sizeof k->results);
	k->dies_with = x->ask != NOBODY	      ? m->asks[x->ask].session
		       : x->session != NOBODY ? x->session
					      : NOBODY; /* many asks: with none */
}

static void again(const struct model_key *k, const struct op *op, struct expect *out)
{
	if (k->body_hash != op->body_hash) {
		out->err = ERR_INVALID;
		return;
	}
	out->status = k->status;
	out->ask = k->ask;
	out->session = k->session;
	out->results_len = k->results_len;
	memcpy(out->results, k->results, sizeof out->results);
}

static enum err decide(
	struct model *m, const struct op *op, int64_t now_ms, struct expect *out)
{
	switch (op->act) {
	case ACT_ASK: return ask_op(m, op, now_ms, out);
	case ACT_SESSION: return create_op(m, op, now_ms, out);
	case ACT_MANY: many_op(m, op, now_ms, out); return OK;
	case ACT_PATCH:
	case ACT_END:
	case ACT_DELETE:
	case ACT_PROGRESS: return session_op(m, op, now_ms, out);
	case ACT_REPLY: out->status = 201; break;
	default: break;
	}
	out->ask = op->ask;
	if (op->act == ACT_USE) return use_op(m, op, now_ms);
	return op->act <= ACT_CANCEL ? settle_op(m, op, now_ms) : route_op(m, op, now_ms);
}

void model_apply(struct model *m, const struct op *op, int64_t now_ms, struct expect *out)
{
	const struct model_key *k;

	*out = (struct expect){ .status = 200, .ask = NOBODY, .session = NOBODY };
	if (op->act == ACT_EXPIRE) {
		expire_due(m, now_ms);
		silence(m, now_ms);
		return;
	}
	out->err = refused(op);
	if (out->err) return;
	k = model_key(m, op);
	if (k) {
		again(k, op, out);
		return;
	}
	out->err = decide(m, op, now_ms, out);
	if (!out->err && op->key) key_add(m, op, out);
}
