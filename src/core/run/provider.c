/* provider.c - the configuration of a provider as JSON, and what is said of its key. */
#include "core/run/provider.h"

#include "core/run/agent.h"
#include "core/run/script.h"
#include "core/shared/address.h"
#include "core/shared/principal.h"
#include "core/shared/shape.h"
#include "core/shared/show.h"

enum { TOKENS_MAX = 1000 * 1000 * 1000, URL_MAX = 2000 };

void provider_id(int64_t ws, struct str name, char out[32])
{
	agent_id(ws, name, out);
	memcpy(out, "prv_", 4);
}

/* ---- as JSON ---- */

static void price_member_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct provider_model *model = r->out;

	model->priced = v && price_read(v, &model->price);
	if (v && !model->priced)
		wrong_member(r->check, r->at, m->name,
			"must have input and output, in dollars for a million tokens");
}

static void price_member_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct provider_model *model = from;

	jw_key_str(w, m->name);
	model->priced ? price_write(w, &model->price) : jw_null(w);
}

static const struct shape_member model_members[] = {
	{ STR("id"), OF_TEXT, AT(provider_model, id), 1, 200,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED },
	{ STR("context"), OF_NUMBER, AT(provider_model, context), 1, TOKENS_MAX },
	{ STR("output"), OF_NUMBER, AT(provider_model, output), 1, TOKENS_MAX },
	{ STR("price"), OF_OWN, .read = price_member_read, .write = price_member_write },
};
const struct shape provider_model_shape = { SHAPE(model_members, provider_model) };

void provider_key_read(const struct shape_reading *r, const struct shape_member *m,
	const struct json *v, bool *has, struct str *out)
{
	struct str text = json_text(v);

	*has = json_get_str(r->json, m->name) != NULL;
	if (v && (v->type != JSON_STRING || text_blank(text) || !text_one_line(text) ||
			 text.len > PROVIDER_KEY_MAX))
		wrong_member(r->check, r->at, m->name,
			"must be one line of at most %d bytes, or null",
			PROVIDER_KEY_MAX);
	else
		*out = str_trim(text);
}

static void key_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct provider *p = r->out;

	provider_key_read(r, m, v, &p->has_key, &p->key);
}

static void url_check(const struct shape_reading *r)
{
	struct str at = ((struct provider *)r->out)->url;
	struct url url;

	if (at.len && !url_split(at, &url))
		wrong_member(r->check, r->at, STR("url"), "must be an http or https URL");
	if (at.len && (memchr(at.at, '?', at.len) || memchr(at.at, '#', at.len)))
		wrong_member(r->check, r->at, STR("url"),
			"must have no query and no fragment");
}

static void kind_check(const struct shape_reading *r)
{
	const struct provider *p = r->out;
	struct script script;

	url_check(r);
	if (p->wire != WIRE_SCRIPT) {
		if (p->script)
			wrong_member(r->check, r->at, STR("script"),
				"only a provider of kind script has one");
		return;
	}
	if (p->url.len)
		wrong_member(r->check, r->at, STR("url"), "a script has no address");
	if (p->script)
		script_check(r->check, r->at, p->script, r->arena, &script);
	else
		wrong_member(r->check, r->at, STR("script"), "required");
}

static const struct shape_member members[] = {
	{ STR("name"), OF_NAME, AT(provider, name), 1, AGENT_NAME_MAX,
		TEXT_NEEDED | SHAPE_FIXED,
		"must be {least} to {most} of a-z, 0-9, - and _",
		.fits = agent_name_valid },
	{ STR("kind"), OF_WORD, AT(provider, wire), .flags = TEXT_NEEDED,
		WORDS(model_wire_names),
		.must = "must be anthropic, openai, openai_responses, gemini or script" },
	{ STR("url"), OF_TEXT, AT(provider, url), 0, URL_MAX, TEXT_LINE },
	{ STR("key"), OF_OWN, .flags = SHAPE_UNSAID, .read = key_read },
	{ STR("models"), OF_LIST, ALL(provider, models), .most = PROVIDER_MODELS_MAX,
		.must = "must be an array of at most {most} models",
		.of = &provider_model_shape },
	{ STR("at_once"), OF_NUMBER, AT(provider, at_once), 1, 1000,
		.otherwise = PROVIDER_AT_ONCE },
	{ STR("script"), OF_JSON, AT(provider, script), .flags = SHAPE_SPARE },
};
/* As ProviderRequest in openapi.json. */
static const struct shape provider_shape = { SHAPE(members, provider),
	.together = kind_check };

enum err provider_read(const struct json *body, struct str before,
	const struct members *more, struct arena *arena, struct str *json,
	struct provider *out, struct fault *why)
{
	return shape_keep(&provider_shape, body, before, more, arena, json, out, why);
}

enum err provider_parse(
	struct str json, struct arena *arena, struct provider *out, struct fault *why)
{
	return shape_load(
		&provider_shape, json, arena, out, "a provider is unreadable", why);
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

	digest_fields(fields, sizeof fields / sizeof *fields, out);
}

/* ---- keys ---- */

struct str provider_key_last4(struct str key)
{
	return key.len >= 16 ? str_from(key, key.len - 4) : STR_NONE;
}

static enum key_source source_of(const struct provider_record *p)
{
	return p->version && p->sealed.len ? KEY_SEALED : p->source;
}

struct str provider_key_absent(
	enum key_source source, struct str from, bool token, struct arena *arena)
{
	return source == KEY_ENV
		       ? arena_print(arena,
				 "%.*s is not set: start the server with %.*s=%s in its environment",
				 STR_ARGS(from), STR_ARGS(from), token ? "TOKEN" : "KEY")
		       : arena_print(arena,
				 "%.*s is missing or empty: put the %s there, 0600",
				 STR_ARGS(from), token ? "token" : "key");
}

struct str provider_key_wrong(const struct provider_record *p, struct arena *arena)
{
	struct provider parts;

	if (p->sealed.len || p->key.len) return STR_NONE;
	if (p->source == KEY_ENV || p->source == KEY_FILE)
		return provider_key_absent(p->source, p->key_from, false, arena);
	/* A server of one's own may want none; the vendors' all do. */
	if (provider_parse(p->body, arena, &parts, NULL) || parts.url.len ||
		parts.wire == WIRE_SCRIPT)
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
	enum key_source source = source_of(p);

	jw_object(w);
	jw_put_str(w, "id", p->id);
	show_members(w, p->body);
	jw_put_object(w, "key");
	jw_put_bool(w, "set", p->sealed.len > 0 || p->key.len > 0);
	jw_put_text(w, "source", sources[source]);
	show_text(w, "from", p->key_from);
	show_text(w, "last4", p->key.len ? provider_key_last4(p->key) : p->last4);
	jw_object_end(w);
	jw_put_text(w, "source", p->version ? "store" : "file");
	jw_put_int(w, "version", p->version);
	jw_put_bool(w, "usable", wrong.len == 0);
	show_text(w, "why", wrong);
	show_time(w, "created_at", p->created_ms);
	show_time(w, "updated_at", p->changed_ms);
	jw_object_end(w);
}

/* ---- secrets in texts ---- */

/* The longest secret that begins here: one may be the beginning of another. */
static const struct str *secret_at(struct str text, const struct str *secrets, size_t len)
{
	const struct str *best = NULL;

	for (size_t i = 0; i < len; i++)
		if (secrets[i].len >= MASK_MIN && secrets[i].len <= text.len &&
			memcmp(text.at, secrets[i].at, secrets[i].len) == 0 &&
			(!best || secrets[i].len > best->len))
			best = &secrets[i];
	return best;
}

void mask_text(struct buf *out, struct str text, const struct str *secrets, size_t len)
{
	while (text.len > 0) {
		const struct str *found = secret_at(text, secrets, len);
		struct str last4 = found ? provider_key_last4(*found) : STR_NONE;

		if (!found)
			buf_add_char(out, text.at[0]);
		else if (last4.len)
			buf_print(out, "[secret …%.*s]", STR_ARGS(last4));
		else
			buf_add_text(out, "[secret]");
		text = str_from(text, found ? found->len : 1);
	}
}
