/* elicitation.c - MCP's elicitation/create: a form from a flat schema, or a page to
 * visit.
 *
 * Declined is what a person would not answer; cancelled what nobody did. */
#include "dialect/inner.h"

static const struct json *schema_of(struct arena *arena, const struct json *request)
{
	return object_of(arena, json_get(request, "requestedSchema"));
}

static const struct json *properties_of(const struct json *schema)
{
	const struct json *properties = json_get(schema, "properties");

	return json_is(properties, JSON_OBJECT) && properties->count ? properties : NULL;
}

static void schema_check(
	struct inbound *in, const struct json_place *at, const struct json *schema)
{
	const struct json *properties = properties_of(schema);
	struct json_place under = place_member(at, STR("properties"));

	for (uint32_t i = 0; properties && i < properties->count; i++) {
		struct json_place spot =
			place_member(&under, properties->members[i].name);

		if (!schema_flat(&properties->members[i].value))
			wrong(&in->check, &spot,
				"must be a string, number, integer, boolean, enum or an "
				"array of an enum");
	}
}

/* Nothing to fill in: whether to go on, then. */
static void confirmation_put(struct inbound *in, struct str message)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("message"));

	in->context_text = json_text_of(in->request, "url");
	question_put(in, &at, &(struct asked){ .text = message, .type = "boolean" });
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("requestedSchema"));
	struct str message = json_text_of(in->request, "message");
	bool form = !str_is(json_text_of(in->request, "mode"), "url");
	const struct json *schema = NULL;

	if (form) schema = member_object(in, &root, in->request, "requestedSchema");
	if (form && !schema) wrong(&in->check, &at, "must be the schema of an object");
	if (text_blank(message))
		wrong_member(&in->check, &root, STR("message"), "required");
	schema_check(in, &at, schema);
	if (properties_of(schema)) about_put(in, message);
	if (properties_of(schema))
		schema_put(in, &at, schema, STR_NONE, true);
	else
		confirmation_put(in, message);
}

/* ---- out ---- */

static const char *action_of(const struct foreign_reply *o)
{
	const struct json *schema = schema_of(o->arena, o->request);
	struct said s = said_at(o, 0);
	bool approval = o->ask->kind == ASK_APPROVAL;

	if (o->ask->status == ASK_SKIPPED) return "decline";
	if (!answered(o)) return "cancel";
	if (approval) return verdict_unedited(o).allow ? "accept" : "decline";
	if (o->request && !properties_of(schema))
		return json_is(s.value, JSON_TRUE) ? "accept" : "decline";
	return "accept";
}

static void content_write(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	const struct json *schema = schema_of(o->arena, o->request);
	size_t next = 0;

	if (schema && properties_of(schema)) {
		schema_answer(o, schema, &next, w);
		return;
	}
	jw_object(w);
	for (size_t i = 0; !o->request && i < said_count(o); i++) {
		struct said s = said_at(o, i);

		if (!s.given) continue;
		jw_name(w, json_text_of(s.question, "key"));
		schema_write(o, &s, NULL, w);
	}
	jw_object_end(w);
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	const char *action = action_of(o);
	bool url = str_is(json_text_of(o->request, "mode"), "url");

	jw_put_text(w, "action", action);
	if (strcmp(action, "accept") == 0 && !url) {
		jw_key(w, "content");
		content_write(o);
	}
	meta_put(o, outcome_words(o));
}

const struct dialect dialect_elicitation = {
	.name = "elicitation",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
