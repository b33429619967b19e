/* approval.c - operations that are to be approved, and what was decided on them. */
#include "dialect/inner.h"

enum { OPERATION_NAME_MAX = 256 };

void operation_put(struct inbound *in, const struct spot *at, const struct deed_asked *d)
{
	struct json_writer *w = &in->ask;

	if (text_blank(d->name)) wrong(&in->check, at, "must name what would run");
	jw_key(w, "operation");
	jw_object(w);
	jw_key(w, "type");
	jw_text(w, d->type ? d->type : "tool");
	put_text(w, "name", text_fit(in, at, d->name, OPERATION_NAME_MAX, true));
	if (d->arguments) {
		jw_key(w, "arguments");
		jw_json(w, d->arguments);
	}
	put_text(w, "risk", d->risk);
	jw_object_end(w);
}

void approval_put(struct inbound *in, const struct spot *at, const struct deed_asked *d)
{
	ask_open(in, "approval");
	operation_put(in, at, d);
	if (!text_blank(d->about)) in->context_text = d->about;
	ask_close(in);
}

/* Every approval question must have been approved. */
static bool approved(const struct outbound *o)
{
	size_t found = 0;

	if (o->status != ASK_ANSWERED || o->by == BY_DEFAULT) return false;
	for (size_t i = 0; i < said_count(o); i++) {
		struct said s = said_at(o, i);

		if (!str_is(member_text(s.question, "type"), "approval")) continue;
		if (!str_is(json_text(s.value), "approve")) return false;
		found++;
	}
	return found > 0;
}

/* The first that was said beside a decision. */
static struct said said_decision(const struct outbound *o)
{
	struct said s = { 0 };

	for (size_t i = 0; i < said_count(o); i++) {
		s = said_at(o, i);
		if (str_is(member_text(s.question, "type"), "approval")) break;
	}
	return s;
}

struct verdict verdict_of(const struct outbound *o)
{
	struct said s = said_decision(o);
	struct verdict v = { .allow = approved(o), .own = s.text };

	if (v.allow) v.arguments = s.arguments;
	v.words = s.text.len ? s.text : outcome_words(o);
	if (o->by == BY_DEFAULT && !s.text.len)
		v.words = STR("Rejected: no answer before the deadline");
	if (!v.words.len)
		v.words = v.allow ? STR("Approved by the user")
				  : STR("Rejected by the user");
	return v;
}

struct verdict verdict_unedited(const struct outbound *o)
{
	struct verdict v = verdict_of(o);
	struct buf b = { 0 };

	if (!v.arguments) return v;
	buf_add_text(&b, "Approved only with other arguments: ");
	json_write(&b, v.arguments);
	if (v.own.len) buf_print(&b, " (%.*s)", STR_ARGS(v.own));
	return (struct verdict){
		.words = buf_keep_done(&b, o->arena),
		.own = v.own,
	};
}
