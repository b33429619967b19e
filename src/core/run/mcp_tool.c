/* mcp_tool.c - what a server says of its tools, compared with what was accepted. */
#include "core/run/mcp_tool.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/show.h"

#include <stdio.h>

enum { SERVER_NAME_MAX = 40, VALUES_MAX = 400 * 1000, WRAPPED = 8 };

const struct json_limits mcp_list_limits = { .depth = MCP_SCHEMA_DEPTH + WRAPPED,
	.values = VALUES_MAX };

/* ---- names ---- */

bool mcp_server_name_valid(struct str name)
{
	return text_plain_name(name, "-", SERVER_NAME_MAX) && name.at[0] != '-' &&
	       name.at[name.len - 1] != '-';
}

static bool letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool tool_name_valid(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!letter_or_digit(name.at[i]) &&
			!memchr("_.-", name.at[i], 3)) /* no NUL among them */
			return false;
	return name.len && name.len <= MCP_TOOL_NAME_MAX;
}

struct str mcp_call_name(struct str server, struct str tool, struct arena *arena)
{
	return arena_print(arena, "mcp__%.*s__%.*s", STR_ARGS(server), STR_ARGS(tool));
}

bool mcp_call_parts(struct str name, struct str *server, struct str *tool)
{
	struct str rest = str_from(name, 5);
	int at = str_find(rest, STR("__"));

	if (!str_starts(name, "mcp__") || at < 1) return false;
	*server = str_first(rest, (size_t)at);
	*tool = str_from(rest, (size_t)at + 2);
	return mcp_server_name_valid(*server) && tool_name_valid(*tool);
}

struct str mcp_call_model_name(struct str name, struct arena *arena)
{
	enum { HASHED = 6 };
	char hash[SHA256_HEX_SIZE], cut[MCP_MODEL_NAME_MAX + 1];
	size_t len = name.len < MCP_MODEL_NAME_MAX - HASHED ? name.len
							    : MCP_MODEL_NAME_MAX - HASHED;
	bool same = name.len <= MCP_MODEL_NAME_MAX;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];
		bool fits = letter_or_digit(c) || c == '_' || c == '-';

		same = same && fits;
		if (i < len) cut[i] = fits ? c : '_';
	}
	if (same) return name;
	sha256_hex(name, hash);
	memcpy(cut + len, hash, HASHED);
	return arena_str(arena, str_make(cut, len + HASHED));
}

bool mcp_call_chosen(struct str chosen, struct str *server, struct str *tool)
{
	struct str rest = str_from(chosen, 4);

	if (!str_starts(chosen, "mcp:") || !str_cut(&rest, '/', server)) return false;
	*tool = rest;
	return mcp_server_name_valid(*server) &&
	       (server->len + 4 == chosen.len || tool_name_valid(*tool));
}

/* ---- what a server says of one ---- */

static const struct {
	const char *shown, *said;
	enum json_type type;
} facts[] = { { "title", "title", JSON_STRING },
	{ "description", "description", JSON_STRING },
	{ "input_schema", "inputSchema", JSON_OBJECT },
	{ "output_schema", "outputSchema", JSON_OBJECT },
	{ "annotations", "annotations", JSON_OBJECT } };
enum { FACTS = sizeof facts / sizeof *facts };

void mcp_tool_digest(const struct json *tool, char out[DIGEST_SIZE])
{
	static const char *const names[] = { "name", "title", "description",
		"inputSchema", "outputSchema", "annotations" };
	struct json_member kept[sizeof names / sizeof *names];
	struct json whole = { .type = JSON_OBJECT, .members = kept };
	struct buf b = { .max = 4 * MCP_LIST_BYTES };
	char hex[SHA256_HEX_SIZE];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct json *value = json_get(tool, names[i]);

		if (value)
			kept[whole.count++] =
				(struct json_member){ str_of(names[i]), *value };
	}
	json_canonical(&b, &whole);
	sha256_hex(buf_str(&b), hex);
	snprintf(out, DIGEST_SIZE, "sha256:%s", hex);
	/* What was not hashed whole is the same as nothing. */
	if (b.failed) out[0] = '\0';
	buf_done(&b);
}

static bool hidden_character(int32_t c)
{
	static const struct {
		int32_t from, to;
	} ranges[] = { { 0, 8 }, { 0xb, 0x1f }, { 0x7f, 0x9f }, { 0x61c, 0x61c },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x202a, 0x202e },
		{ 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xe0000, 0xe007f } };

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (c >= ranges[i].from && c <= ranges[i].to) return true;
	return false;
}

static bool text_hides(struct str text)
{
	int32_t c;

	while ((c = utf8_next(&text)) >= 0)
		if (hidden_character(c)) return true;
	return false;
}

/* Control characters but tab and line end, bidi, zero-width or tag characters in any of its texts. */
static bool mcp_tool_hides(const struct json *v)
{
	if (json_is(v, JSON_STRING)) return text_hides(v->text);
	for (uint32_t i = 0; json_is(v, JSON_ARRAY) && i < v->count; i++)
		if (mcp_tool_hides(&v->items[i])) return true;
	for (uint32_t i = 0; json_is(v, JSON_OBJECT) && i < v->count; i++)
		if (text_hides(v->members[i].name) ||
			mcp_tool_hides(&v->members[i].value))
			return true;
	return false;
}

/* ---- x-mcp-header ---- */

#define HEADER "x-mcp-header"

struct header_names {
	struct str at[MCP_PARAMS_MAX];
	size_t len;
};

static bool header_token(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!letter_or_digit(name.at[i]) &&
			!memchr("!#$%&'*+-.^_`|~", name.at[i], 15))
			return false;
	return name.len > 0 && name.len <= 64;
}

static const char *header_wrong(
	const struct json *schema, bool reached, struct header_names *names)
{
	struct str name = json_text_of(schema, HEADER);
	struct str type = json_text_of(schema, "type");

	if (!reached)
		return "x-mcp-header stands where a value cannot be found by names alone";
	if (!header_token(name)) return "x-mcp-header is no name of a header";
	if (!str_is(type, "string") && !str_is(type, "integer") &&
		!str_is(type, "boolean"))
		return "x-mcp-header is only for text, integers and true or false";
	for (size_t i = 0; i < names->len; i++)
		if (str_eq_nocase(names->at[i], name))
			return "x-mcp-header names the same header twice";
	if (names->len == MCP_PARAMS_MAX) return "x-mcp-header is used too often";
	names->at[names->len++] = name;
	return NULL;
}

static const char *headers_check(const struct json *, bool, struct header_names *);

/* The values of an object of schemas, by any names. */
static const char *members_check(
	const struct json *all, bool reached, struct header_names *names)
{
	const char *wrong = NULL;

	for (uint32_t i = 0; json_is(all, JSON_OBJECT) && i < all->count && !wrong; i++)
		wrong = headers_check(&all->members[i].value, reached, names);
	return wrong;
}

/* `reached`: by a chain of `properties`; NULL: nothing is wrong. */
static const char *headers_check(
	const struct json *v, bool reached, struct header_names *names)
{
	/* Below these stand names that the tool chose, or values. */
	static const char *const named[] = { "$defs", "definitions", "patternProperties",
		"dependentSchemas" };
	static const char *const values[] = { "default", "examples", "const", "enum" };
	const char *wrong = NULL;

	for (uint32_t i = 0; json_is(v, JSON_ARRAY) && i < v->count && !wrong; i++)
		wrong = headers_check(&v->items[i], false, names);
	if (!json_is(v, JSON_OBJECT)) return wrong;
	if (json_get(v, HEADER)) wrong = header_wrong(v, reached, names);
	for (uint32_t i = 0; i < v->count && !wrong; i++) {
		struct str key = v->members[i].name;
		const struct json *value = &v->members[i].value;

		if (str_is(key, "properties"))
			wrong = members_check(value, reached, names);
		else if (name_find(named, sizeof named / sizeof *named, key) >= 0)
			wrong = members_check(value, false, names);
		else if (name_find(values, sizeof values / sizeof *values, key) < 0)
			wrong = headers_check(value, false, names);
	}
	return wrong;
}

static const char *schema_headers_wrong(const struct json *schema)
{
	struct header_names names = { .len = 0 };

	/* The schema itself is no property. */
	if (json_get(schema, HEADER)) return "x-mcp-header is for properties alone";
	return headers_check(schema, true, &names);
}

static void params_find(const struct json *schema, const struct json *value,
	struct mcp_param out[MCP_PARAMS_MAX], size_t *len)
{
	const struct json *properties = json_get(schema, "properties");

	for (uint32_t i = 0; json_is(properties, JSON_OBJECT) && i < properties->count;
		i++) {
		const struct json *of = &properties->members[i].value;
		const struct json *at = json_get_str(value, properties->members[i].name);
		struct str header = json_text_of(of, HEADER);

		if (!at || at->type == JSON_NULL) continue;
		if (header.len && *len < MCP_PARAMS_MAX && at->type != JSON_OBJECT &&
			at->type != JSON_ARRAY)
			out[(*len)++] = (struct mcp_param){ header, at };
		params_find(of, at, out, len);
	}
}

size_t mcp_tool_params(const struct json *tool, const struct json *arguments,
	struct mcp_param out[MCP_PARAMS_MAX])
{
	size_t len = 0;

	params_find(json_get(tool, "inputSchema"), arguments, out, &len);
	return len;
}

/* ---- fit to be used ---- */

static bool deeper_than(const struct json *v, int most)
{
	if (most < 0) return true;
	for (uint32_t i = 0; json_is(v, JSON_ARRAY) && i < v->count; i++)
		if (deeper_than(&v->items[i], most - 1)) return true;
	for (uint32_t i = 0; json_is(v, JSON_OBJECT) && i < v->count; i++)
		if (deeper_than(&v->members[i].value, most - 1)) return true;
	return false;
}

/* Why it cannot be used: its name, its schema, its x-mcp-header. Empty: it can. */
static struct str mcp_tool_wrong(const struct json *tool, struct arena *arena)
{
	const struct json *schema = json_get(tool, "inputSchema");

	for (size_t i = 0; i < FACTS; i++)
		if (json_get(tool, facts[i].said) &&
			!json_is(json_get(tool, facts[i].said), facts[i].type))
			return arena_print(arena,
				"its %s is of another type than it must be",
				facts[i].said);
	if (!tool_name_valid(json_text_of(tool, "name")))
		return STR("its name is not 1 to 128 of A-Z, a-z, 0-9, _, . and -");
	if (!json_is(schema, JSON_OBJECT))
		return STR("it has no schema of its arguments");
	if (deeper_than(schema, MCP_SCHEMA_DEPTH) ||
		deeper_than(json_get(tool, "outputSchema"), MCP_SCHEMA_DEPTH))
		return STR("its schema is more than 64 deep");
	return str_of(schema_headers_wrong(schema));
}

enum mcp_tool_state mcp_tool_state(const struct mcp_tool *t)
{
	if (!t->accepted) return MCP_NEW;
	return str_eq(json_text_of(t->accepted, "digest"), t->digest) && t->digest.len
		       ? MCP_ACCEPTED
		       : MCP_CHANGED;
}

bool mcp_tool_on(const struct mcp_tool *t)
{
	return mcp_tool_state(t) == MCP_ACCEPTED && !t->off && !t->gone && !t->why.len;
}

struct str mcp_tool_refusal(const struct mcp_tool *t)
{
	if (!t || t->gone) return STR("the server has no such tool");
	if (mcp_tool_on(t)) return STR_NONE;
	if (t->why.len) return t->why;
	if (mcp_tool_state(t) == MCP_CHANGED)
		return STR("it changed since it was accepted: an admin accepts "
			   "it under Settings, MCP servers");
	if (mcp_tool_state(t) == MCP_ACCEPTED)
		return STR("it is turned off: an admin turns it on under Settings, "
			   "MCP servers");
	return STR("it is not accepted: an admin accepts it under "
		   "Settings, MCP servers");
}

static bool hint(const struct mcp_tool *t, const char *name, enum json_type is)
{
	return json_is(json_get(json_get(t->tool, "annotations"), name), is);
}

enum risk mcp_tool_risk(const struct mcp_tool *t, bool trust)
{
	if (t->risk_said && mcp_tool_state(t) == MCP_ACCEPTED) return t->risk_said;
	if (trust && hint(t, "readOnlyHint", JSON_TRUE)) return RISK_LOW;
	return trust && hint(t, "destructiveHint", JSON_FALSE) ? RISK_MEDIUM : RISK_HIGH;
}

enum call_class mcp_tool_class(const struct mcp_tool *t, bool trust)
{
	return trust && (hint(t, "readOnlyHint", JSON_TRUE) ||
				hint(t, "idempotentHint", JSON_TRUE))
		       ? CLASS_REPEAT
		       : CLASS_ONCE;
}

/* ---- kept ---- */

struct mcp_tool *mcp_pins_find(const struct mcp_pins *p, struct str name)
{
	for (size_t i = 0; i < p->len; i++)
		if (str_eq(p->items[i].name, name)) return &p->items[i];
	return NULL;
}

static void pin_read(const struct json *from, struct mcp_tool *to)
{
	const struct json *accepted = json_get(from, "accepted");
	const struct json *before = json_get(from, "before");

	*to = (struct mcp_tool){ .tool = json_get(from, "tool"),
		.digest = json_text_of(from, "digest"),
		.hidden = json_is(json_get(from, "hidden"), JSON_TRUE),
		.gone = json_is(json_get(from, "gone"), JSON_TRUE),
		.off = json_is(json_get(from, "off"), JSON_TRUE),
		.why = json_text_of(from, "why"),
		.accepted = json_is(accepted, JSON_OBJECT) ? accepted : NULL,
		.before = json_is(before, JSON_OBJECT) ? before : NULL };
	to->name = json_text_of(to->tool, "name");
	risk_read(json_text_of(from, "risk"), &to->risk_said);
}

bool mcp_pins_read(struct str kept, struct arena *arena, struct mcp_pins *out)
{
	const struct json *all;

	*out = (struct mcp_pins){ 0 };
	if (!kept.len) return true;
	if (json_read(kept, &mcp_list_limits, arena, &all, NULL) ||
		all->type != JSON_ARRAY)
		return false;
	out->items = ARENA_ARRAY(arena, struct mcp_tool, all->count + 1);
	for (uint32_t i = 0; out->items && i < all->count; i++)
		pin_read(&all->items[i], &out->items[out->len++]);
	return out->items != NULL;
}

struct str mcp_pins_write(const struct mcp_pins *p, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	for (size_t i = 0; i < p->len; i++) {
		const struct mcp_tool *t = &p->items[i];

		jw_object(&w);
		jw_put_json(&w, "tool", t->tool);
		jw_put_str(&w, "digest", t->digest);
		jw_put_json(&w, "accepted", t->accepted);
		if (t->before) jw_put_json(&w, "before", t->before);
		if (t->hidden) jw_put_bool(&w, "hidden", true);
		if (t->gone) jw_put_bool(&w, "gone", true);
		if (t->off) jw_put_bool(&w, "off", true);
		jw_put_some(&w, "why", t->why);
		if (t->risk_said) jw_put_text(&w, "risk", risk_name(t->risk_said));
		jw_object_end(&w);
	}
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

static const struct json *accepted_make(
	struct str by, struct str digest, int64_t now_ms, struct arena *arena)
{
	const struct json *out = NULL;
	char at[TIME_SIZE];

	time_write(now_ms, at);
	json_read(JSON_TEXT(arena, "{'at':%s,'by':%j,'digest':%s}", str_of(at),
			  by.len ? by : STR("null"), digest),
		NULL, arena, &out, NULL);
	return out;
}

/* What was accepted of it before, if anything was. */
static void pin_carry(
	const struct mcp_tool *was, struct mcp_tool *now, struct mcp_news *news)
{
	now->accepted = was->accepted;
	now->off = was->off;
	if (mcp_tool_state(now) == MCP_ACCEPTED) {
		now->risk_said = was->risk_said;
		return;
	}
	now->before = was->before ? was->before : was->accepted ? was->tool : NULL;
	if (!str_eq(was->digest, now->digest)) news->changed++;
}

static bool pin_make(const struct mcp_pins *before, const struct mcp_listed *l,
	const struct json *tool, struct arena *arena, struct mcp_tool *out,
	struct mcp_news *news)
{
	const struct mcp_tool *was = mcp_pins_find(before, json_text_of(tool, "name"));
	char digest[DIGEST_SIZE];

	mcp_tool_digest(tool, digest);
	*out = (struct mcp_tool){ .name = json_text_of(tool, "name"),
		.tool = tool,
		.digest = arena_str(arena, str_of(digest)),
		.hidden = mcp_tool_hides(tool),
		.why = mcp_tool_wrong(tool, arena) };
	if (was)
		pin_carry(was, out, news);
	else if (!l->first)
		news->added++;
	else if (!out->hidden && !out->why.len)
		out->accepted = accepted_make(l->by, out->digest, l->now_ms, arena);
	return digest[0] && !arena->failed;
}

bool mcp_pins_renew(const struct mcp_pins *before, const struct mcp_listed *l,
	struct arena *arena, struct mcp_pins *out, struct mcp_news *news)
{
	*news = (struct mcp_news){ 0 };
	*out = (struct mcp_pins){ .items = ARENA_ARRAY(arena, struct mcp_tool,
					  l->len + before->len + 1) };
	if (!out->items) return false;
	for (size_t i = 0; i < l->len && out->len < MCP_TOOLS_MAX; i++) {
		/* A name that is there twice is the first one's. */
		if (mcp_pins_find(out, json_text_of(l->tools[i], "name"))) continue;
		if (!pin_make(before, l, l->tools[i], arena, &out->items[out->len], news))
			return false;
		out->len++;
	}
	for (size_t i = 0; i < before->len && out->len < 2 * MCP_TOOLS_MAX; i++) {
		struct mcp_tool *t = &before->items[i];

		if (!t->accepted || mcp_pins_find(out, t->name)) continue;
		news->gone += !t->gone;
		out->items[out->len] = *t;
		out->items[out->len++].gone = true;
	}
	return true;
}

/* ---- accepted ---- */

static void accept_one(struct check *c, struct mcp_pins *p, const struct json_place *at,
	const struct json *item, struct str by, int64_t now_ms, struct arena *arena,
	bool *stale)
{
	static const struct str names[] = { STR("name"), STR("digest"), STR("risk"),
		STR("enabled") };
	const struct members known = { names, 4 };
	const struct json *v[4] = { 0 };
	struct mcp_tool *t;
	enum risk risk = 0;
	bool enabled;

	if (!members_read(c, at, item, &known, NULL, v)) return;
	t = mcp_pins_find(p, json_text(v[0]));
	enabled = flag_read(c, at, names[3], v[3], true);
	if (v[2] && !risk_read(json_text(v[2]), &risk))
		wrong_member(c, at, names[2],
			"must be low, medium, high or critical, or null");
	if (!json_is(v[0], JSON_STRING) || !t || t->gone)
		wrong_member(c, at, names[0], "there is no such tool");
	else if (t->why.len)
		wrong_member(c, at, names[0], "%.*s", STR_ARGS(t->why));
	else if (!json_is(v[1], JSON_STRING))
		wrong_member(c, at, names[1], "must be the digest of what you saw");
	else if (!str_eq(v[1]->text, t->digest))
		*stale = true;
	if (c->failed || *stale) return;
	t->accepted = accepted_make(by, t->digest, now_ms, arena);
	t->before = NULL;
	t->risk_said = risk;
	if (v[3]) t->off = !enabled;
}

enum err mcp_pins_accept(struct mcp_pins *p, const struct json *body, struct str by,
	int64_t now_ms, struct arena *arena, size_t *len, struct fault *why)
{
	static const struct str names[] = { STR("tools") };
	const struct members known = { names, 1 };
	const struct json_place root = place_root("");
	const struct json_place tools = place_member(&root, names[0]);
	struct check c = { .why = why };
	const struct json *list = NULL;
	bool stale = false;

	if (members_read(&c, &root, body, &known, NULL, &list) &&
		(!json_is(list, JSON_ARRAY) || !list->count ||
			list->count > MCP_TOOLS_MAX))
		wrong_member(&c, &root, names[0], "must be an array of 1 to %d tools",
			MCP_TOOLS_MAX);
	for (uint32_t i = 0; !c.failed && i < list->count; i++) {
		const struct json_place at = place_item(&tools, i);

		accept_one(&c, p, &at, &list->items[i], by, now_ms, arena, &stale);
		*len = i + 1;
	}
	if (!c.failed && stale)
		return fail(why, ERR_STALE,
			"the tool is another one by now: read it again, then accept it");
	return check_end(&c, arena);
}

/* ---- shown ---- */

static void facts_show(struct json_writer *w, const struct json *tool)
{
	for (size_t i = 0; i < FACTS; i++) {
		const struct json *v = json_get(tool, facts[i].said);

		jw_put_json(w, facts[i].shown, json_is(v, facts[i].type) ? v : NULL);
	}
}

void mcp_tool_show(struct json_writer *w, const struct mcp_tool *t, bool trust)
{
	static const char *const states[] = { "accepted", "new", "changed" };

	jw_object(w);
	jw_put_str(w, "name", t->name);
	facts_show(w, t->tool);
	jw_put_str(w, "digest", t->digest);
	jw_put_text(w, "state", states[mcp_tool_state(t)]);
	jw_put_bool(w, "hidden", t->hidden);
	jw_key(w, "accepted");
	if (t->accepted) {
		jw_object(w);
		jw_put_json(w, "at", json_get(t->accepted, "at"));
		jw_put_json(w, "by", json_get(t->accepted, "by"));
		jw_object_end(w);
	} else
		jw_null(w);
	jw_put_bool(w, "enabled", mcp_tool_on(t));
	jw_put_text(w, "risk", risk_name(mcp_tool_risk(t, trust)));
	jw_put_text(w, "class", call_class_name(mcp_tool_class(t, trust)));
	show_text(w, "why", t->why);
	jw_key(w, "before");
	if (t->before) {
		jw_object(w);
		facts_show(w, t->before);
		jw_object_end(w);
	} else
		jw_null(w);
	jw_object_end(w);
}
