/* channel.h - a way to make deliveries: one const struct each, in a folder of its own, made known by its
 * row in core/delivery/channels.h. The deliverer, the server and `parley doctor` walk their table. */
#ifndef CHANNEL_CHANNEL_H
#define CHANNEL_CHANNEL_H

#include "core/delivery/delivery.h"
#include "core/shared/settings.h"

#include <poll.h>

struct claimed;
struct doctor;
struct notify;
struct receiver;

enum { CHANNEL_FDS = 2 }; /* that one delivery may sleep on */

struct channel {
	/* Is it configured? NULL: it needs nothing. */
	bool (*on)(const struct settings *);
	/* Makes what it keeps, in claimed_state; NULL: nothing. */
	enum err (*open)(struct notify *, enum delivery_kind, struct fault *why);
	/* Beside the deliverer's thread, its own; NULL: it has none. */
	enum err (*run)(struct notify *, struct fault *why);
	void (*end)(struct notify *);

	size_t slots; /* under way at once */
	bool once;    /* what was claimed is never tried again by itself */
	/* Writes a filled one and begins to send it; it is over at once (claimed_over) when that fails. */
	void (*start)(struct claimed *);
	/* Looks after one that was started; returns how many descriptors it sleeps on. NULL:
	 * it is woken by net/outbound alone. */
	size_t (*watch)(struct claimed *, struct pollfd fds[CHANNEL_FDS]);
	/* Ends our part, because we stop. */
	void (*cut)(struct claimed *);
	int64_t patience_ms; /* that it has to end by itself before that */

	const struct receiver
		*receiver; /* of what people answer; NULL: nothing comes back */
	/* Tries out what is set of it; NULL: there is nothing to try. */
	void (*doctor)(const struct settings *, const struct doctor *);
};

/* By kind; NULL: it is worked inside the store. */
extern const struct channel *const channels[DELIVERY_KINDS];
#define CHANNEL_EXTERN(kind, name, ...) extern const struct channel channel_##name;
CHANNELS(CHANNEL_EXTERN)
extern const struct channel channel_resumer, channel_verifier;

/* The names of those that are configured, with commas between; in the arena. */
struct str channels_on(const struct settings *, struct arena *);
/* Of all that have one, up to NULL. */
void channels_receivers(const struct receiver *out[DELIVERY_KINDS + 1]);
void channels_doctor(const struct settings *, const struct doctor *);

#endif
