/* ask_question.c - questions with a type, a form of response, a deadline and a
 * default. */
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/show.h"
#include "dialect/inner.h"

enum { MINUTE_MS = 60 * 1000, MINUTES_MIN = 5, MINUTES_MAX = 24 * 60, WORD_MAX = 1000 };

static const struct choice_names option_names = {
	.id = "value", .label = "label", .description = "description"
};

enum agent_ask_kind { BLOCKING, NON_BLOCKING, APPROVAL, RECOVERY, KINDS };

/* How long each waits when nothing is said; 0: for ever. */
static const struct {
	const char *name;
	int minutes;
} kinds[KINDS] = {
	[BLOCKING] = { "blocking", 30 },
	[NON_BLOCKING] = { "non_blocking", 0 },
	[APPROVAL] = { "approval", 15 },
	[RECOVERY] = { "error_recovery", 10 },
};

enum value_form { FORM_TEXT, FORM_CHOICE, FORM_BOOLEAN, FORM_APPROVAL, FORMS };

static const char *const forms[FORMS] = {
	[FORM_TEXT] = "text",
	[FORM_CHOICE] = "choice",
	[FORM_BOOLEAN] = "boolean",
	[FORM_APPROVAL] = "approval",
};

static enum agent_ask_kind kind_of(const struct json *request)
{
	struct str name = json_text_of(request, "type");
	enum agent_ask_kind kind = BLOCKING;

	while (kind < KINDS && !str_is(name, kinds[kind].name))
		kind++;
	return kind;
}

static enum value_form form_named(struct str name)
{
	int form = name_find(forms, FORMS, name);

	return form < 0 ? FORMS : (enum value_form)form;
}

static enum value_form form_of(const struct json *request)
{
	return form_named(json_text_of(request, "responseType"));
}

/* The options, what the context suggests instead, or the ways out of an error. */
static struct choices choices_of(struct arena *arena, const struct json *request)
{
	static struct choice recovery[] = {
		{ .id = STR("retry"), .label = STR("Retry"), .said = STR("retry") },
		{ .id = STR("edit"),
			.label = STR("Edit and retry"),
			.said = STR("edit") },
		{ .id = STR("skip"), .label = STR("Skip"), .said = STR("skip") },
		{ .id = STR("abort"), .label = STR("Abort"), .said = STR("abort") },
	};
	const struct json *list = list_of(arena, json_get(request, "options"));
	const struct json *context = object_of(arena, json_get(request, "context"));

	if (!list || !list->count)
		list = list_of(arena, json_get(context, "suggestedOptions"));
	if (list && list->count) return choices_make(arena, list, &option_names);
	if (kind_of(request) != RECOVERY) return (struct choices){ 0 };
	return (struct choices){ recovery, sizeof recovery / sizeof *recovery };
}

/* ---- in ---- */

/* What is asked for, made to go together. */
struct meant {
	enum agent_ask_kind kind;
	enum value_form form;
	struct choices choices;
};

static void meant_read(struct inbound *in, struct meant *m)
{
	struct json_place root = { 0 }, type = place_member(&root, STR("type"));
	struct json_place form = place_member(&root, STR("responseType"));
	struct json_place options = place_member(&root, STR("options"));

	/* Our tool has defaults for both where the shape itself has none. */
	m->kind = kind_of(in->request);
	m->form = form_of(in->request);
	choices_given(in, &root, in->request, &option_names);
	m->choices = choices_of(in->arena, in->request);
	if (m->kind == KINDS) {
		if (in->strict || json_get(in->request, "type"))
			repair(in, &type, "taken as blocking",
				"must be blocking, non_blocking, approval or "
				"error_recovery");
		m->kind = m->form == FORM_APPROVAL ? APPROVAL : BLOCKING;
	}
	if (m->form == FORMS) {
		if (in->strict || json_get(in->request, "responseType"))
			repair(in, &form, "told by the rest",
				"must be text, choice, boolean or approval");
		m->form = m->choices.len	? FORM_CHOICE
			  : m->kind == APPROVAL ? FORM_APPROVAL
						: FORM_TEXT;
	}
	if (m->form == FORM_CHOICE && !m->choices.len) {
		repair(in, &options, "asked for a text", "must be given for a choice");
		m->form = FORM_TEXT;
	}
	if (m->kind == APPROVAL && (m->form == FORM_TEXT || m->form == FORM_CHOICE)) {
		repair(in, &type, "asked as a blocking question",
			"an approval's responseType must be approval or boolean");
		m->kind = BLOCKING;
	}
	if (m->form == FORM_APPROVAL) m->kind = APPROVAL;
}

static void context_read(struct inbound *in)
{
	static const struct {
		const char *theirs, *ours;
		size_t max;
	} names[] = {
		{ "jobType", "job_type", WORD_MAX },
		{ "projectName", "project_name", WORD_MAX },
		{ "currentStep", "current_step", WORD_MAX },
		{ "errorDetails", "error_details", PREVIEW_MAX },
	};
	const struct json *given = json_get(in->request, "context");
	struct json_place root = { 0 }, at = place_member(&root, STR("context"));
	struct json_writer w = { .out = &(struct buf){ 0 } };

	if (json_is(given, JSON_STRING)) {
		repair(in, &at, "shown as a text", "must be an object");
		in->context_text = given->text;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		jw_put_some(&w, names[i].ours,
			text_fit(in, &at, json_text_of(given, names[i].theirs),
				names[i].max, false));
	if (json_is(given, JSON_OBJECT) && given->count)
		jw_put_json(&w, "details", given);
	in->context_members = buf_keep_done(w.out, in->arena);
}

static int64_t timeout_of(struct inbound *in)
{
	const struct json *given = json_get(in->request, "timeoutMinutes");
	struct json_place root = { 0 }, at = place_member(&root, STR("timeoutMinutes"));
	enum agent_ask_kind kind = kind_of(in->request);
	double minutes = json_real(given);

	if (json_is(given, JSON_NUMBER)) {
		bool short_of = minutes < (double)MINUTES_MIN;

		if (!short_of && minutes <= (double)MINUTES_MAX)
			return (int64_t)(minutes * (double)MINUTE_MS);
		repair(in, &at, "the nearest was taken", "must be from %d to %d",
			MINUTES_MIN, MINUTES_MAX);
		return (short_of ? MINUTES_MIN : MINUTES_MAX) * MINUTE_MS;
	}
	if (given && given->type != JSON_NULL)
		repair(in, &at, "the usual time was taken", "must be a number");
	return kinds[kind < KINDS ? kind : BLOCKING].minutes * MINUTE_MS;
}

static bool says_yes(struct str text)
{
	return str_is_nocase(text, "true") || str_is_nocase(text, "yes") ||
	       str_is_nocase(text, "approve") || str_is_nocase(text, "approved");
}

/* By its value, or by its label. */
static const struct choice *choice_named(const struct choices *c, struct str name)
{
	const struct choice *found = choice_find(c, name);

	for (size_t i = 0; !found && i < c->len; i++)
		if (str_eq(c->at[i].said, name)) found = &c->at[i];
	return found;
}

/* {type, value, text?}, or the value alone. */
static void default_put(struct inbound *in, const struct meant *m)
{
	const struct json *given = json_get(in->request, "defaultResponse");
	const struct json *value =
		json_is(given, JSON_OBJECT) ? json_get(given, "value") : given;
	struct json_place root = { 0 }, at = place_member(&root, STR("defaultResponse"));
	struct str text = scalar_text(value);
	const struct choice *chosen = choice_named(&m->choices, text);
	struct json_writer *w = &in->ask;
	const char *rule = NULL;

	if (!given || given->type == JSON_NULL) {
		/* A non-blocking agent goes on at once: without a default it might think that
		 * somebody agreed. */
		if (m->kind == NON_BLOCKING)
			repair(in, &at, "nothing is assumed if nobody answers",
				"a non_blocking question must have a default");
		return;
	}
	if (m->kind == APPROVAL && says_yes(text))
		rule = "an approval's default may only be a rejection";
	else if (text_blank(text) || (m->form == FORM_CHOICE && !chosen))
		rule = "must have a value that is a possible answer";
	if (rule) {
		repair(in, &at, "left out", "%s", rule);
		return;
	}
	jw_put_object(w, "default");
	jw_key(w, "answer");
	if (m->kind == APPROVAL)
		jw_text(w, "reject");
	else if (m->form == FORM_BOOLEAN)
		jw_bool(w, says_yes(text));
	else
		jw_str(w, m->form == FORM_CHOICE ? chosen->id
						 : utf8_first(text, ANSWER_TEXT_MAX));
	jw_object_end(w);
}

/* Everything else comes from the template; a time that is given holds. */
static void template_put(struct inbound *in, struct str name)
{
	const struct json *values = object_of(in->arena, json_get(in->request, "values"));

	in->template = true;
	jw_put_str(&in->ask, "template", name);
	if (values) jw_put_json(&in->ask, "values", values);
	context_read(in);
	if (json_is(json_get(in->request, "timeoutMinutes"), JSON_NUMBER))
		timeout_put(in, timeout_of(in));
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("question"));
	struct str template = json_text_of(in->request, "template");
	struct meant m;
	int64_t timeout_ms;

	if (!text_blank(template)) {
		template_put(in, template);
		return;
	}
	timeout_ms = timeout_of(in);

	meant_read(in, &m);
	context_read(in);
	in->kind = kinds[m.kind].name;
	question_put(in, &at,
		&(struct asked){
			.key = STR("answer"),
			.text = json_text_of(in->request, "question"),
			.type = m.kind == APPROVAL ? "approval" : forms[m.form],
			.choices =
				m.form == FORM_CHOICE ? m.choices : (struct choices){ 0 },
			.note = m.form != FORM_TEXT,
		});
	if (timeout_ms) timeout_put(in, timeout_ms);
	default_put(in, &m);
}

/* ---- out ---- */

/* Asked otherwise, an ask may have several questions: their summary is the value. */
static bool said_many(const struct foreign_reply *o, const struct said *s)
{
	return said_count(o) != 1 || !s->given;
}

/* The form of the ask's only question, which was made to fit. */
static enum value_form form_asked(const struct foreign_reply *o, const struct said *s)
{
	enum value_form form = form_named(json_text_of(s->question, "type"));

	if (answered(o) && said_many(o, s)) return FORM_TEXT;
	if (said_input(s) == INPUT_DECISION && form_of(o->request) == FORM_BOOLEAN)
		return FORM_BOOLEAN;
	return form == FORMS ? FORM_TEXT : form;
}

/* What was chosen, as its option gave it: a value may be a boolean. */
static void choice_write(struct json_writer *w, const struct choice *c)
{
	const struct json *value = json_get(c->from, "value");

	if (value && scalar_text(value).len)
		jw_json(w, value);
	else if (c->from)
		jw_str(w, c->from->type == JSON_OBJECT && json_get(c->from, "id")
				  ? c->id
				  : c->said);
	else
		jw_str(w, c->id);
}

static void value_write(struct foreign_reply *o, const struct said *s,
	enum value_form form, struct str *text)
{
	struct json_writer *w = &o->reply;
	struct choices offered = choices_of(o->arena, o->request);
	struct choices picked = said_choices(o, s, &offered);
	struct verdict v = verdict_unedited(o);
	bool approval = said_input(s) == INPUT_DECISION;

	*text = form == FORM_TEXT ? STR_NONE : s->text;
	if (approval && s->arguments) *text = v.words;
	if (answered(o) && said_many(o, s))
		jw_str(w, o->whole->summary);
	else if (!s->given)
		jw_null(w);
	else if (form == FORM_APPROVAL)
		jw_text(w, v.allow ? "approve" : "reject");
	else if (approval)
		jw_bool(w, v.allow);
	else if (form == FORM_BOOLEAN)
		jw_json(w, s->value);
	else if (form == FORM_CHOICE && picked.len == 1)
		choice_write(w, &picked.at[0]);
	else
		jw_str(w, said_words(o, s));
}

/* "status" where nobody answered, in the words of the tool: timeout, cancelled. */
static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct said s = said_at(o, 0);
	enum value_form form = form_asked(o, &s);
	struct str text, words = outcome_words(o);

	jw_put_text(w, "type", forms[form]);
	jw_key(w, "value");
	value_write(o, &s, form, &text);
	if (text.len || words.len) jw_put_some(w, "text", text.len ? text : words);
	if (words.len) {
		jw_put_text(w, "status",
			o->ask->status == ASK_EXPIRED ? "timeout"
						      : ask_status_name(o->ask->status));
	}
}

/* A question that does not block is known by its id until it is answered. */
static void at_once(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;

	if (o->ask->kind != ASK_NON_BLOCKING) return;
	jw_put_str(w, "questionId", o->ask->id);
	show_time(w, "timeoutAt", o->ask->deadline_ms);
}

const struct dialect dialect_ask_question = {
	.name = "ask_question",
	.to_ask = to_ask,
	.from_ask = from_ask,
	.at_once = at_once,
};
