/* inbox_scope.c - approving for longer: what the server says about how long, and about the rule. */
#include "tui/inbox_inner.h"

void scope_ask_limits(struct inbox *in)
{
	data_call(in, "GET", STR("/v1/policy"), STR_NONE, TAG_POLICY);
}

void scope_take_limits(struct inbox *in, const struct json *policy)
{
	if (in->dialog_on)
		dialog_limit(&in->dialog, json_get(policy, "scopes"), in->admin);
}

/* One call at a time, as its reply does not name the ask. */
void scope_try(struct inbox *in)
{
	struct buf body = { .max = 1 << 17 };
	struct json_writer w = { .out = &body };

	if (!in->dialog_on || in->try_id.len || !dialog_wants_try(&in->dialog)) return;
	dialog_rule(&in->dialog, &w);
	buf_add(&in->try_id, in->dialog.id);
	data_call(in, "POST", STR("/v1/rules/try"), buf_str(&body), TAG_TRY);
	buf_done(&body);
}

void scope_take_tried(struct inbox *in, const struct json *reply, const struct fault *why)
{
	bool same = in->dialog_on && str_eq(buf_str(&in->try_id), in->dialog.id);

	buf_clear(&in->try_id);
	if (same) dialog_tried(&in->dialog, reply, why);
	scope_try(in); /* it may be another rule by now */
}
