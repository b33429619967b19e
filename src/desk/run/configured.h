/* configured.h - agents, providers, tools and MCP servers that the server's configuration and environment define.
 * They are held in memory, hold for every workspace and come before stored ones of the same
 * name. What it holds never changes; a reload puts another in its place. */
#ifndef DESK_CONFIGURED_H
#define DESK_CONFIGURED_H

#include "base/seal.h"
#include "core/run/agent.h"
#include "core/run/mcp_server.h"
#include "core/run/model_list.h"
#include "core/run/own_tool.h"
#include "store/rows.h"

struct desk;
struct collection;
struct task;

struct configured {
	const struct provider_record *providers; /* ws and id are unset */
	size_t providers_len;
	const struct agent_record *agents;
	size_t agents_len;
	const struct tool_record *tools;
	size_t tools_len;
	const struct mcp_server_record *mcp_servers;
	size_t mcp_servers_len;
	struct str default_agent;  /* a name; empty: the first there is */
	struct str model_internal; /* as core/address has it; empty: none */
	struct str tool_internal, webhook_internal; /* likewise */
	bool sealing; /* there is a key to seal secrets with */
	uint8_t secret[SEAL_KEY_SIZE];
};

/* What a runner needs for calls of one model. Texts live in the arena that was given. */
struct model_access {
	struct str provider; /* its name */
	enum model_wire wire;
	struct str url; /* empty: the wire's */
	struct str key; /* empty: none is needed */
	struct str model_internal;
	int64_t at_once;
	struct provider_model model; /* context, output and price, as far as known */
	struct str effort;	     /* levels that its list has; empty: not known */
	struct str wrong; /* why it cannot be used, and what mends it; empty: it can */
	struct str body, sealed, imported; /* what it was made from */
	int64_t listed_ms; /* the same: when its list was read; 0: never */
	bool list_due;	   /* that is to be read (again) */
	/* Of use_model_access, with an agent: it has a limit of cost; how many tools it names. */
	bool cost_limited;
	int64_t tools; /* -1: no agent */
};

/* The query's `agent`, by name or id, as a name: of an id that nobody has, that id. */
enum err agents_param(struct task *, struct rows *, struct str *out, struct fault *why);

/* By name or id, those of the configuration first. NULL in *out: there is none. */
enum err configured_find(struct desk *, struct rows *, enum record_id, int64_t ws,
	struct str which, const void **out, struct fault *why);
/* The same as hooks of a collection, and the beginning of a record that is made from the task's body: its
 * name, which must be free, and its id. */
enum err configured_collection_find(const struct collection *, struct task *,
	struct rows *, struct str which, const void **out, struct fault *why);
const void *configured_collection_own(
	const struct collection *, struct task *, size_t i, struct arena *);
enum err configured_collection_new(const struct collection *, struct task *,
	struct rows *, void *record, struct fault *why);
/* By name or id. ERR_NOT_FOUND: there is none. */
enum err configured_agent(struct desk *, struct rows *, int64_t ws, struct str which,
	const struct agent_record **out, struct fault *why);
/* Those that can run and that the agent `of` may give tasks to, by name, as JSON [{"name","description"}]: ROSTER_MAX at most. In the arena. */
enum { ROSTER_MAX = 50 };
enum err configured_roster(struct desk *, struct rows *, int64_t ws,
	const struct agent_config *of, struct arena *, struct str *out,
	struct fault *why);
/* Says that there is none, and which there are: as many names as a message has room for. */
enum err configured_agent_unknown(struct desk *, struct rows *, int64_t ws,
	struct str which, struct str *out, struct fault *why);
/* The same as what is wrong at /agent. */
enum err configured_agent_refuse(
	struct desk *, struct rows *, int64_t ws, struct str which, struct fault *why);
enum err configured_provider(struct desk *, struct rows *, int64_t ws, struct str which,
	const struct provider_record **out, struct fault *why);
/* The one that runs when none is named: `default_agent`, else the first of the
 * configuration, else the first of the store by name; NULL: there is none. */
enum err configured_default_agent(struct desk *, struct rows *, int64_t ws,
	const struct agent_record **out, struct fault *why);
/* ERR_NOT_FOUND: no such provider. A key that is missing or cannot be opened is in
 * `wrong`. `before` (may be NULL) was found for this workspace, and is taken while its rows are the same. */
enum err configured_access(struct desk *, struct rows *, int64_t ws, struct str provider,
	struct str model, const struct model_access *before, struct arena *,
	struct model_access *out, struct fault *why);
/* What is known of a model, by its layers. `listed`: as its provider lists it; NULL: that is looked up. */
enum err configured_model(struct desk *, struct rows *, int64_t ws, struct str provider,
	struct str model, const struct listed_model *listed, struct provider_model *out,
	enum price_from *priced, struct fault *why);
/* The model that is meant: `auto` is the provider's newest; empty: it has none. */
enum err configured_model_now(struct desk *, struct rows *, int64_t ws,
	struct str provider, struct str model, struct str *out, struct fault *why);
/* A run's configuration names its model: one with `auto` the model that it is now. */
enum err configured_fixed(
	struct desk *, struct rows *, int64_t ws, struct str *config, struct fault *why);
/* *wrong: that a limit of cost cannot be kept with this model; empty: it has a price. */
enum err configured_unpriced(struct desk *, struct rows *, int64_t ws,
	struct str provider, struct str model, struct str *wrong, struct fault *why);
/* *wrong: why the agent cannot run; empty: it can. */
enum err configured_agent_wrong(struct desk *, struct rows *, const struct agent_record *,
	struct arena *, struct str *wrong, struct fault *why);

const struct configured *configured_now(const struct desk *); /* never NULL */
/* A key that is known, or opened; empty: neither. In the arena. */
struct str configured_key(
	struct desk *, struct str known, struct str sealed, struct arena *);
/* Why what is sealed, a key or (`headers`) headers, cannot be opened; empty: it can, or nothing is sealed. */
struct str configured_sealed_wrong(
	struct desk *, struct str sealed, bool headers, struct arena *);
/* Encrypts a secret. ERR_CONFLICT: there is no key to do so with; `what` names the secret then. */
enum err configured_seal(struct desk *, struct str secret, const char *what,
	struct arena *, struct str *sealed, struct fault *why);
/* The key of a provider or a tool as a body brings it; an empty one: it has none any more. */
enum err configured_key_seal(struct desk *, struct str key, struct arena *,
	struct str *sealed, struct str *last4, struct fault *why);
/* May a provider or an MCP server have this address? */
enum err configured_url_check(struct desk *, struct str url, struct fault *why);
/* ERR_CONFLICT, with their names: agents of the workspace use what has this name, as `uses` says of each. */
enum err configured_unused(struct desk *, struct rows *, int64_t ws, struct str name,
	bool (*uses)(const struct agent_config *, struct str name), struct fault *why);

/* The tool and what a call of it needs, but for what is the call's own. ERR_NOT_FOUND: there is none. Why it cannot
 * be called is in `wrong`. */
enum err configured_tool(struct desk *, struct rows *, int64_t ws, struct str which,
	struct arena *, struct tool_access *out, struct fault *why);
/* Masks every key of a provider or a tool of the workspace in the text, so that a key found by a tool
 * reaches no model, no row and no person. In the arena. */
enum err configured_mask(
	struct desk *, struct rows *, int64_t ws, struct str *text, struct fault *why);

/* What is wrong with its key; empty: nothing. */
struct str configured_provider_wrong(
	struct desk *, const struct provider_record *, struct arena *);

#endif
