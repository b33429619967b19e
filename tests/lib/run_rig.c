/* run_rig.c - claims, turns and calls by hand. */
#include "run_rig.h"

#include "core/run/own_tool.h"
#include "core/run/patience.h"

#include <stdio.h>
#include <string.h>

static void copy(char *out, size_t size, struct str text)
{
	snprintf(out, size, "%.*s", STR_ARGS(text));
}

static void held_take(struct held *h, const struct run_work *w)
{
	h->step = w->step;
	h->hold = w->hold;
	h->price = w->access.model.price;
	h->counted = false;
	h->wasted = (struct spending){ 0 };
	if (w->said) h->seen = w->said;
	h->calls_len = 0;
	h->tries = w->tries;
	h->callback[0] = '\0';
	if (w->calls_len && w->calls[0].tool)
		copy(h->callback, sizeof h->callback, w->calls[0].tool->callback);
	for (size_t i = 0; i < w->calls_len && i < HELD_CALLS; i++) {
		copy(h->calls[i], ID_SIZE, w->calls[i].call);
		h->classes[i] = w->calls[i].class;
		h->calls_len++;
	}
}

static struct run_key key_of(const struct held *h)
{
	return (struct run_key){ h->ws, str_of(h->run), str_of(h->by), h->attempt,
		h->seen };
}

static bool put(struct rig *r, const struct use *use, const char *body)
{
	struct outcome o;
	bool ok = rig_do(r, &(struct request){ use, r->ada, .body = body }, &o) == OK;

	if (!ok)
		fprintf(stderr, "%s: %s %s\n", body, o.task.job.why.detail,
			o.task.job.why.items_len ? o.task.job.why.items[0].detail : "");
	outcome_done(&o);
	return ok;
}

bool run_rig_prepare(struct rig *r)
{
	return put(r, &use_provider_create,
		       "{'name':'scripted','kind':'openai','url':'http://127.0.0.1:9/v1'}") &&
	       put(r, &use_tool_create,
		       "{'name':'weather','url':'https://example.org/w','description':"
		       "'The weather.'}") &&
	       put(r, &use_agent_create,
		       "{'name':'helper','provider':'scripted','model':'m','tools':"
		       "['ask_user_question','memory','todo','test_append','delegate_task',"
		       "'spawn_agent','parallel_tasks']}") &&
	       put(r, &use_agent_create,
		       "{'name':'boss','provider':'scripted','model':'m','tools':"
		       "['ask_user_question','todo','test_append','delegate_task',"
		       "'spawn_agent','parallel_tasks'],'on_error':'fail',"
		       "'validation':{'mode':'auto','always_confirm_high':false}}");
}

struct made run_rig_start(struct rig *r, const char *agent, char run[ID_SIZE])
{
	struct made made = { 0 };
	struct outcome o;
	char body[128];

	snprintf(body, sizeof body, "{'agent':'%s','message':'Go'}", agent);
	made.err = rig_do(
		r, &(struct request){ &use_session_create, r->mia, .body = body }, &o);
	if (!made.err && outcome_read(&o)) {
		copy(made.id, sizeof made.id, text_at(o.json, "id"));
		copy(run, ID_SIZE, text_at(o.json, "run"));
	}
	outcome_done(&o);
	return made;
}

struct held run_rig_held(const struct run_work *w)
{
	struct held h = { .ws = w->key.ws, .attempt = w->key.attempt, .child = w->child };

	copy(h.run, ID_SIZE, w->key.run);
	copy(h.session, ID_SIZE, w->session);
	copy(h.by, sizeof h.by, w->key.by);
	held_take(&h, w);
	return h;
}

size_t run_rig_claim(struct rig *r, const char *by, struct held *out, size_t max)
{
	struct run_claim c = {
		.by = str_of(by), .node = str_of(by), .free = 64, .take = (int64_t)max
	};
	struct task t = { 0 };
	size_t len = 0;

	if (!rig_tell(r, &use_run_claim, &t, &c))
		for (size_t i = 0; i < c.len && len < max; i++) {
			const struct run_work *w = &c.works[i];

			if (w->step != RUN_STEP_REST) out[len++] = run_rig_held(w);
		}
	rig_task_done(&t);
	return len;
}

enum err run_rig_turn(struct rig *r, struct held *h, const char *content)
{
	char text[8192];
	struct run_turn turn = { .key = key_of(h),
		.model = STR("m"),
		.stop = STR("end"),
		.usage = { .input = 10, .output = 5 },
		.cost = COST_UNKNOWN,
		.kept = str_of(h->kept),
		.prices = str_of(h->prices),
		.worked_ms = 3 };
	struct task t = { 0 };
	enum err e;

	if (h->counted) {
		turn.usage = h->usage;
		turn.cost = h->cost;
		turn.wasted = h->wasted;
	}
	snprintf(text, sizeof text, "%s", content);
	for (char *at = text; *at; at++)
		if (*at == '\'') *at = '"';
	turn.content = str_of(text);
	e = rig_tell(r, &use_run_turn, &t, &turn);
	if (!e) held_take(h, &turn.next);
	rig_task_done(&t);
	return e;
}

enum err run_rig_trouble(struct rig *r, struct held *h, enum trouble kind)
{
	struct run_trouble b = { .key = key_of(h), .kind = kind, .message = STR("no") };
	struct task t = { 0 };
	enum err e = rig_tell(r, &use_run_trouble, &t, &b);

	if (!e) held_take(h, &b.next);
	rig_task_done(&t);
	return e;
}

enum err run_rig_outage(struct rig *r, struct held *h, uint64_t chance)
{
	struct run_trouble b = { .key = key_of(h),
		.kind = TROUBLE_OVERLOADED,
		.message = STR("no"),
		.passes = true,
		.tries = h->tries < QUICK_TRIES ? QUICK_TRIES : h->tries + 1,
		.retry_after_ms = -1,
		.chance = chance };
	struct task t = { 0 };
	enum err e = rig_tell(r, &use_run_trouble, &t, &b);

	if (!e) held_take(h, &b.next);
	rig_task_done(&t);
	return e;
}

enum err run_rig_bring(struct rig *r, const char *call, const char *token)
{
	struct task t = { .id = str_of(call), .callback = str_of(token) };
	enum err e = json_read(
		STR("{\"result\":\"brought\"}"), NULL, &t.job.arena, &t.body, NULL);

	if (!e) e = rig_tell(r, &use_tool_result, &t, NULL);
	rig_task_done(&t);
	return e;
}

enum err run_rig_begin(struct rig *r, const struct held *h, size_t call, bool *started,
	char arguments[512])
{
	struct run_start s = {
		.key = key_of(h), .call = str_of(h->calls[call]), .again = h->again
	};
	struct task t = { 0 };
	enum err e = rig_tell(r, &use_run_start, &t, &s);

	*started = !e && s.started;
	arguments[0] = '\0';
	if (*started) copy(arguments, 512, s.arguments);
	rig_task_done(&t);
	return e;
}

enum err run_rig_calls(struct rig *r, struct held *h)
{
	struct run_outcome outcomes[HELD_CALLS];
	struct run_calls c = { .key = key_of(h),
		.outcomes = outcomes,
		.len = h->calls_len,
		.again = h->again };
	struct task t = { 0 };
	enum err e;

	for (size_t i = 0; i < h->calls_len; i++)
		outcomes[i] = (struct run_outcome){ .call = str_of(h->calls[i]),
			.text = STR("appended"),
			.later_ms = h->later_ms };
	e = rig_tell(r, &use_run_calls, &t, &c);
	if (!e) held_take(h, &c.next);
	rig_task_done(&t);
	return e;
}

enum err run_rig_renew(
	struct rig *r, const char *by, const struct held *held, bool *lost, size_t len)
{
	struct run_key keys[64];
	struct run_renewal n = {
		.by = str_of(by), .runs = keys, .lost = lost, .len = len
	};
	struct task t = { 0 };
	enum err e;

	for (size_t i = 0; i < len && i < 64; i++)
		keys[i] = key_of(&held[i]);
	e = rig_tell(r, &use_run_renew, &t, &n);
	rig_task_done(&t);
	return e;
}

enum err run_rig_cancel(struct rig *r, const char *run)
{
	struct outcome o;
	enum err e =
		rig_do(r, &(struct request){ &use_run_cancel, r->mia, run, "{}" }, &o);

	outcome_done(&o);
	return e;
}

const char *run_rig_status(struct rig *r, const char *run)
{
	static char status[32];
	struct outcome o;

	snprintf(status, sizeof status, "?");
	if (!rig_do(r, &(struct request){ &use_run_get, r->ada, run }, &o) &&
		outcome_read(&o))
		copy(status, sizeof status, text_at(o.json, "status"));
	outcome_done(&o);
	return status;
}
