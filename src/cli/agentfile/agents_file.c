/* agents_file.c - sections [provider X], [agent X], [tool X] and [mcp X] as bodies of the API. */
#include "cli/agentfile/agents_file.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json_pattern.h"
#include "base/keep.h"
#include "cli/settings_file.h"
#include "cli/text_file.h"
#include "core/run/run_tool.h"
#include "core/shared/address.h"
#include "text/msg.h"

struct section_reader {
	const struct settings *set;
	const struct settings_section *section;
	struct arena *arena;
	struct fault *why;
};

/* ---- saying what is wrong ---- */

static enum err section_wrong(const struct section_reader *r, const char *key,
	const struct settings_file_value *at, const char *detail)
{
	struct arena *a = r->arena;

	return FAIL_MSG(r->why, a, "setting.section",
		{ "file", str_of(at ? at->path : r->section->path) },
		{ "line", arena_print(a, "%d", at ? at->line : r->section->line) },
		{ "kind", r->section->kind }, { "name", r->section->name },
		{ "key", str_of(key) }, { "detail", str_of(detail) });
}

static const struct settings_line *line_find(
	const struct settings_section *s, struct str key)
{
	const struct settings_line *l = s->first;

	while (l && !str_eq(l->key, key))
		l = l->next;
	return l;
}

/* A fault of a body names a pointer; here it is the key of that name. */
static enum err body_wrong(const struct section_reader *r, const struct fault *found)
{
	struct str pointer = str_of(found->items_len ? found->items[0].pointer : ""), key;
	const struct str pointer_whole = pointer;
	const struct settings_line *l;

	while (str_cut(&pointer, '/', &key))
		if (line_find(r->section, key)) break;
	l = line_find(r->section, key);
	if (!l && str_is(key, "prompt")) l = line_find(r->section, STR("prompt_file"));
	if (!l && str_starts(pointer_whole, "/schema"))
		l = line_find(r->section, STR("schema_file"));
	if (!l && str_starts(pointer_whole, "/output_schema"))
		l = line_find(r->section, STR("output_schema_file"));
	if (!l && str_starts(pointer_whole, "/headers"))
		l = line_find(r->section, STR("header"));
	if (!l && str_starts(str_of(found->items_len ? found->items[0].pointer : ""),
			  "/script"))
		l = line_find(r->section, STR("script_file"));
	return section_wrong(r,
		l		   ? l->key.at
		: found->items_len ? found->items[0].pointer + 1
				   : "",
		l ? &l->value : NULL, found->detail);
}

/* ---- files beside the configuration ---- */

static const char *path_beside(
	const struct section_reader *r, const struct settings_line *l)
{
	const char *slash = strrchr(l->value.path, '/');

	if (l->value.value.at[0] == '/' || !slash) return l->value.value.at;
	return arena_print(r->arena, "%.*s/%s", (int)(slash - l->value.path),
		l->value.path, l->value.value.at)
		.at;
}

/* ---- bodies ---- */

enum row_form {
	ROW_TEXT,
	ROW_NUMBER,
	ROW_LIST,
	ROW_MODELS,
	ROW_WEBHOOK,
	ROW_SWITCH,
	ROW_ELSEWHERE
};

struct row_key {
	const char *key;
	enum row_form form;
	bool limit; /* a member of `limits` */
};

static const struct row_key agent_keys[] = { { "kind" }, { "description" },
	{ "provider" }, { "model" }, { "prompt" }, { "prompt_file", ROW_ELSEWHERE },
	{ "effort" }, { "tools", ROW_LIST }, { "fallbacks", ROW_LIST }, { "patience" },
	{ "turns", ROW_NUMBER, .limit = true }, { "history", ROW_NUMBER, .limit = true },
	{ "context", ROW_NUMBER, .limit = true }, { "output", ROW_NUMBER, .limit = true },
	{ "tokens", ROW_NUMBER, .limit = true },
	{ "cost_usd", ROW_NUMBER, .limit = true }, { "time", .limit = true },
	{ "validation", ROW_ELSEWHERE }, { "on_error" }, { "on_limit" }, { "on_reject" },
	{ "on_ended", ROW_WEBHOOK }, { "memory", ROW_NUMBER }, { "delegates", ROW_LIST },
	{ "output_schema_file", ROW_ELSEWHERE }, { 0 } };

static const struct row_key provider_keys[] = { { "kind" }, { "url" },
	{ "key_env", ROW_ELSEWHERE }, { "key_file", ROW_ELSEWHERE },
	{ "models", ROW_MODELS }, { "at_once", ROW_NUMBER },
	{ "script_file", ROW_ELSEWHERE }, { 0 } };

static const struct row_key tool_keys[] = { { "url" }, { "command" }, { "env", ROW_LIST },
	{ "sandbox", ROW_ELSEWHERE }, { "method" }, { "description" },
	{ "schema_file", ROW_ELSEWHERE }, { "header", ROW_ELSEWHERE },
	{ "key_env", ROW_ELSEWHERE }, { "key_file", ROW_ELSEWHERE }, { "risk" },
	{ "class" }, { "timeout" }, { "later" }, { "category" }, { 0 } };

static const struct row_key mcp_keys[] = { { "url" }, { "command", ROW_ELSEWHERE },
	{ "env", ROW_ELSEWHERE }, { "bearer_env", ROW_ELSEWHERE },
	{ "bearer_file", ROW_ELSEWHERE }, { "header", ROW_ELSEWHERE }, { "category" },
	{ "trust", ROW_SWITCH }, { "gateway", ROW_SWITCH }, { "agents", ROW_LIST },
	{ "timeout" }, { 0 } };

static enum err keys_check(const struct section_reader *r, const struct row_key *keys)
{
	struct arena *a = r->arena;
	struct str all = STR_NONE;

	for (const struct settings_line *l = r->section->first; l; l = l->next) {
		const struct row_key *k = keys;

		while (k->key && !str_is(l->key, k->key))
			k++;
		if (k->key) continue;
		for (k = keys; k->key; k++)
			all = arena_print(a, "%.*s%s%s", STR_ARGS(all),
				all.len ? ", " : "", k->key);
		return FAIL_MSG(r->why, a, "setting.section.unknown",
			{ "file", str_of(l->value.path) },
			{ "line", arena_print(a, "%d", l->value.line) },
			{ "kind", r->section->kind }, { "name", r->section->name },
			{ "key", l->key }, { "keys", all });
	}
	return OK;
}

static void list_write(struct json_writer *w, struct str text, bool models)
{
	struct str rest = text, one;

	jw_array(w);
	while (str_cut(&rest, ',', &one)) {
		one = str_trim(one);
		if (!one.len) continue;
		if (models) jw_object(w), jw_key(w, "id");
		jw_str(w, one);
		if (models) jw_object_end(w);
	}
	jw_array_end(w);
}

static void row_write(
	struct json_writer *w, const struct row_key *k, const struct settings_line *l)
{
	struct str value = l->value.value;
	struct arena scratch = { 0 };
	const struct json *number;

	bool yes = str_is(value, "yes") || str_is(value, "true");

	jw_key(w, k->key);
	if (k->form == ROW_SWITCH &&
		(yes || str_is(value, "no") || str_is(value, "false")))
		jw_bool(w, yes);
	else if (k->form == ROW_LIST || k->form == ROW_MODELS)
		list_write(w, value, k->form == ROW_MODELS);
	else if (k->form == ROW_WEBHOOK)
		jw_object(w), jw_put_str(w, "webhook", value), jw_object_end(w);
	else if (k->form == ROW_NUMBER &&
		 !json_read(value, NULL, &scratch, &number, NULL) &&
		 number->type == JSON_NUMBER)
		jw_json(w, number);
	else
		jw_str(w, value);
	arena_done(&scratch);
}

static void rows_write(struct json_writer *w, const struct settings_section *s,
	const struct row_key *keys, bool limits)
{
	for (const struct row_key *k = keys; k->key; k++) {
		const struct settings_line *l = line_find(s, str_of(k->key));

		if (l && k->limit == limits && k->form != ROW_ELSEWHERE)
			row_write(w, k, l);
	}
}

/* A section on its way to a body of the API. */
struct section_body {
	struct buf text;
	struct json_writer w;
};

static void body_open(const struct section_reader *r, const struct row_key *keys,
	struct section_body *b)
{
	*b = (struct section_body){ .text.max = 1 << 20, .w.out = &b->text };
	jw_object(&b->w);
	jw_put_str(&b->w, "name", r->section->name);
	rows_write(&b->w, r->section, keys, false);
}

static enum err body_begin(const struct section_reader *r, const struct row_key *keys,
	struct section_body *b)
{
	body_open(r, keys, b);
	return keys_check(r, keys);
}

/* Nothing after a failure. */
static enum err body_end(const struct section_reader *r, struct section_body *b,
	enum err e, const struct json **out)
{
	struct str text;

	jw_object_end(&b->w);
	text = buf_keep_done(&b->text, r->arena);
	return e ? e : json_read(text, NULL, r->arena, out, r->why);
}

static enum err file_beside(const struct section_reader *r, const char *key,
	const struct settings_line *l, struct str *out)
{
	enum err e = text_file_read(path_beside(r, l), false, r->arena, out, r->why);

	return e || out->len ? e : section_wrong(r, key, &l->value, strerror(errno));
}

/* What stands in a file of its own. */
static enum err json_file_write(const struct section_reader *r, const char *key,
	const char *member, struct json_writer *w)
{
	const struct settings_line *l = line_find(r->section, str_of(key));
	const struct json *value;
	struct fault found = { 0 };
	struct str text;
	enum err e;

	if (!l) return OK;
	e = file_beside(r, key, l, &text);
	if (e) return e;
	if (json_read(text, NULL, r->arena, &value, &found))
		return section_wrong(r, key, &l->value, found.detail);
	jw_put_json(w, member, value);
	return OK;
}

static enum err prompt_write(const struct section_reader *r, struct json_writer *w)
{
	const struct settings_line *l = line_find(r->section, STR("prompt_file"));
	struct str text;
	enum err e;

	if (!l) return OK;
	if (line_find(r->section, STR("prompt")))
		return section_wrong(r, "prompt_file", &l->value,
			"there is a prompt already: keep one of both");
	e = file_beside(r, "prompt_file", l, &text);
	if (!e) jw_put_str(w, "prompt", text);
	return e;
}

static enum err agent_take(const struct section_reader *r, struct agent_record *out)
{
	const struct settings_line *mode = line_find(r->section, STR("validation"));
	const struct json *body;
	struct section_body b;
	struct fault found = { 0 };
	enum err e = body_begin(r, agent_keys, &b);

	if (!e) e = prompt_write(r, &b.w);
	if (!e) e = json_file_write(r, "output_schema_file", "output_schema", &b.w);
	jw_put_object(&b.w, "limits");
	rows_write(&b.w, r->section, agent_keys, true);
	jw_object_end(&b.w);
	if (mode) JW(&b.w, "'validation':{'mode':%s}", mode->value.value);
	e = body_end(r, &b, e, &body);
	if (e) return e;
	out->name = r->section->name;
	e = agent_read(body, STR_NONE, NULL, r->arena, &out->body, &found);
	return e ? body_wrong(r, &found) : OK;
}

/* Where a key comes from, and the key. */
static enum err key_take(const struct section_reader *r, const char *by_env,
	const char *by_file, enum key_source *source, struct str *from, struct str *key)
{
	const struct settings_line *env = line_find(r->section, str_of(by_env));
	const struct settings_line *file = line_find(r->section, str_of(by_file));
	enum err e;

	if (env && file)
		return section_wrong(r, by_file, &file->value,
			arena_print(r->arena, "there is a %s already: keep one of both",
				by_env)
				.at);
	if (env) {
		*source = KEY_ENV;
		*from = env->value.value;
		*key = str_trim(str_of(getenv(env->value.value.at)));
	}
	if (!file) return OK;
	*source = KEY_FILE;
	*from = str_of(path_beside(r, file));
	e = text_file_read(from->at, true, r->arena, key, r->why);
	*key = str_trim(*key);
	return e;
}

/* `reach` is the setting of that name; with `tls`, any host may be named that has it. */
static enum err url_check(
	const struct section_reader *r, const char *setting, struct str reach, bool tls)
{
	const struct settings_line *l = line_find(r->section, STR("url"));
	struct url url;

	if (!l || !url_split(l->value.value, &url) || (tls && url.https) ||
		model_reach_may_allow(reach.len ? reach : STR("no"), &url))
		return OK;
	return section_wrong(r, "url", &l->value,
		arena_print(r->arena, "must be https, or on this machine; %s allows more",
			setting)
			.at);
}

static enum err provider_take(const struct section_reader *r, struct provider_record *out)
{
	const struct json *body;
	struct section_body b;
	struct fault found = { 0 };
	enum err e = body_begin(r, provider_keys, &b);

	if (!e) e = json_file_write(r, "script_file", "script", &b.w);
	e = body_end(r, &b, e, &body);
	if (e) return e;
	out->name = r->section->name;
	e = provider_read(body, STR_NONE, NULL, r->arena, &out->body, NULL, &found);
	if (e) return body_wrong(r, &found);
	e = url_check(r, "model_internal", r->set->model_internal, false);
	return e ? e
		 : key_take(r, "key_env", "key_file", &out->source, &out->key_from,
			   &out->key);
}

/* ---- tools ---- */

/* "Name: value", one a line. */
static enum err headers_write(const struct section_reader *r, struct json_writer *w)
{
	const struct settings_line *l = line_find(r->section, STR("header"));
	struct str rest = l ? l->value.value : STR_NONE, line, name;

	if (!l) return OK;
	jw_put_object(w, "headers");
	while (str_cut(&rest, '\n', &line)) {
		line = str_trim(line);
		if (!line.len) continue;
		if (str_find(line, STR(":")) < 1)
			return section_wrong(
				r, "header", &l->value, "must be lines of NAME: VALUE");
		str_cut(&line, ':', &name);
		jw_name(w, str_trim(name));
		jw_str(w, str_trim(line));
	}
	jw_object_end(w);
	return OK;
}

/* Until programs can be kept in a room of their own. */
static enum err sandbox_check(const struct section_reader *r)
{
	const struct settings_line *l = line_find(r->section, STR("sandbox"));

	return !l || str_is(l->value.value, "no")
		       ? OK
		       : section_wrong(
				 r, "sandbox", &l->value, "is not there yet: must be no");
}

static enum err tool_take(const struct section_reader *r, struct tool_record *out)
{
	const struct json *body;
	struct section_body b;
	struct fault found = { 0 };
	enum err e = body_begin(r, tool_keys, &b);

	if (!e) e = sandbox_check(r);
	if (!e) e = json_file_write(r, "schema_file", "schema", &b.w);
	if (!e) e = headers_write(r, &b.w);
	e = body_end(r, &b, e, &body);
	if (e) return e;
	out->name = r->section->name;
	e = own_tool_read(body, STR_NONE, NULL, r->arena, &out->body, NULL, &found);
	if (e) return body_wrong(r, &found);
	e = url_check(r, "tool_internal", r->set->tool_internal, true);
	return e ? e
		 : key_take(r, "key_env", "key_file", &out->source, &out->key_from,
			   &out->key);
}

/* ---- MCP servers ---- */

/* What it is sent: the lines of `header`, and its token. */
static enum err mcp_headers_take(const struct section_reader *r,
	struct mcp_server_record *out, struct mcp_server *parts)
{
	static const struct row_key url_alone[] = { { "url" }, { 0 } };
	const struct json *body;
	struct section_body b;
	struct fault found = { 0 };
	struct str last4, ignored, key = STR_NONE;
	enum err e = key_take(
		r, "bearer_env", "bearer_file", &out->source, &out->key_from, &key);

	if (e) return e;
	body_open(r, url_alone, &b);
	e = headers_write(r, &b.w);
	jw_put_some(&b.w, "bearer", key);
	e = body_end(r, &b, e, &body);
	if (!e &&
		mcp_server_read(body, STR_NONE, NULL, r->arena, &ignored, parts, &found))
		return body_wrong(r, &found);
	if (!e && !mcp_headers_change(parts, STR_NONE, r->arena, &out->headers, &last4))
		e = fail(r->why, ERR_MEMORY, "out of memory");
	/* Without the token the other headers are of no use. */
	if (out->source && !key.len) out->headers = STR_NONE;
	return e;
}

static struct str line_value(const struct section_reader *r, const char *key)
{
	const struct settings_line *l = line_find(r->section, str_of(key));

	return l ? l->value.value : STR_NONE;
}

static enum err mcp_take(const struct section_reader *r, struct mcp_server_record *out)
{
	const struct settings_line *program = line_find(r->section, STR("command"));
	const struct json *body;
	struct section_body b;
	struct fault found = { 0 };
	struct mcp_server parts;
	enum err e = body_begin(r, mcp_keys, &b);

	if (!e && program && line_find(r->section, STR("url")))
		e = section_wrong(r, "command", &program->value,
			"there is a url already: keep one of both");
	if (program) jw_put_text(&b.w, "transport", "stdio");
	e = body_end(r, &b, e, &body);
	if (e) return e;
	out->name = r->section->name;
	out->command = str_trim(line_value(r, "command"));
	out->env = line_value(r, "env");
	e = mcp_server_read(body, STR_NONE, NULL, r->arena, &out->body, &parts, &found);
	if (e) return body_wrong(r, &found);
	if (program && !out->command.len)
		return section_wrong(
			r, "command", &program->value, "must name a program");
	e = url_check(r, "model_internal", r->set->model_internal, false);
	return e || program ? e : mcp_headers_take(r, out, &parts);
}

/* ---- found without a section ---- */

static const struct provider_record *provider_find(
	const struct agents_file *f, struct str name)
{
	for (size_t i = 0; i < f->providers_len; i++)
		if (str_eq(f->providers[i].name, name)) return &f->providers[i];
	return NULL;
}

static enum err usual_take(const struct usual_provider *u, struct arena *arena,
	struct agents_file *out, struct fault *why)
{
	const char *key = getenv(u->key_env);
	const char *url = u->url_env ? getenv(u->url_env) : NULL;
	struct provider_record *p = &out->providers[out->providers_len];
	const struct json *body;
	struct str text;
	enum err e;

	if (!key || !*key || provider_find(out, str_of(u->name))) return OK;
	text = JSON_TEXT(arena, "{'name':%s,'kind':%s,'url':%?}", str_of(u->name),
		str_of(model_wire_names[u->wire]), str_of(url && *url ? url : u->url));
	e = json_read(text, NULL, arena, &body, why);
	if (!e) e = provider_read(body, STR_NONE, NULL, arena, &p->body, NULL, why);
	if (e) return fail(why, ERR_INVALID, "%s: %s", u->url_env, why->detail);
	p->name = str_of(u->name);
	p->source = KEY_ENV;
	p->key_from = str_of(u->key_env);
	p->key = str_trim(str_of(key));
	out->providers_len++;
	return OK;
}

/* The agent that newcomers find: over the first provider that a variable brought. */
static enum err assistant_take(
	struct arena *arena, struct agents_file *out, struct fault *why)
{
	const struct usual_provider *u = usual_providers;
	const struct json *body;
	struct str text;
	enum err e;

	while (u->name && !(getenv(u->key_env) && provider_find(out, str_of(u->name))))
		u++;
	if (out->agents_len || !u->name) return OK;
	text = arena_print(arena,
		"{\"name\":\"assistant\",\"description\":\"A general assistant.\","
		"\"provider\":\"%s\",\"model\":\"%.*s\",\"tools\":[\"ask_user_question\","
		"\"memory\",\"todo\",\"spawn_agent\",\"parallel_tasks\"],\"prompt\":"
		"\"You are an assistant that works for people. When you need to know "
		"something that only they can tell, or a decision is theirs, ask them with "
		"the tool ask_user_question instead of guessing. Answer in their language.\"}",
		u->name, STR_ARGS(model_wire_usual_model(u)));
	out->agents[0].name = STR("assistant");
	out->agents_len = 1;
	e = json_read(text, NULL, arena, &body, why);
	return e ? e : agent_read(body, STR_NONE, NULL, arena, &out->agents[0].body, why);
}

static bool tool_known(const struct agents_file *f, struct str name)
{
	struct str server, tool;

	for (size_t i = 0; i < f->tools_len; i++)
		if (str_eq(f->tools[i].name, name)) return true;
	/* Its servers may be in the store. */
	if (mcp_call_chosen(name, &server, &tool)) return true;
	return run_tool_known(name, true);
}

/* What an agent of the file names is built in, or in the file, too. */
static enum err agent_tools_check(struct section_reader *r, const struct agents_file *f)
{
	enum err e = OK;
	size_t n = 0;

	for (r->section = r->set->sections; r->section && !e;
		r->section = r->section->next) {
		const struct settings_line *l = line_find(r->section, STR("tools"));
		struct agent_config parts;

		if (!str_is(r->section->kind, "agent")) continue;
		e = agent_parse(f->agents[n++].body, r->arena, &parts, r->why);
		for (size_t i = 0; !e && i < parts.tools_len; i++)
			if (!tool_known(f, parts.tools[i]))
				e = section_wrong(r, "tools", l ? &l->value : NULL,
					arena_print(r->arena, "there is no tool %.*s",
						STR_ARGS(parts.tools[i]))
						.at);
	}
	return e;
}

enum err agents_file_read(const struct settings *set, struct arena *arena,
	struct agents_file *out, struct fault *why)
{
	struct section_reader r = { .set = set, .arena = arena, .why = why };
	size_t cap = 16;
	enum err e = OK;

	*out = (struct agents_file){ 0 };
	for (r.section = set->sections; r.section; r.section = r.section->next)
		cap++;
	out->providers = ARENA_ARRAY(arena, struct provider_record, cap);
	out->agents = ARENA_ARRAY(arena, struct agent_record, cap);
	out->tools = ARENA_ARRAY(arena, struct tool_record, cap);
	out->mcp_servers = ARENA_ARRAY(arena, struct mcp_server_record, cap);
	if (!out->providers || !out->agents || !out->tools || !out->mcp_servers)
		return fail(why, ERR_MEMORY, "out of memory");
	for (r.section = set->sections; r.section && !e; r.section = r.section->next)
		e = str_is(r.section->kind, "agent")
			    ? agent_take(&r, &out->agents[out->agents_len++])
		    : str_is(r.section->kind, "tool")
			    ? tool_take(&r, &out->tools[out->tools_len++])
		    : str_is(r.section->kind, "mcp")
			    ? mcp_take(&r, &out->mcp_servers[out->mcp_servers_len++])
			    : provider_take(&r, &out->providers[out->providers_len++]);
	if (!e) e = agent_tools_check(&r, out);
	for (const struct usual_provider *u = usual_providers; u->name && !e; u++)
		e = usual_take(u, arena, out, why);
	if (!e) e = assistant_take(arena, out, why);
	if (!e && arena->failed) e = fail(why, ERR_MEMORY, "out of memory");
	return e;
}
