/* delivery.h - deliveries as whoever makes them sees them: claimed under a lease, filled, made,
 * reported. Any number of processes may share a store: a delivery has one holder at a time, and
 * one that dies holds nothing longer than its lease. */
#ifndef DESK_DELIVERY_H
#define DESK_DELIVERY_H

#include "core/notify/alert.h"
#include "core/notify/contact.h"
#include "core/session/session.h"
#include "desk/desk.h"

enum {
	DELIVERY_LEASE_MS = 60 * 1000,
	WEBHOOK_KEYS = 2,
	WEBHOOK_OVERLAP_MS =
		24 * 3600 * 1000, /* an old key still signs after a rotation */
};

/* Lines for the log: steps that reached nobody, channels that stop working. */
enum { TELLING_NOTES = 8, TELLING_NOTE_SIZE = 400 };
struct notify_notes {
	size_t len; /* may be more than are kept */
	char lines[TELLING_NOTES][TELLING_NOTE_SIZE];
};

/* use_delivery_claim, in task.checked: takes what is due. */
struct delivery_claim {
	struct str by; /* the process that claims */
	/* By kind: how many more it could have under way, and how many it takes now. */
	struct {
		int64_t free, take;
	} room[DELIVERY_KINDS];
	int64_t host_max; /* webhooks to one host under way at once */
	bool lost;	  /* look for what others began and never reported, too */
	bool alone;	  /* take one and no more: the store refused several */
	struct delivery *deliveries; /* found; in the task's arena */
	size_t len;
	int64_t steps;	 /* of routes that were worked, inside the store */
	int64_t held;	 /* messages that were not begun: in a summary, or for nothing */
	int64_t next_ms; /* when there may be more; 0: nothing waits */
	struct notify_notes notes;
	/* Which one was taken alone, also when the commit failed; empty: none was due. */
	int64_t alone_ws;
	struct str alone_id;
};

/* use_delivery_bury, in task.checked: marks a delivery dead whose claim the store refuses, so
 * that it blocks no other and a person can look at it. */
struct delivery_burial {
	int64_t ws;
	struct str id;
	struct str error;
	bool dead; /* found: it was waiting, and is dead now */
};

/* use_delivery_fill, in task.checked: what a claimed delivery brings. It is read outside of any
 * write, and one that cannot be filled (job.err) concerns no other. Found texts are in the
 * task's arena. */
struct delivery_fill {
	const struct delivery *delivery;
	struct str by; /* as it was claimed */
	/* webhook: what to send, and the keys to sign it with, the newest first; push: ours */
	struct str body;
	struct str keys[WEBHOOK_KEYS]; /* empty: none */
	/* resumer */
	struct str context, external_id;
	struct str trace; /* of its ask, run or session; or empty */
	/* what goes to a person */
	struct contact contact;
	struct ask ask;	     /* its id is empty: it is about none */
	struct alert alert;  /* likewise */
	struct session of;   /* the session that it is about; likewise */
	struct str shown_at; /* Slack: the message that shows the ask, JSON; or empty */
	struct ask_parts parts;
	struct str session_title, workspace, user_name;
	struct str language;  /* of the person; empty: the server's */
	struct str zone_name; /* whose clock the person goes by; empty: UTC */
	const struct zone *zone;
	bool title_only;     /* and nothing of the ask but that */
	struct ask *carried; /* open asks that a digest or summary stands for */
	struct ask_parts *carried_parts;
	size_t carried_len;
	bool nothing; /* there is nothing to tell any more */
	bool settled; /* the ask was settled meanwhile: its message is not begun */
	bool lost;    /* another has it, or may soon: it is not begun */
	int64_t now_ms;
};
/* Its agent wants its words kept off everything but page, terminal and API. */
bool fill_is_hidden(const struct delivery_fill *);

enum delivery_ending {
	ENDED_WELL,
	ENDED_BADLY, /* tried again later, or dead when that was the last time */
	ENDED_DEAD,
	ENDED_GONE, /* the receiver wants no more: dead, and its session's webhook is off */
	ENDED_EARLY,   /* we stopped; whoever comes next tries again at once */
	ENDED_NOTHING, /* there was nothing to tell: dropped */
	ENDED_UNMADE,  /* it was never begun: as if it had not been claimed */
};

struct delivery_outcome {
	const struct delivery *delivery;
	struct str by; /* as it was claimed */
	enum delivery_ending ending;
	int64_t status; /* HTTP's, or the process's exit status; -1: there was none */
	int signal;	/* that ended the process; 0: none */
	struct str error;
	struct str output;	/* the last of what the process said */
	struct str trace;	/* that it is part of, for the log; or empty */
	int64_t retry_after_ms; /* the receiver's wish; 0: none */
	bool down;		/* the channel itself does not work, whoever it is for */
	bool ours;		/* found: it was still ours to report */
	bool dead;		/* found: and will not be tried again */
	int64_t next_ms;	/* found: when it is tried again; 0: never */
};

/* use_delivery_report, in task.checked. */
struct delivery_report {
	struct delivery_outcome *outcomes;
	size_t len;
	struct notify_notes notes; /* found */
};

/* use_delivery_renew, in task.checked: these leases run for another while. */
struct delivery_renewal {
	struct str by;
	const struct delivery *const *deliveries;
	bool *lost; /* found: it is not ours any more, its session was deleted, say */
	size_t len;
};

/* Open approvals of a workspace that require more people than there are. */
enum { UNMET_MAX = 64 };
struct unmet_asks {
	char ids[UNMET_MAX][ID_SIZE];
	size_t len;
};
enum err unmet_find(struct rows *, int64_t ws, struct unmet_asks *out, struct fault *);

/* use_delivery_due, in task.checked: a struct lease_due. */
extern const struct use use_delivery_claim, use_delivery_due, use_delivery_fill,
	use_delivery_report, use_delivery_renew, use_delivery_bury;

/* How a message to a person ended, once that is committed; for metrics. */
void notify_count(struct desk *, const struct delivery_outcome *);

/* Called on the writing clerk's thread when there is something to deliver. With NULL it
 * is never called again from then on. */
void delivery_listen(struct desk *, void (*fn)(void *ctx, int64_t at_ms), void *ctx);

#endif
