/* delivery.h - what is sent, or set going, for an ask or a person: its record, its retries,
 * its signature.
 *
 * A delivery of an agent's goes where its session wants it (on_settled). One of a person's goes
 * to a contact, by the contact's channel. A route row is a step of an ask's route that is due:
 * it is worked inside the store, and stages the deliveries of the step. */
#ifndef CORE_DELIVERY_H
#define CORE_DELIVERY_H

#include "base/json.h"
#include "core/delivery/channels.h"
#include "core/delivery/lease.h"

#define DELIVERY_ROW(kind, ...) DELIVERY_##kind,
#define DELIVERY_ONE(...)	+1
enum delivery_kind {
	CHANNELS(DELIVERY_ROW) DELIVERY_RESUMER,
	DELIVERY_VERIFIER,
	DELIVERY_ROUTE,
	DELIVERY_KINDS
};
/* The kinds that people are reached by: their contacts have one each. */
enum { DELIVERY_CHANNELS = CHANNELS(DELIVERY_ONE) };
/* The kinds that reach people, by name; NULL: it is none. */
extern const char *const channel_names[DELIVERY_KINDS];
bool delivery_kind_is_channel(enum delivery_kind);
/* What it tells of. */
enum delivery_purpose {
	DELIVERY_SETTLED,
	DELIVERY_REPLIED, /* a person asked back */
	DELIVERY_LATE, /* a person answered when the agent had gone on, or nobody waited */
	DELIVERY_VERIFY, /* it was asked, and a rule wants a verifier to look at it */
	DELIVERY_ASK,
	DELIVERY_REMINDER, /* to a contact that has the ask already */
	DELIVERY_THREAD,   /* the agent replied */
	DELIVERY_VOTED, /* somebody approved it, or took that back, and more are needed */
	DELIVERY_DIGEST,  /* what is open, at the times a person set */
	DELIVERY_SUMMARY, /* how many more wait, where there were too many */
	DELIVERY_CODE,	  /* that shows whose address it is */
	DELIVERY_ALERT,
	DELIVERY_TEST,
	DELIVERY_ENDED,	   /* a run has: to where its agent, session or message says */
	DELIVERY_FINISHED, /* a session has ended: to people */
	DELIVERY_PROGRESS, /* how far a session is; likewise */
	DELIVERY_PURPOSES
};
/* The step of mails that answer a reply. */
enum { DELIVERY_NOTICE_STEP = -2 };
/* dropped: it was not begun, because there was nothing to tell any more. */
enum delivery_status { DELIVERY_WAITING, DELIVERY_DONE, DELIVERY_DEAD, DELIVERY_DROPPED };

/* Strings are borrowed. */
struct delivery {
	int64_t ws;
	struct str id;
	struct str session;
	/* That it is about, or the alert: once for each kind, contact, step, purpose and round.
	 * Empty: a code, a test, a digest or a summary. */
	struct str ask;
	enum delivery_kind kind;
	struct str target; /* a URL, or the name of a resumer, a verifier or a contact */
	enum delivery_status status;
	int64_t attempts;      /* begun */
	int64_t next_ms;       /* not to be tried before */
	struct lease lease;    /* who is at it */
	struct str last_error; /* empty: none */
	int64_t last_status;   /* of the last reply or process; -1: there was none */
	int64_t created_ms;
	int64_t done_ms; /* done or dead since */
	struct str host; /* of a webhook: whom it goes to */
	int64_t version;
	struct str agent; /* whose session it is */
	struct str owner; /* workspace and agent: whose share of the slots it takes */
	enum delivery_purpose purpose;
	int64_t round;	    /* which time, of what can happen again */
	struct str user;    /* who is told; empty: an agent, or a team */
	struct str contact; /* that it goes to; empty: where the session wants it */
	int64_t step;	    /* of the route, from 0 */
	/* The digest or summary that stands for it: it is not sent by itself. */
	struct str carrier;
	struct str detail; /* JSON of what only the channel needs; or empty */
};

const char *delivery_kind_name(enum delivery_kind);
bool delivery_kind_read(struct str, enum delivery_kind *);
const char *delivery_status_name(enum delivery_status);
bool delivery_status_read(struct str, enum delivery_status *);
const char *delivery_purpose_name(enum delivery_purpose);
bool delivery_purpose_read(struct str, enum delivery_purpose *);
void delivery_write(struct json_writer *, const struct delivery *);

/* How long to wait after this many attempts that failed; -1: it is dead. Doubled chance:
 * `random` spreads those that failed together. */
int64_t delivery_pause_ms(enum delivery_kind, int64_t attempts, uint64_t random);
/* The same for what goes to people: minutes, and mail hours. After DELIVERY_SOON attempts nobody
 * counts on it any more. */
enum { DELIVERY_SOON = 4 };
int64_t delivery_person_pause_ms(enum delivery_kind, int64_t attempts);
bool delivery_of_alert(const struct delivery *);
/* Does a contact that got this have the ask in sight, so that its end must be told? */
bool delivery_shows_ask(const struct delivery *);

/* Standard Webhooks: "v1," and the HMAC-SHA256 of "id.timestamp.body" in base 64; with a
 * blank before it when something stands in `out`. `key` is the secret's bytes. */
void webhook_sign(struct buf *out, struct str key, struct str id, int64_t timestamp_s,
	struct str body);
/* "whsec_" and the key in base 64: how people and libraries know it. */
struct str webhook_secret(struct str key, struct arena *);

#endif
