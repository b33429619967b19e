/* gemini.c - Gemini CLI's ask_user: choices, texts and yes/no, answered by index. */
#include "dialect/inner.h"

static const struct choice_names option_names = {
	.label = "label", .description = "description", .other_ours = true
};

static void question_in(
	struct inbound *in, const struct json_place *at, const struct json *q)
{
	struct json_place options = place_member(at, STR("options"));
	struct json_place type = place_member(at, STR("type"));
	const struct json *list = member_list(in, at, q, "options");
	struct str name = json_text_of(q, "type");
	struct asked out = {
		.header = json_text_of(q, "header"),
		.text = json_text_of(q, "question"),
		.type = "text",
	};

	if (str_is(name, "yesno")) {
		out.type = "boolean";
	} else if (str_is(name, "choice") || (!name.len && list)) {
		out.type = member_flag(q, "multiSelect") ? "choices" : "choice";
		out.choices = choices_read(in, &options, list, &option_names);
		out.other = true;
	} else if (name.len && !str_is(name, "text")) {
		repair(in, &type, "asked for a text", "must be choice, text or yesno");
	}
	if (strncmp(out.type, "choice", 6) == 0 && !out.choices.len) {
		repair(in, &options, "asked for a text", "must be given for a choice");
		out.type = "text";
		out.other = false;
	}
	if (strcmp(out.type, "text") == 0)
		out.placeholder = json_text_of(q, "placeholder");
	question_put(in, at, &out);
}

static void to_ask(struct inbound *in)
{
	questions_put(in, question_in, in->strict ? 4 : 0);
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;

	jw_put_object(w, "answers");
	for (size_t i = 0; i < said_count(o); i++) {
		struct said s = said_at(o, i);
		const struct json *asked = question_asked(o, i);
		struct choices offered = choices_offered(o->arena, asked, &option_names);

		if (!s.given) continue;
		jw_name(w, arena_print(o->arena, "%zu", i));
		jw_str(w, answer_words(o, &s, asked ? &offered : NULL));
	}
	jw_object_end(w);
	outcome_put(o);
}

const struct dialect dialect_gemini = {
	.name = "gemini",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
