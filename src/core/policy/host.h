/* host.h - the host of an address, and patterns of hosts: `example.com` is that one,
 * `*.example.com` those below it. */
#ifndef CORE_HOST_H
#define CORE_HOST_H

#include "base/arena.h"

/* In small letters; STR_NONE: there is none, or two readers may take it for different
 * ones: a user name, a backslash, letters that are not ASCII, a number in disguise. */
struct str host_of(struct str url, struct arena *);
bool host_pattern_valid(struct str pattern); /* in small letters */
bool host_fits(struct str pattern, struct str host);

#endif
