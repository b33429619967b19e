/* run_compact.c - a summary takes the place of earlier messages of a run. */
#include "desk/run/run_inner.h"

static void summary_new(const struct run_job *j, const struct run_compact *b)
{
	struct arena *arena = j->rows->arena;
	const struct run_message m = { .ws = j->r->ws,
		.id = rows_new_id(j->rows, "msg"),
		.session = j->r->session,
		.run = j->r->id,
		.thread = run_thread(j->r),
		.n = ++j->r->said,
		.role = MESSAGE_USER,
		.content = summary_content(b->text, b->messages, arena),
		.kept = summary_kept(b->after, arena),
		.model = b->model,
		.usage = b->usage,
		.cost = b->cost,
		.prices = b->prices,
		.seen = b->upto,
		.created_ms = j->rows->now_ms };

	rows_new(j->rows, RECORD_MESSAGES, &m);
}

static enum err compact_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_compact *b = task_of(job)->checked;
	struct run_compact said = *b;
	struct spending spent = { 0 };
	struct agent_config agent;
	struct run_job j;
	enum err e = run_hold(job, rows, &b->key, &j, why);

	b->next = (struct run_work){ .key = b->key };
	if (!e) e = run_agent(j.r, b->key.known, rows->arena, &agent, why);
	if (!e && said.text.len)
		e = configured_mask(j.t->desk, rows, j.r->ws, &said.text, why);
	if (!e) e = run_release(rows, j.r, why);
	if (!e) e = run_waste(&j, &b->wasted, why);
	spending_add(&spent, &b->usage, b->cost);
	spent.context_tokens = e ? 0 : j.r->context_tokens;
	if (!e) e = run_spend(&j, b->model.len ? &spent : NULL, b->worked_ms, why);
	if (e) return e;
	j.agent = &agent;
	run_sent(j.r, j.r->sent_bytes, j.r->sent_tokens, &b->cut);
	summary_new(&j, &said);
	run_event(&j, "run.compacted",
		FIELDS(field_int("messages", b->messages), field_int("before", b->before),
			field_int("after", b->tokens)));
	return run_go_on(&j, false, &b->next, why);
}

const struct use use_run_compact =
	WRITES("run_compact", 0, JOB_OPEN, NULL, compact_decide, NULL, NULL);
