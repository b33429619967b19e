/* run_tool.h - the tools that agents of ours can have: a row an operation. Pure.
 *
 * Adding one is a row here and a function in desk/tools.c, or agent/tools.c where it works
 * outside of the store. What a model says never adds a tool, nor lowers a risk: both are read
 * from this table and the agent's configuration alone. Prefixes: run_, own_. */
#ifndef CORE_RUN_TOOL_H
#define CORE_RUN_TOOL_H

#include "core/policy/policy.h"
#include "core/run/tool_call.h"
#include "core/shared/json_schema.h"

struct own_tool;

enum run_tool_id {
	RUN_TOOL_ASK,
	RUN_TOOL_REPORT,
	RUN_TOOL_MEMORY,
	RUN_TOOL_TODO,
	RUN_TOOL_DELEGATE,
	RUN_TOOL_SPAWN,
	RUN_TOOL_PARALLEL,
	RUN_TOOL_APPEND, /* a test's */
	RUN_TOOLS,
	RUN_TOOL_OWN = RUN_TOOLS /* not in the table: of one's own */
};

/* One operation of a tool; of most tools the only one. */
struct run_operation {
	enum run_tool_id tool;
	const char *name; /* "create"; NULL: the tool has no others */
	enum operation_type type;
	enum risk risk;
	enum call_class class;
	bool free; /* never gated */
	const char *description;
};

struct run_tool {
	const char *name, *description;
	const char
		*properties;  /* members of the schema's `properties`, but `operation` */
	const char *required; /* JSON array */
	bool starts;	      /* sub-agents: not for sub-agents */
	bool reports;	      /* for sub-agents alone, and without being chosen */
	bool test;	      /* with PARLEY_TEST_TOOLS=1 alone */
	bool mcp; /* also for agents from elsewhere, over MCP, whose token may run agents */
};

/* What an agent may call. */
struct run_toolbox {
	const struct str *chosen; /* "memory", "todo/create" */
	size_t chosen_len;
	bool child; /* of a sub-agent */
	bool test;
	bool mcp; /* of an agent from elsewhere: a call names its session */
	const struct json
		*roster; /* agents to give tasks to: [{name, description}]; or NULL */
	struct str templates; /* names of those that it can ask with; or empty */
	bool checking; /* arguments are checked: names that can be made to fit do */
	const struct own_tool *own; /* those of one's own that were chosen */
	size_t own_len;
};

extern const struct run_tool run_tools[RUN_TOOLS];
/* All operations, in the order of their tools; `len` of them. */
extern const struct run_operation run_operations[];
extern const size_t run_operations_len;

/* "memory", "todo/create": can it be chosen for an agent? Tests' own with `test` alone. */
bool run_tool_known(struct str name, bool test);
/* Could a tool of one's own have this name? */
enum { OWN_TOOL_NAME_MAX = 48 };
bool run_tool_own_name(struct str);
bool run_tool_offered(const struct run_toolbox *, const struct run_operation *);
/* What an agent from elsewhere may call. */
extern const struct run_toolbox run_toolbox_mcp;
/* The schema of a tool's arguments, `operation` cut to what was chosen. Empty: none of it was. */
struct str run_tool_schema(const struct run_toolbox *, enum run_tool_id, struct arena *);
/* The one of one's own that has this name, or that models are told by it; or NULL. */
const struct own_tool *run_tool_own(const struct run_toolbox *, struct str told);
/* Of the arguments of a tool that it has, by the name that models are told; empty: it has none, or none that is
 * checked here. */
struct str run_tool_schema_of(
	const struct run_toolbox *, struct str name, struct arena *);
/* What a model is told of it, with the agents that it can give tasks to. */
struct str run_tool_description(
	const struct run_toolbox *, enum run_tool_id, struct arena *);
/* What a call means. NULL: there is no such tool for this agent, or its arguments do not fit;
 * *wrong says so. */
const struct run_operation *run_tool_call(const struct run_toolbox *, struct str name,
	const struct json *arguments, struct arena *, struct json_miss *wrong);
/* The same in words, for the model. */
struct str run_tool_wrong(const struct json_miss *, struct arena *);
/* The same of a call that was checked already. NULL: there is none. */
const struct run_operation *run_tool_operation(
	struct str name, const struct json *arguments);
/* "todo/create" */
struct str run_operation_name(const struct run_operation *, struct arena *);
/* {name, description, category, risk, class, schema, available, why} */
void run_operation_write(struct json_writer *, const struct run_operation *, bool test);

/* ---- Parley's own tools to ask with, as agents name tools of MCP servers; never put to approval ---- */

/* "mcp__parley__get_answer", "parley-get_answer" and the like. */
bool own_tool(struct str name);
/* The same without a prefix, as a token names the tools it may call. */
bool own_tool_name(struct str name);

/* ---- what is decided about a tool call of a run: allowed, asked, denied ---- */

/* Texts are borrowed, or in the arena. */
struct run_verdict {
	enum effect effect;
	enum risk risk;
	struct str rule, reason; /* rule_…, or "policy"; empty: it is never gated */
	int64_t timeout_ms;	 /* of the approval; 0: none */
};

/* By this policy (the workspace's, with what the agent has of its own) and what its rules say: a rule's word first;
 * without one the policy's, by category and risk. Rows of the policy and rules raise the risk of the table above,
 * nothing lowers it. */
void run_gate(const struct policy *, const struct run_operation *,
	const struct operation_view *, const struct ruling *, struct arena *,
	struct run_verdict *out);

#endif
