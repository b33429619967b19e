/* slack_in.h - how Slack calls us. */
#ifndef CHANNEL_SLACK_IN_H
#define CHANNEL_SLACK_IN_H

#include "channel/slack/slack_socket.h"
#include "serve/receiver.h"

struct doctor;

enum { TEAM_MAX = 64 };

struct slack_in {
	char team[TEAM_MAX];	     /* the app's own; empty: not known yet */
	struct slack_socket *socket; /* NULL: it calls by HTTP alone */
	int lookups;		     /* under way */
};

extern const struct receiver slack_receiver;
struct slack_in *slack_of(const struct serve *); /* NULL: Slack is not configured */
route_fn slack_lookup;
void slack_doctor(const struct settings *, const struct doctor *);

#endif
