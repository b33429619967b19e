/* run_calls.c - the tool calls of a model's message: what is decided about each, in the commit
 * that holds the message; how they end; and approvals, used up when the call begins.
 *
 * A verdict is made by the settings of that moment, and shown with the call. */
#include "base/keep.h"
#include "base/utf8.h"
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

static enum err gate(const struct run_job *j, const struct run_operation *op,
	const struct json *operation, struct run_verdict *out, struct rule_verdict *rules,
	struct fault *why)
{
	struct operation_view look;
	struct policy policy;
	struct policy_snapshot *snapshot;
	enum err e;

	*out = (struct run_verdict){ .effect = EFFECT_ALLOW, .risk = op->risk };
	*rules = (struct rule_verdict){ 0 };
	if (op->free) return OK;
	e = snapshot_of(j->t, j->rows, j->r->ws, &snapshot, why);
	if (!e) e = policy_of(j->rows, snapshot, j->agent, &policy, why);
	if (e) return e;
	operation_view(&look, operation, NULL, j->r->agent, j->s->project, j->s->id,
		j->rows->arena);
	e = snapshot_decide(snapshot, j->rows, &look, 0, rules, why);
	if (e) return e;
	run_gate(&policy, op, &look, &rules->ruling, j->rows->arena, out);
	rules->risk = out->risk;
	e = mandate_decide(snapshot, j->rows, &look, true, rules, why);
	if (e || !rules->mandate.len) return e;
	run_gate(&policy, op, &look, &rules->ruling, j->rows->arena, out);
	return OK;
}

static struct str verdict_write(const struct run_verdict *v, struct arena *arena)
{
	return fields_text(arena,
		FIELDS(field_word("effect", effect_name(v->effect)),
			field_text("rule", v->rule), field_text("reason", v->reason)));
}

/* ---- approvals ---- */

struct str run_operation_text(enum operation_type type, struct str name,
	struct str arguments, enum risk risk, struct arena *arena)
{
	return fields_text(arena,
		FIELDS(field_word("type", operation_type_name(type)),
			field_text("name", name), field_json("arguments", arguments),
			field_word("risk", risk_name(risk))));
}

/* What the agent said before it called, and for whom a sub-agent works. */
static struct str approval_context(const struct run_job *j, struct str said)
{
	struct arena *arena = j->rows->arena;
	struct str step = STR_NONE;

	if (run_is_child(j->r))
		step = arena_print(arena, "%.*s › %.*s",
			STR_ARGS(str_first(j->s->agent, 100)),
			STR_ARGS(str_first(j->r->agent, 100)));
	if (!step.len && !said.len) return STR_NONE;
	return fields_text(arena,
		FIELDS(field_some(field_text("text", utf8_first(said, CONTEXT_TEXT_MAX))),
			field_some(field_text("current_step", step))));
}

static enum err approval_ask(const struct run_job *j, struct tool_call *c,
	struct str said, struct ask_from from, struct str operation, struct fault *why)
{
	struct arena *arena = j->rows->arena;
	struct str context = approval_context(j, said);
	struct ask *a;
	enum err e;

	e = run_ask(j, from,
		fields_text(arena, FIELDS(field_word("kind", "approval"),
					   field_json("operation", operation),
					   field_some(field_json("context", context)))),
		&a, why);
	if (!e) e = tool_call_act(c, CALL_ASK, why);
	if (!e) c->ask = a->id;
	return e;
}

enum err run_call_digest(struct rows *rows, const struct tool_call *c, struct str session,
	char out[DIGEST_SIZE], struct fault *why)
{
	enum operation_type type = TYPE_TOOL;
	const struct json *operation;
	struct str text;
	enum err e;

	operation_category_read(c->category, &type);
	text = run_operation_text(
		type, c->name, tool_call_arguments(c), c->risk, rows->arena);
	e = json_read(text, NULL, rows->arena, &operation, why);
	if (e) return e;
	operation_digest(operation, NULL, session, out);
	return out[0] ? OK : fail_memory(why);
}

enum err run_call_use(const struct run_job *j, struct tool_call *c, struct fault *why)
{
	char digest[DIGEST_SIZE];
	struct ask *a;
	enum err e;

	if (!c->ask.len) return OK;
	e = rows_fetch_ask(j->rows, c->ws, c->ask, &a, why);
	/* An ask about an interrupted call has nothing to use up. */
	if (e || a->kind != ASK_APPROVAL) return e;
	e = run_call_digest(j->rows, c, j->s->id, digest, why);
	if (e) return e;
	e = approval_consume(j->t, j->rows, a, str_of(digest), STR_NONE, why);
	/* This job replies to the runner, not to the approver. */
	buf_clear(&j->t->job.out);
	j->t->job.conflict = STR_NONE;
	return e;
}

/* ---- made ---- */

/* said: what the agent said before it called. */
static enum err call_make(const struct run_job *j, const struct run_toolbox *box,
	struct str message, struct str said, const struct json *part, int64_t n,
	struct tool_call **out, struct fault *why)
{
	struct str told = json_text(json_get(part, "name"));
	const struct own_tool *own = run_tool_own(box, told);
	const struct json *arguments = json_get(part, "arguments"), *operation;
	struct str unreadable = json_text(json_get(part, "unreadable"));
	struct json_miss wrong = { 0 };
	struct tool_call c = { .ws = j->r->ws,
		.id = rows_new_id(j->rows, "call"),
		.session = j->s->id,
		.run = j->r->id,
		.message = message,
		.n = n,
		.wire = json_text(json_get(part, "id")),
		.name = own ? own->name : told,
		.arguments = json_is(arguments, JSON_OBJECT)
				     ? json_keep(arguments, j->rows->arena)
				     : STR("{}"),
		.created_ms = j->rows->now_ms };
	const struct run_operation *op = NULL;
	struct run_verdict v = { 0 };
	struct rule_verdict rules;
	struct ask_from from = { .origin = ASK_BY_RUN_APPROVAL, .verdict = &rules };
	struct tool_call *made;
	struct str text;
	enum err e;

	if (!unreadable.len)
		op = run_tool_call(box, told, arguments, j->rows->arena, &wrong);
	if (op) {
		c.class = op->class;
		c.category =
			op->free ? STR_NONE : str_of(operation_category_name(op->type));
		text = run_operation_text(
			op->type, c.name, c.arguments, op->risk, j->rows->arena);
		e = json_read(text, NULL, j->rows->arena, &operation, why);
		if (!e) e = gate(j, op, operation, &v, &rules, why);
		if (e) return e;
		c.risk = v.risk;
		c.verdict = verdict_write(&v, j->rows->arena);
		text = run_operation_text(
			op->type, c.name, c.arguments, v.risk, j->rows->arena);
	}
	made = rows_new(j->rows, RECORD_TOOL_CALLS, &c);
	*out = made;
	if (!op)
		return run_call_end(j, made, CALL_FAIL,
			unreadable.len ? unreadable
				       : run_tool_wrong(&wrong, j->rows->arena),
			why);
	if (v.effect == EFFECT_DENY)
		return run_call_end(j, made, CALL_REJECT, v.reason, why);
	from.timeout_ms = v.timeout_ms;
	from.schema = run_tool_schema_of(box, told, j->rows->arena);
	return v.effect == EFFECT_ASK ? approval_ask(j, made, said, from, text, why) : OK;
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

enum err run_calls_make(const struct run_job *j, struct str message,
	const struct json *parts, struct str *out, char digest[SHORT_DIGEST_SIZE],
	struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct str said = STR_NONE;
	struct run_toolbox box;
	int64_t n = 0;
	enum err e = run_toolbox(j, &box, why);

	jw_array(&w);
	for (uint32_t i = 0; !e && i < parts->count; i++) {
		const struct json *part = &parts->items[i];
		struct str type = json_text(json_get(part, "type"));
		struct tool_call *c = NULL;

		if (str_is(type, "text"))
			said = str_trim(json_text(json_get(part, "text")));
		if (str_is(type, "tool_call"))
			e = call_make(j, &box, message, said, part, n++, &c, why);
		if (!e && c) tool_call_digest(c, digest);
		if (!e) part_write(&w, part, c);
	}
	jw_array_end(&w);
	*out = buf_keep_done(&b, j->rows->arena);
	return e;
}
