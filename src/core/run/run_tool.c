/* run_tool.c - the table of tools, their schemas, and what a call of one means. */
#include "core/run/run_tool.h"

#include "base/keep.h"
#include "core/policy/policy.h"
#include "core/run/own_tool.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

/* What a model is told; another name is made to fit. */
#define NAME_PATTERN ",\"pattern\":\"^[a-z0-9_-]{1,64}$\""
#define TASK_PROPERTIES                                                                        \
	"\"id\":{\"type\":\"string\",\"description\":\"A name for it, for `after`.\"},"        \
	"\"agent\":{\"type\":\"string\",\"description\":\"A configured agent.\"},"             \
	"\"prompt\":{\"type\":\"string\",\"description\":\"Instructions of an agent made for " \
	"this, when no agent is named.\"},"                                                    \
	"\"task\":{\"type\":\"string\",\"description\":\"What is to be done.\"},"              \
	"\"after\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":"       \
	"\"Names of tasks whose reports it needs.\"}"

#define SESSION_PROPERTY                                                                  \
	",\"session\":{\"type\":\"string\",\"description\":\"Optional: the line of work " \
	"this belongs to (its id or your own name for it).\"}"

const struct run_tool run_tools[RUN_TOOLS] = {
	[RUN_TOOL_ASK] = { "ask_user_question",
		"Asks a person, and waits for the answer, however long that takes.",
		"\"questions\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":4,\"items\":{"
		"\"type\":\"object\",\"properties\":{"
		"\"question\":{\"type\":\"string\",\"description\":\"The whole question.\"},"
		"\"header\":{\"type\":\"string\",\"description\":\"A short title.\"},"
		"\"multiSelect\":{\"type\":\"boolean\"},"
		"\"options\":{\"type\":\"array\",\"maxItems\":20,\"items\":{\"type\":\"object\","
		"\"properties\":{\"label\":{\"type\":\"string\"},"
		"\"description\":{\"type\":\"string\"}},\"required\":[\"label\"]}}},"
		"\"required\":[\"question\"]}}",
		"[\"questions\"]" },
	[RUN_TOOL_REPORT] = { "report",
		"Ends your work with a report for the agent that gave you the task.",
		"\"markdown\":{\"type\":\"string\",\"description\":\"The report.\"}",
		"[\"markdown\"]", .reports = true },
	[RUN_TOOL_MEMORY] = { "memory",
		"Keeps notes beyond this conversation, and finds them again.",
		"\"text\":{\"type\":\"string\",\"description\":\"The note, for add.\"},"
		"\"scope\":{\"type\":\"string\",\"enum\":[\"workspace\",\"agent\",\"session\"],"
		"\"description\":\"Who finds it; agent unless given.\"},"
		"\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
		"\"id\":{\"type\":\"string\",\"description\":\"The note's, for get and delete.\"},"
		"\"q\":{\"type\":\"string\",\"description\":\"What to search for.\"}",
		"[\"operation\"]", .mcp = true },
	[RUN_TOOL_TODO] = { "todo",
		"Keeps the list of tasks that people see beside your work.",
		"\"name\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"},"
		"\"priority\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5},"
		"\"status\":{\"type\":\"string\",\"enum\":[\"pending\",\"in_progress\","
		"\"completed\"]},\"id\":{\"type\":\"string\"}",
		"[\"operation\"]", .mcp = true },
	[RUN_TOOL_DELEGATE] = { "delegate_task",
		"Gives a task to another configured agent and waits for its report.",
		"\"agent\":{\"type\":\"string\",\"description\":\"Its name.\"},"
		"\"task\":{\"type\":\"string\",\"description\":\"What is to be done, in full: it "
		"sees nothing else.\"}",
		"[\"agent\",\"task\"]", .starts = true },
	[RUN_TOOL_SPAWN] = { "spawn_agent",
		"Makes a sub-agent for one task and waits for its report.",
		"\"name\":{\"type\":\"string\"" NAME_PATTERN
		"},\"prompt\":{\"type\":\"string\","
		"\"description\":\"Its instructions.\"},"
		"\"task\":{\"type\":\"string\",\"description\":\"What is to be done, in full.\"},"
		"\"tools\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
		"\"description\":\"Some of your own tools; all of them unless given.\"}",
		"[\"name\",\"prompt\",\"task\"]", .starts = true },
	[RUN_TOOL_PARALLEL] = { "parallel_tasks",
		"Gives several tasks to sub-agents, at once or one after the other, and waits "
		"for all reports.",
		"\"tasks\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":20,\"items\":{"
		"\"type\":\"object\",\"properties\":{" TASK_PROPERTIES
		"},\"required\":[\"task\"]}}",
		"[\"tasks\"]", .starts = true },
	[RUN_TOOL_APPEND] = { "test_append", "Appends a line to a file.",
		"\"path\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}",
		"[\"path\",\"text\"]", .test = true },
};

const struct run_operation run_operations[] = {
	{ RUN_TOOL_ASK, NULL, TYPE_TOOL, RISK_LOW, CLASS_STORE, .free = true,
		"Ask a person" },
	{ RUN_TOOL_REPORT, NULL, TYPE_TOOL, RISK_LOW, CLASS_STORE, .free = true,
		"Report to the agent that gave the task" },
	{ RUN_TOOL_MEMORY, "list", TYPE_TOOL, RISK_LOW, CLASS_STORE, false,
		"List notes" },
	{ RUN_TOOL_MEMORY, "get", TYPE_TOOL, RISK_LOW, CLASS_STORE, false,
		"Read a note" },
	{ RUN_TOOL_MEMORY, "search", TYPE_TOOL, RISK_LOW, CLASS_STORE, false,
		"Search notes" },
	{ RUN_TOOL_MEMORY, "add", TYPE_TOOL, RISK_MEDIUM, CLASS_STORE, false,
		"Add a note" },
	{ RUN_TOOL_MEMORY, "delete", TYPE_TOOL, RISK_MEDIUM, CLASS_STORE, false,
		"Delete a note" },
	{ RUN_TOOL_TODO, "list", TYPE_TOOL, RISK_LOW, CLASS_STORE, false, "List tasks" },
	{ RUN_TOOL_TODO, "create", TYPE_TOOL, RISK_MEDIUM, CLASS_STORE, false,
		"Create a task" },
	{ RUN_TOOL_TODO, "update", TYPE_TOOL, RISK_MEDIUM, CLASS_STORE, false,
		"Change a task" },
	{ RUN_TOOL_TODO, "complete", TYPE_TOOL, RISK_MEDIUM, CLASS_STORE, false,
		"Complete a task" },
	{ RUN_TOOL_TODO, "delete", TYPE_TOOL, RISK_MEDIUM, CLASS_STORE, false,
		"Delete a task" },
	{ RUN_TOOL_DELEGATE, NULL, TYPE_SUB_AGENT, RISK_MEDIUM, CLASS_STORE, false,
		"Give a task to another agent" },
	{ RUN_TOOL_SPAWN, NULL, TYPE_SUB_AGENT, RISK_HIGH, CLASS_STORE, false,
		"Make a sub-agent for a task" },
	{ RUN_TOOL_PARALLEL, NULL, TYPE_SUB_AGENT, RISK_HIGH, CLASS_STORE, false,
		"Give tasks to several sub-agents" },
	{ RUN_TOOL_APPEND, NULL, TYPE_TOOL, RISK_HIGH, CLASS_ONCE, false,
		"Append a line to a file" },
};

const size_t run_operations_len = sizeof run_operations / sizeof *run_operations;

static const struct str mcp_chosen[] = { STR("memory"), STR("todo") };
const struct run_toolbox run_toolbox_mcp = { .chosen = mcp_chosen,
	.chosen_len = sizeof mcp_chosen / sizeof *mcp_chosen,
	.mcp = true };

/* Does "memory" or "memory/add" name this operation? */
static bool names(struct str name, const struct run_operation *o)
{
	struct str rest = name, head;

	if (!str_cut(&rest, '/', &head) || !str_is(head, run_tools[o->tool].name))
		return false;
	return head.len == name.len || (o->name && str_is(rest, o->name));
}

bool run_tool_known(struct str name, bool test)
{
	for (size_t i = 0; i < run_operations_len; i++) {
		const struct run_tool *tool = &run_tools[run_operations[i].tool];

		if (!tool->reports && (test || !tool->test) &&
			names(name, &run_operations[i]))
			return true;
	}
	return false;
}

bool run_tool_own_name(struct str name)
{
	return text_plain_name(name, "_", OWN_TOOL_NAME_MAX) &&
	       !run_tool_known(name, true) && !str_is(name, "report");
}

bool run_tool_offered(const struct run_toolbox *box, const struct run_operation *o)
{
	const struct run_tool *tool = &run_tools[o->tool];

	if (tool->reports) return box->child;
	if ((tool->starts && box->child) || (tool->test && !box->test)) return false;
	for (size_t i = 0; i < box->chosen_len; i++)
		if (names(box->chosen[i], o)) return true;
	return false;
}

/* The tool's own, where an agent is named with those there are. */
static void properties_add(
	struct buf *b, struct str properties, const struct json *roster, bool checking)
{
	const struct str pattern = STR(NAME_PATTERN);
	int name = checking ? str_find(properties, pattern) : -1;
	const struct str agent = STR("\"agent\":{\"type\":\"string\",");
	int at = roster && roster->count ? str_find(properties, agent) : -1;

	if (name >= 0) {
		buf_add(b, str_first(properties, (size_t)name));
		buf_add(b, str_from(properties, (size_t)name + pattern.len));
		return;
	}
	if (at < 0) {
		buf_add(b, properties);
		return;
	}
	buf_add(b, str_first(properties, (size_t)at + agent.len));
	buf_add_text(b, "\"enum\":[");
	for (uint32_t i = 0; i < roster->count; i++) {
		if (i) buf_add_char(b, ',');
		json_write(b, json_get(&roster->items[i], "name"));
	}
	buf_add_text(b, "],");
	buf_add(b, str_from(properties, (size_t)at + agent.len));
}

struct str run_tool_description(
	const struct run_toolbox *box, enum run_tool_id id, struct arena *arena)
{
	const struct run_tool *tool = &run_tools[id];
	const struct json *roster = tool->starts ? box->roster : NULL;
	struct buf b = { 0 };

	buf_add_text(&b, tool->description);
	if (str_find(str_of(tool->properties), STR("\"agent\":")) < 0) roster = NULL;
	for (uint32_t i = 0; roster && i < roster->count; i++) {
		struct str what = json_text_of(&roster->items[i], "description");

		buf_print(&b, "%s\n- %.*s%s%.*s", i ? "" : " Agents:",
			STR_ARGS(json_text_of(&roster->items[i], "name")),
			what.len ? ": " : "", STR_ARGS(what));
	}
	return buf_keep_done(&b, arena);
}

/* Where there are templates, one may stand in place of the questions. */
static bool templates_offered(const struct run_toolbox *box, enum run_tool_id id)
{
	return id == RUN_TOOL_ASK && (box->checking || box->templates.len);
}

static void templates_add(struct buf *b, struct str names)
{
	buf_add_text(b, ",\"template\":{\"type\":\"string\",\"description\":");
	buf_add_text(b, "\"In place of questions, one of: ");
	buf_add(b, names); /* letters, digits, - and _ */
	buf_add_text(b, "\"},\"values\":{\"type\":\"object\"}");
}

struct str run_tool_schema(
	const struct run_toolbox *box, enum run_tool_id id, struct arena *arena)
{
	const struct run_tool *tool = &run_tools[id];
	struct buf b = { .max = 65536 };
	bool any = false, enumerated = false, templates = templates_offered(box, id);

	buf_add_text(&b, "{\"type\":\"object\",\"properties\":{");
	for (size_t i = 0; i < run_operations_len; i++) {
		const struct run_operation *o = &run_operations[i];

		if (o->tool != id || !run_tool_offered(box, o)) continue;
		any = true;
		if (!o->name) continue;
		buf_add_text(
			&b, enumerated ? ","
				       : "\"operation\":{\"type\":\"string\",\"enum\":[");
		buf_add_char(&b, '"');
		buf_add_text(&b, o->name);
		buf_add_char(&b, '"');
		enumerated = true;
	}
	if (enumerated) buf_add_text(&b, "]},");
	properties_add(&b, str_of(tool->properties), box->roster, box->checking);
	if (templates) templates_add(&b, box->templates);
	if (box->mcp && any) buf_add_text(&b, SESSION_PROPERTY);
	buf_add_text(&b, "},\"required\":");
	buf_add_text(&b, templates ? "[]" : tool->required);
	buf_add_text(&b, ",\"additionalProperties\":false}");
	if (!any) buf_clear(&b);
	return buf_keep_done(&b, arena);
}

struct str run_operation_name(const struct run_operation *o, struct arena *arena)
{
	return arena_print(arena, "%s%s%s", run_tools[o->tool].name, o->name ? "/" : "",
		o->name ? o->name : "");
}

/* ---- what a call means ---- */

static int tool_named(struct str name)
{
	for (int i = 0; i < RUN_TOOLS; i++)
		if (str_is(name, run_tools[i].name)) return i;
	return -1;
}

static bool tool_offered(const struct run_toolbox *box, int tool)
{
	for (size_t i = 0; i < run_operations_len; i++)
		if (run_operations[i].tool == (enum run_tool_id)tool &&
			run_tool_offered(box, &run_operations[i]))
			return true;
	return false;
}

const struct run_operation *run_tool_operation(
	struct str name, const struct json *arguments)
{
	struct str operation = json_text(json_get(arguments, "operation"));
	int tool = tool_named(name);

	for (size_t i = 0; tool >= 0 && i < run_operations_len; i++) {
		const struct run_operation *o = &run_operations[i];

		if (o->tool == (enum run_tool_id)tool &&
			(!o->name || str_is(operation, o->name)))
			return o;
	}
	return NULL;
}

static const struct run_operation *tool_none(
	struct json_miss *wrong, struct str at, struct str must)
{
	*wrong = (struct json_miss){ at, must };
	return NULL;
}

struct str run_tool_wrong(const struct json_miss *wrong, struct arena *arena)
{
	return wrong->at.len ? arena_print(arena, "%.*s %.*s", STR_ARGS(wrong->at),
				       STR_ARGS(wrong->must))
			     : wrong->must;
}

/* Models give null for what they leave out. */
static bool arguments_fit(const struct json *schema, const struct json *arguments,
	bool nulls, struct arena *arena, struct json_miss *wrong)
{
	const struct json_schema_rules rules = { .nulls = nulls };

	if (json_schema_fits(schema, arguments, &rules, arena, wrong)) return true;
	if (!wrong->at.len)
		wrong->must =
			arena_print(arena, "the arguments: %.*s", STR_ARGS(wrong->must));
	return false;
}

static enum operation_type own_type(const struct own_tool *t)
{
	return t->category == TOOL_FILE_OPS ? TYPE_FILE_OP
	       : t->category == TOOL_DB_OPS ? TYPE_DB_OP
	       : t->category == TOOL_MCP    ? TYPE_MCP
					    : TYPE_TOOL;
}

/* One of one's own: its operation is made from what is configured of it. */
static const struct run_operation *own_call(const struct own_tool *t,
	const struct json *arguments, struct arena *arena, struct json_miss *wrong)
{
	const struct json *schema = own_tool_checked(t);
	struct run_operation *o;

	if (!json_is(arguments, JSON_OBJECT))
		return tool_none(
			wrong, STR_NONE, STR("the arguments are no JSON object"));
	if (schema && !arguments_fit(schema, arguments, false, arena, wrong)) return NULL;
	o = ARENA_NEW(arena, struct run_operation);
	if (!o) return tool_none(wrong, STR_NONE, STR("out of memory"));
	*o = (struct run_operation){ .tool = RUN_TOOL_OWN,
		.type = own_type(t),
		.risk = own_tool_risk(t),
		.class = own_tool_class(t) };
	return o;
}

const struct own_tool *run_tool_own(const struct run_toolbox *box, struct str told)
{
	for (size_t i = 0; i < box->own_len; i++)
		if (str_eq(own_tool_told(&box->own[i]), told) ||
			str_eq(box->own[i].name, told))
			return &box->own[i];
	return NULL;
}

struct str run_tool_schema_of(
	const struct run_toolbox *box, struct str name, struct arena *arena)
{
	const struct own_tool *own = run_tool_own(box, name);

	if (own && own->told.len && !own_tool_checked(own)) return STR_NONE;
	if (own) return own_tool_schema(own, arena);
	for (int i = 0; i < RUN_TOOLS; i++)
		if (str_is(name, run_tools[i].name))
			return run_tool_schema(box, (enum run_tool_id)i, arena);
	return STR_NONE;
}

const struct run_operation *run_tool_call(const struct run_toolbox *box, struct str name,
	const struct json *arguments, struct arena *arena, struct json_miss *wrong)
{
	const struct own_tool *own = run_tool_own(box, name);
	struct run_toolbox checking = *box;
	int tool = tool_named(name);
	const struct run_operation *o;
	const struct json *schema;

	checking.checking = true;
	if (own) return own_call(own, arguments, arena, wrong);
	if (tool < 0 || !tool_offered(box, tool))
		return tool_none(wrong, STR_NONE,
			tool >= 0 && run_tools[tool].starts && box->child
				? STR("a sub-agent cannot start another")
				: arena_print(arena, "there is no tool %.*s",
					  STR_ARGS(str_first(name, 64))));
	if (!json_is(arguments, JSON_OBJECT))
		return tool_none(
			wrong, STR_NONE, STR("the arguments are no JSON object"));
	if (json_read(run_tool_schema(&checking, (enum run_tool_id)tool, arena), NULL,
		    arena, &schema, NULL))
		return tool_none(wrong, STR_NONE, STR("out of memory"));
	if (!arguments_fit(schema, arguments, true, arena, wrong)) return NULL;
	o = run_tool_operation(name, arguments);
	return o ? o : tool_none(wrong, STR("/operation"), STR("is required"));
}

void run_operation_write(struct json_writer *w, const struct run_operation *o, bool test)
{
	struct arena arena = { 0 };
	struct str name = run_operation_name(o, &arena);
	const struct run_toolbox box = { &name, 1, run_tools[o->tool].reports, test };

	jw_object(w);
	jw_put_null(w, "id");
	show_text(w, "name", name);
	jw_put_text(w, "kind", "built_in");
	show_text(w, "description", str_of(o->description));
	show_text(w, "category",
		o->free ? STR_NONE : str_of(operation_category_name(o->type)));
	show_text(w, "risk", o->free ? STR_NONE : str_of(risk_name(o->risk)));
	show_text(w, "class", str_of(call_class_name(o->class)));
	show_json(w, "schema", run_tool_schema(&box, o->tool, &arena));
	jw_put_bool(w, "available", true);
	jw_put_null(w, "why");
	jw_put_null(w, "source");
	jw_put_int(w, "version", 0);
	jw_object_end(w);
	if (arena.failed) w->out->failed = true;
	arena_done(&arena);
}

/* ---- tools to ask with ---- */

/* Claude Code, Codex and Qwen Code; Gemini CLI; Copilot; droid; opencode and Kilo. */
static const char *const own_prefixes[] = { "mcp__parley__", "mcp_parley_", "parley-",
	"parley___", "parley_" };

static const char *const own_names[] = { "ask_user_question", "ask_question",
	"UserQuestionTool", "request_approval", "get_answer", "cancel_ask", "list_asks",
	"report_progress", "request_mandate", "memory", "todo" };

bool own_tool_name(struct str name)
{
	return name_find(own_names, sizeof own_names / sizeof *own_names, name) >= 0;
}

bool own_tool(struct str name)
{
	for (size_t i = 0; i < sizeof own_prefixes / sizeof *own_prefixes; i++)
		if (str_starts(name, own_prefixes[i]) &&
			own_tool_name(str_from(name, strlen(own_prefixes[i]))))
			return true;
	return false;
}

/* ---- the verdict on a call ---- */

void run_gate(const struct policy *policy, const struct run_operation *op,
	const struct operation_view *look, const struct ruling *ruling,
	struct arena *arena, struct run_verdict *out)
{
	struct decided d;

	*out = (struct run_verdict){ .effect = EFFECT_ALLOW, .risk = op->risk };
	if (op->free) return;
	out->risk = policy_raise(policy, look, op->risk);
	out->timeout_ms = policy->timeout_ms;
	decided_make(&d, policy, op->type, ruling, out->risk, arena);
	out->effect = d.effect;
	out->risk = d.risk;
	out->rule = d.rule;
	out->reason = d.reason;
	if (d.effect == EFFECT_ASK && ruling->timeout_ms)
		out->timeout_ms = ruling->timeout_ms;
}
