/* opencode.c - opencode's question tool, and its permission requests. */
#include "dialect/inner.h"

static const struct choice_names option_names = { .label = "label",
	.description = "description" };

enum { HEADER_LONG = 30 };

/* ---- questions ---- */

static void question_in(
	struct inbound *in, const struct json_place *at, const struct json *q)
{
	struct json_place options = place_member(at, STR("options"));
	struct json_place header = place_member(at, STR("header"));
	const struct json *list = member_list(in, at, q, "options");
	struct asked out = {
		.header = text_fit(
			in, &header, json_text_of(q, "header"), HEADER_LONG, true),
		.text = json_text_of(q, "question"),
		.type = member_flag(q, "multiple") ? "choices" : "choice",
		.choices = choices_read(in, &options, list, &option_names),
		.other = !json_is(json_get(q, "custom"), JSON_FALSE),
	};

	if (!out.choices.len) {
		out.type = "text";
		out.other = false;
	}
	question_put(in, at, &out);
}

static void answers_out(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;

	jw_put_array(w, "answers");
	for (size_t i = 0; i < said_count(o); i++) {
		struct said s = said_at(o, i);

		jw_array(w);
		labels_write(o, &s, question_asked(o, i), &option_names, w);
		jw_array_end(w);
	}
	jw_array_end(w);
	outcome_put(o);
}

/* ---- permissions ---- */

static const struct offer offers[] = {
	{ .id = STR("once"), .label = STR("Allow once"), .allows = true },
	{ .id = STR("reject"), .label = STR("Reject") },
	{ .id = STR("always"),
		.label = STR("Allow always"),
		.allows = true,
		.lasts = true },
};

/* "Always" is offered where there is something to allow. */
static size_t offers_len(const struct json *request)
{
	const struct json *always = json_get(request, "always");

	return json_is(always, JSON_ARRAY) && always->count ? 3 : 2;
}

static void permission_in(struct inbound *in)
{
	static const char *const apart[] = { "id", "sessionID", "permission", "tool",
		NULL };
	struct json_place root = { 0 }, at = place_member(&root, STR("permission"));

	grant_put(in, &at,
		&(struct operation_asked){
			.name = json_text_of(in->request, "permission"),
			.arguments = json_without(in->request, apart, in->arena),
		},
		offers, offers_len(in->request));
}

static void permission_out(struct foreign_reply *o)
{
	struct verdict v = verdict_unedited(o);
	const struct offer *taken = grant_of(o, &v, offers, offers_len(o->request));

	JW(&o->reply, "'reply':%s,'message':%?", taken ? taken->id : STR("reject"),
		v.allow ? STR_NONE : v.words);
}

static void to_ask(struct inbound *in)
{
	if (json_get(in->request, "permission"))
		permission_in(in);
	else
		questions_put(in, question_in, 0);
}

static void from_ask(struct foreign_reply *o)
{
	if (o->ask->kind == ASK_APPROVAL)
		permission_out(o);
	else
		answers_out(o);
}

const struct dialect dialect_opencode = {
	.name = "opencode",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
