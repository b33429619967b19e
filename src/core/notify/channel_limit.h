/* channel_limit.h - what may be settled from where: page, terminal and API everything, a channel
 * only what its limit allows. Nothing critical and nothing sensitive is settled from a channel, and
 * nothing is answered there but rejected or skipped unless its message shows the whole operation, diff
 * and error. */
#ifndef CORE_CHANNEL_LIMIT_H
#define CORE_CHANNEL_LIMIT_H

#include "core/approval/entitled.h"

struct channel_limit {
	enum risk approve; /* the highest risk that is approved; RISK_NONE: nothing is */
	bool rejects;	   /* reject and skip */
	bool few;	   /* of questions: one, with yes and no or two options */
	bool lasts;	   /* an approval may hold for a while, as the body says */
	size_t room;	   /* bytes of operation, diff and error that its message shows */
	struct str digest; /* ask_short_digest of what was shown there; empty: unknown */
};

/* How much a message shows of operation, diff and error. What a phone shows of a push message is
 * less than what it carries. */
enum {
	CHANNEL_ROOM_MAIL = 16 * 1024,
	CHANNEL_ROOM_SLACK = 7000,
	CHANNEL_ROOM_PUSH = 240
};

/* Of the buttons of a push message. */
extern const struct channel_limit channel_limit_push;
/* Of replies by mail, and of what is pressed in Slack; `approve` as the operator set it. */
struct channel_limit channel_limit_mail(int approve, struct str digest);
struct channel_limit channel_limit_slack(int approve, struct str digest);

/* The first digits of the operation's digest, without its kind; empty: there is none. */
enum { ASK_SHORT_DIGEST = 16 };
struct str ask_short_digest(const struct ask *);
/* An approval without a risk counts as medium. */
enum risk ask_effective_risk(const struct ask *);
/* May anything of it be settled from there? */
bool channel_shows_actions(const struct ask *, const struct ask_parts *);
/* Does a message there show all of operation, diff and error? */
bool channel_shows_whole(
	const struct channel_limit *, const struct ask_parts *, struct arena *);
/* May it be approved from there? */
bool channel_may_approve(const struct channel_limit *, const struct ask *,
	const struct ask_parts *, struct arena *);
/* Is it one question that a button of its own answers: yes and no, or two options? */
bool channel_question_few(const struct ask_parts *);

/* Was what is shown there about this operation? ERR_STALE: it was not. */
enum err channel_fresh(
	const struct channel_limit *, const struct ask *, struct fault *why);
/* ERR_NOT_ENTITLED with the reason `channel`; ERR_STALE: it was about another operation.
 * `answer` is NULL for a skip. */
enum err channel_admit(const struct channel_limit *, const struct ask *,
	const struct ask_parts *, const struct principal *, const struct answer *,
	const struct json *body, struct arena *, struct fault *why);

#endif
