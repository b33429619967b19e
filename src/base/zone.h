/* zone.h - the rules of a time zone, read from the system's tz database (RFC 9636). */
#ifndef BASE_ZONE_H
#define BASE_ZONE_H

#include "base/arena.h"
#include "base/fault.h"

struct zone;

enum { ZONE_NAME_MAX = 64 };
#define ZONE_NO_CHANGE INT64_MAX

/* "Europe/Paris", from $TZDIR or /usr/share/zoneinfo. ERR_INVALID: there is no such zone, or
 * its file cannot be used. Lives in the arena. */
enum err zone_load(
	struct str name, struct arena *, const struct zone **out, struct fault *why);
typedef enum err zone_fn(
	struct str, struct arena *, const struct zone **, struct fault *);
/* The same from the bytes of such a file, which are not kept. */
enum err zone_read(
	struct str bytes, struct arena *, const struct zone **out, struct fault *why);
/* Seconds east of UTC at this instant, in seconds since 1970. */
int64_t zone_offset_s(const struct zone *, int64_t at_s);
/* The first instant after this one at which the file names another period; its offset may be
 * the same. ZONE_NO_CHANGE: none. */
int64_t zone_next_change_s(const struct zone *, int64_t at_s);

#endif
