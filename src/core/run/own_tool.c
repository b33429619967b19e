/* own_tool.c - the configuration of a tool of one's own as JSON. */
#include "core/run/own_tool.h"

#include "base/keep.h"
#include "core/delivery/resumer.h"
#include "core/run/run_tool.h"
#include "core/shared/address.h"
#include "core/shared/json_schema.h"
#include "core/shared/principal.h"
#include "core/shared/shape.h"
#include "core/shared/show.h"

#include <ctype.h>

enum {
	URL_MAX = 2000,
	COMMAND_MAX = 4096,
	HEADER_MAX = 4096,
	SHOWN_DEPTH = 48,
	TIMEOUT_MAX_MS = 10 * 60 * 1000
};
#define LATER_MAX_MS (90LL * 24 * 60 * 60 * 1000)

void own_tool_id(int64_t ws, struct str name, char out[32])
{
	agent_id(ws, name, out);
	memcpy(out, "tol_", 4);
}

/* ---- members ---- */

static void schema_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct own_tool *t = r->out;
	struct json_place at = place_member(r->at, m->name);
	struct buf text = { 0 };

	t->schema = v;
	if (!v) return;
	json_write(&text, v);
	if (text.len > JSON_SCHEMA_MAX)
		wrong(r->check, &at, "must have at most %d bytes", JSON_SCHEMA_MAX);
	else if (v->type != JSON_OBJECT || !str_is(json_text_of(v, "type"), "object"))
		wrong_member(r->check, &at, STR("type"), "must be object");
	else
		json_schema_check(r->check, &at, v);
	buf_done(&text);
}

static void json_member_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct own_tool *t = from;

	jw_key_str(w, m->name);
	jw_json(w, str_is(m->name, "schema") ? t->schema : t->headers);
}

bool own_tool_header_valid(struct str name)
{
	/* What we say ourselves, or what says where a request ends. */
	static const char *const ours[] = { "host", "content-length", "content-type",
		"transfer-encoding", "connection", "te", "trailer", "upgrade", "expect",
		"idempotency-key", "traceparent", "tracestate" };

	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || c == '-' || c == '_'))
			return false;
	}
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (str_is_nocase(name, ours[i])) return false;
	return name.len && name.len <= 64 &&
	       !str_is_nocase(str_first(name, 7), "parley-") &&
	       !str_is_nocase(str_first(name, 8), "webhook-");
}

static void headers_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	struct own_tool *t = r->out;

	t->headers = v;
	if (v && (v->type != JSON_OBJECT || v->count > OWN_TOOL_HEADERS_MAX)) {
		wrong(r->check, &at, "must be an object of at most %d headers",
			OWN_TOOL_HEADERS_MAX);
		t->headers = NULL;
		return;
	}
	for (uint32_t i = 0; v && i < v->count; i++) {
		const struct json *value = &v->members[i].value;

		if (!own_tool_header_valid(v->members[i].name))
			wrong_member(r->check, &at, v->members[i].name,
				"is no header that can be set here");
		else if (value->type != JSON_STRING || !text_one_line(value->text) ||
			 value->text.len > HEADER_MAX)
			wrong_member(r->check, &at, v->members[i].name,
				"must be one line of at most %d bytes", HEADER_MAX);
	}
}

static void key_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct own_tool *t = r->out;

	provider_key_read(r, m, v, &t->has_key, &t->key);
}

/* Each {name} behind the host is an argument. */
static void placeholders_check(const struct shape_reading *r, const struct own_tool *t)
{
	const struct json *properties = json_get(t->schema, "properties");
	struct str rest = t->url, name;

	while (str_cut(&rest, '{', &name) && rest.at) {
		if (str_find(rest, STR("}")) < 0) {
			wrong_member(r->check, r->at, STR("url"),
				"must have a } behind every {");
			return;
		}
		str_cut(&rest, '}', &name);
		if (!json_get_str(properties, name))
			wrong_member(r->check, r->at, STR("url"),
				"{%.*s} is no property of the schema",
				STR_ARGS(str_first(name, 60)));
	}
}

static void command_check(const struct shape_reading *r, const struct own_tool *t)
{
	struct arena arena = { 0 };
	struct resumer *words = ARENA_NEW(&arena, struct resumer);
	struct fault found = { 0 };

	if (t->url.len)
		wrong_member(r->check, r->at, STR("command"),
			"there is a url already: keep one of both");
	else if (t->method)
		wrong_member(r->check, r->at, STR("method"), "is of a url");
	else if (t->headers)
		wrong_member(r->check, r->at, STR("headers"), "is of a url");
	else if (words &&
		 resumer_read(t->command, COMMAND_IS_TOOL, &arena, words, &found))
		wrong_member(r->check, r->at, STR("command"), "%s", found.detail);
	arena_done(&arena);
}

static void tool_check(const struct shape_reading *r)
{
	const struct own_tool *t = r->out;
	struct url url;

	if (t->command.len) {
		command_check(r, t);
		return;
	}
	if (!t->url.len) {
		wrong_member(r->check, r->at, STR("url"), "required");
		return;
	}
	if (!url_split(t->url, &url))
		wrong_member(r->check, r->at, STR("url"), "must be an http or https URL");
	else if (memchr(t->url.at, '#', t->url.len))
		wrong_member(r->check, r->at, STR("url"), "must have no fragment");
	else if (!r->check->failed)
		placeholders_check(r, t);
}

/* NAME, or NAME=value; names of ours are not set from outside. */
static bool env_valid(struct str one)
{
	struct str name;

	str_cut(&one, '=', &name);
	for (size_t i = 0; i < name.len; i++)
		if (!isalnum((unsigned char)name.at[i]) && name.at[i] != '_')
			return false;
	return name.len && !isdigit((unsigned char)name.at[0]) && text_one_line(one) &&
	       !str_starts(name, "PARLEY_");
}

const char *const tool_method_names[METHODS] = { [METHOD_POST] = "POST",
	[METHOD_GET] = "GET",
	[METHOD_PUT] = "PUT",
	[METHOD_PATCH] = "PATCH",
	[METHOD_DELETE] = "DELETE" };
static const char *const classes[] = { [TOOL_ONCE] = "once", [TOOL_REPEAT] = "repeat" };
static const char *const categories[] = {
	[TOOL_TOOLS] = "tools", [TOOL_FILE_OPS] = "file_ops", [TOOL_DB_OPS] = "db_ops"
};

static const struct shape_member members[] = {
	{ STR("name"), OF_NAME, AT(own_tool, name), 1, OWN_TOOL_NAME_MAX,
		TEXT_NEEDED | SHAPE_FIXED,
		"must be {least} to {most} of a-z, 0-9 and _, and none of Parley's own tools",
		.fits = run_tool_own_name },
	{ STR("url"), OF_TEXT, AT(own_tool, url), 1, URL_MAX, TEXT_LINE | TEXT_FILLED },
	{ STR("command"), OF_TEXT, AT(own_tool, command), 1, COMMAND_MAX,
		TEXT_LINE | TEXT_FILLED },
	{ STR("env"), OF_TEXTS, ALL(own_tool, env), .most = OWN_TOOL_ENV_MAX,
		.fits = env_valid, .must = "must be up to {most} of NAME or NAME=value" },
	{ STR("method"), OF_WORD, AT(own_tool, method), WORDS(tool_method_names),
		.must = "must be GET, POST, PUT, PATCH or DELETE" },
	{ STR("description"), OF_TEXT, AT(own_tool, description), 1,
		OWN_TOOL_DESCRIPTION_MAX, TEXT_FILLED | TEXT_NEEDED },
	{ STR("schema"), OF_OWN, .read = schema_read, .write = json_member_write },
	{ STR("headers"), OF_OWN, .read = headers_read, .write = json_member_write },
	{ STR("key"), OF_OWN, .flags = SHAPE_UNSAID, .read = key_read },
	{ STR("risk"), OF_WORD, AT(own_tool, risk_said), WORDS(risk_names) },
	{ STR("class"), OF_WORD, AT(own_tool, class_said), WORDS(classes),
		.must = "must be once or repeat" },
	{ STR("category"), OF_WORD, AT(own_tool, category), WORDS(categories),
		.must = "must be tools, file_ops or db_ops" },
	{ STR("timeout"), OF_SPAN, AT(own_tool, timeout_said_ms), 1000, TIMEOUT_MAX_MS },
	{ STR("later"), OF_SPAN, AT(own_tool, later_said_ms), 1000, LATER_MAX_MS },
};
/* As ToolRequest in openapi.json. */
static const struct shape tool_shape = { SHAPE(members, own_tool),
	.together = tool_check };

enum err own_tool_read(const struct json *body, struct str before,
	const struct members *more, struct arena *arena, struct str *json,
	struct own_tool *out, struct fault *why)
{
	return shape_keep(&tool_shape, body, before, more, arena, json, out, why);
}

enum err own_tool_parse(
	struct str json, struct arena *arena, struct own_tool *out, struct fault *why)
{
	return shape_load(&tool_shape, json, arena, out, "a tool is unreadable", why);
}

/* ---- what it says, and what holds when it says nothing ---- */

enum risk own_tool_risk(const struct own_tool *t)
{
	if (t->risk_said) return t->risk_said;
	return t->command.len ? RISK_HIGH : RISK_MEDIUM;
}

enum call_class own_tool_class(const struct own_tool *t)
{
	bool repeat =
		t->class_said ? t->class_said == TOOL_REPEAT : t->method == METHOD_GET;

	return repeat ? CLASS_REPEAT : CLASS_ONCE;
}

int64_t own_tool_timeout_ms(const struct own_tool *t)
{
	if (t->timeout_said_ms) return t->timeout_said_ms;
	return t->command.len ? OWN_TOOL_COMMAND_MS : OWN_TOOL_TIMEOUT_MS;
}

int64_t own_tool_later_ms(const struct own_tool *t)
{
	return t->later_said_ms ? t->later_said_ms : OWN_TOOL_LATER_MS;
}

struct str own_tool_schema(const struct own_tool *t, struct arena *arena)
{
	return t->schema ? json_keep(t->schema, arena)
			 : STR("{\"type\":\"object\",\"properties\":{}}");
}

const struct json *own_tool_checked(const struct own_tool *t)
{
	/* An ask shows it, within its operation. */
	const struct json_limits limits = { .depth = SHOWN_DEPTH };
	const struct json_place root = place_root("");
	struct buf text = { .max = JSON_SCHEMA_MAX };
	struct arena arena = { 0 };
	struct check c = { 0 };
	const struct json *read;

	if (!t->schema || !t->told.len) return t->schema;
	json_write(&text, t->schema);
	c.failed = text.failed ||
		   json_read(buf_str(&text), &limits, &arena, &read, NULL) != OK;
	if (!c.failed) json_schema_check(&c, &root, t->schema);
	arena_done(&arena);
	buf_done(&text);
	return c.failed ? NULL : t->schema;
}

struct str own_tool_told(const struct own_tool *t)
{
	return t->told.len ? t->told : t->name;
}

bool own_tool_keyed(const struct own_tool *t)
{
	for (uint32_t i = 0; t->headers && i < t->headers->count; i++)
		if (str_find(json_text(&t->headers->members[i].value), STR("{key}")) >= 0)
			return true;
	return false;
}

void own_tool_digest(const struct tool_record *t, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE], changed[NUMBER_SIZE];
	const struct str fields[] = { t->name, t->body, t->sealed, t->last4,
		digest_number(t->created_ms, created),
		digest_number(t->changed_ms, changed) };

	digest_fields(fields, sizeof fields / sizeof *fields, out);
}

/* Of its environment the names: a value may be a secret. */
static void command_show(struct json_writer *w, const struct own_tool *t)
{
	show_text(w, "command", t->command);
	jw_put_array(w, "env");
	for (size_t i = 0; i < t->env_len; i++) {
		struct str rest = t->env[i], name;

		str_cut(&rest, '=', &name);
		jw_str(w, name);
	}
	jw_array_end(w);
}

static void request_show(struct json_writer *w, const struct own_tool *t)
{
	show_text(w, "url", t->url);
	jw_put_text(w, "method", tool_method_names[t->method]);
	jw_put_json(w, "headers", t->headers);
	jw_key(w, "later");
	span_write(w, own_tool_later_ms(t));
}

void own_tool_show(struct json_writer *w, const struct tool_record *r,
	const struct own_tool *t, struct str wrong)
{
	static const char *const sources[] = { NULL, "env", "file", "sealed" };
	struct arena arena = { 0 };

	jw_object(w);
	jw_put_str(w, "id", r->id);
	jw_put_str(w, "name", r->name);
	jw_put_text(w, "kind", t->command.len ? "command" : "http");
	show_text(w, "description", t->description);
	jw_put_text(w, "category", categories[t->category]);
	jw_put_text(w, "risk", risk_name(own_tool_risk(t)));
	jw_put_text(w, "class", call_class_name(own_tool_class(t)));
	show_json(w, "schema", own_tool_schema(t, &arena));
	jw_put_bool(w, "available", wrong.len == 0);
	show_text(w, "why", wrong);
	jw_put_text(w, "source", r->version ? "store" : "file");
	jw_put_int(w, "version", r->version);
	jw_key(w, "timeout");
	span_write(w, own_tool_timeout_ms(t));
	if (t->command.len)
		command_show(w, t);
	else
		request_show(w, t);
	jw_put_object(w, "key");
	jw_put_bool(w, "set", r->sealed.len > 0 || r->key.len > 0);
	jw_put_text(w, "source",
		sources[r->version && r->sealed.len ? KEY_SEALED : r->source]);
	show_text(w, "from", r->key_from);
	show_text(w, "last4", r->key.len ? provider_key_last4(r->key) : r->last4);
	jw_object_end(w);
	show_time(w, "created_at", r->created_ms);
	show_time(w, "updated_at", r->changed_ms);
	jw_object_end(w);
	if (arena.failed) w->out->failed = true;
	arena_done(&arena);
}
