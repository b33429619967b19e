/* tools.c - tools of one's own: listed behind the built-in ones, made, changed, removed; their keys sealed. And what
 * a call of one needs. */
#include "core/run/own_tool.h"

#include "core/run/run_tool.h"
#include "core/shared/address.h"
#include "core/shared/principal.h"
#include "core/shared/show.h"
#include "desk/run/configured.h"
#include "desk/run/mcp_servers.h"
#include "desk/shared/collection.h"

/* ---- what a call needs ---- */

static struct str tool_wrong(struct desk *d, const struct tool_record *r,
	const struct own_tool *t, struct arena *arena)
{
	if (!own_tool_keyed(t) || r->key.len) return STR_NONE;
	if (r->source == KEY_ENV || r->source == KEY_FILE)
		return provider_key_absent(r->source, r->key_from, false, arena);
	return r->sealed.len ? configured_sealed_wrong(d, r->sealed, false, arena)
			     : STR("a header of it needs a key, and it has none");
}

enum err configured_tool(struct desk *d, struct rows *rows, int64_t ws, struct str which,
	struct arena *arena, struct tool_access *out, struct fault *why)
{
	const struct configured *c = configured_now(d);
	const void *found = NULL;
	const struct tool_record *r;
	enum err e = configured_find(d, rows, RECORD_TOOLS, ws, which, &found, why);

	if (e) return e;
	if (!found) return desk_missing("tool", which, why);
	r = found;
	*out = (struct tool_access){ .named_in_file = !r->version };
	e = own_tool_parse(arena_str(arena, r->body), arena, &out->tool, why);
	if (e) return e;
	out->key = configured_key(d, r->key, r->sealed, arena);
	out->reach = out->named_in_file ? c->tool_internal : c->webhook_internal;
	out->wrong = arena_str(arena, tool_wrong(d, r, &out->tool, arena));
	return arena->failed ? fail_memory(why) : OK;
}

/* ---- shown ---- */

/* Behind the built-in ones, which are rows of a table, those of the configuration. */
static const struct run_operation *built_in(const struct task *t, size_t *i)
{
	for (size_t k = 0; k < run_operations_len; k++) {
		if (run_tools[run_operations[k].tool].test && !t->desk->test_tools)
			continue;
		if (!(*i)--) return &run_operations[k];
	}
	return NULL;
}

static const void *tool_own(
	const struct collection *r, struct task *t, size_t i, struct arena *arena)
{
	const struct run_operation *o = built_in(t, &i);
	struct tool_record *row;

	if (!o) return configured_collection_own(r, t, i, arena);
	row = arena_alloc(arena, sizeof *row);
	if (!row) return NULL;
	*row = (struct tool_record){ .ws = t->job.who.ws,
		.name = run_operation_name(o, arena) };
	row->id = row->name;
	return row;
}

static enum err tool_find(const struct collection *r, struct task *t, struct rows *rows,
	struct str which, const void **out, struct fault *why)
{
	const struct tool_record *own;

	for (size_t i = 0; (own = tool_own(r, t, i, rows->arena)); i++)
		if (!own->body.len && str_eq(own->name, which)) {
			*out = own;
			return OK;
		}
	if (str_starts(which, "mcp:"))
		return mcp_row_find(t->desk, rows, t->job.who.ws, which, out, why);
	return configured_collection_find(r, t, rows, which, out, why);
}

static enum err tool_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	const struct tool_record *r = record;
	struct own_tool parts;
	enum err e;

	if (str_starts(r->name, "mcp:")) {
		mcp_row_show(t, w, record, rows->arena);
		return OK;
	}
	for (size_t k = 0; !r->body.len && k < run_operations_len; k++)
		if (str_eq(run_operation_name(&run_operations[k], rows->arena),
			    r->name)) {
			run_operation_write(w, &run_operations[k], t->desk->test_tools);
			return OK;
		}
	e = own_tool_parse(r->body, rows->arena, &parts, why);
	if (!e)
		own_tool_show(w, r, &parts,
			task_words(t, tool_wrong(t->desk, r, &parts, rows->arena),
				rows->arena));
	return e;
}

/* ---- create, change ---- */

static enum err tool_body_read(struct task *t, struct str before,
	const struct members *also, struct arena *arena, struct str *body,
	struct own_tool *out, struct fault *why)
{
	struct str reach = configured_now(t->desk)->webhook_internal;
	struct url url;
	enum err e = OK;

	if (json_get(t->body, "command") || json_get(t->body, "env"))
		e = fail_at(why, json_get(t->body, "command") ? "/command" : "/env",
			"a command is named in the configuration file only");
	if (!e) e = own_tool_read(t->body, before, also, arena, body, out, why);
	if (e) return e;
	if (!url_split(out->url, &url) ||
		!reach_may_allow(reach.len ? reach : STR("no"), &url))
		return fail_at(why, "/url",
			"must be a public https address; the setting webhook_internal "
			"allows more");
	return OK;
}

static enum err tool_create_check(struct task *t, struct fault *why)
{
	struct own_tool parts;
	struct str body;

	return tool_body_read(t, STR_NONE, NULL, &t->job.arena, &body, &parts, why);
}

static const struct collection tools;

static enum err tool_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	struct tool_record *r = record;
	struct own_tool parts, before;
	enum err e = was ? own_tool_parse(r->body, rows->arena, &before, why)
			 : configured_collection_new(&tools, t, rows, r, why);

	if (!e && !was) e = collection_room(&tools, t, rows, OWN_TOOLS_MAX, why);
	if (e) return e;
	if (!was) r->created_ms = rows->now_ms;
	r->changed_ms = rows->now_ms;
	e = tool_body_read(t, r->body, was ? &version_also : NULL, rows->arena, &r->body,
		&parts, why);
	/* A key is for the address it was given for. */
	if (!e && was && !str_eq(before.url, parts.url)) r->sealed = r->last4 = STR_NONE;
	return e || !parts.has_key ? e
				   : configured_key_seal(t->desk, parts.key, rows->arena,
					     &r->sealed, &r->last4, why);
}

static bool tool_chosen(const struct agent_config *a, struct str name)
{
	return text_listed(a->tools, a->tools_len, name);
}

static enum err tool_unused(
	struct task *t, struct rows *rows, const void *record, struct fault *why)
{
	const struct tool_record *r = record;

	return configured_unused(t->desk, rows, r->ws, r->name, tool_chosen, why);
}

static const struct collection tools = {
	.noun = "tool",
	.nouns = "tools",
	.record = RECORD_TOOLS,
	.id_at = offsetof(struct tool_record, id),
	.name_at = offsetof(struct tool_record, name),
	.list = SQL_TOOLS_OF,
	.find = tool_find,
	.own = tool_own,
	.behind = mcp_rows_all,
	.show = tool_shown,
	.fill = tool_fill,
	.before_delete = tool_unused,
};

RESOURCE_USES(tool, 0, MAY_ADMIN, tools, tool_create_check);

/* ---- POST /v1/tools/{id}/test ---- */

static enum err tool_test_check(struct task *t, struct fault *why)
{
	const struct json *arguments = json_get(t->body, "arguments");

	if (!json_is(t->body, JSON_OBJECT) || !json_is(arguments, JSON_OBJECT))
		return fail_at(why, "/arguments", "must be an object");
	return OK;
}

static enum err tool_test_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct tool_access *a = ARENA_NEW(&job->arena, struct tool_access);
	struct json_miss miss;
	const struct json *schema;
	enum err e;

	if (!a) return fail_memory(why);
	e = configured_tool(t->desk, rows, job->who.ws, t->id, &job->arena, a, why);
	if (e) return e;
	a->call = arena_str(&job->arena, rows_new_id(rows, "call"));
	a->agent = arena_str(&job->arena, job->who.name);
	e = webhook_keys_load(rows, job->who.ws, &job->arena, a->signs, why);
	if (!e)
		e = json_read(own_tool_schema(&a->tool, &job->arena), NULL, &job->arena,
			&schema, why);
	if (e) return e;
	t->tool = a;
	if (json_schema_fits(
		    schema, json_get(t->body, "arguments"), NULL, &job->arena, &miss))
		return OK;
	return fail_at(why, POINTER("/arguments%.*s", STR_ARGS(miss.at)), "%.*s",
		STR_ARGS(miss.must));
}

const struct use use_tool_access = WRITES(
	"tool_access", MAY_ADMIN, 0, NULL, tool_test_decide, NULL, tool_test_check);
