/* agent.h - agents that Parley runs: what is configured of one, read, checked and shown.
 * Pure. */
#ifndef CORE_AGENT_H
#define CORE_AGENT_H

#include "base/json.h"
#include "core/run/on_ended.h"
#include "core/shared/body.h"
#include "core/shared/digest.h"
#include "core/shared/resources.h"

enum {
	AGENT_NAME_MAX = 64,
	AGENT_DESCRIPTION_MAX = 500,
	AGENT_PROMPT_MAX = 100000,
	AGENT_TOOLS_MAX = 200,
	AGENT_FALLBACKS_MAX = 4,
	AGENTS_MAX = 500,
	AGENT_TURNS = 50, /* unless it says otherwise */
};

/* As it is stored, and as the configuration file's are held in memory: those have version 0. Borrowed
 * texts. The id is agt_…, from workspace and name. */
struct agent_record {
	RESOURCE_MEMBERS(AGENT_COLUMNS)
};

struct agent_limits {
	int64_t turns;
	int64_t history; /* messages that a model is sent at most; 0: any number */
	int64_t context; /* tokens that it is sent at most; 0: 80 % of what the model takes */
	int64_t output;		      /* of a call; 0: none */
	int64_t tokens;		      /* 0: none */
	int64_t cost;		      /* nanodollars; 0: none */
	int64_t time_ms;	      /* 0: none */
	const struct json *time_said; /* as it was spelt; or NULL */
};

/* A body taken apart. Lives in an arena. */
enum { AGENT_MEMORY = 10, AGENT_MEMORY_MAX = 100, AGENT_DELEGATES_MAX = 50 };

struct agent_config {
	struct str name, description;
	enum agent_kind { AGENT_MODEL } kind;
	struct str provider, model, prompt;
	struct str effort; /* as core/run/effort.h names it; or empty */
	struct str *tools; /* "memory", "todo/create" */
	size_t tools_len;
	struct str *fallbacks; /* "PROVIDER/MODEL", in the order they are tried */
	size_t fallbacks_len;
	int64_t patience_ms; /* -1: as on_error says (patience.h) */
	struct agent_limits limits;
	/* JSON: members of the policy that hold for it alone; or empty. */
	struct str validation;
	bool ask_on_error, ask_on_limit;
	struct on_ended on_ended;
	int64_t memory; /* so many notes go with its prompt, if it has a memory; 0: none */
	struct str *delegates; /* whom it may give tasks to; none: all */
	size_t delegates_len;
	const struct json *output_schema; /* that its last words must fit; or NULL */
	enum on_reject { REJECT_BY_POLICY, REJECT_TELL, REJECT_STOP } on_reject;
};

/* What its event names it by. */
void agent_digest(const struct agent_record *, char out[SHORT_DIGEST_SIZE]);
bool agent_name_valid(struct str); /* [a-z0-9_-], 1 to 64 */
/* A name made to fit: "Research Agent!" is research-agent. In the arena. */
struct str agent_name_fit(struct str, struct arena *);
/* Is this a tool, or one operation of one, that an agent can have? Those of tests count, but are
 * offered to models in tests alone; so does every name that a tool of one's own could have. */
bool agent_tool_valid(struct str);

/* Reads a body over `before` (as this function wrote it; empty: a new agent, which needs
 * name, provider and model): members it brings replace those, null is the default. The new
 * whole goes to *json, in the arena. `also`: more members that the body may have. That the
 * provider exists is for the caller to see. */
enum err agent_read(const struct json *body, struct str before,
	const struct members *also, struct arena *, struct str *json, struct fault *why);
/* Takes apart what agent_read wrote. ERR_INTERNAL: it is damaged. */
enum err agent_parse(
	struct str json, struct arena *, struct agent_config *out, struct fault *why);
/* The member `limits` on its own, as runs keep it: taken apart, and written. */
enum err agent_limits_parse(
	struct str json, struct arena *, struct agent_limits *out, struct fault *why);
struct str agent_limits_keep(const struct agent_limits *, struct arena *);
/* What else is known of one when it is shown. */
struct agent_now {
	struct str model;   /* that it would run with */
	struct str price;   /* of that, as JSON; empty: not known */
	int64_t retires_ms; /* when that model does, if that is soon; else 0 */
	struct str wrong;   /* why it cannot run; empty: it can */
	bool preset;	    /* it is the one that runs when none is named */
};
void agent_show(
	struct json_writer *, const struct agent_record *, const struct agent_now *);

#endif
