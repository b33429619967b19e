/* provider.c - the configuration of a provider as JSON, and what is said of its key. */
#include "core/run/provider.h"

#include "base/keep.h"
#include "core/run/agent.h"
#include "core/shared/address.h"
#include "core/shared/merge.h"
#include "core/shared/principal.h"
#include "core/shared/show.h"

enum { P_NAME, P_KIND, P_URL, P_KEY, P_MODELS, P_AT_ONCE, P_LEN };

static const struct str names[P_LEN] = {
	[P_NAME] = STR("name"),
	[P_KIND] = STR("kind"),
	[P_URL] = STR("url"),
	[P_KEY] = STR("key"),
	[P_MODELS] = STR("models"),
	[P_AT_ONCE] = STR("at_once"),
};
static const struct members members = { names, P_LEN };

enum { M_ID, M_CONTEXT, M_OUTPUT, M_PRICE, M_LEN };

static const struct str model_names[M_LEN] = {
	[M_ID] = STR("id"),
	[M_CONTEXT] = STR("context"),
	[M_OUTPUT] = STR("output"),
	[M_PRICE] = STR("price"),
};
static const struct members model_members = { model_names, M_LEN };

enum { TOKENS_MAX = 1000 * 1000 * 1000, URL_MAX = 2000 };

void provider_id(int64_t ws, struct str name, char out[32])
{
	agent_id(ws, name, out);
	memcpy(out, "prv_", 4);
}

/* ---- reading ---- */

static void read_model(struct check *c, const struct json_place *at,
	const struct json *json, struct provider_model *out)
{
	const struct json *m[M_LEN];

	if (!members_read(c, at, json, &model_members, NULL, m)) return;
	out->id = text_read(c, at, model_names[M_ID], m[M_ID], 200,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED);
	if (m[M_CONTEXT] &&
		count_read(c, at, model_names[M_CONTEXT], m[M_CONTEXT], 1, TOKENS_MAX))
		out->context = m[M_CONTEXT]->integer;
	if (m[M_OUTPUT] &&
		count_read(c, at, model_names[M_OUTPUT], m[M_OUTPUT], 1, TOKENS_MAX))
		out->output = m[M_OUTPUT]->integer;
	if (!m[M_PRICE]) return;
	out->priced = price_read(m[M_PRICE], &out->price);
	if (!out->priced)
		wrong_member(c, at, model_names[M_PRICE],
			"must have input and output, in dollars for a million tokens");
}

static void read_models(struct check *c, const struct json_place *root,
	const struct json *list, struct arena *arena, struct provider *out)
{
	struct json_place at = place_member(root, names[P_MODELS]);

	if (!list) return;
	if (list->type != JSON_ARRAY || list->count > PROVIDER_MODELS_MAX) {
		wrong(c, &at, "must be an array of at most %d models",
			PROVIDER_MODELS_MAX);
		return;
	}
	out->models = ARENA_ARRAY(arena, struct provider_model, list->count);
	for (uint32_t i = 0; out->models && i < list->count; i++) {
		struct json_place item = place_item(&at, i);

		read_model(c, &item, &list->items[i], &out->models[out->models_len++]);
	}
}

static void read_key(struct check *c, const struct json_place *root,
	const struct json *json, struct str *key)
{
	struct str text = json_text(json);

	if (!json) return;
	if (json->type == JSON_NULL) {
		*key = STR_NONE;
		return;
	}
	if (json->type != JSON_STRING || text_blank(text) || !text_one_line(text) ||
		text.len > PROVIDER_KEY_MAX)
		wrong_member(c, root, names[P_KEY],
			"must be one line of at most %d bytes, or null",
			PROVIDER_KEY_MAX);
	else
		*key = str_trim(text);
}

static void read_url(struct check *c, const struct json_place *root, struct provider *out)
{
	struct url url;

	if (out->url.len && !url_split(out->url, &url))
		wrong_member(c, root, names[P_URL], "must be an http or https URL");
	if (out->url.len && (memchr(out->url.at, '?', out->url.len) ||
				    memchr(out->url.at, '#', out->url.len)))
		wrong_member(c, root, names[P_URL], "must have no query and no fragment");
}

static enum err ask_json_read(const struct json *whole, const struct members *also,
	struct arena *arena, struct provider *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	const struct json *m[P_LEN] = { 0 };

	*out = (struct provider){ .at_once = PROVIDER_AT_ONCE };
	if (!members_read(&c, &root, whole, &members, also, m))
		return check_end(&c, arena);
	out->name = json_text(m[P_NAME]);
	if (!agent_name_valid(out->name))
		wrong_member(&c, &root, names[P_NAME],
			"must be 1 to %d of a-z, 0-9, - and _", AGENT_NAME_MAX);
	if (!model_wire_find(json_text(m[P_KIND]), &out->wire))
		wrong_member(&c, &root, names[P_KIND],
			"must be anthropic, openai, openai_responses or gemini");
	out->url = text_read(&c, &root, names[P_URL], m[P_URL], URL_MAX, TEXT_LINE);
	read_url(&c, &root, out);
	read_models(&c, &root, m[P_MODELS], arena, out);
	if (m[P_AT_ONCE] &&
		count_read(&c, &root, names[P_AT_ONCE], m[P_AT_ONCE], 1, 1000))
		out->at_once = m[P_AT_ONCE]->integer;
	return check_end(&c, arena);
}

/* ---- writing ---- */

static void model_write(struct json_writer *w, const struct provider_model *m)
{
	jw_object(w);
	jw_put_str(w, "id", m->id);
	jw_key(w, "context");
	m->context ? jw_int(w, m->context) : jw_null(w);
	jw_key(w, "output");
	m->output ? jw_int(w, m->output) : jw_null(w);
	jw_key(w, "price");
	m->priced ? price_write(w, &m->price) : jw_null(w);
	jw_object_end(w);
}

static void provider_write(struct json_writer *w, const struct provider *p)
{
	jw_object(w);
	jw_put_str(w, "name", p->name);
	jw_put_text(w, "kind", model_wire_name(p->wire));
	show_text(w, "url", p->url);
	jw_put_array(w, "models");
	for (size_t i = 0; i < p->models_len; i++)
		model_write(w, &p->models[i]);
	jw_array_end(w);
	jw_put_int(w, "at_once", p->at_once);
	jw_object_end(w);
}

enum err provider_read(const struct json *body, struct str before,
	const struct members *also, struct arena *arena, struct str *json,
	struct str *key, struct fault *why)
{
	static const char *const fixed[] = { "name", NULL };
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	const struct json *whole;
	struct check c = { .why = why };
	struct json_place root = place_root("");
	struct provider p;
	enum err e = body_merge(body, before, fixed, arena, &whole, why);

	if (e) return e;
	e = ask_json_read(whole, also, arena, &p, why);
	if (key) read_key(&c, &root, json_get(body, "key"), key);
	if (e || c.failed) return e ? e : check_end(&c, arena);
	provider_write(&w, &p);
	*json = buf_keep_done(&text, arena);
	return arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

enum err provider_parse(
	struct str json, struct arena *arena, struct provider *out, struct fault *why)
{
	const struct json *whole;
	struct provider p;

	if (json_read(json, NULL, arena, &whole, NULL) ||
		ask_json_read(whole, NULL, arena, &p, NULL))
		return arena->failed
			       ? fail(why, ERR_MEMORY, "out of memory")
			       : fail(why, ERR_INTERNAL, "a provider is unreadable");
	*out = p;
	return OK;
}

const struct provider_model *provider_model(const struct provider *p, struct str id)
{
	for (size_t i = 0; i < p->models_len; i++)
		if (str_eq(p->models[i].id, id)) return &p->models[i];
	return NULL;
}

void provider_digest(const struct provider_record *p, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE], changed[NUMBER_SIZE];
	const struct str fields[] = { p->name, p->body, p->sealed, p->last4,
		digest_number(p->created_ms, created),
		digest_number(p->changed_ms, changed) };

	fields_digest(fields, sizeof fields / sizeof *fields, out);
}

/* ---- keys ---- */

struct str key_last4(struct str key)
{
	return key.len >= 16 ? str_from(key, key.len - 4) : STR_NONE;
}

static enum key_source source_of(const struct provider_record *p)
{
	return p->version && p->sealed.len ? KEY_SEALED : p->source;
}

struct str provider_key_wrong(const struct provider_record *p, struct arena *arena)
{
	struct provider parts;

	if (p->sealed.len || p->key.len) return STR_NONE;
	if (p->source == KEY_ENV)
		return arena_print(arena,
			"%.*s is not set: start the server with %.*s=KEY in its environment",
			STR_ARGS(p->key_from), STR_ARGS(p->key_from));
	if (p->source == KEY_FILE)
		return arena_print(arena,
			"%.*s is missing or empty: put the key there, 0600",
			STR_ARGS(p->key_from));
	/* A server of one's own may want none; the vendors' all do. */
	if (provider_parse(p->body, arena, &parts, NULL) || parts.url.len)
		return STR_NONE;
	if (!p->version)
		return arena_print(arena,
			"it has no key: add key_env or key_file to [provider %.*s]",
			STR_ARGS(p->name));
	return STR("it has no key: set it on the page under Settings, Providers");
}

void provider_show(
	struct json_writer *w, const struct provider_record *p, struct str wrong)
{
	static const char *const sources[] = { NULL, "env", "file", "sealed" };
	struct str inner = str_trim(p->body);
	enum key_source source = source_of(p);

	jw_object(w);
	jw_put_str(w, "id", p->id);
	if (inner.len > 2) jw_members(w, str_make(inner.at + 1, inner.len - 2));
	jw_put_object(w, "key");
	jw_put_bool(w, "set", p->sealed.len > 0 || p->key.len > 0);
	jw_put_text(w, "source", sources[source]);
	show_text(w, "from", p->key_from);
	show_text(w, "last4", p->key.len ? key_last4(p->key) : p->last4);
	jw_object_end(w);
	jw_put_text(w, "source", p->version ? "store" : "file");
	jw_put_int(w, "version", p->version);
	jw_put_bool(w, "usable", wrong.len == 0);
	show_text(w, "why", wrong);
	show_time(w, "created_at", p->created_ms);
	show_time(w, "updated_at", p->changed_ms);
	jw_object_end(w);
}
