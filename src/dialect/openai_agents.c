/* openai_agents.c - the OpenAI Agents SDK's interruptions: a tool call that needs an
 * approval. The reply is what `state.approve` or `state.reject` is called by. */
#include "dialect/inner.h"

/* A function's arguments come as a text of JSON; what others would do is their action. */
static const struct json *input_of(struct arena *arena, const struct json *raw)
{
	const struct json *input = json_get(raw, "arguments");

	if (!input) input = json_get(raw, "action");
	if (!input) input = json_get(raw, "operation");
	return input ? object_of(arena, input) : NULL;
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("rawItem"));
	const struct json *raw = member_object(in, &root, in->request, "rawItem");
	struct json_place under = place_member(&at, STR("arguments"));
	struct str name = json_text_of(in->request, "toolName");
	const struct json *said = json_get(raw, "arguments");
	const struct json *input = input_of(in->arena, raw);

	if (!name.len) name = json_text_of(raw, "name");
	if (!name.len) name = json_text_of(raw, "type");
	if (!raw) wrong(&in->check, &at, "must be the item of the call");
	/* What cannot be shown must not be approved. */
	if (said && json_text(said).len && !input)
		wrong(&in->check, &under, "must be a JSON object");
	approval_put(
		in, &at, &(struct operation_asked){ .name = name, .arguments = input });
}

static void from_ask(struct foreign_reply *o)
{
	struct verdict v = verdict_unedited(o);

	JW(&o->reply, "'callId':%?,'approved':%j,'message':%?",
		json_text_of(json_get(o->request, "rawItem"), "callId"),
		json_bool(v.allow), v.allow && !outcome_words(o).len ? v.own : v.words);
}

const struct dialect dialect_openai_agents = {
	.name = "openai_agents",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
