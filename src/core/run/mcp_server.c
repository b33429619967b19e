/* mcp_server.c - the configuration of an MCP server as JSON. */
#include "core/run/mcp_server.h"

#include "base/keep.h"
#include "core/run/agent.h"
#include "core/shared/address.h"
#include "core/shared/glob.h"
#include "core/shared/principal.h"
#include "core/shared/shape.h"
#include "core/shared/show.h"

#include <stdio.h>

enum {
	URL_MAX = 2000,
	HEADER_MAX = 4096,
	TIMEOUT_MAX_MS = 10 * 60 * 1000,
	PATTERNS_MAX = 100
};

void mcp_server_id(int64_t ws, struct str name, char out[32])
{
	agent_id(ws, name, out);
	memcpy(out, "mcp_", 4);
}

void mcp_server_digest(const struct mcp_server_record *r, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE], changed[NUMBER_SIZE];
	const struct str fields[] = { r->name, r->body, r->sealed, r->last4, r->made_by,
		digest_number(r->created_ms, created),
		digest_number(r->changed_ms, changed) };

	digest_fields(fields, sizeof fields / sizeof *fields, out);
}

/* ---- members ---- */

static void agents_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	struct mcp_server *s = r->out;

	s->agents = v;
	if (v && (v->type != JSON_ARRAY || v->count > PATTERNS_MAX)) {
		wrong(r->check, &at, "must be an array of at most %d patterns",
			PATTERNS_MAX);
		s->agents = NULL;
		return;
	}
	for (uint32_t i = 0; v && i < v->count; i++) {
		struct json_place item = place_item(&at, i);
		struct str text = json_text(&v->items[i]);

		if (!text.len || text.len > 200 || !text_one_line(text))
			wrong(r->check, &item,
				"must be a name, with * for any text and ? for one character");
	}
}

static void agents_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct mcp_server *s = from;

	jw_key_str(w, m->name);
	if (s->agents)
		jw_json(w, s->agents);
	else
		jw_raw(w, STR("[\"*\"]"));
}

static bool header_free(struct str name)
{
	/* What the protocol itself says. */
	return own_tool_header_valid(name) && !str_is_nocase(name, "accept") &&
	       !str_is_nocase(name, "last-event-id") &&
	       !str_is_nocase(str_first(name, 4), "mcp-");
}

static void headers_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	struct mcp_server *s = r->out;

	s->has_headers = json_get_str(r->json, m->name) != NULL;
	s->headers = v;
	if (v && (v->type != JSON_OBJECT || v->count > MCP_HEADERS_MAX)) {
		wrong(r->check, &at, "must be an object of at most %d headers",
			MCP_HEADERS_MAX);
		s->headers = NULL;
		return;
	}
	for (uint32_t i = 0; v && i < v->count; i++) {
		const struct json *value = &v->members[i].value;

		if (!header_free(v->members[i].name))
			wrong_member(r->check, &at, v->members[i].name,
				"is no header that can be set here");
		else if (value->type != JSON_NULL &&
			 (value->type != JSON_STRING || !text_one_line(value->text) ||
				 text_blank(value->text) || value->text.len > HEADER_MAX))
			wrong_member(r->check, &at, v->members[i].name,
				"must be one line of at most %d bytes, or null",
				HEADER_MAX);
	}
}

static void bearer_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct mcp_server *s = r->out;

	provider_key_read(r, m, v, &s->has_bearer, &s->bearer);
}

static void timeout_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct mcp_server *s = r->out;

	s->timeout_ms = duration_check(r->check, r->at, m->name, v, 1000, TIMEOUT_MAX_MS);
	if (s->timeout_ms) s->timeout_said = json_text(v);
	if (!v) s->timeout_ms = MCP_TIMEOUT_MS;
}

/* As it was said. */
static void timeout_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct mcp_server *s = from;
	char text[32];

	snprintf(text, sizeof text, "%llds", (long long)(s->timeout_ms + 999) / 1000);
	jw_key_str(w, m->name);
	jw_str(w, s->timeout_said.len ? s->timeout_said : str_of(text));
}

static void together(const struct shape_reading *r)
{
	const struct mcp_server *s = r->out;
	struct url url;

	if (s->url.len && !url_split(s->url, &url))
		wrong_member(r->check, r->at, STR("url"), "must be an http or https URL");
	else if (!s->url.len && s->transport == MCP_HTTP)
		wrong_member(r->check, r->at, STR("url"), "required");
	else if (s->url.len && memchr(s->url.at, '#', s->url.len))
		wrong_member(r->check, r->at, STR("url"), "must have no fragment");
}

static const char *const transports[] = {
	[MCP_HTTP] = "http", [MCP_STDIO] = "stdio", [MCP_LOCAL] = "local"
};
static const char *const categories[] = { [MCP_CATEGORY_MCP] = "mcp",
	[MCP_CATEGORY_FILE_OPS] = "file_ops",
	[MCP_CATEGORY_DB_OPS] = "db_ops" };
const char *const mcp_status_names[MCP_STATUSES] = { [MCP_IDLE] = "idle",
	[MCP_READY] = "ready",
	[MCP_UNAUTHORIZED] = "unauthorized",
	[MCP_FAILED] = "failed" };

/* What the desk offers itself is called by its name in tool calls. */
static bool name_free(struct str name)
{
	return mcp_server_name_valid(name) && !str_is(name, MCP_OWN_SERVER);
}

static const struct shape_member members[] = {
	{ STR("name"), OF_NAME, AT(mcp_server, name), 1, 40, TEXT_NEEDED | SHAPE_FIXED,
		"must be {least} to {most} of a-z, 0-9 and -, without - at either end, and not parley, which is reserved",
		.fits = name_free },
	{ STR("transport"), OF_WORD, AT(mcp_server, transport), .flags = SHAPE_FIXED,
		WORDS(transports), .must = "must be http, stdio or local" },
	{ STR("url"), OF_TEXT, AT(mcp_server, url), 1, URL_MAX, TEXT_LINE | TEXT_FILLED },
	{ STR("headers"), OF_OWN, .flags = SHAPE_UNSAID, .read = headers_read },
	{ STR("bearer"), OF_OWN, .flags = SHAPE_UNSAID, .read = bearer_read },
	{ STR("category"), OF_WORD, AT(mcp_server, category), WORDS(categories),
		.must = "must be mcp, file_ops or db_ops" },
	{ STR("trust"), OF_BOOL, AT(mcp_server, trust) },
	{ STR("gateway"), OF_BOOL, AT(mcp_server, gateway), .otherwise = true },
	{ STR("agents"), OF_OWN, .read = agents_read, .write = agents_write },
	{ STR("timeout"), OF_OWN, .read = timeout_read, .write = timeout_write },
};
/* As McpServerRequest in openapi.json. */
static const struct shape server_shape = { SHAPE(members, mcp_server),
	.together = together };

enum err mcp_server_read(const struct json *body, struct str before,
	const struct members *more, struct arena *arena, struct str *json,
	struct mcp_server *out, struct fault *why)
{
	return shape_keep(&server_shape, body, before, more, arena, json, out, why);
}

enum err mcp_server_parse(
	struct str json, struct arena *arena, struct mcp_server *out, struct fault *why)
{
	return shape_load(
		&server_shape, json, arena, out, "an MCP server is unreadable", why);
}

/* Of its tools, as of tools of one's own. */
static enum tool_category mcp_server_category(const struct mcp_server *s)
{
	return s->category == MCP_CATEGORY_FILE_OPS ? TOOL_FILE_OPS
	       : s->category == MCP_CATEGORY_DB_OPS ? TOOL_DB_OPS
						    : TOOL_MCP;
}

bool mcp_server_admits(const struct mcp_server *s, struct str agent)
{
	if (!s->gateway) return false;
	if (!s->agents) return true;
	for (uint32_t i = 0; i < s->agents->count; i++)
		if (glob_fits(s->agents->items[i].text, agent)) return true;
	return false;
}

/* ---- its tools ---- */

void mcp_server_tool(const struct mcp_server *s, const struct mcp_tool *t,
	struct arena *arena, struct own_tool *out)
{
	struct str name = mcp_call_name(s->name, t->name, arena);
	struct str words = json_text_of(t->tool, "description");

	*out = (struct own_tool){ .name = name,
		.told = mcp_call_model_name(name, arena),
		.description = words.len ? words : json_text_of(t->tool, "title"),
		.schema = json_get(t->tool, "inputSchema"),
		.risk_said = mcp_tool_risk(t, s->trust),
		.class_said = mcp_tool_class(t, s->trust) == CLASS_REPEAT ? TOOL_REPEAT
									  : TOOL_ONCE,
		.category = mcp_server_category(s),
		.timeout_said_ms = s->timeout_ms };
}

/* ---- headers ---- */

static bool header_said(const struct json *headers, struct str name, bool bearer)
{
	if (bearer && str_is_nocase(name, "authorization")) return true;
	for (uint32_t i = 0; headers && i < headers->count; i++)
		if (str_eq_nocase(headers->members[i].name, name)) return true;
	return false;
}

/* What may be shown of these. */
static struct str mcp_headers_last4(struct str headers, struct arena *arena)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };
	const struct json *all = NULL;

	if (headers.len) json_read(headers, NULL, arena, &all, NULL);
	jw_object(&w);
	for (uint32_t i = 0; json_is(all, JSON_OBJECT) && i < all->count; i++) {
		jw_name(&w, all->members[i].name);
		jw_str(&w, provider_key_last4(json_text(&all->members[i].value)));
	}
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

bool mcp_headers_change(const struct mcp_server *body, struct str before,
	struct arena *arena, struct str *headers, struct str *last4)
{
	bool none = body->has_headers && !body->headers;
	struct buf b = { .max = 1 << 20 };
	struct json_writer w = { .out = &b };
	const struct json *was = NULL;
	size_t len = 0;

	if (before.len && json_read(before, NULL, arena, &was, NULL)) return false;
	jw_object(&w);
	for (uint32_t i = 0; !none && was && i < was->count; i++) {
		if (header_said(body->headers, was->members[i].name, body->has_bearer))
			continue;
		jw_name(&w, was->members[i].name);
		jw_json(&w, &was->members[i].value);
		len++;
	}
	for (uint32_t i = 0; body->headers && i < body->headers->count; i++) {
		const struct json_member *m = &body->headers->members[i];

		if (m->value.type == JSON_NULL ||
			(body->has_bearer && str_is_nocase(m->name, "authorization")))
			continue;
		jw_name(&w, m->name);
		jw_json(&w, &m->value);
		len++;
	}
	if (body->bearer.len) {
		jw_key(&w, "Authorization");
		jw_str(&w, arena_print(arena, "Bearer %.*s", STR_ARGS(body->bearer)));
		len++;
	}
	jw_object_end(&w);
	*headers = buf_keep_done(&b, arena);
	*last4 = mcp_headers_last4(*headers, arena);
	if (!len) *headers = *last4 = STR_NONE;
	return !arena->failed;
}

/* ---- shown ---- */

void mcp_server_tool_show(struct json_writer *w, const struct mcp_server_record *r,
	const struct mcp_server *s, const struct mcp_tool *t, struct str wrong)
{
	struct arena arena = { 0 };
	struct own_tool own = { 0 };
	const struct json *schema = t ? json_get(t->tool, "inputSchema") : NULL;

	if (t) mcp_server_tool(s, t, &arena, &own);
	jw_object(w);
	jw_put_null(w, "id");
	jw_put_str(w, "name",
		arena_print(&arena, "mcp:%.*s%s%.*s", STR_ARGS(r->name), t ? "/" : "",
			STR_ARGS(t ? t->name : STR_NONE)));
	jw_put_text(w, "kind", "mcp");
	jw_put_str(w, "description",
		t ? own.description
		  : arena_print(&arena, "All tools of the MCP server %.*s",
			    STR_ARGS(r->name)));
	jw_put_text(w, "category", categories[s->category]);
	show_text(w, "risk", t ? str_of(risk_name(own_tool_risk(&own))) : STR_NONE);
	jw_put_text(w, "class", call_class_name(t ? own_tool_class(&own) : CLASS_ONCE));
	if (json_is(schema, JSON_OBJECT))
		jw_put_json(w, "schema", schema);
	else
		jw_put_raw(w, "schema", STR("{\"type\":\"object\"}"));
	jw_put_bool(w, "available", wrong.len == 0);
	show_text(w, "why", wrong);
	jw_put_text(w, "source", r->version ? "store" : "file");
	jw_put_int(w, "version", r->version);
	jw_object_end(w);
	if (arena.failed) w->out->failed = true;
	arena_done(&arena);
}

static void headers_show(struct json_writer *w, struct str last4, struct arena *arena)
{
	const struct json *all = NULL;

	jw_put_object(w, "headers");
	if (last4.len) json_read(last4, NULL, arena, &all, NULL);
	for (uint32_t i = 0; json_is(all, JSON_OBJECT) && i < all->count; i++) {
		jw_name(w, all->members[i].name);
		jw_object(w);
		jw_put_bool(w, "set", true);
		show_text(w, "last4", json_text(&all->members[i].value));
		jw_object_end(w);
	}
	jw_object_end(w);
}

void mcp_server_show(struct json_writer *w, const struct mcp_server_record *r,
	const struct mcp_server *s, const struct mcp_list_record *list,
	const struct mcp_pins *pins, struct str error)
{
	static const struct mcp_list_record never;
	struct arena arena = { 0 };

	if (!list) list = &never;
	jw_object(w);
	jw_put_str(w, "id", r->id);
	jw_put_str(w, "name", r->name);
	jw_put_text(w, "source", r->version ? "store" : "file");
	jw_put_int(w, "version", r->version);
	jw_put_text(w, "transport", transports[s->transport]);
	show_text(w, "url", s->url);
	show_text(w, "command", r->command);
	headers_show(
		w, r->version ? r->last4 : mcp_headers_last4(r->headers, &arena), &arena);
	jw_put_text(w, "category", categories[s->category]);
	jw_put_bool(w, "trust", s->trust);
	jw_put_bool(w, "gateway", s->gateway);
	agents_write(w, &(struct shape_member){ .name = STR("agents") }, s);
	timeout_write(w, &(struct shape_member){ .name = STR("timeout") }, s);
	jw_put_text(w, "status", mcp_status_names[list->status]);
	show_text(w, "error", error);
	show_text(w, "revision", list->revision);
	show_time(w, "checked_at", list->checked_ms);
	jw_put_bool(w, "truncated", list->truncated);
	jw_put_array(w, "tools");
	for (size_t i = 0; i < pins->len; i++)
		if (!pins->items[i].gone) mcp_tool_show(w, &pins->items[i], s->trust);
	jw_array_end(w);
	show_time(w, "created_at", r->created_ms);
	show_time(w, "updated_at", r->changed_ms);
	jw_object_end(w);
	if (arena.failed) w->out->failed = true;
	arena_done(&arena);
}
