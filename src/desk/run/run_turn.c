/* run_turn.c - a turn of a run is committed: what the model said, the tool calls it asked for and
 * what was decided about each; or the trouble there was; or what came of calls that were run.
 *
 * Every one of these carries the lease: who lost the run changes nothing. */
#include "base/keep.h"
#include "core/run/go_on.h"
#include "core/run/output.h"
#include "core/shared/body.h"
#include "desk/run/model_lists.h"
#include "desk/run/run_inner.h"

#include <stdlib.h>

/* ---- the model has answered ---- */

/* The words of the parts of type text, in the arena. */
static struct str content_text(const struct json *parts, struct arena *arena)
{
	struct buf b = { 0 };

	for (uint32_t i = 0; i < parts->count; i++) {
		const struct json *p = &parts->items[i];

		if (!str_is(json_text(json_get(p, "type")), "text")) continue;
		if (b.len) buf_add_text(&b, "\n\n");
		buf_add(&b, json_text(json_get(p, "text")));
	}
	return buf_keep_done(&b, arena);
}

/* What lists show of it: the first line that it says. */
static struct str content_line(const struct json *parts, struct arena *arena)
{
	struct str line = STR_NONE;

	for (uint32_t i = 0; i < parts->count && !line.len; i++)
		if (str_is(json_text(json_get(&parts->items[i], "type")), "text"))
			line = message_line(
				json_text(json_get(&parts->items[i], "text")), arena);
	return line;
}

static bool content_calls(const struct json *parts)
{
	for (uint32_t i = 0; i < parts->count; i++)
		if (str_is(json_text(json_get(&parts->items[i], "type")), "tool_call"))
			return true;
	return false;
}

static enum err turn_message(const struct run_job *j, const struct run_turn *turn,
	const struct json *parts, bool more, struct fault *why)
{
	struct run_message m = { .ws = j->r->ws,
		.id = rows_new_id(j->rows, "msg"),
		.session = j->r->session,
		.run = j->r->id,
		.thread = run_thread(j->r),
		.n = ++j->r->said,
		.role = MESSAGE_ASSISTANT,
		.content = turn->content,
		.kept = turn->kept,
		.model = turn->model,
		.usage = turn->usage,
		.cost = turn->cost,
		.prices = turn->prices,
		.stop = turn->stop,
		.seen = more ? turn->key.seen : 0,
		.created_ms = j->rows->now_ms };
	char calls[SHORT_DIGEST_SIZE] = "";
	enum err e = OK;

	if (content_calls(parts)) {
		j->r->message = m.id;
		e = run_calls_make(j, m.id, parts, &m.content, calls, why);
	}
	if (e) return e;
	rows_new(j->rows, RECORD_MESSAGES, &m);
	run_message_event(j, &m, content_line(parts, j->rows->arena), calls);
	return OK;
}

/* What the model said, without keys of providers: a tool or a hostile text may have told it one. */
static enum err turn_mask(
	const struct run_job *j, struct run_turn *turn, struct fault *why)
{
	enum err e = configured_mask(j->t->desk, j->rows, j->r->ws, &turn->content, why);

	if (!e) e = configured_mask(j->t->desk, j->rows, j->r->ws, &turn->message, why);
	return e ? e : configured_mask(j->t->desk, j->rows, j->r->ws, &turn->kept, why);
}

/* ---- an answer that is none yet ---- */

static int by_number(const void *a, const void *b)
{
	const struct run_message *x = *(const struct run_message *const *)a,
				 *y = *(const struct run_message *const *)b;

	return x->n < y->n ? -1 : x->n > y->n;
}

/* May the model be asked to go on? The messages before its answer tell how often it was. */
static enum err turn_may_go_on(
	const struct run_job *j, enum go_on what, bool *out, struct fault *why)
{
	const struct run_message *before[GO_ON_LOOK], *m = NULL;
	int64_t from = j->r->said - GO_ON_LOOK;
	size_t len = 0;
	enum err e = rows_fetch(j->rows, RECORD_MESSAGES, SQL_MESSAGES_SINCE,
		ARGS(j->r->ws, j->r->session, run_thread(j->r), from > 0 ? from : 0,
			GO_ON_LOOK),
		why);

	if (e) return e;
	while ((m = rows_next(j->rows, RECORD_MESSAGES, m)) && len < GO_ON_LOOK)
		if (m->ws == j->r->ws && m->n > from && m->n <= j->r->said &&
			str_eq(m->session, j->r->session) &&
			str_eq(m->thread, run_thread(j->r)))
			before[len++] = m;
	qsort(before, len, sizeof *before, by_number);
	*out = go_on_may(what, before, len, j->rows->arena);
	return OK;
}

enum err run_may_repair(const struct run_job *j, bool *out, struct fault *why)
{
	int64_t from = j->r->said - OUTPUT_LOOK, told = 0;
	const struct run_message *m = NULL;
	enum err e = rows_fetch(j->rows, RECORD_MESSAGES, SQL_MESSAGES_SINCE,
		ARGS(j->r->ws, j->r->session, run_thread(j->r), from > 0 ? from : 0,
			OUTPUT_LOOK),
		why);

	while (!e && (m = rows_next(j->rows, RECORD_MESSAGES, m)))
		told += m->n > from && str_eq(m->run, j->r->id) &&
			m->role != MESSAGE_ASSISTANT && output_missed(m->content);
	*out = told < OUTPUT_REPAIRS;
	return e;
}

/* What it said, behind what it had said when it was cut before. */
static struct str report_join(const struct run_job *j, struct str text)
{
	return arena_print(
		j->rows->arena, "%.*s%.*s", STR_ARGS(j->r->report), STR_ARGS(text));
}

static enum err turn_given_up(const struct run_job *j, const struct run_turn *turn,
	enum go_on what, struct fault *why)
{
	if (what == GO_ON_OUTPUT)
		return run_recover(j, TROUBLE_OUTPUT, turn->misses, why);
	if (what != GO_ON_EMPTY)
		return run_recover(j, TROUBLE_CUT,
			STR("the answer reached the greatest length"), why);
	return run_recover(j, TROUBLE_EMPTY,
		turn->message.len ? turn->message : STR("the model said nothing"), why);
}

/* Nothing more is to be done for this answer, or the model goes on. */
static enum err turn_end(const struct run_job *j, const struct run_turn *turn,
	const struct json *parts, enum go_on what, bool may, struct run_work *next,
	struct fault *why)
{
	struct str text = content_text(parts, j->rows->arena);

	if (what == GO_ON_NOT && j->agent->output_schema)
		return run_complete(j, str_trim(report_join(j, text)), why);
	if (what == GO_ON_NOT) return run_complete(j, report_join(j, text), why);
	j->r->report = what == GO_ON_OUTPUT ? STR_NONE : report_join(j, text);
	if (what == GO_ON_CALL && text.len) j->r->report = report_join(j, STR("\n\n"));
	if (!may) return turn_given_up(j, turn, what, why);
	run_message_new(j->rows, j->r, MESSAGE_USER,
		go_on_content(what, what == GO_ON_OUTPUT ? turn->misses : turn->cut_call,
			j->rows->arena));
	return run_go_on(j, false, next, why);
}

static enum err turn_declined(const struct run_job *j, struct run_turn *turn,
	struct str message, struct fault *why)
{
	const struct run_trouble trouble = { .kind = TROUBLE_DECLINED,
		.message = message };
	bool again = false;
	enum err e = run_troubled(j, &trouble, &again, why);

	return e || !again ? e : run_go_on(j, false, &turn->next, why);
}

static enum err turn_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_turn *turn = task_of(job)->checked;
	struct agent_config agent;
	const struct json nothing = { 0 }, *parts = &nothing;
	struct run_turn said = *turn; /* as it is kept */
	struct spending spent = { 0 };
	enum go_on what;
	struct run_job j;
	bool more, ends, may = false;
	enum err e = run_hold(job, rows, &turn->key, &j, why);

	turn->next = (struct run_work){ .key = turn->key };
	if (!e) e = run_agent(j.r, turn->key.known, rows->arena, &agent, why);
	if (!e) e = turn_mask(&j, &said, why);
	if (e) return e;
	j.agent = &agent;
	json_read(said.content, NULL, rows->arena, &parts, NULL);
	what = go_on_after(
		&(struct go_on_end){ parts, turn->cut, turn->cut_call, turn->nothing });
	more = j.r->said > turn->key.seen; /* a message came while the model answered */
	ends = !content_calls(parts) && !more && !turn->again;
	if (turn->refused) what = GO_ON_NOT;
	if (ends && !what && !turn->refused && agent.output_schema &&
		!output_fits(agent.output_schema,
			str_trim(report_join(&j, content_text(parts, rows->arena))),
			rows->arena, &said.misses))
		what = GO_ON_OUTPUT;
	if (ends && what == GO_ON_OUTPUT)
		e = run_may_repair(&j, &may, why);
	else if (ends && what)
		e = turn_may_go_on(&j, what, &may, why);
	if (e) return e;
	j.r->turn += !may; /* going on is no turn of its own */
	j.r->error = STR_NONE;
	j.r->tries = j.r->trouble_ms = 0;
	j.r->context_tokens = usage_context(&turn->usage) + turn->usage.output;
	j.r->context_max = turn->context_max;
	run_sent(j.r, turn->sent.bytes,
		usage_context(&turn->usage) - turn->sent.images * ESTIMATE_IMAGE,
		&turn->shortened);
	spending_add(&spent, &turn->usage, turn->cost);
	spent.context_tokens = j.r->context_tokens;
	e = run_release(rows, j.r, why);
	if (!e) e = run_waste(&j, &turn->wasted, why);
	if (!e) e = run_spend(&j, &spent, turn->worked_ms, why);
	if (!e) e = turn_message(&j, &said, parts, more, why);
	if (e) return e;
	if (ends && turn->refused) return turn_declined(&j, turn, said.message, why);
	if (ends) return turn_end(&j, &said, parts, what, may, &turn->next, why);
	j.r->report = STR_NONE;
	if (what == GO_ON_CALL) /* read behind the results of the others */
		run_message_new(rows, j.r, MESSAGE_USER,
			go_on_content(what, turn->cut_call, rows->arena));
	return run_ended(j.r) ? OK : run_go_on(&j, false, &turn->next, why);
}

const struct use use_run_turn =
	WRITES("run_turn", 0, JOB_OPEN, NULL, turn_decide, NULL, NULL);

/* ---- trouble ---- */

static enum err trouble_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_trouble *b = task_of(job)->checked, trouble = *b;
	struct str message = b->message, said;
	struct agent_config agent;
	struct run_job j;
	bool again = false;
	enum err e = run_hold(job, rows, &b->key, &j, why);

	b->next = (struct run_work){ .key = b->key };
	if (!e) e = run_agent(j.r, b->key.known, rows->arena, &agent, why);
	if (!e) e = run_release(rows, j.r, why);
	if (!e) e = run_waste(&j, &b->wasted, why);
	if (!e) e = run_spend(&j, NULL, b->worked_ms, why);
	if (e) return e;
	j.agent = &agent;
	e = configured_mask(j.t->desk, rows, j.r->ws, &message, why);
	said = message;
	if (!e && b->kind == TROUBLE_REFUSED)
		e = model_list_gone(
			rows, j.r->ws, j.r->provider, j.r->model, &message, why);
	if (e) return e;
	trouble.gone |= !str_eq(said, message);
	trouble.message = message;
	e = run_troubled(&j, &trouble, &again, why);
	return e || !again ? e : run_go_on(&j, false, &b->next, why);
}

const struct use use_run_trouble =
	WRITES("run_trouble", 0, JOB_OPEN, NULL, trouble_decide, NULL, NULL);

/* ---- calls that were run ---- */

static enum err call_held(
	const struct run_job *j, struct str id, struct tool_call **out, struct fault *why)
{
	const struct tool_call *c;
	enum err e = run_calls_fetch(j, why);

	if (e) return e;
	c = rows_find(j->rows, RECORD_TOOL_CALLS, id);
	if (!c || !str_eq(c->run, j->r->id))
		return fail(why, ERR_CONFLICT, "the run has no call %.*s", STR_ARGS(id));
	*out = rows_change(j->rows, c);
	return OK;
}

static enum err start_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_start *b = task_of(job)->checked;
	struct tool_call *c;
	struct run_job j;
	enum err e = run_hold(job, rows, &b->key, &j, why);

	b->started = false;
	if (!e) e = call_held(&j, b->call, &c, why);
	if (e) return e;
	b->arguments = arena_str(&job->arena, tool_call_arguments(c));
	/* The start was committed before: the same holder may run it. */
	b->started = b->again && c->status == CALL_STARTED;
	/* Its result came before: by whom it was given to at an earlier try. */
	if (b->started || tool_call_ended(c)) return OK;
	e = run_call_use(&j, c, why);
	if (e == ERR_MEMORY || e >= ERR_UNAVAILABLE) return e;
	if (e) /* what was approved may not run any more */
		return run_call_end(&j, c, CALL_REJECT,
			arena_str(rows->arena, str_of(why->detail)), why);
	e = tool_call_act(c, CALL_START, why);
	if (e) return e;
	c->attempts++;
	c->started_ms = rows->now_ms;
	b->started = true;
	run_event(&j, "run.tool_started",
		FIELDS(field_text("call", c->id), field_text("name", c->name),
			field_word("risk", risk_name(c->risk))));
	return OK;
}

const struct use use_run_start =
	WRITES("run_start", 0, JOB_OPEN, NULL, start_decide, NULL, NULL);

/* Was this result reported before? Its turn may have ended since. */
static enum err call_kept(
	const struct run_job *j, struct str id, bool *kept, struct fault *why)
{
	const struct tool_call *c = NULL;
	enum err e = rows_get(j->rows, RECORD_TOOL_CALLS, KEY(j->r->ws, id), &c, why);

	*kept = c && str_eq(c->run, j->r->id) && tool_call_ended(c);
	return e;
}

/* What came of a call that was run. */
static enum err outcome_take(const struct run_job *j, const struct run_outcome *o,
	struct tool_call *c, struct str text, struct fault *why)
{
	enum err e;

	if (o->unknown)
		return run_call_interrupt(j, c, arena_copy(j->rows->arena, text), why);
	if (o->wants.len)
		return run_call_wanted(j, c, arena_str(j->rows->arena, o->wants), why);
	if (!o->later_ms)
		return run_call_end(j, c, o->failed ? CALL_FAIL : CALL_FINISH, text, why);
	if (tool_call_later(c)) return OK; /* told before */
	e = tool_call_act(c, CALL_ASK, why);
	if (!e) c->until_ms = j->rows->now_ms + o->later_ms;
	return e;
}

static enum err calls_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_calls *b = task_of(job)->checked;
	bool fresh = !b->len;
	struct run_job j;
	enum err e = run_hold(job, rows, &b->key, &j, why);

	b->next = (struct run_work){ .key = b->key };
	for (size_t i = 0; !e && i < b->len; i++) {
		const struct run_outcome *o = &b->outcomes[i];
		struct str text = o->text;
		struct tool_call *c;
		bool kept = false;

		if (b->again) e = call_kept(&j, o->call, &kept, why);
		if (e || kept) continue;
		fresh = true;
		e = call_held(&j, o->call, &c, why);
		if (!e) e = configured_mask(j.t->desk, rows, j.r->ws, &text, why);
		if (e || tool_call_ended(c)) continue;
		e = outcome_take(&j, o, c, text, why);
	}
	if (!e && fresh) e = run_spend(&j, NULL, b->worked_ms, why);
	return e ? e : run_advance(&j, false, &b->next, why);
}

const struct use use_run_calls =
	WRITES("run_calls", 0, JOB_OPEN, NULL, calls_decide, NULL, NULL);
