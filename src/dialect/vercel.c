/* vercel.c - the AI SDK's tool approvals. */
#include "dialect/inner.h"

/* The call's own members: "input" now, "args" before. */
static const struct json *input_of(const struct json *call)
{
	const struct json *input = json_get(call, "input");

	return input ? input : json_get(call, "args");
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("toolCall"));
	const struct json *call = json_get(in->request, "toolCall");
	struct str name = json_text_of(call, "toolName");

	if (text_blank(json_text_of(in->request, "approvalId")))
		wrong_member(&in->check, &root, STR("approvalId"), "required");
	if (!call) name = json_text_of(in->request, "toolCallId");
	approval_put(in, &at,
		&(struct operation_asked){
			.name = name,
			.arguments = input_of(call),
			.about = json_text_of(call, "title"),
		});
}

static void from_ask(struct foreign_reply *o)
{
	struct verdict v = verdict_unedited(o);
	struct str id = json_text_of(o->request, "approvalId");

	JW(&o->reply,
		"'type':'tool-approval-response','approvalId':%s,'approved':%j,'reason':%?",
		id.len ? id : o->ask->id, json_bool(v.allow),
		v.allow && !outcome_words(o).len ? v.own : v.words);
}

const struct dialect dialect_vercel = {
	.name = "vercel",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
