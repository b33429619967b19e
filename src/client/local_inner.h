/* local_inner.h - a server on a gateway's own side, as its files share it: between client and server (local.c), its tools
 * (local_tools.c), and calls that were held (local_run.c). Private to them. Prefixes: local_, own_, run_, tools_. */
#ifndef CLIENT_LOCAL_INNER_H
#define CLIENT_LOCAL_INNER_H

#include "client/bridge_inner.h"
#include "mcp/lines.h"
#include "mcp/remote.h"
#include "net/process.h"

enum {
	LOCAL_BYTES = 2 * MCP_LIST_BYTES, /* of a message to the desk */
	LOCAL_ALIVE_MS = 8 * 1000, /* how often it is told that we run what we began */
};

/* A call that the desk holds and that we are to run. */
struct local_run {
	LIST_ENTRY(local_run) others;
	struct local_server *local;
	enum { RUN_WAITS, RUN_STARTS, RUN_RUNS, RUN_ENDS } state;
	bool task; /* it runs even if nobody waits */
	char call[48], ask[48];
	struct buf message; /* the client's */
	char id[64];	    /* at the server, as JSON */
};

struct local_server {
	struct bridge *bridge;
	struct process process;
	bool started, ended;
	char error[400];
	int epoll;
	bool listens, files; /* to the client; which is no file that can be watched */
	struct mcp_lines lines;
	size_t said; /* bytes of its stderr that were passed on */
	struct buf sends;
	size_t owed; /* replies */
	char owner[64];
	int64_t next_id, alive_ms;
	LIST_HEAD(, local_run) runs;
	/* Its tools. */
	enum { TOOLS_UNREAD, TOOLS_READING, TOOLS_TELLING, TOOLS_KNOWN } tools;
	bool told;  /* the desk has them */
	bool away;  /* it is not found, and calls wait for it */
	bool stale; /* they are others by now */
	int64_t read_ms, began_ms;
	int pages;
	size_t count;
	bool truncated;
	char list_id[64];
	struct buf meta;  /* `_meta` that the client sends, since 2026-07-28; or empty */
	struct buf all;	  /* as the server says them: an array */
	struct buf known; /* those that may be called */
	struct json_writer all_w;
	/* The client's initialize or server/discover, until the server has answered it; what was agreed. */
	struct buf greeting, greeting_id, revision;
};

/* A message to the server; a fresh id of ours for one, as JSON. */
void local_send(struct local_server *, struct str message);
void local_id(struct local_server *, char out[64]);
/* A request of ours to the desk: any, or parley/METHOD with what is known of the run. */
struct bridge_call *own_start(struct local_server *, enum bridge_own, struct str path,
	struct str body, struct local_run *);
void own_ask(struct local_server *, enum bridge_own, const char *method,
	struct local_run *, struct str more);

/* Is the list of tools to be read, or told to the desk? */
bool tools_due(const struct local_server *);
void tools_read(struct local_server *);
void tools_tell(struct local_server *, const char *wrong); /* NULL: they were read */
/* A client's request waits until they are known; then it is answered, or goes to the desk. */
void tools_first(struct local_server *, const struct json *message);
void tools_page(struct local_server *, const struct json *reply);
/* The desk has them; it is not there: true: it is told again. */
void tools_known(struct local_server *, const struct api_reply *);
bool tools_away(struct local_server *);

/* The desk holds this call. */
void run_held(struct bridge_call *, struct str id, struct str ask);
void run_replied(struct local_run *, const struct json *reply);
/* How it ended: `done` with the result, or another word with a text. */
void run_end(struct local_run *, const char *how, const struct json *result, struct str);
/* A request about it has its reply. */
void run_went_on(struct local_run *, enum bridge_own, const struct api_reply *);
void run_free(struct local_run *);

#endif
