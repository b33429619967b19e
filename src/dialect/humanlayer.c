/* humanlayer.c - HumanLayer's function calls to approve and people to contact. The reply
 * is the request with its status; `state` is inside it and goes back untouched. */
#include "core/shared/show.h"
#include "dialect/inner.h"

static const struct choice_names option_names = {
	.id = "name", .label = "title", .description = "description"
};

static const struct json *spec_of(const struct json *request)
{
	return json_get(request, "spec");
}

/* A title is optional there: the name stands in. */
static struct choices choices_in(
	struct inbound *in, const struct json_place *at, const char *name)
{
	const struct json *list = member_list(in, at, spec_of(in->request), name);
	struct choices out = choices_make(in->arena, list, &option_names);
	struct json_place options = place_member(at, str_of(name));

	for (size_t i = 0; i < out.len; i++) {
		struct json_place item = place_item(&options, i);

		if (text_blank(out.at[i].label))
			wrong(&in->check, &item, "an option needs a name or a title");
	}
	if (out.len > OPTIONS_MAX)
		wrong(&in->check, &options, "must be at most %d", OPTIONS_MAX);
	return out;
}

/* ---- in ---- */

static void call_in(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("spec"));
	struct json_place options = place_member(&at, STR("reject_options"));
	const struct json *spec = spec_of(in->request);
	struct choices reject = choices_in(in, &at, "reject_options");
	struct operation_asked operation = {
		.name = json_text_of(spec, "fn"),
		.arguments = json_get(spec, "kwargs"),
	};

	approval_put_question(in, &at, &operation);
	if (reject.len)
		question_put(in, &options,
			&(struct asked){
				.key = STR("reject_option"),
				.text = STR("If you reject it: why?"),
				.type = "choice",
				.choices = reject,
				.optional = true,
			});
}

static void contact_in(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("spec"));
	const struct json *spec = spec_of(in->request);
	struct choices choices = choices_in(in, &at, "response_options");

	about_put(in, json_text_of(spec, "subject"));
	question_put(in, &at,
		&(struct asked){
			.key = STR("response"),
			.text = json_text_of(spec, "msg"),
			.type = choices.len ? "choice" : "text",
			.choices = choices,
			.other = choices.len > 0,
			.note = choices.len > 0,
		});
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("spec"));

	if (json_get(spec_of(in->request), "fn"))
		call_in(in);
	else if (json_get(spec_of(in->request), "msg"))
		contact_in(in);
	else
		wrong(&in->check, &at, "must have fn and kwargs, or msg");
}

/* ---- out ---- */

/* What was chosen in the i-th question, by the name its option has. */
static struct str option_name(
	const struct foreign_reply *o, size_t i, const char *list, struct str *title)
{
	struct said s = said_at(o, i);
	struct choices offered = choices_make(o->arena,
		list_of(o->arena, json_get(spec_of(o->request), list)), &option_names);
	struct choices picked = said_choices(o, &s, &offered);
	struct str name;

	*title = STR_NONE;
	if (!picked.len) return STR_NONE;
	*title = picked.at[0].said;
	name = json_text_of(picked.at[0].from, "name");
	return name.len ? name : picked.at[0].id;
}

static void call_status(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct verdict v = verdict_unedited(o);
	struct str title, option = option_name(o, 1, "reject_options", &title);

	jw_put_bool(w, "approved", v.allow);
	/* A rejection must say something. */
	show_text(w, "comment", v.allow && !outcome_words(o).len ? v.own : v.words);
	show_text(w, "reject_option_name", v.allow ? STR_NONE : option);
}

static void contact_status(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct said s = said_at(o, 0);
	struct str title, option = option_name(o, 0, "response_options", &title);
	struct str response = s.text.len ? s.text : s.other.len ? s.other : title;

	if (s.other.len && s.text.len)
		response = arena_print(
			o->arena, "%.*s (%.*s)", STR_ARGS(s.other), STR_ARGS(s.text));
	if (!response.len && s.given) response = said_words(o, &s);
	/* HumanLayer's clients poll until there is a reply. */
	if (!response.len) response = outcome_words(o);
	if (!response.len) response = o->whole->summary;
	show_text(w, "response", response);
	show_text(w, "response_option_name", option);
	outcome_put(o);
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;

	for (uint32_t i = 0; o->request && i < o->request->count; i++) {
		if (str_is(o->request->members[i].name, "status")) continue;
		jw_name(w, o->request->members[i].name);
		jw_json(w, &o->request->members[i].value);
	}
	jw_put_object(w, "status");
	show_time(w, "requested_at", o->ask->created_ms);
	show_time(w, "responded_at", o->ask->settled_ms);
	if (o->ask->kind == ASK_APPROVAL)
		call_status(o);
	else
		contact_status(o);
	jw_object_end(w);
}

const struct dialect dialect_humanlayer = {
	.name = "humanlayer",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
