/* approval.c - operations that are to be approved, and what was decided on them.
 * Prefix: verdict_. */
#include "base/keep.h"
#include "dialect/inner.h"

enum { OPERATION_NAME_MAX = 256 };

void operation_put(
	struct inbound *in, const struct json_place *at, const struct operation_asked *d)
{
	struct json_writer *w = &in->ask;
	struct str name = text_fit(in, at, d->name, OPERATION_NAME_MAX, true);

	if (text_blank(name)) wrong(&in->check, at, "must name what would run");
	JW(w, "'operation':{'type':%s,'name':%?", str_of(d->type ? d->type : "tool"),
		name);
	if (d->arguments) jw_put_json(w, "arguments", d->arguments);
	JW(w, "'risk':%?}", d->risk);
}

struct operation_asked approval_plan(struct inbound *in, const struct json_place *at,
	const struct json *input, struct str text)
{
	struct str plan = json_text_of(input, "plan");
	struct json *with = ARENA_NEW(in->arena, struct json);
	size_t len = json_is(input, JSON_OBJECT) ? input->count : 0;
	struct json_member *room = ARENA_ARRAY(in->arena, struct json_member, len + 1);

	if (text_blank(plan)) plan = text;
	if (text_blank(plan)) wrong(&in->check, at, "must have the text of the plan");
	if (with && room) {
		*with = (struct json){ .type = JSON_OBJECT, .members = room };
		room[with->count++] = (struct json_member){ STR("plan"),
			{ .type = JSON_STRING, .text = plan } };
		for (uint32_t i = 0; i < len; i++)
			if (!str_is(input->members[i].name, "plan"))
				room[with->count++] = input->members[i];
	}
	buf_add(&in->overflow, plan);
	return (struct operation_asked){ .type = "plan",
		.name = STR("plan"),
		.arguments = with,
		.risk = STR("high") };
}

void approval_put_question(
	struct inbound *in, const struct json_place *at, const struct operation_asked *d)
{
	approval_put(in, at, d);
	question_put(in, at,
		&(struct asked){
			.key = STR("decision"),
			.text = arena_print(
				in->arena, "Approve %.*s?", STR_ARGS(d->name)),
			.type = "approval",
		});
}

void approval_put(
	struct inbound *in, const struct json_place *at, const struct operation_asked *d)
{
	in->kind = "approval";
	operation_put(in, at, d);
	if (!text_blank(d->about)) in->context_text = d->about;
}

void put_object(struct json_writer *w, const char *key, const struct json *object)
{
	jw_key(w, key);
	if (json_is(object, JSON_OBJECT))
		jw_json(w, object);
	else
		jw_raw(w, STR("{}"));
}

struct operation_asked operation_of(const struct foreign_reply *o)
{
	const struct json *operation = json_get(o->whole->fixed, "operation");
	struct str name = json_text_of(operation, "name");

	return (struct operation_asked){
		.name = name.len ? name : json_text_of(said_at(o, 0).question, "text"),
		.arguments = json_get(operation, "arguments"),
	};
}

/* ---- verdicts ---- */

struct verdict verdict_said(const struct foreign_reply *o, const struct said *s)
{
	struct verdict v = {
		.allow = o->ask->status == ASK_ANSWERED && o->by != BY_DEFAULT &&
			 str_is(json_text(s->value), "approve"),
		.own = s->text,
	};

	if (v.allow) v.arguments = s->arguments;
	v.words = s->text.len ? s->text : outcome_words(o);
	if (o->by == BY_DEFAULT && !s->text.len)
		v.words = STR("Rejected: no answer before the deadline");
	if (!v.words.len)
		v.words = v.allow ? STR("Approved by the user")
				  : STR("Rejected by the user");
	return v;
}

/* Every approval question must have been approved; the first that was not, or else the
 * first of all, is the verdict. */
struct verdict verdict_of(const struct foreign_reply *o)
{
	struct verdict first = { 0 };
	size_t found = 0;

	for (size_t i = 0; i < said_count(o); i++) {
		struct said s = said_at(o, i);
		struct verdict v;

		if (said_input(&s) != INPUT_DECISION) continue;
		v = verdict_said(o, &s);
		if (!v.allow) return v;
		if (!found++) first = v;
	}
	/* An ask that was no approval allows nothing, whatever it was answered. */
	return found ? first : verdict_said(o, &(struct said){ 0 });
}

struct verdict verdict_plain(const struct foreign_reply *o, struct verdict v)
{
	struct buf b = { 0 };

	if (!v.arguments) return v;
	buf_add_text(&b, "Approved only with other arguments: ");
	json_write(&b, v.arguments);
	if (v.own.len) buf_print(&b, " (%.*s)", STR_ARGS(v.own));
	v.words = v.own = buf_keep_done(&b, o->arena);
	v.allow = false;
	v.arguments = NULL;
	return v;
}

struct verdict verdict_unedited(const struct foreign_reply *o)
{
	return verdict_plain(o, verdict_of(o));
}
