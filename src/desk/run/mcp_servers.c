/* mcp_servers.c - MCP servers: listed, made, changed, removed; their headers sealed; their tools as they were
 * read, and accepted. */
#include "desk/run/mcp_servers.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "core/shared/address.h"
#include "core/shared/show.h"
#include "desk/people/people_log.h"
#include "desk/run/configured.h"
#include "desk/shared/collection.h"

/* ---- found ---- */

static enum err list_get(struct rows *rows, int64_t ws, struct str server,
	struct str agent, const struct mcp_list_record **out, struct fault *why)
{
	*out = NULL;
	return rows_get(rows, RECORD_MCP_LISTS, KEY(ws, server, agent), out, why);
}

static enum err pins_fill(struct rows *rows, const struct mcp_list_record *list,
	struct mcp_pins *out, struct fault *why)
{
	*out = (struct mcp_pins){ 0 };
	return !list || mcp_pins_read(list->tools, rows->arena, out)
		       ? OK
		       : fail(why, ERR_INTERNAL,
				 "the tools of an MCP server are unreadable");
}

/* The next list of a local server; NULL: the first. */
static const struct mcp_list_record *list_next(struct rows *rows,
	const struct mcp_server_record *r, const struct mcp_list_record *at)
{
	while ((at = rows_next(rows, RECORD_MCP_LISTS, at)))
		if (at->ws == r->ws && str_eq(at->server, r->name) && at->agent.len)
			return at;
	return NULL;
}

static enum err lists_fetch(
	struct rows *rows, const struct mcp_server_record *r, struct fault *why)
{
	return rows_fetch(
		rows, RECORD_MCP_LISTS, SQL_MCP_LISTS_OF, ARGS(r->ws, r->name), why);
}

/* Of the tools of all agents each once; one that somebody has still to accept as such. */
static bool pins_join(
	struct rows *rows, struct mcp_pins *all, const struct mcp_pins *more)
{
	struct mcp_tool *items =
		ARENA_ARRAY(rows->arena, struct mcp_tool, all->len + more->len + 1);
	size_t len = all->len;

	if (!items) return false;
	if (len) memcpy(items, all->items, len * sizeof *items);
	for (size_t i = 0; i < more->len; i++) {
		const struct mcp_tool *t = &more->items[i];
		size_t at = 0;

		while (at < len && !(str_eq(items[at].name, t->name) &&
					   str_eq(items[at].digest, t->digest)))
			at++;
		if (at == len)
			items[len++] = *t;
		else if (items[at].gone || (!t->gone && !mcp_tool_on(t)))
			items[at] = *t;
	}
	*all = (struct mcp_pins){ items, len };
	return true;
}

/* What agents have of it, together. */
static enum err lists_join(struct rows *rows, struct mcp_known *k, struct fault *why)
{
	const struct mcp_list_record *list = NULL;
	struct mcp_pins pins;
	enum err e = lists_fetch(rows, k->record, why);

	while (!e && (list = list_next(rows, k->record, list))) {
		if (!k->list || list->checked_ms > k->list->checked_ms) k->list = list;
		e = pins_fill(rows, list, &pins, why);
		if (!e && !pins_join(rows, &k->pins, &pins)) e = fail_memory(why);
	}
	return e;
}

static enum err known_fill(
	struct rows *rows, const void *record, struct mcp_known *out, struct fault *why)
{
	enum err e;

	*out = (struct mcp_known){ .record = record };
	e = mcp_server_parse(out->record->body, rows->arena, &out->parts, why);
	if (e || out->parts.transport == MCP_LOCAL)
		return e ? e : lists_join(rows, out, why);
	e = list_get(rows, out->record->ws, out->record->name, STR_NONE, &out->list, why);
	return e ? e : pins_fill(rows, out->list, &out->pins, why);
}

enum err mcp_known_as(
	struct rows *rows, struct mcp_known *k, struct str agent, struct fault *why)
{
	enum err e;

	if (!k->record || k->parts.transport != MCP_LOCAL) return OK;
	e = list_get(rows, k->record->ws, k->record->name, agent, &k->list, why);
	return e ? e : pins_fill(rows, k->list, &k->pins, why);
}

enum err mcp_known_find(struct desk *d, struct rows *rows, int64_t ws, struct str which,
	struct mcp_known *out, struct fault *why)
{
	const void *found = NULL;
	enum err e = configured_find(d, rows, RECORD_MCP_SERVERS, ws, which, &found, why);

	*out = (struct mcp_known){ 0 };
	return e || !found ? e : known_fill(rows, found, out, why);
}

/* Those it is sent, as JSON; empty: none. */
static struct str headers_of(
	struct desk *d, const struct mcp_server_record *r, struct arena *arena)
{
	const struct configured *c = configured_now(d);
	struct buf b = { .max = 1 << 20 };

	if (!r->version) return arena_str(arena, r->headers);
	if (!r->sealed.len || !c->sealing || !seal_open(c->secret, r->sealed, &b)) {
		buf_done(&b);
		return STR_NONE;
	}
	return buf_keep_done(&b, arena);
}

static struct str access_wrong(
	struct desk *d, const struct mcp_server_record *r, struct arena *arena)
{
	if ((r->source == KEY_ENV || r->source == KEY_FILE) && !r->headers.len)
		return provider_key_absent(r->source, r->key_from, true, arena);
	return configured_sealed_wrong(d, r->sealed, true, arena);
}

enum err mcp_access_make(struct desk *d, struct rows *rows, const struct mcp_known *k,
	struct str tool, struct arena *arena, struct mcp_access *out, struct fault *why)
{
	const struct configured *c = configured_now(d);
	const struct mcp_server_record *r = k->record;
	const struct mcp_tool *t = tool.len ? mcp_pins_find(&k->pins, tool) : NULL;
	enum err e = OK;

	(void)rows;
	*out = (struct mcp_access){ .ws = r->ws,
		.name = arena_str(arena, r->name),
		.url = arena_str(arena, k->parts.url),
		.command = arena_str(arena, r->command),
		.env = arena_str(arena, r->env),
		.headers = headers_of(d, r, arena),
		.tool = arena_str(arena, tool),
		.reach = arena_str(
			arena, c->model_internal.len ? c->model_internal : STR("no")),
		.revision = arena_str(arena, k->list ? k->list->revision : STR_NONE),
		.timeout_ms = k->parts.timeout_ms,
		.result_max = d->set.gateway_result_max,
		.wrong = arena_str(arena, access_wrong(d, r, arena)) };
	if (k->parts.transport == MCP_LOCAL)
		out->wrong = arena_print(arena,
			"an agent starts it with parley mcp-gateway %.*s -- COMMAND",
			STR_ARGS(r->name));
	if (tool.len && !out->wrong.len)
		out->wrong = arena_str(arena, mcp_tool_refusal(t));
	if (t && !out->wrong.len)
		e = json_read(json_keep(t->tool, arena), &mcp_list_limits, arena,
			&out->said, why);
	return !e && arena->failed ? fail_memory(why) : e;
}

/* ---- shown ---- */

static enum err server_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	struct mcp_known k;
	struct str error;
	enum err e = known_fill(rows, record, &k, why);

	if (e) return e;
	error = access_wrong(t->desk, record, rows->arena);
	if (!error.len && k.list) error = k.list->error;
	mcp_server_show(w, k.record, &k.parts, k.list, &k.pins,
		task_words(t, error, rows->arena));
	return OK;
}

/* ---- create, change ---- */

static enum err server_body_read(struct task *t, struct str before,
	const struct members *also, struct arena *arena, struct str *body,
	struct mcp_server *out, struct fault *why)
{
	enum err e;

	if (json_get(t->body, "command"))
		return fail_at(why, "/command",
			"a program is not started over HTTP: name it in the "
			"configuration: [mcp NAME] command = ...");
	e = mcp_server_read(t->body, before, also, arena, body, out, why);
	if (!e && out->transport == MCP_STDIO)
		e = fail_at(why, "/transport",
			"a program is not started over HTTP: name it in the "
			"configuration: [mcp NAME] command = ...");
	if (!e && out->transport == MCP_LOCAL && !before.len)
		e = fail_at(why, "/transport",
			"parley mcp-gateway makes it when an agent starts it");
	return e || !out->url.len ? e : configured_url_check(t->desk, out->url, why);
}

static enum err server_create_check(struct task *t, struct fault *why)
{
	struct mcp_server parts;
	struct str body;

	return server_body_read(t, STR_NONE, NULL, &t->job.arena, &body, &parts, why);
}

static enum err headers_seal(struct task *t, struct rows *rows,
	struct mcp_server_record *r, const struct mcp_server *b, struct fault *why)
{
	struct str headers;

	if (!b->has_headers && !b->has_bearer) return OK;
	if (!mcp_headers_change(b, headers_of(t->desk, r, rows->arena), rows->arena,
		    &headers, &r->last4))
		return fail_memory(why);
	r->sealed = STR_NONE;
	return headers.len ? configured_seal(t->desk, headers, "headers", rows->arena,
				     &r->sealed, why)
			   : OK;
}

static const struct collection mcp_servers;

static struct str maker_text(const struct task *t, struct arena *arena)
{
	struct buf b = { 0 };

	answered_by_write(&b, "human", &t->job.who);
	return buf_keep_done(&b, arena);
}

/* Those that agents start have room of their own: they keep no admin from adding one. */
static enum err servers_room(
	struct task *t, struct rows *rows, bool local, struct fault *why)
{
	struct str maker = maker_text(t, rows->arena);
	const struct mcp_server_record *r = NULL;
	struct mcp_server parts;
	size_t n = 0, own = 0;
	enum err e = rows_fetch(
		rows, RECORD_MCP_SERVERS, SQL_MCP_SERVERS_OF, ARGS(t->job.who.ws), why);

	while (!e && (r = rows_next(rows, RECORD_MCP_SERVERS, r))) {
		if (r->ws != t->job.who.ws) continue;
		e = mcp_server_parse(r->body, rows->arena, &parts, why);
		if (e || (parts.transport == MCP_LOCAL) != local) continue;
		n++;
		own += str_eq(r->made_by, maker);
	}
	if (!e && local && own >= MCP_OF_AGENT_MAX)
		return fail(why, ERR_CONFLICT,
			"this agent has already %d MCP servers: an admin removes some",
			MCP_OF_AGENT_MAX);
	return e || n < MCP_SERVERS_MAX
		       ? e
		       : fail(why, ERR_CONFLICT, "there are already %d MCP servers",
				 MCP_SERVERS_MAX);
}

static enum err server_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	struct mcp_server_record *r = record;
	struct mcp_server parts, before;
	enum err e = was ? mcp_server_parse(r->body, rows->arena, &before, why)
			 : configured_collection_new(&mcp_servers, t, rows, r, why);

	if (!e && !was) e = servers_room(t, rows, false, why);
	if (e) return e;
	if (!was) {
		r->created_ms = rows->now_ms;
		r->made_by = maker_text(t, rows->arena);
	}
	r->changed_ms = rows->now_ms;
	e = server_body_read(t, r->body, was ? &version_also : NULL, rows->arena,
		&r->body, &parts, why);
	/* Headers are for the address they were given for. */
	if (!e && was && !str_eq(before.url, parts.url)) r->sealed = r->last4 = STR_NONE;
	return e ? e : headers_seal(t, rows, r, &parts, why);
}

/* ---- delete ---- */

static bool agent_chose(const struct agent_config *a, struct str server)
{
	struct str of, tool;

	for (size_t i = 0; i < a->tools_len; i++)
		if (mcp_call_chosen(a->tools[i], &of, &tool) && str_eq(of, server))
			return true;
	return false;
}

static enum err server_unused(
	struct task *t, struct rows *rows, const void *record, struct fault *why)
{
	const struct mcp_server_record *r = record;
	const struct mcp_list_record *list = NULL;
	enum err e = configured_unused(t->desk, rows, r->ws, r->name, agent_chose, why);

	if (!e) e = list_get(rows, r->ws, r->name, STR_NONE, &list, why);
	if (!e && list) rows_delete(rows, list);
	if (!e) e = lists_fetch(rows, r, why);
	for (list = NULL; !e && (list = list_next(rows, r, list));)
		rows_delete(rows, list);
	return e;
}

static const struct collection mcp_servers = {
	.noun = "MCP server",
	.nouns = "MCP servers",
	.record = RECORD_MCP_SERVERS,
	.id_at = offsetof(struct mcp_server_record, id),
	.name_at = offsetof(struct mcp_server_record, name),
	.list = SQL_MCP_SERVERS_OF,
	.find = configured_collection_find,
	.own = configured_collection_own,
	.show = server_shown,
	.fill = server_fill,
	.before_delete = server_unused,
};

RESOURCE_USES(mcp_server, MAY_READ_ALL, MAY_ADMIN, mcp_servers, server_create_check);

enum err mcp_known_all(struct task *t, struct rows *rows, struct mcp_known **out,
	size_t *len, struct fault *why)
{
	const struct mcp_server_record *own, *r = NULL;
	size_t room = configured_now(t->desk)->mcp_servers_len + 2 * MCP_SERVERS_MAX;
	enum err e = rows_fetch_once(
		rows, RECORD_MCP_SERVERS, SQL_MCP_SERVERS_OF, ARGS(t->job.who.ws), why);

	*len = 0;
	*out = ARENA_ARRAY(rows->arena, struct mcp_known, room);
	if (!*out) return fail_memory(why);
	while (!e && *len < room &&
		(own = configured_collection_own(&mcp_servers, t, *len, rows->arena)))
		e = known_fill(rows, own, &(*out)[(*len)++], why);
	while (!e && *len < room && (r = rows_next(rows, RECORD_MCP_SERVERS, r))) {
		bool hidden = r->ws != t->job.who.ws;

		for (size_t i = 0; i < *len && !hidden; i++)
			hidden = str_eq((*out)[i].record->id, r->id);
		if (!hidden) e = known_fill(rows, r, &(*out)[(*len)++], why);
	}
	return e;
}

/* ---- POST /v1/mcp-servers/{id}/test ---- */

static enum err found_or_missing(
	struct task *t, struct rows *rows, struct mcp_known *out, struct fault *why)
{
	enum err e = mcp_known_find(t->desk, rows, t->job.who.ws, t->id, out, why);

	return e || out->record ? e : desk_missing("MCP server", t->id, why);
}

static enum err access_check(struct task *t, struct fault *why)
{
	static const struct str names[] = { STR("call") },
				inner[] = { STR("name"), STR("arguments") };
	const struct members known = { names, 1 }, of_call = { inner, 2 };
	const struct json_place root = place_root(""), at = place_root("/call");
	const struct json *call = NULL, *v[2] = { 0 };
	struct check c = { .why = why };

	if (t->body && members_read(&c, &root, t->body, &known, NULL, &call) && call &&
		members_read(&c, &at, call, &of_call, NULL, v)) {
		if (!json_text(v[0]).len)
			wrong_member(&c, &at, inner[0], "must be the name of a tool");
		if (v[1] && v[1]->type != JSON_OBJECT)
			wrong_member(&c, &at, inner[1], "must be an object");
	}
	return check_end(&c, &t->job.arena);
}

static enum err access_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct mcp_access *a = ARENA_NEW(&job->arena, struct mcp_access);
	struct str tool = json_text_of(json_get(t->body, "call"), "name");
	struct mcp_known k;
	enum err e = a ? found_or_missing(t, rows, &k, why) : fail_memory(why);

	if (!e) e = mcp_access_make(t->desk, rows, &k, tool, &job->arena, a, why);
	if (!e && tool.len && a->wrong.len &&
		!access_wrong(t->desk, k.record, rows->arena).len)
		e = fail_at(why, "/call/name", "%.*s", STR_ARGS(a->wrong));
	if (!e) t->mcp = a;
	return e;
}

const struct use use_mcp_access =
	READS("mcp_access", MAY_ADMIN, 0, access_read, access_check);

/* ---- what was found is kept ---- */

static void server_log(struct rows *rows, struct task *t,
	const struct mcp_server_record *r, const char *type, struct field more)
{
	char digest[SHORT_DIGEST_SIZE];

	mcp_server_digest(r, digest);
	/* One of the configuration has no row that `check` could look for. */
	log_event(rows, &t->job, r->ws, type, r->version ? digest : "",
		FIELDS(field_text("server", r->name), field_text("id", r->id), more));
}

static enum err tools_keep(struct task *t, struct rows *rows, struct mcp_known *k,
	struct mcp_list_record *row, const struct mcp_found *f, struct fault *why)
{
	struct mcp_listed l = {
		.first = !row->listed_ms, .by = k->record->made_by, .now_ms = rows->now_ms
	};
	const struct json *all, **tools;
	struct mcp_pins after;
	struct mcp_news news;
	enum err e = json_read(arena_str(rows->arena, f->tools), &mcp_list_limits,
		rows->arena, &all, why);

	if (e) return e;
	tools = ARENA_ARRAY(rows->arena, const struct json *, all->count + 1);
	for (uint32_t i = 0; tools && i < all->count; i++)
		tools[l.len++] = &all->items[i];
	l.tools = tools;
	if (!tools || !mcp_pins_renew(&k->pins, &l, rows->arena, &after, &news))
		return fail_memory(why);
	row->tools = mcp_pins_write(&after, rows->arena);
	row->truncated = f->truncated;
	row->listed_ms = rows->now_ms;
	if (news.added || news.changed)
		server_log(rows, t, k->record, "mcp.changed",
			field_json("tools",
				fields_text(rows->arena,
					FIELDS(field_int("new", news.added),
						field_int("changed", news.changed)))));
	k->pins = after;
	return OK;
}

static enum err listing_keep(struct task *t, struct rows *rows,
	const struct mcp_listing *l, struct mcp_known *k, struct fault *why)
{
	const struct mcp_list_record fresh = { .ws = l->ws,
		.server = k->record->name,
		.agent = arena_str(rows->arena, l->agent) };
	const struct mcp_found *f = l->found;
	struct mcp_list_record *row = k->list ? rows_change(rows, k->list)
					      : rows_new(rows, RECORD_MCP_LISTS, &fresh);
	bool failed = f->status != MCP_READY;
	enum err e = row ? OK : fail_memory(why);

	if (!e && !failed) e = tools_keep(t, rows, k, row, f, why);
	if (e) return e;
	if (failed &&
		(row->status != (int64_t)f->status || !str_eq(row->error, f->error)))
		server_log(rows, t, k->record, "mcp.failed",
			field_text("error", arena_str(rows->arena, f->error)));
	row->status = f->status;
	row->error = arena_str(rows->arena, f->error);
	if (f->revision.len) row->revision = arena_str(rows->arena, f->revision);
	row->checked_ms = rows->now_ms;
	k->list = row;
	return OK;
}

static enum err keep_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct mcp_listing *l = t->checked;
	struct mcp_known k;
	enum err e = mcp_known_find(t->desk, rows, l->ws, l->server, &k, why);

	if (!e && !k.record) e = desk_missing("MCP server", l->server, why);
	/* One that an agent starts is not read from here. */
	if (!e && k.parts.transport != MCP_LOCAL) e = listing_keep(t, rows, l, &k, why);
	if (e || !l->shown) return e;
	buf_clear(&job->out);
	return server_shown(t, rows, TO_REPLY(job), k.record, why);
}

const struct use use_mcp_keep =
	WRITES("mcp_keep", 0, JOB_OPEN, NULL, keep_decide, NULL, NULL);

/* ---- local ones: what an agent's gateway says of them ---- */

static enum err local_make(struct task *t, struct rows *rows, struct str name,
	struct mcp_known *k, struct fault *why)
{
	struct mcp_server_record r = { .ws = t->job.who.ws,
		.name = arena_str(rows->arena, name),
		.made_by = maker_text(t, rows->arena),
		.created_ms = rows->now_ms,
		.changed_ms = rows->now_ms };
	const struct json *body;
	struct mcp_server parts;
	char id[32];
	enum err e =
		json_read(JSON_TEXT(rows->arena, "{'name':%s,'transport':'local'}", name),
			NULL, rows->arena, &body, why);

	if (!e) e = servers_room(t, rows, true, why);
	if (!e)
		e = mcp_server_read(
			body, STR_NONE, NULL, rows->arena, &r.body, &parts, why);
	if (e) return e;
	mcp_server_id(r.ws, name, id);
	r.id = arena_str(rows->arena, str_of(id));
	return known_fill(rows, rows_new(rows, RECORD_MCP_SERVERS, &r), k, why);
}

enum err mcp_local_keep(struct task *t, struct rows *rows, const struct mcp_listing *l,
	struct mcp_known *k, struct fault *why)
{
	enum err e = k->record ? OK : local_make(t, rows, l->server, k, why);

	if (!e) e = mcp_known_as(rows, k, l->agent, why);
	return e ? e : listing_keep(t, rows, l, k, why);
}

/* ---- POST /v1/mcp-servers/{id}/accept ---- */

static enum err list_accept(struct task *t, struct rows *rows,
	const struct mcp_list_record *list, struct mcp_pins *pins, struct fault *why)
{
	struct mcp_list_record *row;
	size_t len = 0;
	enum err e = mcp_pins_accept(pins, t->body, maker_text(t, rows->arena),
		rows->now_ms, rows->arena, &len, why);

	if (e) return e;
	row = rows_change(rows, list);
	row->tools = mcp_pins_write(pins, rows->arena);
	return OK;
}

/* For every agent that has these tools. */
static enum err lists_accept(
	struct task *t, struct rows *rows, const struct mcp_known *k, struct fault *why)
{
	const struct mcp_list_record *list = NULL;
	struct mcp_pins pins = { 0 };
	bool taken = false;
	enum err e = OK;

	while ((list = list_next(rows, k->record, list))) {
		e = pins_fill(rows, list, &pins, why);
		if (!e) e = list_accept(t, rows, list, &pins, why);
		taken |= !e;
		if (e == ERR_MEMORY || e >= ERR_UNAVAILABLE) return e;
	}
	return taken ? OK : e ? e : list_accept(t, rows, k->list, &pins, why);
}

static enum err accept_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct mcp_known k;
	enum err e = found_or_missing(t, rows, &k, why);

	if (!e && k.parts.transport == MCP_LOCAL)
		e = lists_accept(t, rows, &k, why);
	else if (!e)
		e = list_accept(t, rows, k.list, &k.pins, why);
	if (!e && k.parts.transport == MCP_LOCAL) e = known_fill(rows, k.record, &k, why);
	if (e) return e;
	server_log(rows, t, k.record, "mcp.accepted",
		field_json("tools", json_keep(json_get(t->body, "tools"), rows->arena)));
	return server_shown(t, rows, TO_REPLY(job), k.record, why);
}

const struct use use_mcp_accept =
	WRITES("mcp_accept", MAY_ADMIN, 0, NULL, accept_decide, NULL, NULL);

/* ---- secrets ---- */

static void header_secrets(struct str headers, struct arena *arena, struct str *keys,
	size_t room, size_t *len)
{
	const struct json *all = NULL;

	if (!headers.len || json_read(headers, NULL, arena, &all, NULL)) return;
	for (uint32_t i = 0; i < all->count && *len < room; i++) {
		struct str value = json_text(&all->members[i].value);

		/* The token alone is as secret as with its scheme. */
		if (value.len > 7 && str_is_nocase(str_first(value, 7), "bearer "))
			value = str_from(value, 7);
		keys[(*len)++] = value;
	}
}

enum err mcp_secrets(struct desk *d, struct rows *rows, int64_t ws, struct str *keys,
	size_t room, size_t *len, struct fault *why)
{
	const struct configured *c = configured_now(d);
	const struct mcp_server_record *r = NULL;
	enum err e = rows_fetch_once(
		rows, RECORD_MCP_SERVERS, SQL_MCP_SERVERS_OF, ARGS(ws), why);

	for (size_t i = 0; !e && i < c->mcp_servers_len; i++)
		header_secrets(c->mcp_servers[i].headers, rows->arena, keys, room, len);
	while (!e && (r = rows_next(rows, RECORD_MCP_SERVERS, r)))
		if (r->ws == ws && r->sealed.len)
			header_secrets(headers_of(d, r, rows->arena), rows->arena, keys,
				room, len);
	return e;
}
