/* permission.c - Claude Code asks whether a tool may be used: its permission-prompt tool,
 * and the hooks PreToolUse and PermissionRequest, told by hook_event_name. */
#include "base/keep.h"
#include "dialect/inner.h"

/* Claude Code's, when it has made a plan and wants to begin. */
#define PLAN_TOOL "ExitPlanMode"

static const char *input_name(const struct json *request)
{
	return json_get(request, "input") ? "input" : "tool_input";
}

static const struct json *input_of(const struct json *request)
{
	return json_get(request, input_name(request));
}

/* Where the agent is at work, and why it asks. */
static struct str members_of(struct inbound *in)
{
	static const char *const names[] = { "cwd", "tool_use_id", "permission_mode",
		"reason", "decision_reason", "blocked_path" };
	struct json_writer w = { .out = &(struct buf){ 0 } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		jw_put_some(&w, names[i], json_text_of(in->request, names[i]));
	return buf_keep_done(w.out, in->arena);
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("tool_name"));
	const struct json *input =
		member_object(in, &root, in->request, input_name(in->request));
	enum risk risk;
	struct str named = json_text_of(in->request, "risk");

	if (!input_of(in->request))
		repair(in, &root, "taken as empty", "must have input or tool_input");
	in->context_members = members_of(in);
	inbound_beside(in);
	if (str_is(json_text_of(in->request, "tool_name"), PLAN_TOOL)) {
		struct json_place tool =
			place_member(&root, str_of(input_name(in->request)));
		struct operation_asked plan = approval_plan(in, &tool, input, STR_NONE);

		approval_put(in, &at, &plan);
		return;
	}
	approval_put(in, &at,
		&(struct operation_asked){
			.name = json_text_of(in->request, "tool_name"),
			.arguments =
				input ? input : &(struct json){ .type = JSON_OBJECT },
			.about = json_text_of(in->request, "description"),
			.risk = risk_read(named, &risk) ? named : STR_NONE,
		});
}

/* The input as it shall run: edited, or as it came. */
static void input_write(
	struct json_writer *w, const struct foreign_reply *o, const struct verdict *v)
{
	const struct json *came = object_of(o->arena, input_of(o->request));

	if (!came) came = operation_of(o).arguments;
	put_object(w, "updatedInput", v->arguments ? v->arguments : came);
}

/* behavior, … */
static void behavior_write(
	struct json_writer *w, const struct foreign_reply *o, const struct verdict *v)
{
	jw_put_text(w, "behavior", v->allow ? "allow" : "deny");
	if (v->allow)
		input_write(w, o, v);
	else
		jw_put_some(w, "message", v->words);
}

/* Skipped: nobody here wants to decide, so the agent's own prompt does. */
static const char *decision_of(const struct foreign_reply *o, const struct verdict *v)
{
	if (o->ask->status == ASK_PENDING) return "defer";
	if (o->ask->status == ASK_SKIPPED) return "ask";
	return v->allow ? "allow" : "deny";
}

static void hook_write(
	struct json_writer *w, const struct foreign_reply *o, const struct verdict *v)
{
	JW(w, "'hookEventName':'PreToolUse','permissionDecision':%s,'permissionDecisionReason':%?",
		str_of(decision_of(o, v)), v->words);
	if (v->arguments) input_write(w, o, v);
}

static void reply_write(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct str hook = json_text_of(o->request, "hook_event_name");
	struct verdict v = verdict_of(o);

	if (!hook.len) {
		behavior_write(w, o, &v);
		return;
	}
	jw_put_object(w, "hookSpecificOutput");
	if (str_is(hook, "PermissionRequest")) {
		jw_put_some(w, "hookEventName", hook);
		jw_put_object(w, "decision");
		behavior_write(w, o, &v);
		jw_object_end(w);
	} else {
		hook_write(w, o, &v);
	}
	jw_object_end(w);
}

/* A hook that must answer now puts the call off; it can be taken up again. */
static void at_once(struct foreign_reply *o)
{
	if (str_is(json_text_of(o->request, "hook_event_name"), "PreToolUse"))
		reply_write(o);
}

const struct dialect dialect_permission = {
	.name = "permission",
	.to_ask = to_ask,
	.from_ask = reply_write,
	.at_once = at_once,
};
