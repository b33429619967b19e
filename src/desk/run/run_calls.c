/* run_calls.c - the tool calls of a model's message: what is decided about each, in the commit
 * that holds the message; how they end; and approvals, used up when the call begins.
 *
 * A verdict is made by the settings of that moment, and shown with the call. */
#include "base/clock.h"
#include "base/keep.h"
#include "core/run/run_tool.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/run/run_inner.h"

/* ---- the gate ---- */

/* The workspace's policy with what the agent has of its own. */
static enum err policy_of(struct rows *rows, const struct policy_snapshot *snapshot,
	const struct agent_config *a, struct policy *out, struct fault *why)
{
	const struct json *own;
	struct str json;
	enum err e;

	*out = snapshot->policy;
	if (!a->validation.len) return OK;
	e = json_read(a->validation, NULL, rows->arena, &own, why);
	return e ? e
		 : policy_read(own,
			   snapshot->kept.body.len ? snapshot->kept.body
						   : str_of(policy_default),
			   NULL, rows->arena, &json, out, why);
}

static enum err gate(struct task *t, struct rows *rows, const struct session *s,
	const struct run *r, const struct agent_config *agent,
	const struct run_operation *op, const struct json *operation,
	struct run_verdict *out, struct rule_verdict *rules, struct fault *why)
{
	struct operation_view look;
	struct policy policy;
	struct policy_snapshot *snapshot;
	enum err e;

	*out = (struct run_verdict){ .effect = EFFECT_ALLOW, .risk = op->risk };
	*rules = (struct rule_verdict){ 0 };
	if (op->free) return OK;
	e = snapshot_of(t->desk, &t->job, rows, r->ws, &snapshot, why);
	if (!e) e = policy_of(rows, snapshot, agent, &policy, why);
	if (e) return e;
	operation_view(&look, operation, NULL, r->agent, s->project, s->id, rows->arena);
	e = snapshot_decide(snapshot, rows, &look, 0, rules, why);
	if (e) return e;
	run_gate(&policy, op, &look, &rules->ruling, rows->arena, out);
	rules->risk = out->risk;
	return OK;
}

static struct str verdict_write(const struct run_verdict *v, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	show_text(&w, "effect", str_of(effect_name(v->effect)));
	show_text(&w, "rule", v->rule);
	show_text(&w, "reason", v->reason);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

/* ---- approvals ---- */

/* What exactly would run, as asks and rules have it. */
static struct str operation_text(const struct run_operation *op, struct str name,
	struct str arguments, enum risk risk, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	show_text(&w, "type", str_of(operation_type_name(op ? op->type : TYPE_TOOL)));
	show_text(&w, "name", name);
	show_json(&w, "arguments", arguments);
	show_text(&w, "risk", str_of(risk_name(risk)));
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

static enum err approval_ask(struct task *t, struct rows *rows, struct session *s,
	const struct run *r, struct tool_call *c, const struct ask_from *from,
	struct str operation, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct ask *a;
	enum err e;

	jw_object(&w);
	show_text(&w, "kind", STR("approval"));
	show_json(&w, "operation", operation);
	if (run_is_child(r)) {
		jw_put_object(&w, "context");
		show_text(&w, "current_step",
			arena_print(rows->arena, "%.*s › %.*s",
				STR_ARGS(str_first(s->agent, 100)),
				STR_ARGS(str_first(r->agent, 100))));
		jw_object_end(&w);
	}
	jw_object_end(&w);
	e = run_ask(t, rows, from, buf_keep_done(&b, rows->arena), &a, why);
	if (!e) e = tool_call_act(c, CALL_ASK, why);
	if (!e) c->ask = a->id;
	return e;
}

/* The digest of what would run as the call stands. */
static enum err call_digest(struct rows *rows, const struct tool_call *c,
	struct str session, char out[DIGEST_SIZE], struct fault *why)
{
	enum operation_type type = TYPE_TOOL;
	const struct json *operation;
	struct run_operation of = { 0 };
	enum err e;

	for (int i = TYPE_TOOL; i <= TYPE_DB_OP; i++)
		if (str_is(c->category, run_category_name((enum operation_type)i)))
			type = (enum operation_type)i;
	of.type = type;
	e = json_read(operation_text(
			      &of, c->name, tool_call_arguments(c), c->risk, rows->arena),
		NULL, rows->arena, &operation, why);
	if (e) return e;
	operation_digest(operation, NULL, session, out);
	return out[0] ? OK : fail_memory(why);
}

enum err run_call_use(struct task *t, struct rows *rows, struct session *s, struct run *r,
	struct tool_call *c, struct fault *why)
{
	char digest[DIGEST_SIZE];
	struct ask *a;
	enum err e;

	(void)r;
	if (!c->ask.len) return OK;
	e = rows_fetch_ask(rows, c->ws, c->ask, &a, why);
	/* An ask about an interrupted call has nothing to use up. */
	if (e || a->kind != ASK_APPROVAL) return e;
	e = call_digest(rows, c, s->id, digest, why);
	if (e) return e;
	e = approval_consume(t, rows, a, str_of(digest), why);
	buf_clear(&t->job.out); /* this job replies to the runner, not to the approver */
	t->job.conflict = STR_NONE;
	return e;
}

/* ---- made ---- */

static struct str json_keep(const struct json *json, struct arena *arena)
{
	struct buf b = { 0 };

	json_write(&b, json);
	return buf_keep_done(&b, arena);
}

static enum err call_make(struct task *t, struct rows *rows, struct session *s,
	struct run *r, const struct agent_config *agent, struct str message,
	const struct json *part, int64_t n, struct tool_call **out, struct fault *why)
{
	const struct run_toolbox box = run_toolbox(t, r, agent);
	const struct json *arguments = json_get(part, "arguments"), *operation;
	struct str unreadable = json_text(json_get(part, "unreadable")), wrong = STR_NONE;
	struct tool_call c = { .ws = r->ws,
		.id = rows_new_id(rows, "call"),
		.session = s->id,
		.run = r->id,
		.message = message,
		.n = n,
		.wire = json_text(json_get(part, "id")),
		.name = json_text(json_get(part, "name")),
		.arguments = json_is(arguments, JSON_OBJECT)
				     ? json_keep(arguments, rows->arena)
				     : STR("{}"),
		.created_ms = rows->now_ms };
	const struct run_operation *op =
		unreadable.len
			? NULL
			: run_tool_call(&box, c.name, arguments, rows->arena, &wrong);
	struct run_verdict v = { 0 };
	struct rule_verdict rules;
	struct ask_from from = {
		.origin = ASK_BY_RUN_APPROVAL, .session = s, .run = r, .verdict = &rules
	};
	struct tool_call *made;
	struct str text;
	enum err e = OK;

	if (op) {
		c.class = op->class;
		c.category = op->free ? STR_NONE : str_of(run_category_name(op->type));
		text = operation_text(op, c.name, c.arguments, op->risk, rows->arena);
		e = json_read(text, NULL, rows->arena, &operation, why);
		if (!e) e = gate(t, rows, s, r, agent, op, operation, &v, &rules, why);
		if (e) return e;
		c.risk = v.risk;
		c.verdict = verdict_write(&v, rows->arena);
		text = operation_text(op, c.name, c.arguments, v.risk, rows->arena);
	}
	made = rows_new(rows, RECORD_TOOL_CALLS, &c);
	*out = made;
	if (unreadable.len) wrong = unreadable;
	if (!op) return run_call_end(rows, s, r, made, CALL_FAIL, wrong, why);
	if (v.effect == EFFECT_DENY)
		return run_call_end(rows, s, r, made, CALL_REJECT, v.reason, why);
	from.timeout_ms = v.timeout_ms;
	return v.effect == EFFECT_ASK
		       ? approval_ask(t, rows, s, r, made, &from, text, why)
		       : OK;
}

/* A part of the content, with our name of the call beside the model's. */
static void part_write(
	struct json_writer *w, const struct json *part, const struct tool_call *c)
{
	if (!c) {
		jw_json(w, part);
		return;
	}
	jw_object(w);
	for (uint32_t i = 0; i < part->count; i++) {
		jw_name(w, part->members[i].name);
		jw_json(w, &part->members[i].value);
	}
	show_text(w, "call", c->id);
	jw_object_end(w);
}

enum err run_calls_make(struct task *t, struct rows *rows, struct session *s,
	struct run *r, const struct agent_config *agent, struct str message,
	const struct json *parts, struct str *out, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	int64_t n = 0;
	enum err e = OK;

	jw_array(&w);
	for (uint32_t i = 0; !e && i < parts->count; i++) {
		const struct json *part = &parts->items[i];
		struct tool_call *c = NULL;

		if (str_is(json_text(json_get(part, "type")), "tool_call"))
			e = call_make(t, rows, s, r, agent, message, part, n++, &c, why);
		if (!e) part_write(&w, part, c);
	}
	jw_array_end(&w);
	*out = buf_keep_done(&b, rows->arena);
	return e;
}
