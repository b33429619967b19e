/* record_runs.c - the columns of runs and of what belongs to them: messages, tool calls, tasks,
 * memories. */
#include "store/record_columns.h"

WORDS(run_status, "status of a run");
WORDS(message_role, "role");
WORDS(call_status, "status of a tool call");
WORDS(call_class, "class of a tool call");
WORDS(task_status, "status of a task");
WORDS(memory_scope, "scope");

/* What a turn changes is written by itself: no index has any of it. */
const struct column run_columns[RUN_COLUMNS] = {
	FIXED(INT, run, ws),
	FIXED(TEXT, run, id),
	FIXED(TEXT, run, session),
	FIXED(TEXT, run, parent),
	FIXED(TEXT, run, call),
	FIXED(TEXT, run, label),
	FIXED(TEXT, run, agent),
	RARELY(TEXT, run, config),
	WORD_RARELY(run, status, run_status_words),
	CHANGES(INT, run, turn),
	RARELY(INT, run, attempt),
	SELDOM(TEXT, run, waits_for),
	RARELY(INT, run, wake_ms),
	NAMED_RARELY(INT, run, lease.until_ms, "lease_ms"),
	NAMED_RARELY(TEXT, run, lease.by, "lease_by"),
	FIXED(TEXT, run, owner),
	RARELY(TEXT, run, provider),
	RARELY(TEXT, run, model),
	SELDOM(TEXT, run, progress),
	SELDOM(TEXT, run, report),
	SELDOM(TEXT, run, error),
	SELDOM(TEXT, run, recovery),
	RARELY(TEXT, run, limits),
	LATER(TEXT, run, message),
	FIXED(TEXT, run, first),
	CHANGES(INT, run, said),
	FIXED(TEXT, run, language),
	NAMED(INT, run, usage.input, "input", true),
	NAMED(INT, run, usage.cache_read, "cache_read", true),
	NAMED(INT, run, usage.cache_write, "cache_write", true),
	NAMED(INT, run, usage.cache_write_1h, "cache_write_1h", true),
	NAMED(INT, run, usage.output, "output", true),
	NAMED(INT, run, usage.reasoning, "reasoning", true),
	LATER(INT, run, cost),
	LATER(BOOL, run, priced),
	LATER(BOOL, run, partial),
	LATER(INT, run, tree_tokens),
	LATER(INT, run, tree_cost),
	LATER(INT, run, tree_ms),
	LATER(INT, run, context_tokens),
	RARELY(INT, run, context_max),
	LATER(INT, run, tools_used),
	SELDOM(INT, run, mcp_calls),
	FIXED(INT, run, queued_ms),
	RARELY(INT, run, started_ms),
	SELDOM(INT, run, ended_ms),
	LATER(INT, run, worked_ms),
	CHANGES(INT, run, version),
};

const struct column message_columns[MESSAGE_COLUMNS] = {
	FIXED(INT, run_message, ws),
	FIXED(TEXT, run_message, session),
	FIXED(TEXT, run_message, id),
	FIXED(TEXT, run_message, run),
	FIXED(TEXT, run_message, thread),
	FIXED(INT, run_message, n),
	WORD(run_message, role, message_role_words, false),
	PACKED(run_message, content),
	PACKED(run_message, kept),
	FIXED(TEXT, run_message, model),
	NAMED(INT, run_message, usage.input, "input", false),
	NAMED(INT, run_message, usage.cache_read, "cache_read", false),
	NAMED(INT, run_message, usage.cache_write, "cache_write", false),
	NAMED(INT, run_message, usage.cache_write_1h, "cache_write_1h", false),
	NAMED(INT, run_message, usage.output, "output", false),
	NAMED(INT, run_message, usage.reasoning, "reasoning", false),
	FIXED(INT, run_message, cost),
	PACKED(run_message, prices),
	FIXED(TEXT, run_message, stop),
	FIXED(INT, run_message, seen),
	FIXED(INT, run_message, created_ms),
};

const struct column tool_call_columns[TOOL_CALL_COLUMNS] = {
	FIXED(INT, tool_call, ws),
	FIXED(TEXT, tool_call, id),
	FIXED(TEXT, tool_call, session),
	FIXED(TEXT, tool_call, run),
	FIXED(TEXT, tool_call, message),
	FIXED(INT, tool_call, n),
	FIXED(TEXT, tool_call, wire),
	FIXED(TEXT, tool_call, name),
	PACKED(tool_call, arguments),
	PACKED_LATER(tool_call, approved_arguments),
	FIXED(TEXT, tool_call, category),
	FIXED(NUMBER, tool_call, risk),
	WORD(tool_call, class, call_class_words, false),
	PACKED(tool_call, verdict),
	LATER(TEXT, tool_call, ask),
	LATER(TEXT, tool_call, child),
	WORD(tool_call, status, call_status_words, true),
	PACKED_LATER(tool_call, result),
	LATER(TEXT, tool_call, answer),
	PACKED_LATER(tool_call, error),
	CHANGES(INT, tool_call, attempts),
	FIXED(INT, tool_call, created_ms),
	CHANGES(INT, tool_call, started_ms),
	CHANGES(INT, tool_call, ended_ms),
	CHANGES(INT, tool_call, version),
};

const struct column todo_columns[TODO_COLUMNS] = {
	FIXED(INT, todo, ws),
	FIXED(TEXT, todo, id),
	FIXED(TEXT, todo, session),
	FIXED(TEXT, todo, run),
	CHANGES(TEXT, todo, name),
	CHANGES(TEXT, todo, description),
	WORD(todo, status, task_status_words, true),
	CHANGES(INT, todo, priority),
	FIXED(INT, todo, created_ms),
	CHANGES(INT, todo, updated_ms),
	CHANGES(INT, todo, version),
};

const struct column memory_columns[MEMORY_COLUMNS] = {
	FIXED(INT, memory, ws),
	FIXED(TEXT, memory, id),
	WORD(memory, scope, memory_scope_words, false),
	FIXED(TEXT, memory, agent),
	FIXED(TEXT, memory, session),
	FIXED(TEXT, memory, text),
	FIXED(TEXT, memory, tags),
	FIXED(TEXT, memory, search),
	FIXED(INT, memory, created_ms),
};

_Static_assert(
	RUN_COLUMNS + 1 <= ARGS_MAX, "runs have more columns than a call has parameters");
