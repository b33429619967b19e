/* user_question.c - UserQuestionTool: checkbox, text and mixed questions. */
#include "dialect/inner.h"

static const struct choice_names option_names = {
	.id = "id", .label = "label", .description = "description"
};

enum tool_question { KIND_NONE, KIND_CHECKBOX, KIND_TEXT, KIND_MIXED };

static enum tool_question kind_of(const struct json *request)
{
	static const char *const names[] = {
		[KIND_CHECKBOX] = "checkbox", [KIND_TEXT] = "text", [KIND_MIXED] = "mixed"
	};
	struct str name = json_text_of(request, "questionType");

	for (int i = KIND_CHECKBOX; i <= KIND_MIXED; i++)
		if (str_is_nocase(name, names[i])) return (enum tool_question)i;
	return KIND_NONE;
}

/* A type that is missing or does not go with the options follows from them. */
static enum tool_question kind_read(struct inbound *in, bool options)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("questionType"));
	struct json_place list = place_member(&root, STR("options"));
	enum tool_question kind = kind_of(in->request);

	if (kind == KIND_NONE) {
		repair(in, &at, "told by the options", "must be checkbox, text or mixed");
		return options ? KIND_CHECKBOX : KIND_TEXT;
	}
	if (kind == KIND_TEXT || options) return kind;
	repair(in, &list, "asked for a text", "must be given for checkbox and mixed");
	return KIND_TEXT;
}

static void to_ask(struct inbound *in)
{
	const struct json *r = in->request;
	struct json_place root = { 0 }, question = place_member(&root, STR("question"));
	struct str operation = json_text_of(r, "operation");
	struct choices choices = choices_given(in, &root, r, &option_names);
	enum tool_question kind = kind_read(in, choices.len > 0);
	bool required = member_flag(r, "textRequired");
	struct asked q = { .text = json_text_of(r, "question"), .type = "text" };

	if (!str_is(operation, "ask"))
		repair(in, &root, "taken as ask", "operation must be \"ask\"");
	if (kind != KIND_TEXT) {
		q.type = "choices";
		q.choices = choices;
	}
	if (kind == KIND_MIXED) {
		q.note = true;
		q.note_required = required;
		q.note_placeholder = json_text_of(r, "textPlaceholder");
	} else if (kind == KIND_TEXT) {
		q.placeholder = json_text_of(r, "textPlaceholder");
	}
	in->context_text = json_text_of(r, "context");
	question_put(in, &question, &q);
}

static struct str message(const struct foreign_reply *o)
{
	struct str reason = o->ask->reason, words = outcome_words(o);

	if (answered(o)) return words.len ? words : STR("Question answered by user");
	if (o->ask->status != ASK_SKIPPED) return words;
	if (!reason.len) return STR("Question skipped by user");
	return arena_print(o->arena, "Question skipped by user: %.*s", STR_ARGS(reason));
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct said s = said_at(o, 0);
	struct choices offered = choices_offered(o->arena, o->request, &option_names);
	struct choices picked = said_choices(o, &s, &offered);

	jw_put_bool(w, "success", answered(o));
	jw_put_array(w, "selectedOptions");
	for (size_t i = 0; i < picked.len; i++) {
		struct str id = scalar_text(json_get(picked.at[i].from, "id"));

		jw_str(w, id.len ? id : picked.at[i].said);
	}
	jw_array_end(w);
	/* Asked otherwise, an answer may be neither an option nor a text. */
	jw_put_some(
		w, "textResponse", s.text.len || picked.len ? s.text : said_words(o, &s));
	jw_put_str(w, "message", message(o));
}

const struct dialect dialect_user_question = {
	.name = "user_question",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
