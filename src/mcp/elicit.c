/* elicit.c - an ask as an elicitation form, and the form's content as an answer. */
#include "mcp/elicit.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "core/ask/question_kind.h"
#include "core/shared/body.h"

/* A form has flat fields only: beside a choice stand the text of Other and the note. */
static const char other_suffix[] = "_other", note_suffix[] = "_note";

static enum question_input input_of(const struct json *question)
{
	return question_kind_json(question)->input;
}

static bool is_true(const struct json *object, const char *name)
{
	return json_is(json_get(object, name), JSON_TRUE);
}

static bool has_options(const struct json *question)
{
	return input_of(question) == INPUT_ONE || input_of(question) == INPUT_MANY;
}

static bool form_shows(const struct json *question, enum revision revision)
{
	const struct json *options = json_get(question, "options");

	if (input_of(question) == INPUT_DECISION) return false;
	if (input_of(question) == INPUT_MANY && revision < REV_2025_11_25) return false;
	for (uint32_t i = 0; json_is(options, JSON_ARRAY) && i < options->count; i++)
		if (json_text_of(&options->items[i], "preview").len) return false;
	return true;
}

enum elicit_mode elicit_mode(
	const struct ask_json *whole, const struct mcp_client *client)
{
	const struct json *questions = whole->questions;
	bool form = questions && (client->can & CAN_FORM);

	/* A form is the client's word: it may not decide what the agent may do. */
	if (whole->ask->kind == ASK_APPROVAL || client->revision < REV_2025_06_18)
		return ELICIT_NOT;
	for (uint32_t i = 0; form && i < questions->count; i++)
		form = form_shows(&questions->items[i], client->revision);
	if (form) return ELICIT_FORM;
	return (client->can & CAN_URL) && client->revision >= REV_2025_11_25 ? ELICIT_URL
									     : ELICIT_NOT;
}

/* ---- the form ---- */

static void field_name(
	struct json_writer *w, struct str key, const char *suffix, struct arena *arena)
{
	jw_name(w, arena_print(arena, "%.*s%s", STR_ARGS(key), suffix));
}

static void options_write(
	struct json_writer *w, const struct json *options, const char *list)
{
	jw_put_array(w, list);
	for (uint32_t i = 0; i < options->count; i++) {
		jw_object(w);
		jw_put_json(w, "const", json_get(&options->items[i], "id"));
		jw_put_json(w, "title", json_get(&options->items[i], "label"));
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void names_write(struct json_writer *w, const struct json *options,
	const char *list, const char *member)
{
	jw_put_array(w, list);
	for (uint32_t i = 0; i < options->count; i++)
		jw_json(w, json_get(&options->items[i], member));
	jw_array_end(w);
}

static void choice_write(
	struct json_writer *w, const struct json *question, enum revision revision)
{
	const struct json *options = json_get(question, "options");

	if (input_of(question) == INPUT_MANY) {
		JW(w, "'type':'array','items':{");
		options_write(w, options, "anyOf");
		jw_object_end(w);
		return;
	}
	JW(w, "'type':'string'");
	if (revision >= REV_2025_11_25) {
		options_write(w, options, "oneOf");
		return;
	}
	names_write(w, options, "enum", "id");
	names_write(w, options, "enumNames", "label");
}

/* min and max are lengths of a text, bounds of a number. */
static void plain_write(struct json_writer *w, const struct json *question)
{
	bool number = input_of(question) == INPUT_NUMBER;
	const struct json *min = json_get(question, "min"),
			  *max = json_get(question, "max");

	jw_put_text(w, "type",
		number				     ? "number"
		: input_of(question) == INPUT_YES_NO ? "boolean"
						     : "string");
	jw_put_some(w, "format", json_text_of(question, "format"));
	if (json_is(min, JSON_NUMBER))
		jw_put_json(w, number ? "minimum" : "minLength", min);
	if (json_is(max, JSON_NUMBER))
		jw_put_json(w, number ? "maximum" : "maxLength", max);
}

static void text_field(struct json_writer *w, struct str title)
{
	JW(w, "{'type':'string','title':%s}", title);
}

static void field_write(struct json_writer *w, const struct json *question,
	enum revision revision, struct arena *arena)
{
	struct str key = json_text_of(question, "key");
	struct str header = json_text_of(question, "header");
	struct str text = json_text_of(question, "text");
	const struct json *note = json_get(question, "note");

	jw_name(w, key);
	jw_object(w);
	if (has_options(question))
		choice_write(w, question, revision);
	else
		plain_write(w, question);
	JW(w, "'title':%?,'description':%?}", header.len ? header : text,
		header.len ? text : STR_NONE);
	if (is_true(question, "other")) {
		field_name(w, key, other_suffix, arena);
		text_field(w, STR("Other"));
	}
	if (json_is(note, JSON_OBJECT)) {
		field_name(w, key, note_suffix, arena);
		text_field(w, STR("Note"));
	}
}

static void form_write(struct json_writer *w, const struct json *questions,
	enum revision revision, struct arena *arena)
{
	JW(w, "'requestedSchema':{'type':'object','properties':{");
	for (uint32_t i = 0; i < questions->count; i++)
		field_write(w, &questions->items[i], revision, arena);
	JW(w, "},'required':[");
	for (uint32_t i = 0; i < questions->count; i++) {
		const struct json *q = &questions->items[i];

		if (is_true(q, "required") && !is_true(q, "other"))
			jw_json(w, json_get(q, "key"));
	}
	jw_array_end(w);
	jw_object_end(w);
}

static struct str form_message(const struct ask_json *whole, struct arena *arena)
{
	const struct json *questions = whole->questions;
	struct str title = json_text_of(whole->fixed, "title");
	struct str context = json_text_of(json_get(whole->fixed, "context"), "text");
	struct buf b = { .max = 65536 };

	buf_add(&b, title);
	if (context.len) buf_print(&b, "%s%.*s", b.len ? "\n\n" : "", STR_ARGS(context));
	for (uint32_t i = 0; questions && i < questions->count; i++) {
		struct str text = json_text_of(&questions->items[i], "text");

		if (!str_eq(text, title))
			buf_print(&b, "%s%.*s", b.len ? "\n" : "", STR_ARGS(text));
	}
	return buf_keep_done(&b, arena);
}

void elicit_write(struct json_writer *w, const struct ask_json *whole,
	enum elicit_mode mode, enum revision revision, struct arena *arena)
{
	if (revision >= REV_2025_11_25)
		jw_put_text(w, "mode", mode == ELICIT_URL ? "url" : "form");
	jw_put_str(w, "message", form_message(whole, arena));
	if (mode == ELICIT_FORM) {
		form_write(w, whole->questions, revision, arena);
		return;
	}
	if (revision == REV_2025_11_25) jw_put_str(w, "elicitationId", whole->ask->id);
	jw_put_str(w, "url", ask_url(whole->view->url, whole->ask->id, arena));
}

/* ---- what came back ---- */

static const struct json *field_get(const struct json *content, struct str key,
	const char *suffix, struct arena *arena)
{
	return json_get_str(content, arena_print(arena, "%.*s%s", STR_ARGS(key), suffix));
}

static void reply_write(struct json_writer *w, const struct json *question,
	const struct json *content, struct arena *arena)
{
	struct str key = json_text_of(question, "key");
	const struct json *value = json_get_str(content, key);
	struct str other = json_text(field_get(content, key, other_suffix, arena));
	struct str note = json_text(field_get(content, key, note_suffix, arena));

	if (!value && !other.len && !note.len) return;
	jw_name(w, key);
	if (!has_options(question)) {
		jw_json(w, value);
		return;
	}
	jw_object(w);
	jw_key(w, "selected");
	if (json_is(value, JSON_ARRAY)) {
		jw_json(w, value);
	} else {
		jw_array(w);
		if (json_text(value).len &&
			!(other.len && input_of(question) == INPUT_ONE))
			jw_json(w, value);
		jw_array_end(w);
	}
	if (is_true(question, "other")) jw_put_some(w, "other", other);
	jw_put_some(w, "text", note);
	jw_object_end(w);
}

enum elicited elicit_read(const struct json *result, const struct ask_json *whole,
	struct arena *arena, struct str *body)
{
	const struct json *questions = whole->questions;
	const struct json *content = json_get(result, "content");
	struct str action = json_text_of(result, "action");
	struct json_writer w = { .out = &(struct buf){ 0 } };

	if (str_is(action, "decline")) return ELICITED_DECLINED;
	if (!str_is(action, "accept"))
		return str_is(action, "cancel") ? ELICITED_NOTHING : ELICITED_AGAIN;
	if (!json_is(content, JSON_OBJECT)) return ELICITED_NOTHING;
	JW(&w, "{'answers':{");
	for (uint32_t i = 0; questions && i < questions->count; i++)
		reply_write(&w, &questions->items[i], content, arena);
	JW(&w, "}}");
	*body = buf_keep_done(w.out, arena);
	return ELICITED_ANSWER;
}
