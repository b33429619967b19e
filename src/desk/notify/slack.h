/* slack.h - who in Slack is who here, and which ask a message there shows. */
#ifndef DESK_SLACK_H
#define DESK_SLACK_H

#include "desk/desk.h"

/* use_slack_find, in task.checked. Found texts are in the task's arena. */
struct slack_find {
	struct str slack_id; /* who pressed or wrote */
	struct str ask;	     /* the one a button names, or */
	/* The message in whose thread it was written, as a delivery keeps it. */
	struct str shown_at;
	/* Found: the person who holds that id, verified. */
	bool linked;
	int64_t ws;
	struct str person, language;
	bool ours; /* found: a message of ours began that thread */
	/* Found: the ask, in that person's workspace. */
	bool there;
	struct ask found;
	struct ask_parts parts;
};
extern const struct use use_slack_find;

#endif
