/* channel_limit.c - what may be settled from a channel. */
#include "core/notify/channel_limit.h"

#include "core/ask/ask.h"
#include "core/ask/question_kind.h"

const struct channel_limit channel_limit_push = {
	.approve = RISK_LOW, .few = true, .room = CHANNEL_ROOM_PUSH
};

struct channel_limit channel_limit_mail(int approve, struct str digest)
{
	return (struct channel_limit){ .approve = (enum risk)approve,
		.rejects = true,
		.room = CHANNEL_ROOM_MAIL,
		.digest = digest };
}

struct channel_limit channel_limit_slack(int approve, struct str digest)
{
	return (struct channel_limit){ .approve = (enum risk)approve,
		.rejects = true,
		.lasts = true,
		.room = CHANNEL_ROOM_SLACK,
		.digest = digest };
}

enum risk ask_effective_risk(const struct ask *a)
{
	return a->risk == RISK_NONE && a->kind == ASK_APPROVAL ? RISK_MEDIUM : a->risk;
}

struct str ask_short_digest(const struct ask *a)
{
	int colon = str_find(a->digest, STR(":"));

	return str_first(str_from(a->digest, (size_t)(colon + 1)), ASK_SHORT_DIGEST);
}

bool channel_shows_actions(const struct ask *a, const struct ask_parts *p)
{
	return !p->sensitive && a->risk != RISK_CRITICAL;
}

bool channel_shows_whole(
	const struct channel_limit *l, const struct ask_parts *p, struct arena *arena)
{
	struct ask_detail d;

	return ask_detail_draw(p, arena, &d) && d.len <= l->room;
}

bool channel_may_approve(const struct channel_limit *l, const struct ask *a,
	const struct ask_parts *p, struct arena *arena)
{
	return channel_shows_actions(a, p) && ask_effective_risk(a) <= l->approve &&
	       channel_shows_whole(l, p, arena);
}

bool channel_question_few(const struct ask_parts *p)
{
	const struct question *q = p->questions;

	if (p->questions_len != 1 || q->note_required) return false;
	return question_kind(q)->input == INPUT_YES_NO ||
	       (question_kind(q)->input == INPUT_ONE && q->options_len == 2 && !q->other);
}

static bool asks_approval(const struct ask_parts *p)
{
	for (size_t i = 0; i < p->questions_len; i++)
		if (question_decides(&p->questions[i])) return true;
	return false;
}

static bool limit_allows(const struct channel_limit *l, const struct ask *a,
	const struct ask_parts *p, const struct answer *answer, const struct json *body,
	struct arena *arena)
{
	const struct json *scope = json_get(body, "scope");

	if (!channel_shows_actions(a, p)) return false;
	if (!answer) return l->rejects;
	if (answer->arguments || (scope && scope->type != JSON_NULL && !l->lasts))
		return false;
	if (!asks_approval(p))
		return (!l->few || channel_question_few(p)) &&
		       channel_shows_whole(l, p, arena);
	return answer->decision == DECISION_APPROVE ? channel_may_approve(l, a, p, arena)
						    : l->rejects;
}

enum err channel_fresh(
	const struct channel_limit *l, const struct ask *a, struct fault *why)
{
	/* A press without a digest is as stale as one with another. */
	return !a->digest.len || str_eq(ask_short_digest(a), l->digest)
		       ? OK
		       : fail(why, ERR_STALE, "this message is about another operation");
}

enum err channel_admit(const struct channel_limit *l, const struct ask *a,
	const struct ask_parts *p, const struct principal *who,
	const struct answer *answer, const struct json *body, struct arena *arena,
	struct fault *why)
{
	return limit_allows(l, a, p, answer, body, arena)
		       ? channel_fresh(l, a, why)
		       : refused(REFUSED_CHANNEL, a, who, why);
}
