/* ops.c - what people and agents think of doing, and the requests that come of it. */
#include "world.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

static const char nobodys_ask[] = "ask_00000000000000000000000000";
static const char nobodys_session[] = "ses_00000000000000000000000000";

static const struct {
	const char *name;
	const struct use *use;
	const char *path; /* %s: the id */
	bool keyed;
} acts[] = {
	[ACT_ASK] = { "ask", &use_ask, "/v1/asks", true },
	[ACT_ANSWER] = { "answer", &use_answer, "/v1/asks/%s/answer", true },
	[ACT_SKIP] = { "skip", &use_skip, "/v1/asks/%s/skip", true },
	[ACT_CANCEL] = { "cancel", &use_cancel, "/v1/asks/%s/cancel", true },
	[ACT_MANY] = { "settle-many", &use_settle_many, "/v1/asks/settle-many", true },
	[ACT_REPLY] = { "reply", &use_reply, "/v1/asks/%s/replies", true },
	[ACT_ASSIGN] = { "assign", &use_assign, "/v1/asks/%s/assign", true },
	[ACT_CLAIM] = { "claim", &use_claim, "/v1/asks/%s/claim", true },
	[ACT_EXTEND] = { "extend", &use_extend, "/v1/asks/%s/extend", true },
	[ACT_USE] = { "use", &use_approval_consume, "/v1/asks/%s/use", false },
	[ACT_SESSION] = { "session", &use_session_create, "/v1/sessions", true },
	[ACT_PATCH] = { "patch", &use_session_patch, "/v1/sessions/%s", false },
	[ACT_END] = { "end", &use_session_cancel, "/v1/sessions/%s/cancel", true },
	[ACT_DELETE] = { "delete", &use_session_delete, "/v1/sessions/%s", false },
	[ACT_PROGRESS] = { "progress", &use_session_progress, "/v1/sessions/%s/progress",
		true },
};

const char *op_name(enum act act)
{
	return acts[act].name;
}

/* ---- whom and what ---- */

/* Mostly an open one, mostly a late one. */
static int some_ask(struct world *w)
{
	const struct model *m = &w->model;
	int near = m->asks_len < 8 ? m->asks_len : 8, i = NOBODY;

	if (!m->asks_len || one_in(w, 40)) return NOBODY;
	for (int tries = 0; tries < 8; tries++) {
		int back = one_in(w, 3) ? m->asks_len : near;

		i = m->asks_len - 1 - (int)below(w, (uint64_t)back);
		if (model_open(&m->asks[i])) break;
	}
	return i;
}

/* Mostly one in which something can be asked. */
static int some_session(struct world *w)
{
	const struct model *m = &w->model;
	int i = NOBODY;

	if (!m->sessions_len || one_in(w, 40)) return NOBODY;
	for (int tries = 0; tries < 6; tries++) {
		const struct model_session *s;

		i = (int)below(w, (uint64_t)m->sessions_len);
		s = &m->sessions[i];
		if (!s->gone && s->status < SESSION_COMPLETED &&
			(s->parallel || !s->open[ASK_BLOCKING] || one_in(w, 3)))
			break;
	}
	return i;
}

/* Somebody who may, or now and then anybody. */
static enum who some_agent(struct world *w)
{
	static const enum who who[] = { ALPHA_1, ALPHA_1, ALPHA_2, BETA, FAR_ALPHA, NED,
		ADA };

	if (one_in(w, 15)) return (enum who)below(w, WHO_LEN);
	return who[below(w, sizeof who / sizeof *who)];
}

static enum who some_person(struct world *w)
{
	static const enum who who[] = { MIA, MIA, NED, ADA, OLGA };

	if (one_in(w, 8)) return (enum who)below(w, WHO_LEN);
	return who[below(w, sizeof who / sizeof *who)];
}

/* Who has to do with this ask. */
static enum who party(struct world *w, const struct op *op, bool person)
{
	const struct model_ask *a = op->ask == NOBODY ? NULL : &w->model.asks[op->ask];

	if (!a || one_in(w, 6)) return (enum who)below(w, WHO_LEN);
	if (!person) return one_in(w, 4) ? ADA : a->asked_by;
	if (a->place == 1) return OLGA;
	return some_person(w);
}

/* Whose session it is. */
static enum who local_admin_of(struct world *w, int session)
{
	const struct model_session *s = &w->model.sessions[session];

	if (s->place == 1) return strcmp(s->agent, "alpha") == 0 ? FAR_ALPHA : OLGA;
	if (strcmp(s->agent, "alpha") == 0) return one_in(w, 2) ? ALPHA_1 : ALPHA_2;
	if (strcmp(s->agent, "beta") == 0) return BETA;
	return strcmp(s->agent, "ned") == 0 ? NED : ADA;
}

/* ---- bodies ---- */

static void body(struct op *op, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void body(struct op *op, const char *format, ...)
{
	size_t at = strlen(op->body);
	va_list args;

	va_start(args, format);
	vsnprintf(op->body + at, sizeof op->body - at, format, args);
	va_end(args);
}

static void body_assignees(struct world *w, struct op *op)
{
	int place = actors[op->who].place;
	const char *comma = "";

	body(op, "\"assignees\":[");
	for (int i = MIA; i <= OLGA; i++) {
		if (!one_in(w, 3)) continue;
		if (actors[i].place != place && !one_in(w, 8)) continue;
		if (actors[i].place == place)
			op->assignees |= 1 << i;
		else
			op->bad_assignee = true;
		body(op, "%s\"%s\"", comma, base_user((enum who)i));
		comma = ",";
	}
	body(op, "]");
}

static void body_timeout(struct world *w, struct op *op)
{
	static const struct {
		int64_t ms;
		const char *text;
	} times[] = { { 1000, "1" }, { 5000, "\"5s\"" }, { 60000, "\"1m\"" },
		{ 1800000, "1800" }, { 7200000, "\"2h\"" } };
	size_t i = (size_t)below(w, 5);

	op->timeout_ms = times[i].ms;
	body(op, "\"timeout\":%s", times[i].text);
}

static const char *const shapes[] = {
	[FORM_YES] = "\"question\":\"Go on?\",\"type\":\"boolean\"",
	[FORM_CHOICE] =
		"\"question\":\"Where to?\",\"type\":\"choice\",\"options\":["
		"{\"id\":\"a\",\"label\":\"Attic\"},{\"id\":\"b\",\"label\":\"Barn\"}]",
	[FORM_TEXT] = "\"questions\":[{\"text\":\"What name?\",\"type\":\"text\"}]",
	[FORM_APPROVAL] = "\"title\":\"Run it\"",
	[FORM_RECOVERY] = "\"title\":\"It failed\"",
};

static const char *const fallbacks[] = {
	[FORM_YES] = "{\"q1\":true}",
	[FORM_CHOICE] = "{\"q1\":\"b\"}",
	[FORM_TEXT] = "{\"q1\":\"nothing\"}",
	[FORM_APPROVAL] = "{\"decision\":\"reject\"}",
	[FORM_RECOVERY] = "{\"recovery\":\"skip\"}",
};

static void make_kind(struct world *w, struct op *op)
{
	static const enum form forms[] = { FORM_YES, FORM_YES, FORM_PLAIN, FORM_CHOICE,
		FORM_TEXT, FORM_APPROVAL, FORM_APPROVAL, FORM_RECOVERY };

	op->form = forms[below(w, 8)];
	op->kind = op->form == FORM_APPROVAL		    ? ASK_APPROVAL
		   : op->form == FORM_RECOVERY		    ? ASK_ERROR_RECOVERY
		   : op->form != FORM_PLAIN && one_in(w, 3) ? ASK_NON_BLOCKING
							    : ASK_BLOCKING;
}

static void make_operation(struct world *w, struct op *op)
{
	op->has_operation = true;
	op->risk = (enum risk)below(w, RISK_CRITICAL + 1);
	body(op,
		",\"operation\":{\"type\":\"tool\",\"name\":\"shell\","
		"\"arguments\":{\"n\":%d}",
		op->number);
	if (op->risk) body(op, ",\"risk\":\"%s\"", risk_name(op->risk));
	body(op, "}");
}

static void make_ask(struct world *w, struct op *op)
{
	make_kind(w, op);
	op->session = one_in(w, 3) ? NOBODY : some_session(w);
	op->who = op->session == NOBODY || one_in(w, 8) ? some_agent(w)
							: local_admin_of(w, op->session);
	op->by_path = op->session != NOBODY && one_in(w, 2);
	if (op->form == FORM_PLAIN) {
		op->by_path = op->session != NOBODY;
		body(op, "May I do %d?", op->number);
		return;
	}
	body(op, "{\"kind\":\"%s\",%s,\"metadata\":{\"n\":%d}", ask_kind_name(op->kind),
		shapes[op->form], op->number);
	if (op->session != NOBODY && !op->by_path)
		body(op, ",\"session\":\"%s\"", w->model.sessions[op->session].id);
	if (op->form == FORM_APPROVAL && !one_in(w, 6)) make_operation(w, op);
	/* Three people of that workspace may vote; none of them is behind these agents. */
	if (op->has_operation && op->who <= BETA && one_in(w, 3)) {
		op->voted = true;
		body(op, ",\"require\":[{\"approvals\":%d}]", VOTES_NEEDED);
	}
	if (one_in(w, 2)) {
		body(op, ",");
		body_timeout(w, op);
	}
	if (one_in(w, 2)) {
		op->has_default = true;
		body(op, ",\"default\":%s", fallbacks[op->form]);
	}
	if (one_in(w, 6)) {
		body(op, ",");
		body_assignees(w, op);
	}
	op->spoiled = one_in(w, 25);
	body(op, op->spoiled ? ",\"colour\":1}" : "}");
}

/* ---- answers ---- */

static void answer_approval(struct world *w, struct op *op)
{
	op->approves = !one_in(w, 3);
	if (op->approves && one_in(w, 3)) {
		op->arguments = op->number;
		body(op, "{\"answer\":{\"value\":\"approve\",\"arguments\":{\"n\":%d}}}",
			op->number);
		snprintf(op->answer, sizeof op->answer,
			"{\"decision\":{\"arguments\":{\"n\":%d},\"value\":\"approve\"}}",
			op->number);
		return;
	}
	body(op, "{\"answers\":{\"decision\":\"%s\"}}",
		op->approves ? "approve" : "reject");
	snprintf(op->answer, sizeof op->answer, "{\"decision\":{\"value\":\"%s\"}}",
		op->approves ? "approve" : "reject");
}

static void answer_wrong(struct op *op, enum form form)
{
	body(op, "%s",
		form == FORM_YES || form == FORM_PLAIN ? "{\"answer\":\"perhaps\"}"
		: form == FORM_TEXT		       ? "{\"answers\":{\"q1\":7}}"
						       : "{\"answers\":{\"q9\":\"z\"}}");
}

static void make_answer(struct world *w, struct op *op)
{
	enum form form;
	bool yes = one_in(w, 2);

	op->ask = some_ask(w);
	op->who = party(w, op, true);
	form = op->ask == NOBODY ? FORM_YES : w->model.asks[op->ask].form;
	if (one_in(w, 12)) {
		answer_wrong(op, form);
		return;
	}
	switch (form) {
	case FORM_CHOICE:
	case FORM_RECOVERY:
		body(op, "{\"answer\":\"%s\"}",
			form == FORM_CHOICE ? (yes ? "a" : "Barn")
			: yes		    ? "retry"
					    : "abort");
		snprintf(op->answer, sizeof op->answer,
			"{\"%s\":{\"selected\":[\"%s\"]}}",
			form == FORM_CHOICE ? "q1" : "recovery",
			form == FORM_CHOICE ? (yes ? "a" : "b")
			: yes		    ? "retry"
					    : "abort");
		break;
	case FORM_TEXT:
		body(op, "{\"answer\":\"name %d\"}", op->number);
		snprintf(op->answer, sizeof op->answer, "{\"q1\":{\"text\":\"name %d\"}}",
			op->number);
		break;
	case FORM_APPROVAL: answer_approval(w, op); break;
	default:
		body(op, "{\"answer\":%s}", yes ? "true" : "false");
		snprintf(op->answer, sizeof op->answer, "{\"q1\":{\"value\":%s}}",
			yes ? "true" : "false");
	}
}

static void make_many(struct world *w, struct op *op)
{
	op->who = some_person(w);
	op->many_skip = one_in(w, 2);
	op->many_len = 1 + (int)below(w, MANY_IDS);
	snprintf(op->answer, sizeof op->answer, "{\"q1\":{\"value\":true}}");
	body(op, "{\"ids\":[");
	for (int i = 0; i < op->many_len; i++) {
		op->many[i] = some_ask(w);
		body(op, "%s\"%s\"", i ? "," : "",
			op->many[i] == NOBODY ? nobodys_ask
					      : w->model.asks[op->many[i]].id);
	}
	op->spoiled = one_in(w, 20);
	body(op, op->many_skip ? "],\"skip\":true%s}" : "],\"answer\":true%s}",
		op->spoiled ? ",\"colour\":1" : "");
}

static void make_use(struct world *w, struct op *op)
{
	const struct model_ask *a;
	const char *digest = "sha256:0";

	op->ask = some_ask(w);
	for (int i = 0, mind = !one_in(w, 4); mind && i < w->model.asks_len; i++)
		if (w->model.asks[i].approved && !w->model.asks[i].gone &&
			(!w->model.asks[i].used_ms || one_in(w, 3)))
			op->ask = i;
	op->who = party(w, op, false);
	a = op->ask == NOBODY ? NULL : &w->model.asks[op->ask];
	if (a && a->has_digest)
		digest = a->approved_digest[0] && !one_in(w, 4) ? a->approved_digest
			 : one_in(w, 8)				? "sha256:1"
								: a->digest;
	snprintf(op->digest, sizeof op->digest, "%s", digest);
	body(op, "{\"digest\":\"%s\"}", digest);
}

static void make_route(struct world *w, struct op *op)
{
	op->ask = some_ask(w);
	op->who = party(w, op, op->act != ACT_REPLY || !one_in(w, 3));
	op->spoiled = one_in(w, 25);
	body(op, "{");
	switch (op->act) {
	case ACT_REPLY: body(op, "\"text\":\"word %d\"", op->number); break;
	case ACT_ASSIGN: body_assignees(w, op); break;
	case ACT_EXTEND:
		if (one_in(w, 5))
			body(op, "\"timeout\":null");
		else
			body_timeout(w, op);
		break;
	default: break;
	}
	body(op, op->spoiled ? "%s\"colour\":1}" : "%s}",
		op->spoiled && op->body[1] ? "," : "");
}

static void make_settle(struct world *w, struct op *op)
{
	op->ask = some_ask(w);
	op->who = party(w, op, op->act == ACT_SKIP);
	if (one_in(w, 2))
		body(op, "{\"reason\":\"because of %d\"}", op->number);
	else
		body(op, "{}");
}

/* ---- sessions ---- */

static void make_session(struct world *w, struct op *op)
{
	op->who = some_agent(w);
	op->parallel = one_in(w, 3);
	body(op, "{\"title\":\"Work %d\",\"parallel\":%s", op->number,
		op->parallel ? "true" : "false");
	if (one_in(w, 3)) {
		op->external = 1 + (int)below(w, 4);
		body(op, ",\"external_id\":\"x%d\"", op->external);
	}
	if (one_in(w, 10)) {
		op->agent = one_in(w, 2) ? "beta" : "alpha";
		body(op, ",\"agent\":\"%s\"", op->agent);
	}
	body(op, "}");
}

static void make_about_session(struct world *w, struct op *op)
{
	op->session = some_session(w);
	op->who = op->session == NOBODY || one_in(w, 5) ? (enum who)below(w, WHO_LEN)
							: local_admin_of(w, op->session);
	if (op->act == ACT_PROGRESS)
		body(op, "{\"text\":\"at %d\"}", op->number);
	else if (op->act != ACT_PATCH)
		body(op, "{}");
	if (op->act != ACT_PATCH) return;
	op->has_title = one_in(w, 2);
	op->has_status = !op->has_title || one_in(w, 2);
	op->title = op->number;
	op->status = (enum session_status)below(
		w, one_in(w, 3) ? SESSION_CANCELLED + 1 : SESSION_COMPLETED);
	body(op, "{");
	if (op->has_title) body(op, "\"title\":\"Work %d\"", op->title);
	if (op->has_status)
		body(op, "%s\"status\":\"%s\"", op->has_title ? "," : "",
			session_status_name(op->status));
	body(op, "}");
}

/* ---- all ---- */

/* How often each is done beside the others. */
static const int likely[] = { [ACT_ASK] = 30,
	[ACT_ANSWER] = 18,
	[ACT_SKIP] = 4,
	[ACT_CANCEL] = 4,
	[ACT_MANY] = 4,
	[ACT_REPLY] = 5,
	[ACT_ASSIGN] = 3,
	[ACT_CLAIM] = 4,
	[ACT_EXTEND] = 4,
	[ACT_USE] = 7,
	[ACT_SESSION] = 8,
	[ACT_PATCH] = 3,
	[ACT_END] = 1,
	[ACT_DELETE] = 2,
	[ACT_PROGRESS] = 3 };

void op_habits(struct world *w)
{
	for (enum act a = ACT_ASK; a < ACT_EXPIRE; a++)
		w->habits.acts[a] = likely[a] * (int)(a ? below(w, 4) : 1);
}

static enum act some_act(struct world *w)
{
	enum act act = ACT_ASK;
	int sum = 0, at;

	for (enum act a = ACT_ASK; a < ACT_EXPIRE; a++)
		sum += w->habits.acts[a];
	at = (int)below(w, (uint64_t)sum);
	while (at >= w->habits.acts[act])
		at -= w->habits.acts[act++];
	return act;
}

static void make_fresh(struct world *w, struct op *op)
{
	*op = (struct op){ .ask = NOBODY, .session = NOBODY, .number = ++w->numbers };
	op->act = w->model.asks_len ? some_act(w) : ACT_ASK;
	switch (op->act) {
	case ACT_ASK: make_ask(w, op); break;
	case ACT_ANSWER: make_answer(w, op); break;
	case ACT_SKIP:
	case ACT_CANCEL: make_settle(w, op); break;
	case ACT_MANY: make_many(w, op); break;
	case ACT_USE: make_use(w, op); break;
	case ACT_SESSION: make_session(w, op); break;
	case ACT_PATCH:
	case ACT_END:
	case ACT_DELETE:
	case ACT_PROGRESS: make_about_session(w, op); break;
	default: make_route(w, op);
	}
	op->body_hash = 1469598103934665603u;
	for (const char *c = op->body; *c; c++)
		op->body_hash = (op->body_hash ^ (unsigned char)*c) * 1099511628211u;
	if (acts[op->act].keyed && one_in(w, 2)) op->key = 1 + (int)below(w, 1000);
}

/* Another body under a key that was used before on the same path. */
static bool take_key(struct op *op, const struct op *old)
{
	if (op->act != ACT_ASK || old->act != ACT_ASK || op->by_path || old->by_path)
		return false;
	if (strstr(op->body, "assignees")) return false; /* made for another place */
	op->who = old->who;
	op->key = old->key;
	return true;
}

/* Something new, or something sent before. */
void op_make(struct world *w, struct op *op)
{
	const struct op *old = NULL;

	make_fresh(w, op);
	if (w->sent_len && one_in(w, 8)) old = &w->sent[below(w, (uint64_t)w->sent_len)];
	if (old && (!one_in(w, 3) || !take_key(op, old))) {
		*op = *old;
		w->tally.repeats++;
		return;
	}
	if (!op->key) return;
	w->sent[w->sent_len < SENT_MAX ? w->sent_len++ : (int)below(w, SENT_MAX)] = *op;
}

void op_say(struct world *w, const struct op *op)
{
	world_say(w, "%s %s", actors[op->who].name, acts[op->act].name);
	if (op->ask != NOBODY) world_add(w, " #%d", op->ask);
	if (op->session != NOBODY) world_add(w, " in %d", op->session);
	if (op->key) world_add(w, " key %d", op->key);
	if (op->body[0]) world_add(w, " %.110s", op->body);
}

static void request_finished(struct job *job)
{
	struct request *r = job->ctx;

	r->done = true;
	r->done_at = cut_position();
}

static struct str request_path(struct request *r, const struct op *op)
{
	struct arena *a = &r->task.job.arena;

	if (op->act == ACT_ASK && op->by_path)
		return arena_print(a, "/v1/sessions/%.*s/asks", STR_ARGS(r->task.id));
	if (!strchr(acts[op->act].path, '%')) return str_of(acts[op->act].path);
	const char *rest = strchr(acts[op->act].path, '%');
	return arena_print(a, "%.*s%.*s%s", (int)(rest - acts[op->act].path),
		acts[op->act].path, STR_ARGS(r->task.id), rest + 2);
}

static struct str request_id(struct world *w, const struct op *op)
{
	const struct model *m = &w->model;

	switch (op->act) {
	case ACT_SESSION:
	case ACT_MANY: return STR_NONE;
	case ACT_ASK: return op->by_path ? str_of(m->sessions[op->session].id) : STR_NONE;
	case ACT_PATCH:
	case ACT_END:
	case ACT_DELETE:
	case ACT_PROGRESS:
		return str_of(op->session == NOBODY ? nobodys_session
						    : m->sessions[op->session].id);
	default: return str_of(op->ask == NOBODY ? nobodys_ask : m->asks[op->ask].id);
	}
}

static void request_body(struct request *r, const struct op *op)
{
	static const struct json empty = { .type = JSON_OBJECT };
	struct task *t = &r->task;
	struct buf b = { 0 };

	t->body = &empty;
	if (op->act == ACT_ASK && op->form == FORM_PLAIN) {
		t->plain = str_of(op->body);
		t->body = NULL;
		buf_add(&b, t->plain);
	} else if (op->body[0]) {
		json_read(str_of(op->body), NULL, &t->job.arena, &t->body, NULL);
		json_canonical(&b, t->body);
	}
	sha256(buf_str(&b), t->job.body);
	buf_done(&b);
}

void request_make(struct world *w, const struct op *op, struct request *r)
{
	struct job *job = &r->task.job;

	*r = (struct request){ .use = acts[op->act].use, .op = op };
	base_show(op->who, job);
	r->task.id = arena_str(&job->arena, request_id(w, op));
	request_body(r, op);
	if (op->key) {
		job->key = arena_print(&job->arena, "k%d", op->key);
		job->path = request_path(r, op);
	}
	job->done = request_finished;
	job->ctx = r;
}

void request_done(struct request *r)
{
	buf_done(&r->task.job.out);
	arena_done(&r->task.job.arena);
}
