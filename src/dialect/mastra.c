/* mastra.c - Mastra's tool calls that wait for a person: those that need an approval, and
 * tools that suspend themselves. The reply has what `resumeGenerate` and `resumeStream`
 * take. */
#include "dialect/inner.h"

/* What a chunk of its stream carries, or the payload itself. */
static const struct json *payload_of(const struct json *request)
{
	const struct json *payload = json_get(request, "payload");

	return json_is(payload, JSON_OBJECT) ? payload : request;
}

/* A tool that suspended itself says by a schema what it goes on with. */
static const struct json *schema_of(struct arena *arena, const struct json *payload)
{
	if (!json_get(payload, "suspendPayload")) return NULL;
	return object_of(arena, json_get(payload, "resumeSchema"));
}

/* ---- in ---- */

static void question_in(struct inbound *in, const struct json *payload)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("resumeSchema"));
	const struct json *schema = schema_of(in->arena, payload);
	struct str words = suspend_words(in->arena, json_get(payload, "suspendPayload"));

	if (schema) about_put(in, words);
	if (!schema || !schema_put(in, &at, schema, words, false))
		question_put(in, &at, &(struct asked){ .text = words, .type = "text" });
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("args"));
	const struct json *payload = payload_of(in->request);
	struct str name = json_text_of(payload, "toolName");
	const struct json *args;

	if (text_blank(json_text_of(payload, "toolCallId")))
		wrong_member(&in->check, &root, STR("toolCallId"), "required");
	if (json_get(payload, "suspendPayload")) {
		question_in(in, payload);
		return;
	}
	args = member_object(in, &root, payload, "args");
	approval_put(
		in, &at, &(struct operation_asked){ .name = name, .arguments = args });
}

/* ---- out ---- */

static void approval_write(struct foreign_reply *o)
{
	struct verdict v = verdict_unedited(o);

	JW(&o->reply, "{'approved':%j,'reason':%?}", json_bool(v.allow),
		v.allow && !outcome_words(o).len ? v.own : v.words);
}

static void answer_write(struct foreign_reply *o, const struct json *payload)
{
	const struct json *schema = payload ? schema_of(o->arena, payload) : NULL;
	struct said first = said_at(o, 0);
	size_t next = 0;

	if (!answered(o))
		jw_null(&o->reply);
	else if (!payload)
		jw_json(&o->reply, o->whole->answer);
	else if (schema && !schema_empty(schema))
		schema_answer(o, schema, &next, &o->reply);
	else
		jw_str(&o->reply, first.text);
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	const struct json *payload = o->request ? payload_of(o->request) : NULL;
	bool approval = o->ask->kind == ASK_APPROVAL;

	jw_put_some(w, "toolCallId", json_text_of(payload, "toolCallId"));
	jw_key(w, "resumeData");
	if (approval)
		approval_write(o);
	else
		answer_write(o, payload);
	if (!approval) outcome_put(o);
}

const struct dialect dialect_mastra = {
	.name = "mastra",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
