/* original_request.h - a request that somebody else's gateway asks about, read as an operation: the call of
 * a tool in its body, or the request itself. Pure. Prefix: original_. */
#ifndef CORE_ORIGINAL_REQUEST_H
#define CORE_ORIGINAL_REQUEST_H

#include "base/arena.h"
#include "base/fault.h"

/* As the gateway sent it on; borrowed, and absent where `at` is NULL. */
struct original_request {
	struct str method, target; /* of the request that asks, behind our own prefix */
	struct str host;
	struct str original_uri, original_method;   /* X-Original-URI, -Method */
	struct str forwarded_uri, forwarded_method; /* X-Forwarded-Uri, -Method */
	struct str forwarded_host, forwarded_proto;
	struct str server;  /* Parley-Server: the body is JSON-RPC for it */
	struct str partial; /* x-envoy-auth-partial-body */
	struct str body;
};

/* The operation as JSON in *out; empty: there is nothing to decide. ERR_DENIED_ANSWER: what is asked is
 * not known for sure, so it is not let through. */
enum err original_read(const struct original_request *, struct arena *, struct str *out,
	struct fault *why);

#endif
