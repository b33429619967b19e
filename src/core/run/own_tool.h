/* own_tool.h - tools of one's own: what is configured of one, read, checked and shown; the request that a call of
 * one is, and what its reply means. Pure. Prefixes: own_tool_, tool_request_, tool_reply_. */
#ifndef CORE_OWN_TOOL_H
#define CORE_OWN_TOOL_H

#include "core/run/provider.h"
#include "core/run/tool_call.h"
#include "core/shared/resources.h"

enum {
	OWN_TOOLS_MAX = 200,
	OWN_TOOL_DESCRIPTION_MAX = 1000,
	OWN_TOOL_HEADERS_MAX = 20,
	OWN_TOOL_TIMEOUT_MS = 30 * 1000, /* unless it says otherwise */
	OWN_TOOL_COMMAND_MS = 120 * 1000,
	OWN_TOOL_ENV_MAX = 50,
	OWN_TOOL_LATER_MS = 24 * 60 * 60 * 1000,
	OWN_TOOL_TRIES = 3,
	TOOL_ERROR_BODY = 2048, /* bytes of a refusal that are told */
};

enum tool_method {
	METHOD_POST,
	METHOD_GET,
	METHOD_PUT,
	METHOD_PATCH,
	METHOD_DELETE,
	METHODS
};
extern const char *const tool_method_names[METHODS];

/* As it is stored, and as the configuration file's are held in memory: those have version 0. It begins as a
 * provider's does, and its key is kept as a provider's. The id is tol_…, from workspace and name. */
struct tool_record {
	RESOURCE_MEMBERS(TOOL_COLUMNS)
	struct str key;
	enum key_source source;
	struct str key_from;
};

/* A body taken apart. Lives in an arena. */
struct own_tool {
	struct str name, description;
	struct str url, command; /* one of both; a command is of the file only */
	struct str *env; /* of a command: NAME of our environment, or NAME=value */
	size_t env_len;
	enum tool_method method;
	const struct json *schema;  /* of the arguments; NULL: any object */
	const struct json *headers; /* {name: value}; or NULL */
	enum risk risk_said;
	enum tool_class { TOOL_CLASS_USUAL, TOOL_ONCE, TOOL_REPEAT } class_said;
	enum tool_category {
		TOOL_TOOLS,
		TOOL_FILE_OPS,
		TOOL_DB_OPS,
		TOOL_MCP /* never said: of an MCP server */
	} category;
	int64_t timeout_said_ms;
	int64_t later_said_ms; /* how long a result that comes later is waited for */
	/* Of a tool of an MCP server: its name as models are told it; else empty. */
	struct str told;
	/* Of a body, never kept. */
	bool has_key;
	struct str key;
};

void own_tool_id(int64_t ws, struct str name, char out[32]);
void own_tool_digest(const struct tool_record *, char out[SHORT_DIGEST_SIZE]);
/* As agent_read. That its address may be reached is for the caller to see. */
enum err own_tool_read(const struct json *body, struct str before, const struct members *,
	struct arena *, struct str *json, struct own_tool *out, struct fault *why);
enum err own_tool_parse(
	struct str json, struct arena *, struct own_tool *out, struct fault *why);
enum risk own_tool_risk(const struct own_tool *);
enum call_class own_tool_class(const struct own_tool *);
int64_t own_tool_timeout_ms(const struct own_tool *);
int64_t own_tool_later_ms(const struct own_tool *);
struct str own_tool_schema(const struct own_tool *, struct arena *); /* JSON */
/* The same, to check arguments by. A server of others may say more than we can check, which is left to it: NULL. */
const struct json *own_tool_checked(const struct own_tool *);
/* As models are told it. */
struct str own_tool_told(const struct own_tool *);
/* Does a header of it need a key? */
bool own_tool_keyed(const struct own_tool *);
/* Is it a header that requests may have, and none that we say ourselves? */
bool own_tool_header_valid(struct str name);
/* `wrong`: why it cannot be called; empty: it can. */
void own_tool_show(struct json_writer *, const struct tool_record *,
	const struct own_tool *, struct str wrong);

/* ---- a call ---- */

struct mcp_access;

/* Everything that a call needs. Texts live in an arena. */
struct tool_access {
	struct own_tool tool;
	struct str key; /* empty: none */
	struct str
		reach; /* as core/address has it: what of the internal network it may reach */
	bool named_in_file; /* by the operator: any host with TLS, loopback without */
	struct str call, session, run, agent, digest;
	struct str trace; /* of its run; or empty */
	struct str
		callback; /* the token that a later result comes with; empty: none can */
	struct str signs[2];	      /* the webhook keys of the workspace; or empty */
	const struct mcp_access *mcp; /* of a tool of an MCP server; or NULL */
	struct str wrong;	      /* why it cannot be called; empty: it can */
};

struct tool_request {
	const char *url;
	const char *method;
	const char **headers; /* up to NULL */
	struct str body;      /* empty: none */
	struct str wrong;     /* what is wrong with the arguments; empty: nothing */
};

/* now_ms is the time that is signed. False: out of memory. */
bool tool_request_make(const struct tool_access *, const struct json *arguments,
	int64_t now_ms, struct arena *, struct tool_request *out);

/* What came of a call. */
struct tool_outcome {
	bool failed;
	bool later;	   /* its result comes later */
	bool list_changed; /* an MCP server says that its tools are others by now */
	struct str
		wants; /* what it wants to know first, as remote_inputs has it; or empty */
	int status;    /* 0: no reply came */
	struct str text;
	int64_t took_ms;
};

/* ---- its result comes later ---- */

/* A token names the workspace of a call, and proves that we wrote it. */
struct str tool_callback_write(
	struct str key, int64_t ws, struct str call, struct arena *);
/* False: it is not the token of this call. */
bool tool_callback_read(
	struct str key, struct str token, struct str call, struct arena *, int64_t *ws);

/* May a connection for it go there? IPv6; an IPv4 address is mapped. */
bool tool_request_may_connect(const struct tool_access *, const uint8_t address[16]);

/* What a status says about trying again: 408, 425, 429 and 5xx. */
bool tool_reply_again(int status);
/* A text of more than is kept, cut to that, and saying so. */
struct str tool_result_cut(struct str text, struct arena *);
/* The result of a call, or its error, for the model. */
struct str tool_reply_text(
	int status, struct str type, struct str body, struct arena *, bool *failed);

#endif
