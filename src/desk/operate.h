/* operate.h - what a server does by itself, a step at a time: it says that it lives, keeps what it
 * counted, and looks for alerts. */
#ifndef DESK_OPERATE_H
#define DESK_OPERATE_H

#include "desk/delivery.h"

enum {
	NODE_BEAT_MS = 10 * 1000,
	NODE_GONE_MS = 60 * 1000,
	ALERT_LOOK_MS = 60 * 1000,
};

struct told_ends;

/* Of this process. Texts are borrowed. */
struct node_beat {
	struct str name; /* the same after a restart */
	struct str by;	 /* this process alone */
	int64_t started_ms;
	bool bye;		    /* it ends: its row goes */
	struct told_ends *ends;	    /* found */
	struct notify_notes *notes; /* what was raised gets one */
	/* Found: alerts are to be looked for, by this process; else when to ask again. */
	bool look;
	int64_t look_in_ms;
};
/* Waits; on a thread that is no clerk's and no loop's. */
enum err operate_beat(struct desk *, struct node_beat *, struct fault *why);
/* After a beat that said so; `by` is the same. What was raised gets a note. */
enum err operate_look(
	struct desk *, struct str by, struct notify_notes *, struct fault *why);

/* An ask was refused with this error, or made it through (OK); ws 0: nobody knows whose. */
void tally_ask(struct desk *, int64_t ws, enum err);
void tally_use_refused(struct desk *, int64_t ws); /* of an approval */
void tally_model(struct desk *, int64_t ws, struct str provider, bool ok);

#endif
