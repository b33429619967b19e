/* grant.c - approvals that can be given in more than one way: once, for the session, for
 * ever. The decision itself stays a plain yes or no; which of the offered answers it
 * takes is a second question, and leaving it open takes the one that reaches least
 * far. */
#include "base/keep.h"
#include "dialect/inner.h"

/* Is there more than a yes and a no to choose from? */
static bool offers_differ(const struct offer *offers, size_t len)
{
	size_t allow = 0, deny = 0, lasts = 0;

	for (size_t i = 0; i < len; i++) {
		allow += offers[i].allows;
		deny += !offers[i].allows;
		lasts += offers[i].allows && offers[i].lasts;
	}
	return allow > 1 || deny > 1 || lasts;
}

static const char *offer_scope(const struct offer *o)
{
	if (!o->allows || !o->lasts) return NULL;
	return o->session ? "session" : "always";
}

/* What lasts becomes a rule of ours when it is chosen; the desk says how far. */
static struct str scopes_of(const struct offer *offers, size_t len, struct arena *arena)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	for (size_t i = 0; i < len; i++)
		if (offer_scope(&offers[i])) {
			jw_name(&w, offers[i].id);
			jw_text(&w, offer_scope(&offers[i]));
		}
	return buf_keep_done(w.out, arena);
}

/* The label is the agent's word; what comes of it is ours to say. */
static struct str offer_description(const struct offer *o)
{
	if (!o->allows || !o->lasts) return STR_NONE;
	return o->session ? STR("Allows the same call for the rest of this session.")
			  : STR("Allows the same call from now on, as a rule.");
}

static void option_question(struct inbound *in, const struct json_place *at,
	const struct offer *offers, size_t len)
{
	struct choices c = { ARENA_ARRAY(in->arena, struct choice, len), len };

	for (size_t i = 0; c.at && i < len; i++)
		c.at[i] = (struct choice){ .id = offers[i].id,
			.label = offers[i].label,
			.description = offer_description(&offers[i]) };
	if (!c.at) return;
	question_put(in, at,
		&(struct asked){
			.key = STR("option"),
			.text = STR("Which of the answers offered?"),
			.type = "choice",
			.choices = c,
			.optional = true,
		});
}

void grant_put(struct inbound *in, const struct json_place *at,
	const struct operation_asked *d, const struct offer *offers, size_t len)
{
	approval_put_question(in, at, d);
	if (offers_differ(offers, len)) option_question(in, at, offers, len);
	in->scopes = scopes_of(offers, len, in->arena);
}

/* The id of what was chosen in the question `option`. */
static struct str option_chosen(const struct foreign_reply *o)
{
	for (size_t i = 0; i < said_count(o); i++) {
		struct said s = said_at(o, i);

		if (str_is(json_text_of(s.question, "key"), "option") && s.selected &&
			s.selected->count)
			return json_text(&s.selected->items[0]);
	}
	return STR_NONE;
}

const struct offer *grant_of(const struct foreign_reply *o, const struct verdict *v,
	const struct offer *offers, size_t len)
{
	struct str chosen = option_chosen(o);
	const struct offer *best = NULL;

	for (size_t i = 0; i < len; i++) {
		if (offers[i].allows != v->allow) continue;
		if (chosen.len && str_eq(offers[i].id, chosen)) return &offers[i];
		if (!best || (best->lasts && !offers[i].lasts)) best = &offers[i];
	}
	/* An offer that lasts is taken only if the person chose it. */
	return best && best->allows && best->lasts ? NULL : best;
}
