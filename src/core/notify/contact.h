/* contact.h - where somebody is reached: an address and the channel that goes there. */
#ifndef CORE_CONTACT_H
#define CORE_CONTACT_H

#include "base/webpush.h"
#include "core/notify/channel_kind.h"
#include "core/shared/body.h"
#include "core/shared/digest.h"
#include "core/shared/settings.h"

enum {
	CONTACTS_MAX = 20, /* of one person or team */
	CONTACT_NAME_MAX = 100,
	CONTACT_ADDRESS_MAX = 2000,
	CONTACT_CODE_LEN = 8,
	CONTACT_CODE_MS = 15 * 60 * 1000,
	CONTACT_CODE_TRIES = 5,
	CONTACT_CODES_HOUR = 3,
};

/* How a webhook says it. */
enum contact_format { FORMAT_PARLEY, FORMAT_SLACK, FORMAT_TEAMS, FORMAT_NTFY };

/* A browser that takes push messages: its address at a push service, and the keys that only it can read
 * with. Strings are borrowed from the body; keys are base64url. */
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

/* Strings are borrowed. Empty means null. */
struct contact {
	int64_t ws;
	struct str id;
	struct str user; /* whose; or */
	struct str team;
	enum delivery_kind channel;
	struct str address;
	struct str format; /* of a webhook; else empty */
	struct str name;
	bool verified, muted;
	bool tested;	   /* a code came back from it, or a message was taken there */
	int64_t broken_ms; /* 0: it works as far as we know */
	struct str broken; /* why not */
	int64_t created_ms;
	int64_t last_used_ms; /* when something was last meant for it; 0: never */
	struct str detail;    /* JSON: what its channel needs; or empty */
	/* The code that was sent: its hash, when, and how often a wrong one was typed. */
	struct str code;
	int64_t code_ms, code_tries;
	int64_t version;
};

/* Does it work, as far as we know? */
bool contact_usable(const struct contact *);
/* May something be sent there? What is broken is the last resort: a success mends it. */
bool contact_open(const struct contact *);
/* Whose it is, where it leads, for which keys, and whether that was verified: what its events
 * tell of. */
void contact_digest(const struct contact *, char out[SHORT_DIGEST_SIZE]);
/* The same without the keys: what events told of once. */
void contact_digest_before(const struct contact *, char out[SHORT_DIGEST_SIZE]);
enum contact_format contact_format(const struct contact *);
/* May this be the address of a contact of that channel? ERR_INVALID with an item. */
struct contact_body {
	enum delivery_kind channel;
	struct str address, format, name;
	struct subscription subscription; /* of push; its endpoint is the address */
};
enum err contact_body_read(
	const struct json *, bool of_team, struct contact_body *out, struct fault *why);
/* {"name"?, "muted"?}. */
struct contact_patch {
	bool has_name, has_muted, muted;
	struct str name;
};
enum err contact_patch_read(
	const struct json *, struct contact_patch *out, struct fault *why);
/* An account elsewhere that is looked up by an e-mail address. */
struct contact_lookup {
	enum delivery_kind channel;
	struct str email; /* empty: one that is known of the person */
};
enum err contact_lookup_read(const struct json *, struct contact_lookup *out,
	struct arena *, struct fault *why);
/* `whole`: to an admin; to others a webhook is its host alone. Push is that to everybody. */
void contact_write(
	struct json_writer *, const struct contact *, bool whole, struct arena *);
/* What a list of deliveries calls it. */
struct str contact_target(const struct contact *);

#endif
