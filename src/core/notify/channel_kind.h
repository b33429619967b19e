/* channel_kind.h - what the rules know of a channel: its addresses, and how it differs from others. How
 * a message is sent is src/channel's. */
#ifndef CORE_CHANNEL_KIND_H
#define CORE_CHANNEL_KIND_H

#include "core/delivery/delivery.h"

/* Of addresses: */
enum {
	CHANNEL_ADMINS = 1 << 0,  /* only an admin adds one */
	CHANNEL_NAMED = 1 << 1,	  /* it is a name that the operator has set */
	CHANNEL_CODE = 1 << 2,	  /* a code shows whose it is */
	CHANNEL_IDS = 1 << 3,	  /* it is the id of one person, or of a team's room */
	CHANNEL_BROWSER = 1 << 4, /* it comes with a browser's subscription */
	/* It is a URL that the operator must allow, and whoever knows it can send there. */
	CHANNEL_URL = 1 << 5,
	CHANNEL_HOST = 1 << 6, /* no host gets more than its share */
};
/* Of messages: */
enum {
	CHANNEL_FORMATS = 1 << 7,  /* a contact chooses their format */
	CHANNEL_EDITS = 1 << 8,	   /* they are changed where they stand */
	CHANNEL_REPLACES = 1 << 9, /* the end of an ask stands where the ask stood */
	CHANNEL_KEEPS =
		1 << 10, /* they stay: the operator decides whether the end is told */
};

struct channel_address {
	bool (*valid)(struct str, bool of_team); /* NULL: there is nothing to check */
	const char *must, *team_must;		 /* team_must NULL: the same */
};

struct channel_kind {
	const struct channel_address *address;
	int rank; /* from 1, in the order in which people are tried */
	unsigned flags;
};
/* By kind; those that reach nobody have no rank. */
extern const struct channel_kind channel_kinds[DELIVERY_KINDS];

static inline bool channel_is(enum delivery_kind k, unsigned flag)
{
	return channel_kinds[k].flags & flag;
}
/* The i-th that is tried, from 0 to DELIVERY_CHANNELS. */
enum delivery_kind channel_ranked(int i);
/* One addr-spec without comments, quotes or address literals. */
bool mail_address_valid(struct str);

#endif
