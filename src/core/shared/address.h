/* address.h - web addresses and network addresses: which are internal, and which of those
 * the operator lets webhooks reach. Prefixes: url_, reach_. */
#ifndef CORE_ADDRESS_H
#define CORE_ADDRESS_H

#include "base/arena.h"

struct url {
	bool https;
	struct str host; /* without the brackets of an IPv6 address */
};

/* http or https, a host of letters, digits, '.', '-' and '_' or an address, perhaps a
 * port: nothing that two readers of it could take for different hosts. No user name. */
bool url_split(struct str, struct url *out);
/* Its host in small letters, to tell hosts apart by; empty: it is no URL. */
struct str url_host(struct str, struct arena *);

/* IPv6; an IPv4 address is the one that is mapped to it (::ffff:a.b.c.d). */
struct address {
	uint8_t bytes[16];
};

bool address_read(struct str, struct address *out); /* "10.0.0.1", "fd00::1" */
/* Not of the public internet: loopback, private, link-local (the metadata services of
 * clouds among them), shared, documentation, multicast, reserved; also when it is an IPv4
 * address in one of the wrappings that IPv6 has for them. */
bool address_internal(const struct address *);
bool address_loopback(const struct address *);

/* What of the internal network webhooks may reach: "yes", "no" or a list with commas of
 * hosts, addresses and networks ("10.0.0.0/8"). */
bool reach_valid(struct str reach);
/* May something be sent to this host that was found at this address? Without TLS only
 * where `reach` says so. */
bool reach_allows(struct str reach, const struct url *, const struct address *);
/* The same before the name is looked up: false when no address would do. */
bool reach_may_allow(struct str reach, const struct url *);
/* The same for providers of models: loopback needs no TLS and no permission. */
bool model_reach_allows(struct str reach, const struct url *, const struct address *);
bool model_reach_may_allow(struct str reach, const struct url *);

#endif
