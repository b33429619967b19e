/* revision.h - the revisions of MCP, and what a client tells of itself in each.
 *
 * Until 2025-11-25 a client introduces itself once (initialize) and is known by a session
 * id from then on; since 2026-07-28 every request says it all. Neither is kept here: the
 * session id carries what was said (ticket.h). */
#ifndef MCP_REVISION_H
#define MCP_REVISION_H

#include "mcp/rpc.h"

enum revision {
	REV_2025_03_26,
	REV_2025_06_18,
	REV_2025_11_25,
	REV_2026_07_28,
	REVISIONS,
};

/* What a client can do. */
enum ability {
	CAN_FORM = 1,	/* elicitation with a form */
	CAN_URL = 2,	/* elicitation that points at a page */
	CAN_TASKS = 4,	/* the extension io.modelcontextprotocol/tasks */
	CAN_SAMPLE = 8, /* these two matter to the conformance fixtures only */
	CAN_ROOTS = 16,
};

enum { CLIENT_NAME_MAX = 64 };

struct mcp_client {
	enum revision revision;
	unsigned can;
	struct str name; /* as it calls itself, at most CLIENT_NAME_MAX bytes; or empty */
};

/* The headers that repeat what the body says. Empty: absent. */
struct mcp_wire {
	struct str version, method, name;
};

const char *revision_name(enum revision);
bool revision_read(struct str, enum revision *);

/* Does it speak as since 2026-07-28? */
bool revision_is_stateless(const struct rpc *, const struct mcp_wire *);
/* A stateless request: its _meta, then its headers, then its version. */
bool revision_check(const struct rpc *, const struct mcp_wire *, struct arena *,
	struct mcp_client *, struct rpc_fault *why);
/* The params of initialize. An unknown version gets the newest that has sessions. */
void revision_greet(const struct json *params, struct mcp_client *);

extern const char meta_tasks[]; /* the extension's name */
extern const char meta_subscription[];

/* A result in the client's revision: begun with what each must carry, left open. `type`
 * is "complete", "task" or "input_required". */
void result_begin(struct json_writer *, struct str id, enum revision, const char *type);
/* ttlMs and cacheScope, where the revision has them. */
void result_cached(struct json_writer *, enum revision, int64_t ttl_ms, bool shared);
typedef void capabilities_fn(struct json_writer *, enum revision);
capabilities_fn capabilities_write; /* what Parley can do */
/* The members of the results of initialize and server/discover, whoever serves what. */
void greeting_write(struct json_writer *, enum revision, capabilities_fn *);
void revisions_write(struct json_writer *); /* those that are served, as an array */
void discovery_write(
	struct json_writer *, int64_t ttl_ms, bool shared, capabilities_fn *);

#endif
