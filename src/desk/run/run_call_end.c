/* run_call_end.c - the end of a tool call: its result, what a person changed or said before it; and of all
 * calls of a message: the message of their results. */
#include "desk/run/run_inner.h"

#include "base/keep.h"
#include "desk/run/mcp_servers.h"

/* Those that models are not told of by the same name yet. */
static bool toolbox_add(struct run_toolbox *box, const struct own_tool *more, size_t len,
	struct arena *arena)
{
	struct own_tool *all = ARENA_ARRAY(arena, struct own_tool, box->own_len + len);

	if (!all) return false;
	if (box->own_len) memcpy(all, box->own, box->own_len * sizeof *all);
	box->own = all;
	for (size_t i = 0; i < len; i++)
		if (!run_tool_own(box, own_tool_told(&more[i])))
			all[box->own_len++] = more[i];
	return true;
}

enum err run_toolbox(const struct run_job *j, struct run_toolbox *out, struct fault *why)
{
	const struct agent_config *a = j->agent;
	struct arena *arena = j->rows->arena;
	struct tool_access access;
	enum err e = OK;

	*out = (struct run_toolbox){ a->tools, a->tools_len, run_is_child(j->r),
		j->t->desk->test_tools };
	for (size_t i = 0; !e && i < a->tools_len; i++) {
		struct own_tool *more = &access.tool;
		size_t len = 1;

		if (run_tool_known(a->tools[i], true)) continue;
		if (str_starts(a->tools[i], "mcp:"))
			e = mcp_tools_chosen(j->t->desk, j->rows, j->r->ws, a->tools[i],
				&more, &len, why);
		else
			e = configured_tool(j->t->desk, j->rows, j->r->ws, a->tools[i],
				arena, &access, why);
		/* It was removed, or has lost its key: it is not offered. */
		if (e == ERR_NOT_FOUND ||
			(!e && more == &access.tool && access.wrong.len))
			len = 0;
		if (e == ERR_NOT_FOUND) e = OK;
		if (!e && len && !toolbox_add(out, more, len, arena))
			e = fail_memory(why);
	}
	return e;
}

/* What a person changed or said when they let it run comes before its result. */
static enum err told_before(
	struct rows *rows, const struct tool_call *c, struct str *text, struct fault *why)
{
	const struct json *answer = NULL;
	struct str note = STR_NONE;
	struct buf b = { .max = 2 * CALL_RESULT_MAX };
	struct ask *a = NULL;
	enum err e = c->ask.len ? rows_fetch_ask(rows, c->ws, c->ask, &a, why) : OK;

	if (e && e != ERR_NOT_FOUND) return e;
	if (a && a->answer.len && !json_read(a->answer, NULL, rows->arena, &answer, NULL))
		note = json_text(json_get(json_get(answer, "decision"), "text"));
	if (!c->approved_arguments.len && !note.len) return OK;
	if (c->approved_arguments.len)
		buf_print(&b, "[A person changed the arguments to %.*s.]\n",
			STR_ARGS(c->approved_arguments));
	if (note.len) buf_print(&b, "[Note of the person: %.*s]\n", STR_ARGS(note));
	buf_add(&b, str_first(*text, CALL_RESULT_MAX));
	*text = buf_keep_done(&b, rows->arena);
	return OK;
}

static void tool_used(const struct run_job *j, const struct tool_call *c)
{
	struct run *r = j->r;
	struct str server, tool;

	r->tools_used++;
	r->mcp_calls += mcp_call_parts(c->name, &server, &tool);
	for (struct str rest = r->tools, name; str_cut(&rest, ' ', &name);)
		if (str_eq(name, c->name)) return;
	r->tools = arena_print(j->rows->arena, "%.*s%s%.*s", STR_ARGS(r->tools),
		r->tools.len ? " " : "", STR_ARGS(c->name));
}

enum err run_call_end(const struct run_job *j, struct tool_call *c,
	enum call_action action, struct str text, struct fault *why)
{
	enum err e = tool_call_act(c, action, why);
	struct str kept;

	if (!e && (action == CALL_FINISH || action == CALL_FAIL))
		e = told_before(j->rows, c, &text, why);
	if (e) return e;
	kept = str_first(text, CALL_RESULT_MAX);
	c->result = STR_NONE;
	if (action == CALL_FINISH)
		c->result = kept;
	else
		c->error = kept;
	if (!c->started_ms) c->started_ms = j->rows->now_ms;
	c->ended_ms = j->rows->now_ms;
	if (action == CALL_FINISH || action == CALL_FAIL) tool_used(j, c);
	run_event(j, "run.tool_finished",
		FIELDS(field_text("call", c->id), field_text("name", c->name),
			field_word("status", call_status_name(c->status)),
			field_int("duration_ms", c->ended_ms - c->started_ms)));
	return OK;
}

/* As the model called it. */
static struct str name_told(struct rows *rows, struct str name)
{
	struct str server, tool;

	return mcp_call_parts(name, &server, &tool)
		       ? mcp_call_model_name(name, rows->arena)
		       : name;
}

bool run_turn_close(const struct run_job *j)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct tool_call *at = NULL;
	struct run_message *m;
	bool rejected = false;

	jw_array(&w);
	while ((at = run_calls_next(j, at))) {
		bool bad = at->status != CALL_DONE;

		rejected |= at->status == CALL_REJECTED;
		fields_object(&w,
			FIELDS(field_word("type", "tool_result"),
				field_text("id", at->wire), field_text("call", at->id),
				field_text("name", name_told(j->rows, at->name)),
				field_str("content",
					bad && at->error.len ? at->error : at->result),
				field_some(field_json(
					"is_error", bad ? STR("true") : STR_NONE))));
	}
	jw_array_end(&w);
	m = run_message_new(
		j->rows, j->r, MESSAGE_TOOL, buf_keep_done(&b, j->rows->arena));
	while ((at = run_calls_next(j, at))) {
		struct tool_call *c = rows_change(j->rows, at);

		c->answer = m->id;
		c->result = STR_NONE;
	}
	j->r->message = STR_NONE;
	return rejected;
}
