/* subscription.h - a browser that takes push messages: the address at its push service, and the keys
 * that only it can read with. */
#ifndef CORE_SUBSCRIPTION_H
#define CORE_SUBSCRIPTION_H

#include "base/webpush.h"
#include "core/shared/body.h"
#include "core/shared/settings.h"

/* Strings are borrowed from the body; keys are base64url. */
struct subscription {
	struct str endpoint, p256dh, auth;
};

/* The browser's own object, {"endpoint", "expirationTime", "keys": {"p256dh", "auth"}}; members that
 * we do not know are the browser's business. */
void subscription_read(struct check *, const struct json_place *parent,
	const struct json *, struct subscription *out);
/* {"p256dh", "auth"}: what a contact keeps beside the address. */
struct str subscription_detail(const struct subscription *, struct arena *);
/* The browser's half of the keys; false: they are spoilt. */
bool subscription_keys(struct str detail, struct arena *, struct webpush_keys *out);

/* Who we are to push services (mailto: or https:); empty: push is off. */
struct str subscription_subject(const struct settings *);

#endif
