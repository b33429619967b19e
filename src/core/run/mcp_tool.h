/* mcp_tool.h - the tools of an MCP server as they are kept: each pinned by the digest of what the server says of
 * it, with who accepted that. What a server says later is off until a person accepts it. Pure.
 * Prefixes: mcp_tool_, mcp_pins_, mcp_call_. */
#ifndef CORE_MCP_TOOL_H
#define CORE_MCP_TOOL_H

#include "core/policy/operation.h"
#include "core/run/tool_call.h"
#include "core/shared/body.h"

enum {
	MCP_TOOLS_MAX = 1000,
	MCP_PAGES_MAX = 100,
	MCP_LIST_BYTES = 8 * 1024 * 1024,
	MCP_LIST_MEMORY = 256 * 1024 * 1024, /* to read that in */
	MCP_LIST_MS = 30 * 1000,
	MCP_LIST_AGAIN_MS = 60 * 60 * 1000, /* while it is in use */
	MCP_SCHEMA_DEPTH = 64,
	MCP_TOOL_NAME_MAX = 128,
	MCP_MODEL_NAME_MAX = 64, /* what models may be told */
};

/* For lists and what is kept of them: schemas of MCP_SCHEMA_DEPTH in a message. */
extern const struct json_limits mcp_list_limits;

enum mcp_tool_state { MCP_ACCEPTED, MCP_NEW, MCP_CHANGED };

/* One tool of a kept list. Texts and JSON are borrowed. */
struct mcp_tool {
	struct str name;
	const struct json *tool; /* as the server says it */
	struct str digest;	 /* sha256:… of that */
	bool hidden;	/* it has characters that nobody sees; never accepted by itself */
	bool gone;	/* accepted once, and not in the last list */
	struct str why; /* why it cannot be used at all; or empty */
	const struct json *accepted; /* {"at", "by", "digest"}; or NULL */
	const struct json *before;   /* what was accepted, of one that changed; or NULL */
	bool off;		     /* a person turned it off */
	enum risk risk_said;	     /* when it was accepted */
};

struct mcp_pins {
	struct mcp_tool *items;
	size_t len;
};

/* A list that was read. */
struct mcp_listed {
	const struct json *const *tools; /* as they came, in their order */
	size_t len;
	bool first;    /* there was none before: what is fit for it is accepted */
	struct str by; /* JSON: who accepts the first list; empty: null */
	int64_t now_ms;
};

/* What a list changed. */
struct mcp_news {
	int64_t added, changed, gone;
};

/* Empty text: no tools. False: it is damaged. */
bool mcp_pins_read(struct str kept, struct arena *, struct mcp_pins *out);
struct str mcp_pins_write(const struct mcp_pins *, struct arena *);
/* What is kept after this list. False: out of memory. */
bool mcp_pins_renew(const struct mcp_pins *before, const struct mcp_listed *,
	struct arena *, struct mcp_pins *out, struct mcp_news *news);
struct mcp_tool *mcp_pins_find(const struct mcp_pins *, struct str name); /* or NULL */
/* {"tools": [{"name", "digest", "risk"?, "enabled"?}]} applied. ERR_STALE: another digest. *len: how many. */
enum err mcp_pins_accept(struct mcp_pins *, const struct json *body, struct str by,
	int64_t now_ms, struct arena *, size_t *len, struct fault *why);

/* sha256:… over the RFC 8785 form of what matters of it. */
void mcp_tool_digest(const struct json *tool, char out[DIGEST_SIZE]);
enum mcp_tool_state mcp_tool_state(const struct mcp_tool *);
/* May it be called? */
bool mcp_tool_on(const struct mcp_tool *);
/* Why not; empty: it may. NULL: the server has no such tool. */
struct str mcp_tool_refusal(const struct mcp_tool *);
enum risk mcp_tool_risk(const struct mcp_tool *, bool trust);
enum call_class mcp_tool_class(const struct mcp_tool *, bool trust);
void mcp_tool_show(struct json_writer *, const struct mcp_tool *, bool trust);

/* A member of the arguments that is repeated as the header Mcp-Param-NAME. */
struct mcp_param {
	struct str header;
	const struct json *value;
};
enum { MCP_PARAMS_MAX = 32 };
/* Those that these arguments have. How many. */
size_t mcp_tool_params(const struct json *tool, const struct json *arguments,
	struct mcp_param out[MCP_PARAMS_MAX]);

/* "mcp__github__close_issue" */
struct str mcp_call_name(struct str server, struct str tool, struct arena *);
bool mcp_call_parts(struct str name, struct str *server, struct str *tool);
/* The same as models are told: letters, digits, _ and -, cut to MCP_MODEL_NAME_MAX, the last six then of its hash. */
struct str mcp_call_model_name(struct str name, struct arena *);
/* "mcp:github", "mcp:github/close_issue", as agents choose; *tool is empty for all. */
bool mcp_call_chosen(struct str, struct str *server, struct str *tool);
bool mcp_server_name_valid(struct str);

#endif
