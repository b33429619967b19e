/* run_children.c - sub-agents: started by a call of their parent, which waits as a row; released
 * in the order of the plan; reported together when the last has ended.
 *
 * A run with a parent is nobody's parent: the tools are not offered to it, and this is the only
 * place that makes such a run. */
#include "base/keep.h"
#include "base/utf8.h"
#include "core/run/mcp_tool.h"
#include "core/run/plan.h"
#include "core/shared/body.h"
#include "desk/run/configured.h"
#include "desk/run/run_inner.h"

enum { FAILURE_WORDS = 500, FAILURES_BYTES = 32768 };

/* ---- what is to be done ---- */

static bool plan_of(const struct tool_call *c, const struct json *args,
	struct arena *arena, struct task_plan *out, struct str *wrong)
{
	if (str_is(c->name, run_tools[RUN_TOOL_PARALLEL].name))
		return plan_read(json_get(args, "tasks"), arena, out, wrong);
	*out = (struct task_plan){ .len = 1 };
	out->tasks[0] = (struct plan_task){ .id = STR("1"),
		.agent = json_text(json_get(args, "agent")),
		.prompt = json_text(json_get(args, "prompt")),
		.task = json_text(json_get(args, "task")) };
	return true;
}

/* Some of the parent's own tools, or all of them. */
static void tools_write(struct json_writer *w, const struct json *wanted,
	const struct agent_config *agent, struct arena *arena, struct str *wrong)
{
	jw_array(w);
	for (size_t i = 0; !wanted && i < agent->tools_len; i++)
		jw_str(w, agent->tools[i]);
	for (uint32_t i = 0; wanted && i < wanted->count; i++) {
		struct str name = json_text(&wanted->items[i]), rest, server, tool;
		bool has = false;

		/* Models know a tool of an MCP server by the name it is called with. */
		if (mcp_call_parts(name, &server, &tool))
			name = arena_print(
				arena, "mcp:%.*s/%.*s", STR_ARGS(server), STR_ARGS(tool));
		rest = name;
		str_cut(&rest, '/', &tool);
		for (size_t k = 0; k < agent->tools_len; k++)
			has |= str_eq(agent->tools[k], name) ||
			       str_eq(agent->tools[k], tool);
		if (!has) {
			*wrong = arena_print(arena, "you do not have the tool %.*s",
				STR_ARGS(str_first(name, 64)));
		}
		jw_str(w, name);
	}
	jw_array_end(w);
}

/* The parent's configuration with another name, prompt and, at most, the same tools. */
static enum err spawned_config(const struct run_job *j, struct str name,
	struct str prompt, const struct json *tools, struct str *out, struct str *wrong,
	struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *config;
	enum err e = json_read(j->r->config, NULL, j->rows->arena, &config, why);

	if (e) return e;
	if (!agent_name_valid(name)) name = agent_name_fit(name, j->rows->arena);
	if (text_longer(prompt, AGENT_PROMPT_MAX))
		*wrong = STR("prompt: at most 100,000 characters");
	jw_object(&w);
	for (uint32_t i = 0; i < config->count && !wrong->len; i++) {
		const struct json_member *m = &config->members[i];

		/* Its task is another one, and so is what it says. */
		if (str_is(m->name, "output_schema")) continue;
		jw_name(&w, m->name);
		if (str_is(m->name, "name"))
			jw_str(&w, name);
		else if (str_is(m->name, "prompt"))
			jw_str(&w, prompt);
		else if (str_is(m->name, "tools"))
			tools_write(&w, json_is(tools, JSON_ARRAY) ? tools : NULL,
				j->agent, j->rows->arena, wrong);
		else
			jw_json(&w, &m->value);
	}
	jw_object_end(&w);
	*out = buf_keep_done(&b, j->rows->arena);
	return OK;
}

static struct str delegates_unknown(const struct run_job *j, struct str name)
{
	struct str names = STR_NONE;

	for (size_t i = 0; i < j->agent->delegates_len; i++)
		names = arena_print(j->rows->arena, "%.*s%s%.*s", STR_ARGS(names),
			i ? ", " : "", STR_ARGS(j->agent->delegates[i]));
	return arena_print(j->rows->arena,
		"there is no agent \"%.*s\" for you; there are: %.*s",
		STR_ARGS(str_first(name, 64)), STR_ARGS(names));
}

static enum err task_config(const struct run_job *j, const struct plan_task *p,
	const struct json *args, struct str *config, struct str *wrong, struct fault *why)
{
	struct arena *arena = j->rows->arena;
	struct str name = json_text(json_get(args, "name"));
	const struct agent_record *found;
	enum err e;

	if (!name.len) name = arena_print(arena, "task-%.*s", STR_ARGS(p->id));
	if (p->agent.len && j->agent->delegates_len &&
		!text_listed(j->agent->delegates, j->agent->delegates_len, p->agent)) {
		*wrong = delegates_unknown(j, p->agent);
		return OK;
	}
	if (!p->agent.len)
		return spawned_config(
			j, name, p->prompt, json_get(args, "tools"), config, wrong, why);
	e = configured_agent(j->t->desk, j->rows, j->r->ws, p->agent, &found, why);
	if (!e) *config = found->body;
	return e == ERR_NOT_FOUND ? configured_agent_unknown(j->t->desk, j->rows,
					    j->r->ws, p->agent, wrong, why)
				  : e;
}

/* ---- started ---- */

/* The child of this call for a task of the plan, or NULL. */
static const struct run *child_of(
	const struct rows *rows, const struct tool_call *c, struct str label)
{
	const struct run *r = NULL;

	while ((r = rows_next(rows, RECORD_RUNS, r)))
		if (str_eq(r->call, c->id) && str_eq(r->label, label)) return r;
	return NULL;
}

static enum plan_state child_state(const struct run *r)
{
	if (r->status == RUN_WAITING && !r->started_ms) return PLAN_HELD;
	if (!run_ended(r)) return PLAN_ACTIVE;
	return r->status == RUN_COMPLETED ? PLAN_DONE : PLAN_FAILED;
}

/* It begins, with the reports of those it waited for. */
static enum err child_begin(const struct run_job *j, const struct tool_call *c,
	const struct task_plan *p, size_t i, struct fault *why)
{
	const struct run *at = child_of(j->rows, c, p->tasks[i].id);
	struct run_job child = *j;
	struct buf b = { 0 };
	enum err e;

	if (!at) return OK; /* there was no memory for it, and the batch fails */
	child.r = rows_change(j->rows, at);
	for (size_t k = 0; k < p->len; k++) {
		const struct run *before = child_of(j->rows, c, p->tasks[k].id);

		if (!(p->tasks[i].after >> k & 1) || !before) continue;
		buf_print(&b, "Report of %.*s:\n\n%.*s\n\n", STR_ARGS(p->tasks[k].id),
			STR_ARGS(before->report));
	}
	if (b.len)
		run_message_new(j->rows, child.r, MESSAGE_USER,
			message_text(str_trim(buf_str(&b)), j->rows->arena));
	buf_done(&b);
	e = run_act(child.r, RUN_RESUME, why);
	if (e) return e;
	child.r->wake_ms = j->rows->now_ms;
	child.r->waits_for = STR_NONE;
	j->rows->so_far.queued = true;
	run_event_queued(&child, 0);
	return OK;
}

static enum err children_go(const struct run_job *j, const struct tool_call *c,
	const struct task_plan *p, struct fault *why)
{
	enum plan_state states[PLAN_MAX];
	enum plan_step steps[PLAN_MAX];
	struct run_job child = *j;
	bool moved = true;
	enum err e = OK;

	/* One that is skipped may skip others. */
	while (!e && moved) {
		moved = false;
		for (size_t i = 0; i < p->len; i++)
			states[i] = child_state(child_of(j->rows, c, p->tasks[i].id));
		plan_next(p, states, steps);
		for (size_t i = 0; !e && i < p->len; i++) {
			if (steps[i] == PLAN_BEGIN) e = child_begin(j, c, p, i, why);
			if (steps[i] != PLAN_SKIP) continue;
			child.r = rows_change(
				j->rows, child_of(j->rows, c, p->tasks[i].id));
			e = run_cancel(&child, STR("skipped"), why);
			moved = true;
		}
	}
	return e;
}

enum err run_children_start(const struct run_job *j, struct tool_call *c,
	const struct json *args, struct str *wrong, struct fault *why)
{
	struct str configs[PLAN_MAX];
	struct task_plan p;
	enum err e = OK;

	if (run_is_child(j->r)) {
		*wrong = STR("a sub-agent cannot start another");
		return OK;
	}
	if (!plan_of(c, args, j->rows->arena, &p, wrong)) return OK;
	for (size_t i = 0; !e && !wrong->len && i < p.len; i++) {
		e = task_config(j, &p.tasks[i], args, &configs[i], wrong, why);
		if (!e && !wrong->len)
			e = configured_fixed(
				j->t->desk, j->rows, j->r->ws, &configs[i], why);
	}
	if (e || wrong->len) return e;
	for (size_t i = 0; !e && i < p.len; i++) {
		struct agent_config child;
		struct run *made;
		struct str notes;

		e = agent_parse(configs[i], j->rows->arena, &child, why);
		if (!e)
			e = run_notes(
				j->rows, j->s, &child, p.tasks[i].task, &notes, why);
		if (e) return e;
		made = run_new(j->rows, j->s,
			&(struct run_make){ .parent = j->r->id,
				.call = c->id,
				.label = p.tasks[i].id,
				.agent = child.name,
				.config = configs[i],
				.text = p.tasks[i].task,
				.language = j->r->language,
				.limits = run_limits_of(configs[i], j->rows->arena),
				.provider = child.provider,
				.model = child.model,
				.notes = notes,
				.trace = j->r->trace,
				.held = true });
		if (!c->child.len) c->child = made->id;
	}
	e = tool_call_act(c, CALL_ASK, why);
	return e ? e : children_go(j, c, &p, why);
}

/* ---- ended ---- */

static struct str failure_text(struct rows *rows, const struct run *r)
{
	const struct json *error;

	if (!r->error.len || json_read(r->error, NULL, rows->arena, &error, NULL))
		return STR("the sub-agent was cancelled");
	return arena_print(rows->arena, "%.*s: %.*s",
		STR_ARGS(json_text(json_get(error, "kind"))),
		STR_ARGS(json_text(json_get(error, "message"))));
}

/* "## 2. researcher: completed", and its report as it is, or why there is none. */
static void child_add(struct buf *b, struct rows *rows, size_t i, const struct run *r)
{
	bool skipped = r->status == RUN_CANCELLED && !r->started_ms;

	buf_print(b, "%s## %zu. %.*s: %s\n\n", i ? "\n\n" : "", i + 1, STR_ARGS(r->agent),
		skipped ? "skipped" : run_status_name(r->status));
	if (r->status == RUN_COMPLETED)
		buf_add(b, str_trim(r->report));
	else
		buf_add(b, skipped ? STR("One that it waits for did not complete.")
				   : failure_text(rows, r));
}

/* "All parallel operations failed: a: model_error: …; b: …". */
static struct str failures_text(
	struct rows *rows, const struct tool_call *c, const struct task_plan *p)
{
	struct buf b = { .max = FAILURES_BYTES };

	buf_add_text(&b, "All parallel operations failed");
	for (size_t i = 0; i < p->len; i++) {
		const struct run *r = child_of(rows, c, p->tasks[i].id);

		buf_print(&b, "%s%.*s: %.*s", i ? "; " : ": ", STR_ARGS(r->label),
			STR_ARGS(utf8_first(failure_text(rows, r), FAILURE_WORDS)));
	}
	return buf_keep_done(&b, rows->arena);
}

static enum err call_report(const struct run_job *parent, struct tool_call *c,
	const struct task_plan *p, struct fault *why)
{
	struct rows *rows = parent->rows;
	struct buf b = { 0 };
	const struct run *last = NULL;
	size_t done = 0;
	struct str list;

	for (size_t i = 0; i < p->len; i++) {
		last = child_of(rows, c, p->tasks[i].id);
		done += last->status == RUN_COMPLETED;
		child_add(&b, rows, i, last);
	}
	list = buf_keep_done(&b, rows->arena);
	if (done) return run_call_end(parent, c, CALL_FINISH, list, why);
	return run_call_end(parent, c, CALL_FAIL,
		p->len > 1 ? failures_text(rows, c, p) : failure_text(rows, last), why);
}

enum err run_child_ended(const struct run_job *child, struct fault *why)
{
	struct run_job parent = *child;
	struct rows *rows = child->rows;
	const struct tool_call *at;
	const struct json *args;
	const struct run *found;
	struct tool_call *c;
	struct task_plan p;
	struct str wrong;
	bool all = true;
	enum err e = run_fetch(rows, child->r->ws, child->r->parent, &found, why);

	if (e) return e == ERR_NOT_FOUND ? OK : e;
	if (run_ended(found)) return OK;
	e = run_children_fetch(rows, found, why);
	if (!e)
		e = rows_get(rows, RECORD_TOOL_CALLS, KEY(child->r->ws, child->r->call),
			&at, why);
	if (e || !at || tool_call_ended(at)) return e;
	e = json_read(tool_call_arguments(at), NULL, rows->arena, &args, why);
	if (e || !plan_of(at, args, rows->arena, &p, &wrong)) return e;
	c = rows_change(rows, at);
	parent.r = rows_change(rows, found);
	e = children_go(&parent, c, &p, why);
	for (size_t i = 0; !e && i < p.len; i++)
		all &= run_ended(child_of(rows, c, p.tasks[i].id));
	if (!e && all) e = call_report(&parent, c, &p, why);
	return e ? e : run_goes_on(&parent, "child", why);
}
