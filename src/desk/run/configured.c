/* configured.c - agents, providers and tools found: those of the configuration, then stored ones. */
#include "desk/run/configured.h"
#include "desk/run/mcp_servers.h"
#include "desk/run/model_lists.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "core/run/provider.h"
#include "core/shared/address.h"
#include "core/shared/field.h"
#include "core/shared/principal.h"
#include "desk/shared/collection.h"

static const struct configured none;

const struct configured *configured_now(const struct desk *d)
{
	const struct configured *c = atomic_load(&d->configured);

	return c ? c : &none;
}

static const struct configured *configured(const struct desk *d)
{
	return configured_now(d);
}

/* They begin alike, and are found alike. */
static const struct configured_kind {
	const char *prefix, *noun, *one;
	void (*id)(int64_t ws, struct str name, char *out);
} agents = { "agt", "agent", "an agent", agent_id },
  providers = { "prv", "provider", "a provider", provider_id },
  tools = { "tol", "tool", "a tool", own_tool_id },
  servers = { "mcp", "MCP server", "an MCP server", mcp_server_id };

#define BEGINS_ALIKE(tag)                                                                \
	_Static_assert(offsetof(struct agent_record, id) == offsetof(struct tag, id) &&  \
			       offsetof(struct agent_record, name) ==                    \
				       offsetof(struct tag, name),                       \
		"they begin alike")
BEGINS_ALIKE(provider_record);
BEGINS_ALIKE(tool_record);
BEGINS_ALIKE(mcp_server_record);

static const struct configured_kind *kind_of(enum record_id record)
{
	return record == RECORD_AGENTS	      ? &agents
	       : record == RECORD_PROVIDERS   ? &providers
	       : record == RECORD_MCP_SERVERS ? &servers
					      : &tools;
}

/* Of one of these records: the i-th of the configuration as one of this workspace, in the
 * arena; NULL: there is no such. */
static const void *configured_own(
	struct desk *d, enum record_id record, int64_t ws, size_t i, struct arena *arena)
{
	const struct configured *c = configured(d);
	const void *all = record == RECORD_AGENTS	 ? (const void *)c->agents
			  : record == RECORD_PROVIDERS	 ? (const void *)c->providers
			  : record == RECORD_MCP_SERVERS ? (const void *)c->mcp_servers
							 : (const void *)c->tools;
	size_t len = record == RECORD_AGENTS	    ? c->agents_len
		     : record == RECORD_PROVIDERS   ? c->providers_len
		     : record == RECORD_MCP_SERVERS ? c->mcp_servers_len
						    : c->tools_len;
	size_t size = records[record].size;
	struct agent_record *copy = i < len ? arena_alloc(arena, size) : NULL;
	char id[32];

	if (!copy) return NULL;
	memcpy(copy, (const char *)all + i * size, size);
	kind_of(record)->id(ws, copy->name, id);
	copy->ws = ws;
	copy->id = arena_str(arena, str_of(id));
	return copy;
}

enum err configured_find(struct desk *d, struct rows *rows, enum record_id record,
	int64_t ws, struct str which, const void **out, struct fault *why)
{
	const struct agent_record *own;
	char made[32];

	if (!id_valid(which, kind_of(record)->prefix)) {
		kind_of(record)->id(ws, which, made);
		which = arena_str(rows->arena, str_of(made));
	}
	for (size_t i = 0; (own = configured_own(d, record, ws, i, rows->arena)); i++)
		if (str_eq(own->id, which)) {
			*out = own;
			return OK;
		}
	return collection_stored(rows, record, ws, which, out, why);
}

enum err configured_collection_find(const struct collection *r, struct task *t,
	struct rows *rows, struct str which, const void **out, struct fault *why)
{
	return configured_find(t->desk, rows, r->record, t->job.who.ws, which, out, why);
}

const void *configured_collection_own(
	const struct collection *r, struct task *t, size_t i, struct arena *arena)
{
	return configured_own(t->desk, r->record, t->job.who.ws, i, arena);
}

enum err configured_collection_new(const struct collection *r, struct task *t,
	struct rows *rows, void *record, struct fault *why)
{
	struct agent_record *a = record; /* or one that begins as it does */
	const void *taken = NULL;
	char id[32];
	enum err e;

	a->name = json_text(json_get(t->body, "name"));
	kind_of(r->record)->id(a->ws, a->name, id);
	a->id = arena_str(rows->arena, str_of(id));
	e = r->find(r, t, rows, a->id, &taken, why);
	return e || !taken ? e
			   : fail(why, ERR_CONFLICT, "%s with this name already exists",
				     kind_of(r->record)->one);
}

static enum err found(struct desk *d, struct rows *rows, enum record_id record,
	int64_t ws, struct str which, const void **out, struct fault *why)
{
	enum err e = configured_find(d, rows, record, ws, which, out, why);

	return e || *out ? e : desk_missing(kind_of(record)->noun, which, why);
}

enum err configured_agent(struct desk *d, struct rows *rows, int64_t ws, struct str which,
	const struct agent_record **out, struct fault *why)
{
	const void *at = NULL;
	enum err e = found(d, rows, RECORD_AGENTS, ws, which, &at, why);

	if (!e) *out = at;
	return e;
}

enum { NAMES_BYTES = 140 };

static void name_add(struct buf *names, struct str name)
{
	if (names->len + name.len + 2 <= names->max)
		buf_print(names, "%s%.*s", names->len ? ", " : "", STR_ARGS(name));
}

enum err configured_agent_unknown(struct desk *d, struct rows *rows, int64_t ws,
	struct str which, struct str *out, struct fault *why)
{
	const struct configured *c = configured(d);
	const struct agent_record *a = NULL;
	struct buf names = { .max = NAMES_BYTES };
	enum err e = rows_fetch_once(rows, RECORD_AGENTS, SQL_AGENTS_OF, ARGS(ws), why);

	for (size_t i = 0; i < c->agents_len; i++)
		name_add(&names, c->agents[i].name);
	while (!e && (a = rows_next(rows, RECORD_AGENTS, a)))
		if (a->ws == ws) name_add(&names, a->name);
	which = str_first(which, 64);
	*out = names.len ? arena_print(rows->arena,
				   "there is no agent \"%.*s\"; there are: %.*s",
				   STR_ARGS(which), STR_ARGS(buf_str(&names)))
			 : arena_print(rows->arena, "there is no agent \"%.*s\"",
				   STR_ARGS(which));
	buf_done(&names);
	return e;
}

enum err configured_agent_refuse(struct desk *d, struct rows *rows, int64_t ws,
	struct str which, struct fault *why)
{
	struct str said;
	enum err e = configured_agent_unknown(d, rows, ws, which, &said, why);

	return e ? e : fail_at(why, "/agent", "%.*s", STR_ARGS(said));
}

enum err configured_provider(struct desk *d, struct rows *rows, int64_t ws,
	struct str which, const struct provider_record **out, struct fault *why)
{
	const void *at = NULL;
	enum err e = found(d, rows, RECORD_PROVIDERS, ws, which, &at, why);

	if (!e) *out = at;
	return e;
}

enum err configured_default_agent(struct desk *d, struct rows *rows, int64_t ws,
	const struct agent_record **out, struct fault *why)
{
	const struct configured *c = configured(d);
	const struct agent_record *a = NULL, *first = NULL;
	enum err e;

	*out = NULL;
	if (c->default_agent.len || c->agents_len) {
		e = configured_agent(d, rows, ws,
			c->default_agent.len ? c->default_agent : c->agents[0].name, out,
			why);
		return e == ERR_NOT_FOUND ? OK : e;
	}
	e = rows_fetch_once(rows, RECORD_AGENTS, SQL_AGENTS_OF, ARGS(ws), why);
	if (e) return e;
	while ((a = rows_next(rows, RECORD_AGENTS, a)))
		if (a->ws == ws && (!first || str_cmp(a->name, first->name) < 0))
			first = a;
	*out = first;
	return OK;
}

/* ---- keys ---- */

struct str configured_provider_wrong(
	struct desk *d, const struct provider_record *p, struct arena *arena)
{
	return !p->version || !p->sealed.len
		       ? provider_key_wrong(p, arena)
		       : configured_sealed_wrong(d, p->sealed, false, arena);
}

struct str configured_sealed_wrong(
	struct desk *d, struct str sealed, bool headers, struct arena *arena)
{
	const struct configured *c = configured(d);

	if (!sealed.len || (c->sealing && seal_fits(c->secret, sealed))) return STR_NONE;
	if (!c->sealing)
		return arena_print(arena,
			"this server has no secret.key to decrypt its %s with",
			headers ? "headers" : "key");
	return arena_print(arena,
		"its %s encrypted with another secret.key: "
		"give every server the same file, or set %s again",
		headers ? "headers were" : "key was", headers ? "them" : "the key");
}

enum err configured_seal(struct desk *d, struct str secret, const char *what,
	struct arena *arena, struct str *sealed, struct fault *why)
{
	const struct configured *c = configured(d);
	struct buf b = { .max = 1 << 20 };
	bool closed;

	if (!c->sealing)
		return fail(why, ERR_CONFLICT,
			"only a running server can encrypt the %s: start it, then try again",
			what);
	closed = seal_close(c->secret, secret, &b);
	*sealed = buf_keep_done(&b, arena);
	return closed ? OK : fail_memory(why);
}

enum err configured_key_seal(struct desk *d, struct str key, struct arena *arena,
	struct str *sealed, struct str *last4, struct fault *why)
{
	*sealed = *last4 = STR_NONE;
	if (!key.len) return OK;
	*last4 = arena_str(arena, provider_key_last4(key));
	return configured_seal(d, key, "key", arena, sealed, why);
}

enum err configured_url_check(struct desk *d, struct str text, struct fault *why)
{
	struct str reach = configured(d)->model_internal;
	struct url url;

	return url_split(text, &url) &&
			       model_reach_may_allow(reach.len ? reach : STR("no"), &url)
		       ? OK
		       : fail_at(why, "/url",
				 "must be https, or on this machine; the setting "
				 "model_internal allows more");
}

struct str configured_key(
	struct desk *d, struct str known, struct str sealed, struct arena *arena)
{
	struct buf key = { .max = PROVIDER_KEY_MAX + 64 };

	if (known.len) return arena_str(arena, known);
	if (!sealed.len || !seal_open(configured(d)->secret, sealed, &key)) {
		buf_done(&key);
		return STR_NONE;
	}
	return buf_keep_done(&key, arena);
}

static struct str key_open(
	struct desk *d, const struct provider_record *p, struct arena *arena)
{
	return configured_key(d, p->key, p->sealed, arena);
}

enum err configured_mask(struct desk *d, struct rows *rows, int64_t ws, struct str *text,
	struct fault *why)
{
	const struct configured *c = configured(d);
	const struct provider_record *p = NULL;
	const struct tool_record *own = NULL;
	size_t room = c->providers_len + PROVIDERS_MAX + c->tools_len + OWN_TOOLS_MAX +
		      (c->mcp_servers_len + MCP_SERVERS_MAX) * (MCP_HEADERS_MAX + 1);
	struct str *keys = ARENA_ARRAY(rows->arena, struct str, room + 1);
	struct buf b = { 0 };
	size_t len = 0;
	enum err e;

	if (!keys) return fail_memory(why);
	if (text->len < MASK_MIN) return OK;
	e = rows_fetch(rows, RECORD_PROVIDERS, SQL_PROVIDERS_OF, ARGS(ws), why);
	if (!e) e = rows_fetch(rows, RECORD_TOOLS, SQL_TOOLS_OF, ARGS(ws), why);
	if (e) return e;
	for (size_t i = 0; i < c->providers_len; i++)
		keys[len++] = c->providers[i].key;
	for (size_t i = 0; i < c->tools_len; i++)
		keys[len++] = c->tools[i].key;
	while ((p = rows_next(rows, RECORD_PROVIDERS, p)) && len < room)
		if (p->ws == ws && p->sealed.len)
			keys[len++] = key_open(d, p, rows->arena);
	while ((own = rows_next(rows, RECORD_TOOLS, own)) && len < room)
		if (own->ws == ws && own->sealed.len)
			keys[len++] =
				configured_key(d, own->key, own->sealed, rows->arena);
	e = mcp_secrets(d, rows, ws, keys, room, &len, why);
	if (e) return e;
	for (size_t i = 0; i < len; i++)
		if (keys[i].len >= MASK_MIN && str_find(*text, keys[i]) >= 0) {
			mask_text(&b, *text, keys, len);
			*text = buf_keep_done(&b, rows->arena);
			break;
		}
	return rows->arena->failed ? fail_memory(why) : OK;
}

/* ---- everything for a call ---- */

/* The provider's own row, what was imported, what it lists, the built-in table; what one lacks is the next
 * one's. */
static void model_fill(struct provider_model *to, const struct provider_model *from,
	enum price_from layer, enum price_from *priced)
{
	if (!to->context) to->context = from->context;
	if (!to->output) to->output = from->output;
	if (!to->priced && from->priced) {
		to->priced = true;
		to->price = from->price;
		*priced = layer;
	}
}

static void model_imported(
	struct str body, struct arena *arena, struct provider_model *out)
{
	const struct json *json;

	if (json_read(body, NULL, arena, &json, NULL)) return;
	if (json_get(json, "context")) out->context = json_get(json, "context")->integer;
	if (json_get(json, "output")) out->output = json_get(json, "output")->integer;
	out->priced = price_read(json_get(json, "price"), &out->price);
}

/* What is known of it, member by member. */
static void model_layers(struct rows *rows, const struct provider *p,
	const struct price_record *price, const struct listed_model *listed,
	struct str model, struct provider_model *out, enum price_from *priced)
{
	const struct provider_model *own = provider_model(p, model);
	struct provider_model imported = { 0 }, known;

	*priced = PRICE_NONE;
	if (own) model_fill(out, own, PRICE_PROVIDER, priced);
	if (price && price->body.at) {
		model_imported(price->body, rows->arena, &imported);
		model_fill(out, &imported, PRICE_IMPORTED, priced);
	}
	if (listed) model_fill(out, &listed->known, PRICE_LISTED, priced);
	if (known_model(model, rows->now_ms, &known))
		model_fill(out, &known, PRICE_BUILT_IN, priced);
}

enum err configured_model(struct desk *d, struct rows *rows, int64_t ws,
	struct str provider, struct str model, const struct listed_model *listed,
	struct provider_model *out, enum price_from *priced, struct fault *why)
{
	const struct price_record *price = NULL;
	const struct provider_record *p;
	struct model_list list = { 0 };
	struct provider parts;
	enum err e = configured_provider(d, rows, ws, provider, &p, why);

	if (!e) e = provider_parse(p->body, rows->arena, &parts, why);
	if (!e) e = rows_get(rows, RECORD_PRICES, KEY(ws, model), &price, why);
	if (!e && !listed) e = model_list_items(rows, ws, p->name, &list, why);
	if (e) return e;
	if (!listed) listed = model_list_find(&list, model);
	*out = (struct provider_model){ .id = model };
	model_layers(rows, &parts, price, listed, model, out, priced);
	return OK;
}

enum err configured_model_now(struct desk *d, struct rows *rows, int64_t ws,
	struct str provider, struct str model, struct str *out, struct fault *why)
{
	const struct provider_record *p;
	struct model_list list;
	struct provider parts;
	enum err e;

	*out = model;
	if (!str_eq(model, MODEL_AUTO)) return OK;
	e = configured_provider(d, rows, ws, provider, &p, why);
	if (!e) e = provider_parse(p->body, rows->arena, &parts, why);
	if (!e) e = model_list_items(rows, ws, p->name, &list, why);
	if (e) return e;
	*out = model_auto(parts.wire, &list, rows->now_ms);
	if (!out->len && parts.models_len) *out = parts.models[0].id;
	return OK;
}

enum err configured_fixed(struct desk *d, struct rows *rows, int64_t ws,
	struct str *config, struct fault *why)
{
	struct agent_config parts;
	const struct json *change;
	struct str now;
	enum err e = agent_parse(*config, rows->arena, &parts, why);

	if (e || !str_eq(parts.model, MODEL_AUTO)) return e;
	e = configured_model_now(d, rows, ws, parts.provider, parts.model, &now, why);
	if (e || !now.len) return e;
	e = json_read(fields_text(rows->arena, FIELDS(field_text("model", now))), NULL,
		rows->arena, &change, why);
	return e ? e : agent_read(change, *config, NULL, rows->arena, config, why);
}

/* From its rows. */
static enum err access_make(struct desk *d, struct rows *rows,
	const struct provider_record *p, const struct price_record *price,
	const struct model_list_record *listed, struct str model, struct arena *arena,
	struct model_access *out, struct fault *why)
{
	const struct listed_model *found;
	struct model_list list = { 0 };
	enum price_from priced;
	struct provider parts;
	enum err e = provider_parse(p->body, rows->arena, &parts, why);

	if (!e && listed) e = model_list_parse(listed->body, rows->arena, &list, why);
	if (e) return e;
	*out = (struct model_access){ .provider = arena_str(arena, p->name),
		.wire = parts.wire,
		.url = arena_str(arena, parts.url),
		.at_once = parts.at_once,
		.model_internal = configured(d)->model_internal,
		.key = key_open(d, p, arena),
		.body = arena_str(arena, p->body),
		.sealed = arena_str(arena, p->sealed),
		.imported = arena_str(arena, price->body) };
	found = model_list_find(&list, model);
	if (found) out->effort = arena_str(arena, found->effort);
	model_layers(rows, &parts, price, found, model, &out->model, &priced);
	out->listed_ms = listed ? listed->listed_ms : 0;
	out->model.id = arena_str(arena, model);
	if (!out->key.len)
		out->wrong = arena_str(arena, configured_provider_wrong(d, p, arena));
	return OK;
}

/* Is that what would be made of these? A provider of the configuration has one key for good. */
static bool access_holds(const struct model_access *a, const struct provider_record *p,
	const struct price_record *price, const struct model_list_record *listed,
	struct str model)
{
	return a && !a->wrong.len && a->listed_ms == (listed ? listed->listed_ms : 0) &&
	       str_eq(a->provider, p->name) && str_eq(a->model.id, model) &&
	       str_eq(a->body, p->body) && str_eq(a->sealed, p->sealed) &&
	       str_eq(a->imported, price->body);
}

static void access_copy(
	const struct model_access *a, struct arena *arena, struct model_access *out)
{
	*out = *a;
	out->provider = arena_str(arena, a->provider);
	out->url = arena_str(arena, a->url);
	out->key = arena_str(arena, a->key);
	out->model.id = arena_str(arena, a->model.id);
	out->effort = arena_str(arena, a->effort);
	out->body = arena_str(arena, a->body);
	out->sealed = arena_str(arena, a->sealed);
	out->imported = arena_str(arena, a->imported);
}

enum err configured_access(struct desk *d, struct rows *rows, int64_t ws,
	struct str provider, struct str model, const struct model_access *before,
	struct arena *arena, struct model_access *out, struct fault *why)
{
	static const struct price_record none_imported;
	const struct price_record *price = NULL;
	const struct model_list_record *listed = NULL;
	const struct provider_record *p;
	enum err e = configured_provider(d, rows, ws, provider, &p, why);

	if (!e) e = rows_get(rows, RECORD_PRICES, KEY(ws, model), &price, why);
	if (!e) e = model_list_get(rows, ws, p->name, &listed, why);
	if (!price) price = &none_imported;
	if (!e && access_holds(before, p, price, listed, model))
		access_copy(before, arena, out);
	else if (!e)
		e = access_make(d, rows, p, price, listed, model, arena, out, why);
	if (!e) out->list_due = model_list_due(listed, rows->now_ms);
	return !e && arena->failed ? fail_memory(why) : e;
}

enum err configured_unpriced(struct desk *d, struct rows *rows, int64_t ws,
	struct str provider, struct str model, struct str *wrong, struct fault *why)
{
	struct provider_model known;
	enum price_from priced;
	enum err e = configured_model_now(d, rows, ws, provider, model, &model, why);

	if (!e)
		e = configured_model(
			d, rows, ws, provider, model, NULL, &known, &priced, why);
	if (e) return e;
	*wrong = known.priced
			 ? STR_NONE
			 : arena_print(rows->arena,
				   "no price of %.*s is known, so its cost cannot be "
				   "limited: give the provider's model a price, or "
				   "limit tokens instead",
				   STR_ARGS(str_first(model, 80)));
	return OK;
}

static enum err auto_wrong(struct desk *d, struct rows *rows, int64_t ws,
	const struct agent_config *a, struct str *wrong, struct fault *why)
{
	struct str now;
	enum err e = configured_model_now(d, rows, ws, a->provider, a->model, &now, why);

	if (!e && !now.len)
		*wrong = arena_print(rows->arena,
			"no model of %.*s is known: name one instead of auto",
			STR_ARGS(a->provider));
	return e;
}

enum err configured_agent_wrong(struct desk *d, struct rows *rows,
	const struct agent_record *a, struct arena *arena, struct str *wrong,
	struct fault *why)
{
	const struct provider_record *p;
	struct agent_config parts;
	enum err e = agent_parse(a->body, arena, &parts, why);

	if (e) return e;
	e = configured_provider(d, rows, a->ws, parts.provider, &p, why);
	if (!e) *wrong = configured_provider_wrong(d, p, arena);
	if (!e && !wrong->len) e = auto_wrong(d, rows, a->ws, &parts, wrong, why);
	if (!e && !wrong->len && parts.limits.cost)
		return configured_unpriced(
			d, rows, a->ws, parts.provider, parts.model, wrong, why);
	if (e != ERR_NOT_FOUND) return e;
	*wrong = arena_print(arena,
		"there is no provider %.*s: add it with "
		"parley providers add",
		STR_ARGS(parts.provider));
	return OK;
}

static enum err user_add(const struct agent_record *a, struct str name,
	bool (*uses)(const struct agent_config *, struct str), struct rows *rows,
	struct buf *names, struct fault *why)
{
	struct agent_config parts;
	enum err e = agent_parse(a->body, rows->arena, &parts, why);

	if (!e && uses(&parts, name)) name_add(names, a->name);
	return e;
}

enum err configured_unused(struct desk *d, struct rows *rows, int64_t ws, struct str name,
	bool (*uses)(const struct agent_config *, struct str), struct fault *why)
{
	const struct configured *c = configured(d);
	const struct agent_record *a = NULL;
	struct buf names = { .max = NAMES_BYTES };
	enum err e = rows_fetch(rows, RECORD_AGENTS, SQL_AGENTS_OF, ARGS(ws), why);

	for (size_t i = 0; !e && i < c->agents_len; i++)
		e = user_add(&c->agents[i], name, uses, rows, &names, why);
	while (!e && (a = rows_next(rows, RECORD_AGENTS, a)))
		if (a->ws == ws) e = user_add(a, name, uses, rows, &names, why);
	if (!e && names.len)
		e = fail(why, ERR_CONFLICT, "agents use it: %.*s",
			STR_ARGS(buf_str(&names)));
	buf_done(&names);
	return e;
}

static enum err roster_add(struct json_writer *w, struct desk *d, struct rows *rows,
	const struct agent_record *a, size_t *len, struct fault *why)
{
	struct agent_config parts;
	struct str wrong;
	enum err e = configured_agent_wrong(d, rows, a, rows->arena, &wrong, why);

	if (e || wrong.len || *len == ROSTER_MAX) return e;
	e = agent_parse(a->body, rows->arena, &parts, why);
	if (e) return e;
	JW(w, "{'name':%s,'description':%s}", a->name, parts.description);
	++*len;
	return OK;
}

static bool delegates_to(const struct agent_config *of, struct str name)
{
	return !of->delegates_len || text_listed(of->delegates, of->delegates_len, name);
}

enum err configured_roster(struct desk *d, struct rows *rows, int64_t ws,
	const struct agent_config *of, struct arena *arena, struct str *out,
	struct fault *why)
{
	const struct configured *c = configured(d);
	const struct agent_record *a = NULL;
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	size_t len = 0;
	enum err e = rows_fetch_once(rows, RECORD_AGENTS, SQL_AGENTS_OF, ARGS(ws), why);

	jw_array(&w);
	for (size_t i = 0; !e && i < c->agents_len; i++)
		if (delegates_to(of, c->agents[i].name))
			e = roster_add(&w, d, rows, &c->agents[i], &len, why);
	while (!e && (a = rows_next(rows, RECORD_AGENTS, a)))
		if (a->ws == ws && delegates_to(of, a->name))
			e = roster_add(&w, d, rows, a, &len, why);
	jw_array_end(&w);
	*out = buf_keep_done(&b, arena);
	return e;
}
