/* notify_prefs.h - how a person wants to be told: by which channels, when not, and what is
 * gathered into digests. Times are by the person's own wall clock. */
#ifndef CORE_NOTIFY_PREFS_H
#define CORE_NOTIFY_PREFS_H

#include "base/zone.h"
#include "core/ask/ask.h"
#include "core/delivery/delivery.h"

enum { DIGEST_TIMES_MAX = 12 };

/* Of which sessions a person hears that they ended. */
enum notify_finished { FINISHED_NONE, FINISHED_MINE, FINISHED_ALL };

struct notify_prefs {
	enum delivery_kind order[DELIVERY_CHANNELS]; /* channels, the most wanted first */
	size_t order_len;
	bool title_only; /* content: title */
	bool has_quiet;
	struct str quiet_tz;
	const struct zone *quiet_zone; /* loaded by who uses them */
	int quiet_from, quiet_to; /* minutes after midnight; equal: only the days count */
	unsigned quiet_days;	  /* 1 << weekday, Monday is 1, Sunday 7 */
	bool urgent_passes;
	bool has_digest;
	struct str digest_tz;
	const struct zone *digest_zone;
	int digest_at[DIGEST_TIMES_MAX]; /* rising */
	size_t digest_len;
	enum priority digest_below;
	enum notify_finished finished;
	bool progress; /* sessions tell how far they are */
};

/* What is kept of a person: how they want to be told, and when they were last in sight. */
struct notify_person {
	int64_t ws;
	struct str user;
	struct str prefs;   /* JSON object; empty: never said */
	int64_t present_ms; /* 0: never */
	int64_t version;
};

/* The body of PUT /v1/me/notify. Whether the zones exist is for the caller to see. */
enum err prefs_read(const struct json *body, struct arena *, struct notify_prefs *out,
	struct fault *why);
/* As stored; an empty text is what somebody has who never said. */
enum err prefs_load(
	struct str stored, struct arena *, struct notify_prefs *out, struct fault *why);
void prefs_write(struct json_writer *, const struct notify_prefs *);
/* Loads the zones that they name: ERR_INVALID with an item for each that is unknown. */
enum err prefs_zones(
	struct notify_prefs *, zone_fn *load, struct arena *, struct fault *why);

/* 0: it is not quiet now; else when it ends, the first instant that is not. Never later
 * than nine days from now. */
int64_t prefs_quiet_until(const struct notify_prefs *, int64_t now_ms);
/* The first time of a digest after now. */
int64_t prefs_digest_next(const struct notify_prefs *, int64_t now_ms);
/* The instant until which an ask of this urgency waits; 0: it does not. */
int64_t prefs_hold_quiet(
	const struct notify_prefs *, enum priority, enum risk, int64_t now_ms);
int64_t prefs_hold_digest(const struct notify_prefs *, enum priority, enum risk,
	int64_t deadline_ms, int64_t now_ms);

#endif
