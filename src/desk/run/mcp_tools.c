/* mcp_tools.c - the tools of MCP servers as runs have them: which an agent chose, what a call of one needs, which
 * lists are to be read again; and as rows of the tools that there are. */
#include "desk/run/mcp_servers.h"

#include "core/run/agent.h"
#include "desk/run/configured.h"
#include "desk/shared/collection.h"

/* A server that could not be read is tried again sooner than one that was. */
enum { READ_AGAIN_MS = 60 * 1000 };

/* ---- what an agent chose ---- */

enum err mcp_chosen_admit(struct desk *d, struct rows *rows, int64_t ws,
	struct str chosen, const char *pointer, struct fault *why)
{
	const struct mcp_tool *t;
	struct str server, tool;
	struct mcp_known k;
	enum err e = OK;

	if (!mcp_call_chosen(chosen, &server, &tool)) return OK;
	e = mcp_known_find(d, rows, ws, server, &k, why);
	if (e) return e;
	t = mcp_pins_find(&k.pins, tool);
	if (!k.record)
		return fail_at(
			why, pointer, "there is no MCP server %.*s", STR_ARGS(server));
	/* Before it was read nobody knows. */
	if (!tool.len || !k.list || !k.list->listed_ms || (t && !t->gone)) return OK;
	return fail_at(why, pointer, "the MCP server %.*s has no tool %.*s",
		STR_ARGS(server), STR_ARGS(str_first(tool, 64)));
}

enum err mcp_tools_chosen(struct desk *d, struct rows *rows, int64_t ws,
	struct str chosen, struct own_tool **out, size_t *len, struct fault *why)
{
	struct str server, tool;
	struct mcp_known k;
	enum err e;

	*len = 0;
	if (!mcp_call_chosen(chosen, &server, &tool)) return OK;
	e = mcp_known_find(d, rows, ws, server, &k, why);
	if (e) return e;
	*out = ARENA_ARRAY(rows->arena, struct own_tool, k.pins.len + 1);
	if (!*out) return fail_memory(why);
	for (size_t i = 0; i < k.pins.len; i++)
		if (mcp_tool_on(&k.pins.items[i]) &&
			(!tool.len || str_eq(tool, k.pins.items[i].name)))
			mcp_server_tool(&k.parts, &k.pins.items[i], rows->arena,
				&(*out)[(*len)++]);
	return OK;
}

enum err mcp_call_access(struct desk *d, struct rows *rows, int64_t ws, struct str agent,
	struct str name, struct arena *arena, struct tool_access *out, struct fault *why)
{
	struct mcp_access *a = ARENA_NEW(arena, struct mcp_access);
	const struct mcp_tool *t;
	struct str server, tool;
	struct own_tool parts;
	struct mcp_known k;
	enum err e = a ? OK : fail_memory(why);

	if (!e && !mcp_call_parts(name, &server, &tool))
		e = desk_missing("tool", name, why);
	if (!e) e = mcp_known_find(d, rows, ws, server, &k, why);
	if (!e && !k.record) e = desk_missing("MCP server", server, why);
	if (!e) e = mcp_access_make(d, rows, &k, tool, arena, a, why);
	if (e) return e;
	a->agent = arena_str(arena, agent);
	*out = (struct tool_access){ .mcp = a, .wrong = a->wrong };
	t = mcp_pins_find(&k.pins, tool);
	if (!t) return OK;
	mcp_server_tool(&k.parts, t, rows->arena, &parts);
	out->tool.class_said = parts.class_said;
	return OK;
}

/* ---- lists that are to be read ---- */

static bool list_due(const struct mcp_known *k, int64_t now_ms)
{
	const struct mcp_list_record *l = k->list;

	if (k->parts.transport == MCP_LOCAL) return false;
	if (!l || l->checked_ms < k->record->changed_ms) return true;
	return now_ms - l->checked_ms >=
	       (l->status == MCP_READY ? MCP_LIST_AGAIN_MS : READ_AGAIN_MS);
}

static bool chosen_before(const struct agent_config *a, size_t n, struct str server)
{
	struct str of, tool;

	for (size_t i = 0; i < n; i++)
		if (mcp_call_chosen(a->tools[i], &of, &tool) && str_eq(of, server))
			return true;
	return false;
}

enum err mcp_lists_due(struct desk *d, struct rows *rows, int64_t ws,
	const struct agent_config *a, struct arena *arena, struct mcp_access **out,
	size_t *len, struct fault *why)
{
	struct str server, tool;
	struct mcp_known k;
	enum err e = OK;

	*len = 0;
	*out = NULL;
	for (size_t i = 0; !e && i < a->tools_len; i++) {
		if (!mcp_call_chosen(a->tools[i], &server, &tool) ||
			chosen_before(a, i, server))
			continue;
		e = mcp_known_find(d, rows, ws, server, &k, why);
		if (e || !k.record || !list_due(&k, rows->now_ms)) continue;
		if (!*out) *out = ARENA_ARRAY(arena, struct mcp_access, a->tools_len);
		if (!*out) return fail_memory(why);
		e = mcp_access_make(d, rows, &k, STR_NONE, arena, &(*out)[*len], why);
		(*out)[(*len)++].agent = arena_str(arena, a->name);
	}
	return e;
}

/* ---- rows of GET /v1/tools ---- */

/* It begins as the records of that list do. */
struct mcp_row {
	struct tool_record record;
	const struct mcp_known *of;
	const struct mcp_tool *tool; /* NULL: the whole server */
};

static const void *row_make(
	struct rows *rows, const struct mcp_known *k, const struct mcp_tool *t)
{
	struct mcp_row *r = ARENA_NEW(rows->arena, struct mcp_row);

	if (!r) return NULL;
	*r = (struct mcp_row){ .of = k, .tool = t };
	r->record.ws = k->record->ws;
	r->record.name =
		arena_print(rows->arena, "mcp:%.*s%s%.*s", STR_ARGS(k->record->name),
			t ? "/" : "", STR_ARGS(t ? t->name : STR_NONE));
	r->record.id = r->record.name;
	return r;
}

enum err mcp_row_find(struct desk *d, struct rows *rows, int64_t ws, struct str which,
	const void **out, struct fault *why)
{
	struct mcp_known *k = ARENA_NEW(rows->arena, struct mcp_known);
	const struct mcp_tool *t = NULL;
	struct str server, tool;
	enum err e;

	if (!k) return fail_memory(why);
	if (!mcp_call_chosen(which, &server, &tool)) return OK;
	e = mcp_known_find(d, rows, ws, server, k, why);
	if (e || !k->record) return e;
	if (tool.len) t = mcp_pins_find(&k->pins, tool);
	if (!tool.len || (t && !t->gone)) *out = row_make(rows, k, t);
	return OK;
}

void mcp_row_show(
	struct task *t, struct json_writer *w, const void *record, struct arena *arena)
{
	const struct mcp_row *r = record;
	struct str wrong = r->tool ? mcp_tool_refusal(r->tool) : STR_NONE;

	mcp_server_tool_show(
		w, r->of->record, &r->of->parts, r->tool, task_words(t, wrong, arena));
}

enum err mcp_rows_all(struct task *t, struct rows *rows, const void ***out, size_t *len,
	struct fault *why)
{
	struct mcp_known *all;
	size_t servers = 0, room = 0;
	enum err e = mcp_known_all(t, rows, &all, &servers, why);

	*len = 0;
	for (size_t i = 0; !e && i < servers; i++)
		room += 1 + all[i].pins.len;
	*out = e ? NULL : ARENA_ARRAY(rows->arena, const void *, room + 1);
	if (!*out) return e ? e : fail_memory(why);
	for (size_t i = 0; i < servers; i++) {
		(*out)[(*len)++] = row_make(rows, &all[i], NULL);
		for (size_t k = 0; k < all[i].pins.len; k++)
			if (!all[i].pins.items[k].gone)
				(*out)[(*len)++] =
					row_make(rows, &all[i], &all[i].pins.items[k]);
	}
	return rows->arena->failed ? fail_memory(why) : OK;
}
