/* delivery.h - deliveries as whoever makes them sees them: claimed under a lease, made,
 * reported. A lease is a conditional update, so that any number of processes may share a
 * store; one that dies holds nothing longer than its lease. */
#ifndef DESK_DELIVERY_H
#define DESK_DELIVERY_H

#include "desk/desk.h"

enum {
	DELIVERY_LEASE_MS = 60 * 1000,
	WEBHOOK_KEYS = 2,
	WEBHOOK_OVERLAP_MS =
		24 * 3600 * 1000, /* an old key still signs after a rotation */
};

/* A delivery that is ours to make. */
struct errand {
	struct delivery delivery;
	/* webhook: what to send, and the keys to sign it with, the newest first */
	struct str body;
	struct str keys[WEBHOOK_KEYS]; /* empty: none */
	/* resumer */
	struct str context, external_id;
};

/* use_delivery_claim, in task.checked: takes what is due. */
struct claim {
	struct str by;		/* the process that claims */
	int64_t room[2];	/* by delivery_kind: how many it can take on */
	int64_t host_max;	/* webhooks of one host under way at once */
	struct errand *errands; /* found; in the task's arena */
	size_t len;
	int64_t next_ms; /* when there may be more; 0: nothing waits */
};

enum ending {
	ENDED_WELL,
	ENDED_BADLY, /* tried again later, or dead when that was the last time */
	ENDED_DEAD,
	ENDED_GONE,  /* the receiver wants no more: dead, and its session's webhook is off
		      */
	ENDED_EARLY, /* we stopped; whoever comes next tries again at once */
};

struct delivered {
	const struct delivery *delivery;
	struct str by; /* as it was claimed */
	enum ending ending;
	int64_t status; /* HTTP's, or the process's exit status; -1: there was none */
	int signal;	/* that ended the process; 0: none */
	struct str error;
	struct str output;	/* the last of what the process said */
	int64_t retry_after_ms; /* the receiver's wish; 0: none */
	bool taken;		/* found: it was still ours to report */
	bool dead;		/* found: and will not be tried again */
};

/* use_delivery_report, in task.checked. */
struct report {
	struct delivered *outcomes;
	size_t len;
};

extern const struct use use_delivery_claim, use_delivery_report;
/* `id` is the process: its leases run for another while. */
extern const struct use use_delivery_renew;

/* Called on the writing clerk's thread when there is something to deliver. With NULL it
 * is never called again from then on. */
void desk_on_delivery(struct desk *, void (*fn)(void *ctx), void *ctx);

#endif
