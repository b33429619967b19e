/* run_step.c - what a run does next, as its rows say: run tools, wait, or ask the model. */
#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "core/run/run_limit.h"
#include "core/shared/body.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/run/mcp_servers.h"
#include "desk/run/run_inner.h"
#include "desk/shared/transient.h"

enum { STOPPED_MS = 30 * 1000, TASKS_COUNTED = 1000 };

/* ---- calls of the turn ---- */

/* Only a person can tell whether it took effect. Readers see these words in their language
 * (web.own.recovery). */
enum err run_call_interrupt(const struct run_job *j, struct tool_call *c,
	const char *because, struct fault *why)
{
	const struct ask_from from = { .origin = ASK_BY_RUN_INTERRUPTED,
		.call = c->server.len ? c->id : STR_NONE };
	struct arena *arena = j->rows->arena;
	char began[TIME_SIZE];

	time_write(c->started_ms, began);
	struct str text = arena_print(arena,
		"%s during this operation, which began at %s. "
		"It may have taken effect.",
		because, began);
	struct str context = fields_text(arena,
		FIELDS(field_text("text", text), field_time("started", c->started_ms)));
	enum operation_type type = TYPE_TOOL;
	operation_category_read(c->category, &type);
	struct str operation =
		run_operation_text(type, c->name, tool_call_arguments(c), c->risk, arena);
	struct str title = arena_print(arena, "%.*s was interrupted", STR_ARGS(c->name));
	struct ask *a;
	enum err e = tool_call_act(c, CALL_INTERRUPT, why);

	if (!e)
		e = run_ask(j, from,
			fields_text(arena, FIELDS(field_word("kind", "error_recovery"),
						   field_text("title", title),
						   field_json("context", context),
						   field_json("operation", operation))),
			&a, why);
	if (!e) c->ask = a->id;
	return e;
}

/* Nothing came in the time that its result was waited for. */
static enum err later_over(
	const struct run_job *j, struct tool_call *c, struct fault *why)
{
	if (c->class == CLASS_ONCE)
		return run_call_interrupt(j, c, "No answer came", why);
	return run_call_end(j, c, CALL_FAIL, STR("no result came in its time"), why);
}

/* A call of class repeat begins with this commit, which uses up its approval; one that was cut short begins
 * again. One of an MCP server that was approved begins once that is reached (use_run_start). */
static enum err repeat_begin(
	const struct run_job *j, struct tool_call *c, bool claimed, struct fault *why)
{
	struct str server, tool;
	enum err e = OK;

	if (c->class != CLASS_REPEAT || (c->attempts && !claimed)) return OK;
	if (!c->attempts && c->ask.len && mcp_call_parts(c->name, &server, &tool))
		return OK;
	if (!c->attempts) e = run_call_use(j, c, why);
	if (e == ERR_MEMORY || e >= ERR_UNAVAILABLE) return e;
	if (e) /* what was approved may not run any more */
		return run_call_end(j, c, CALL_REJECT,
			arena_str(j->rows->arena, str_of(why->detail)), why);
	if (c->attempts >= OWN_TOOL_TRIES)
		return run_call_end(j, c, CALL_FAIL,
			STR("the server stopped three times during this call"), why);
	c->attempts++;
	c->started_ms = j->rows->now_ms;
	return OK;
}

static enum err calls_go(const struct run_job *j, bool claimed, size_t *pending,
	size_t *waiting, struct fault *why)
{
	const struct tool_call *at = NULL;
	enum err e = run_calls_fetch(j, why);

	while (!e && !run_ended(j->r) && (at = run_calls_next(j, at))) {
		struct tool_call *c;

		if (tool_call_ended(at)) continue;
		c = rows_change(j->rows, at);
		/* Of one that may be run again the start is no promise. */
		if (c->status == CALL_STARTED && claimed && c->class == CLASS_REPEAT)
			c->status = CALL_PENDING;
		if (c->status == CALL_STARTED && claimed)
			e = run_call_interrupt(j, c, "The server stopped", why);
		else if (tool_call_later(c) && c->until_ms <= j->rows->now_ms)
			e = later_over(j, c, why);
		else if (c->status == CALL_PENDING && c->class == CLASS_STORE)
			e = run_tool_do(j, c, why);
		else if (c->status == CALL_PENDING)
			e = repeat_begin(j, c, claimed, why);
		*pending += c->status == CALL_PENDING || c->status == CALL_STARTED;
		*waiting += tool_call_waits(c);
	}
	return e;
}

/* What a call of a tool of one's own needs. NULL in *out: it is a built-in one. */
static enum err call_access(const struct run_job *j, const struct tool_call *c,
	const struct tool_access **out, struct fault *why)
{
	struct arena *arena = &j->t->job.arena;
	struct tool_access *a;
	const struct server_key *key;
	char digest[DIGEST_SIZE];
	enum err e;

	*out = NULL;
	if (run_tool_known(c->name, true)) return OK;
	a = ARENA_NEW(arena, struct tool_access);
	if (!a) return fail_memory(why);
	e = configured_tool(j->t->desk, j->rows, j->r->ws, c->name, arena, a, why);
	if (e == ERR_NOT_FOUND)
		e = mcp_call_access(j->t->desk, j->rows, j->r->ws, j->r->agent, c->name,
			arena, a, why);
	if (e == ERR_NOT_FOUND) {
		a->wrong = STR("there is no such tool any more");
		e = OK;
	}
	if (!e) e = run_call_digest(j->rows, c, j->s->id, digest, why);
	if (!e) e = webhook_keys_load(j->rows, j->r->ws, arena, a->signs, why);
	if (!e) e = desk_server_key(j->rows, STR(CALLBACK_KEY), &key, why);
	if (e) return e;
	a->callback = tool_callback_write(key->value, j->r->ws, c->id, arena);
	a->call = arena_str(arena, c->id);
	a->session = arena_str(arena, j->s->id);
	a->run = arena_str(arena, j->r->id);
	a->agent = arena_str(arena, j->r->agent);
	a->digest = arena_str(arena, str_of(digest));
	a->trace = arena_str(arena, j->r->trace);
	*out = a;
	return OK;
}

static enum err calls_tell(
	const struct run_job *j, struct run_work *out, struct fault *why)
{
	struct arena *arena = &j->t->job.arena;
	const struct tool_call *c = NULL;
	size_t len = 0;
	enum err e = OK;

	while ((c = run_calls_next(j, c)))
		len += c->status == CALL_PENDING;
	out->calls = ARENA_ARRAY(arena, struct run_do, len + 1);
	if (!out->calls) return fail_memory(why);
	while (!e && (c = run_calls_next(j, c))) {
		struct run_do *to = &out->calls[out->calls_len];

		if (c->status != CALL_PENDING) continue;
		*to = (struct run_do){ arena_str(arena, c->id), arena_str(arena, c->name),
			arena_str(arena, tool_call_arguments(c)), c->class,
			c->class == CLASS_REPEAT && c->attempts };
		e = call_access(j, c, &to->tool, why);
		if (!e && c->result.len) e = run_call_asked(j, c, to, why);
		out->calls_len++;
	}
	out->step = RUN_STEP_CALLS;
	return e ? e : run_fresh(j, out, why);
}

enum { LOOP_TIMES = 3 };

/* How often a call with these arguments failed. */
struct failures {
	struct str arguments;
	int64_t count;
};

static enum err failed_count(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	struct failures *f = ctx;
	const struct tool_call *c = record;

	(void)row, (void)scratch, (void)why;
	f->count += str_eq(c->arguments, f->arguments);
	return OK;
}

/* Did a call of this turn fail, as the same call did before, for the third time? */
static enum err turn_loops(const struct run_job *j, bool *out, struct fault *why)
{
	const struct tool_call *c = NULL;
	enum err e = OK;

	while (!e && !*out && (c = run_calls_next(j, c))) {
		struct failures before = { .arguments = c->arguments };

		if (c->status != CALL_FAILED) continue;
		e = rows_each(j->rows, RECORD_TOOL_CALLS, SQL_CALLS_FAILED,
			ARGS(j->r->ws, j->r->session, j->r->id, c->name), failed_count,
			&before, why);
		*out = before.count + rows_is_new(c) >= LOOP_TIMES;
	}
	return e;
}

/* ---- limits ---- */

static enum err limit_check(const struct run_job *j, struct run_work *out,
	enum run_limit *over, struct fault *why)
{
	const struct run *tree = j->r;
	/* Tokens, cost and time are the tree's. */
	struct agent_limits l = j->agent->limits;
	enum err e = OK;

	if (run_is_child(j->r))
		e = run_fetch(j->rows, j->r->ws, j->r->parent, &tree, why);
	if (!e && tree != j->r)
		e = agent_limits_parse(tree->limits, j->rows->arena, &l, why);
	if (e) return e;
	l.turns = j->agent->limits.turns;
	*over = run_limit_reached(&l, j->r, tree);
	if (l.time_ms) out->time_left_ms = l.time_ms - tree->tree_ms;
	return OK;
}

/* A limit is reached. */
static enum err run_over(const struct run_job *j, enum run_limit over, struct fault *why)
{
	return run_recover(j, TROUBLE_LIMIT, run_limit_words(over, j->rows->arena), why);
}

/* ---- the step ---- */

static enum err run_stopped(const struct run_job *j, bool *stopped, struct fault *why)
{
	const struct stop_record *stop;
	enum err e = policy_stop(j->t, j->rows, j->s, j->r->agent, &stop, why);

	*stopped = stop != NULL;
	if (stop) e = run_act(j->r, RUN_YIELD, why);
	if (e || !stop) return e;
	j->r->lease = (struct lease){ 0 };
	j->r->wake_ms = j->rows->now_ms + STOPPED_MS;
	j->rows->so_far.runs = true;
	run_event_queued(j, 0);
	return OK;
}

static void work_start(struct task *t, const struct run *r, struct run_work *out)
{
	struct arena *arena = &t->job.arena;
	struct run_key key = out->key;

	*out = (struct run_work){
		.key = { r->ws, arena_str(arena, r->id), arena_str(arena, key.by),
			r->attempt, key.seen, key.known },
		.session = arena_str(arena, r->session),
		.config = arena_str(arena, r->config),
		.notes = arena_str(arena, r->notes),
		.provider = arena_str(arena, r->provider),
		.model = arena_str(arena, r->model),
		.language = arena_str(arena, r->language),
		.child = run_is_child(r),
		.test_tools = t->desk->test_tools,
		.turn = r->turn,
		.tries = r->tries,
		.counted = { .of = { .bytes = r->sent_bytes }, .tokens = r->sent_tokens }
	};
}

enum err run_advance(
	const struct run_job *j, bool claimed, struct run_work *out, struct fault *why)
{
	struct agent_config agent;
	struct run_job own = *j;
	enum err e = run_agent(j->r, out->key.known, j->rows->arena, &agent, why);

	own.agent = &agent;
	return e ? e : run_go_on(&own, claimed, out, why);
}

/* As the agent says, or the policy where it says nothing. */
static enum err rejection_ends(const struct run_job *j, bool *out, struct fault *why)
{
	struct policy_snapshot *snapshot;
	enum err e = OK;

	*out = j->agent->on_reject == REJECT_STOP;
	if (j->agent->on_reject != REJECT_BY_POLICY) return OK;
	e = snapshot_of(j->t, j->rows, j->r->ws, &snapshot, why);
	if (!e) *out = snapshot->policy.stop_on_reject;
	return e;
}

/* As a model is told of them. */
static struct str tools_text(const struct run_toolbox *box, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	if (!box->own_len) return STR_NONE;
	jw_array(&w);
	for (size_t i = 0; i < box->own_len; i++)
		JW(&w, "{'name':%s,'description':%s,'schema':%j}",
			own_tool_told(&box->own[i]), box->own[i].description,
			own_tool_schema(&box->own[i], arena));
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

/* For a process that is new to the run: its tools of one's own, and whom an agent that starts sub-agents may
 * give tasks to. */
static enum err work_tools(
	const struct run_job *j, struct run_work *out, struct fault *why)
{
	struct run_toolbox box;
	bool starts = false;
	enum err e;

	if (out->key.known && out->key.known->agent) return OK;
	e = run_toolbox(j, &box, why);
	if (e) return e;
	out->tools = tools_text(&box, &j->t->job.arena);
	if (text_listed(j->agent->tools, j->agent->tools_len, STR("ask_user_question")))
		e = presets_templates(
			j->rows, j->r->ws, &j->t->job.arena, &out->templates, why);
	if (e || out->child) return e;
	for (size_t i = 0; i < run_operations_len; i++)
		starts |= run_tools[run_operations[i].tool].starts &&
			  run_tool_offered(&box, &run_operations[i]);
	if (starts && !j->r->roster.len)
		e = configured_roster(j->t->desk, j->rows, j->r->ws, j->agent,
			j->rows->arena, &j->r->roster, why);
	out->roster = arena_str(&j->t->job.arena, j->r->roster);
	return e;
}

/* Of its tasks, how many in a hundred are done. Looked at if somebody watches, and it could have any. */
static enum err work_percent(
	const struct run_job *j, struct run_work *out, struct fault *why)
{
	const struct todo *item = NULL;
	int64_t all = 0, done = 0;
	bool plans = false;
	enum err e;

	out->percent = -1;
	for (size_t i = 0; i < j->agent->tools_len; i++)
		plans |= str_starts(j->agent->tools[i], "todo");
	if (!plans || !transient_wanted(j->t->desk)) return OK;
	e = rows_fetch(j->rows, RECORD_TASKS, SQL_TASK_LIST,
		ARGS(j->r->ws, j->r->session, TASKS_COUNTED), why);
	if (e) return e;
	while ((item = rows_next(j->rows, RECORD_TASKS, item)))
		if (item->ws == j->r->ws && str_eq(item->run, j->r->id)) {
			all++;
			done += item->status == TASK_COMPLETED;
		}
	if (all) out->percent = done * 100 / all;
	return OK;
}

/* To its model, or, when the provider is not there any more, to the next. */
static enum err work_access(
	const struct run_job *j, struct run_work *out, struct fault *why)
{
	struct arena *arena = &j->t->job.arena;
	bool done = true;
	enum err e;

	for (;;) {
		e = configured_access(j->t->desk, j->rows, j->r->ws, j->r->provider,
			j->r->model, out->key.known ? out->key.known->access : NULL,
			arena, &out->access, why);
		if (e != ERR_NOT_FOUND || !done) break;
		e = run_fall_back(j, TROUBLE_UNAUTHORIZED, &done, why);
		if (e) return e;
	}
	out->provider = arena_str(arena, j->r->provider);
	out->model = arena_str(arena, j->r->model);
	out->tries = j->r->tries;
	return e;
}

/* What the model is told of MCP servers is read first, if that is due. */
static enum err work_lists(
	const struct run_job *j, struct run_work *out, struct fault *why)
{
	enum err e = mcp_lists_due(j->t->desk, j->rows, j->r->ws, j->agent,
		&j->t->job.arena, &out->lists, &out->lists_len, why);

	if (e || !out->lists_len) return e;
	out->step = RUN_STEP_LISTS;
	return run_fresh(j, out, why);
}

enum err run_go_on(
	const struct run_job *j, bool claimed, struct run_work *out, struct fault *why)
{
	size_t pending = 0, waiting = 0;
	enum run_limit over = RUN_LIMITS;
	bool stopped = false, rejected = false, loops = false;
	enum err e;

	work_start(j->t, j->r, out);
	e = run_stopped(j, &stopped, why);
	if (e || stopped) return e;
	if (j->r->message.len) e = calls_go(j, claimed, &pending, &waiting, why);
	if (e || run_ended(j->r)) return e;
	if (pending) return calls_tell(j, out, why);
	if (waiting || j->r->recovery.len) return run_rest(j, why);
	if (j->r->message.len) e = turn_loops(j, &loops, why);
	if (!e && j->r->message.len) rejected = run_turn_close(j);
	if (!e && rejected) e = rejection_ends(j, &rejected, why);
	if (!e && rejected)
		return run_fail(
			j, TROUBLE_REJECTED, STR("a tool call was rejected"), why);
	if (!e && loops)
		return run_recover(j, TROUBLE_LOOP,
			STR("the same tool call failed three times"), why);
	if (!e) e = limit_check(j, out, &over, why);
	if (!e && over != RUN_LIMITS) return run_over(j, over, why);
	if (!e) e = work_lists(j, out, why);
	if (e || out->step == RUN_STEP_LISTS) return e;
	out->turn = j->r->turn;
	e = work_access(j, out, why);
	if (e == ERR_NOT_FOUND)
		return run_recover(j, TROUBLE_UNAUTHORIZED,
			arena_str(j->rows->arena, str_of(why->detail)), why);
	if (!e) e = work_tools(j, out, why);
	if (!e) e = work_percent(j, out, why);
	if (!e) e = run_fresh(j, out, why);
	if (!e) e = run_reserve(j, 0, out, &over, why);
	if (e) return e;
	if (over != RUN_LIMITS) return run_over(j, over, why);
	out->step = RUN_STEP_MODEL;
	return OK;
}

/* The request is longer than was held for it. */
static enum err reserve_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_reserve *b = task_of(job)->checked;
	struct agent_config agent;
	struct run_work again = *b->work;
	enum run_limit over;
	struct run_job j;
	enum err e = run_hold(job, rows, &b->work->key, &j, why);

	b->held = false;
	if (!e) e = run_agent(j.r, b->work->key.known, rows->arena, &agent, why);
	if (!e) e = run_waste(&j, &b->wasted, why);
	if (e) return e;
	j.agent = &agent;
	e = run_reserve(&j, b->input, &again, &over, why);
	if (e) return e;
	b->held = over == RUN_LIMITS;
	b->hold = again.hold;
	return b->held ? OK : run_over(&j, over, why);
}

const struct use use_run_reserve =
	WRITES("run_reserve", 0, JOB_OPEN, NULL, reserve_decide, NULL, NULL);
