/* configured.c - agents and providers found: those of the configuration, then stored ones. */
#include "desk/run/configured.h"

#include "base/keep.h"
#include "base/mem.h"
#include "core/run/known_model.h"
#include "core/run/mask.h"
#include "core/shared/principal.h"
#include "desk/shared/inner.h"

static const struct configured none;

static const struct configured *configured(const struct desk *d)
{
	const struct configured *c = atomic_load(&d->configured);

	return c ? c : &none;
}

/* The id, whichever of both was given. */
static void id_of(int64_t ws, struct str which, const char *prefix,
	void (*make)(int64_t, struct str, char *), char out[32])
{
	if (id_valid(which, prefix)) {
		memcpy(out, which.at, which.len);
		out[which.len] = '\0';
	} else {
		make(ws, which, out);
	}
}

/* A copy of the configuration's, as one of this workspace. NULL: it has none; or out of
 * memory, which the arena knows. */
static struct agent_record *own_agent(
	struct desk *d, int64_t ws, const char *id, struct arena *arena)
{
	const struct configured *c = configured(d);

	for (size_t i = 0; i < c->agents_len; i++) {
		struct agent_record *copy;
		char own[32];

		agent_id(ws, c->agents[i].name, own);
		if (strcmp(own, id) != 0) continue;
		copy = ARENA_NEW(arena, struct agent_record);
		if (!copy) return NULL;
		*copy = c->agents[i];
		copy->ws = ws;
		copy->id = arena_str(arena, str_of(own));
		return copy;
	}
	return NULL;
}

static struct provider_record *own_provider(
	struct desk *d, int64_t ws, const char *id, struct arena *arena)
{
	const struct configured *c = configured(d);

	for (size_t i = 0; i < c->providers_len; i++) {
		struct provider_record *copy;
		char own[32];

		provider_id(ws, c->providers[i].name, own);
		if (strcmp(own, id) != 0) continue;
		copy = ARENA_NEW(arena, struct provider_record);
		if (!copy) return NULL;
		*copy = c->providers[i];
		copy->ws = ws;
		copy->id = arena_str(arena, str_of(own));
		return copy;
	}
	return NULL;
}

/* The stored one of this id, or NULL. */
static enum err row_of(struct rows *rows, enum record_id record, int64_t ws,
	const char *id, const void **out, struct fault *why)
{
	struct str name = arena_str(rows->arena, str_of(id));
	const struct val key[] = { val_int(ws), val_text(name) };
	enum err e = OK;

	if (!rows_find(rows, record, name) && !rows_ended(rows, record, name))
		e = rows_fetch(rows, record, SQL_OF(record, RECORD_GET), key, 2, why);
	if (!e) *out = rows_find(rows, record, name);
	return e;
}

enum err desk_agent(struct desk *d, struct rows *rows, int64_t ws, struct str which,
	const struct agent_record **out, struct fault *why)
{
	const void *found = NULL;
	char id[32];
	enum err e = OK;

	id_of(ws, which, "agt", agent_id, id);
	found = own_agent(d, ws, id, rows->arena);
	if (!found) e = row_of(rows, RECORD_AGENTS, ws, id, &found, why);
	if (e) return e;
	if (rows->arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	if (!found)
		return fail(why, ERR_NOT_FOUND, "no agent %.*s",
			STR_ARGS(str_first(which, 64)));
	*out = found;
	return OK;
}

enum err desk_provider(struct desk *d, struct rows *rows, int64_t ws, struct str which,
	const struct provider_record **out, struct fault *why)
{
	const void *found = NULL;
	char id[32];
	enum err e = OK;

	id_of(ws, which, "prv", provider_id, id);
	found = own_provider(d, ws, id, rows->arena);
	if (!found) e = row_of(rows, RECORD_PROVIDERS, ws, id, &found, why);
	if (e) return e;
	if (rows->arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	if (!found)
		return fail(why, ERR_NOT_FOUND, "no provider %.*s",
			STR_ARGS(str_first(which, 64)));
	*out = found;
	return OK;
}

enum err desk_default_agent(struct desk *d, struct rows *rows, int64_t ws,
	const struct agent_record **out, struct fault *why)
{
	const struct configured *c = configured(d);
	const struct agent_record *a = NULL, *first = NULL;
	const struct val args[] = { val_int(ws) };
	enum err e;

	*out = NULL;
	if (c->default_agent.len || c->agents_len) {
		struct fault missing = { 0 };

		e = desk_agent(d, rows, ws,
			c->default_agent.len ? c->default_agent : c->agents[0].name, out,
			&missing);
		if (e && e != ERR_NOT_FOUND) *why = missing;
		return e == ERR_NOT_FOUND ? OK : e;
	}
	e = rows_fetch(rows, RECORD_AGENTS, SQL_AGENTS_OF, args, 1, why);
	if (e) return e;
	while ((a = rows_next(rows, RECORD_AGENTS, a)))
		if (a->ws == ws && (!first || str_cmp(a->name, first->name) < 0))
			first = a;
	*out = first;
	return OK;
}

/* ---- keys ---- */

struct str provider_wrong(
	struct desk *d, const struct provider_record *p, struct arena *arena)
{
	const struct configured *c = configured(d);

	if (!p->version || !p->sealed.len) return provider_key_wrong(p, arena);
	if (!c->sealing)
		return STR("this server has no secret.key to decrypt its key with");
	if (!seal_fits(c->secret, p->sealed))
		return STR("its key was encrypted with another secret.key: "
			   "give every server the same file, or set the key again");
	return STR_NONE;
}

static struct str key_open(
	struct desk *d, const struct provider_record *p, struct arena *arena)
{
	struct buf key = { .max = PROVIDER_KEY_MAX + 64 };

	if (p->key.len) return arena_str(arena, p->key);
	if (!p->sealed.len || !seal_open(configured(d)->secret, p->sealed, &key)) {
		buf_done(&key);
		return STR_NONE;
	}
	return buf_keep_done(&key, arena);
}

enum err desk_mask(struct desk *d, struct rows *rows, int64_t ws, struct str *text,
	struct fault *why)
{
	const struct configured *c = configured(d);
	const struct val args[] = { val_int(ws) };
	const struct provider_record *p = NULL;
	struct str *keys = ARENA_ARRAY(
		rows->arena, struct str, c->providers_len + PROVIDERS_MAX + 1);
	struct buf b = { 0 };
	size_t len = 0;
	enum err e;

	if (!keys) return fail(why, ERR_MEMORY, "out of memory");
	if (text->len < MASK_MIN) return OK;
	e = rows_fetch(rows, RECORD_PROVIDERS, SQL_PROVIDERS_OF, args, 1, why);
	if (e) return e;
	for (size_t i = 0; i < c->providers_len; i++)
		keys[len++] = c->providers[i].key;
	while ((p = rows_next(rows, RECORD_PROVIDERS, p)) &&
		len < c->providers_len + PROVIDERS_MAX)
		if (p->ws == ws && p->sealed.len)
			keys[len++] = key_open(d, p, rows->arena);
	for (size_t i = 0; i < len; i++)
		if (keys[i].len >= MASK_MIN && str_find(*text, keys[i]) >= 0) {
			text_mask(&b, *text, keys, len);
			*text = buf_keep_done(&b, rows->arena);
			break;
		}
	return rows->arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

/* ---- everything for a call ---- */

static enum err price_row(void *ctx, const struct row *row, struct fault *why)
{
	struct price_record *p = ctx;
	struct arena arena = { 0 };
	struct price_record read;
	enum err e = record_read(&records[RECORD_PRICES], row, &arena, &read, why);

	if (!e) p->body = str_make(mem_copy(read.body.at, read.body.len), read.body.len);
	arena_done(&arena);
	return e;
}

/* The provider's own row, else what was imported, else the built-in table; a price that
 * one lacks is the next one's. */
static void model_fill(struct provider_model *to, const struct provider_model *from)
{
	if (!to->context) to->context = from->context;
	if (!to->output) to->output = from->output;
	if (!to->priced && from->priced) {
		to->priced = true;
		to->price = from->price;
	}
}

static void model_imported(
	struct str body, struct arena *arena, struct provider_model *to)
{
	const struct json *json;
	struct provider_model m = { 0 };

	if (json_read(body, NULL, arena, &json, NULL)) return;
	if (json_get(json, "context")) m.context = json_get(json, "context")->integer;
	if (json_get(json, "output")) m.output = json_get(json, "output")->integer;
	m.priced = price_read(json_get(json, "price"), &m.price);
	model_fill(to, &m);
}

/* From its rows. */
static enum err access_make(struct desk *d, struct rows *rows,
	const struct provider_record *p, const struct price_record *price,
	struct str model, struct arena *arena, struct model_access *out,
	struct fault *why)
{
	const struct provider_model *own;
	struct provider_model known;
	struct provider parts;
	enum err e = provider_parse(p->body, rows->arena, &parts, why);

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
	own = provider_model(&parts, model);
	if (own) out->model = *own;
	out->model.id = arena_str(arena, model);
	if (price->body.at) model_imported(price->body, rows->arena, &out->model);
	if (known_model(model, &known)) model_fill(&out->model, &known);
	if (!out->key.len) out->wrong = arena_str(arena, provider_wrong(d, p, arena));
	return OK;
}

/* Is that what would be made of these? A provider of the configuration has one key for good. */
static bool access_holds(const struct model_access *a, const struct provider_record *p,
	const struct price_record *price, struct str model)
{
	return a && !a->wrong.len && str_eq(a->provider, p->name) &&
	       str_eq(a->model.id, model) && str_eq(a->body, p->body) &&
	       str_eq(a->sealed, p->sealed) && str_eq(a->imported, price->body);
}

static void access_copy(
	const struct model_access *a, struct arena *arena, struct model_access *out)
{
	*out = *a;
	out->provider = arena_str(arena, a->provider);
	out->url = arena_str(arena, a->url);
	out->key = arena_str(arena, a->key);
	out->model.id = arena_str(arena, a->model.id);
	out->body = arena_str(arena, a->body);
	out->sealed = arena_str(arena, a->sealed);
	out->imported = arena_str(arena, a->imported);
}

enum err desk_model_access(struct desk *d, struct rows *rows, int64_t ws,
	struct str provider, struct str model, const struct model_access *before,
	struct arena *arena, struct model_access *out, struct fault *why)
{
	const struct val key[] = { val_int(ws), val_text(model) };
	const struct provider_record *p;
	struct price_record price = { 0 };
	enum err e = desk_provider(d, rows, ws, provider, &p, why);

	if (!e)
		e = rows_query(rows, SQL_OF(RECORD_PRICES, RECORD_GET), key, 2, price_row,
			&price, why);
	if (!e && access_holds(before, p, &price, model))
		access_copy(before, arena, out);
	else if (!e)
		e = access_make(d, rows, p, &price, model, arena, out, why);
	mem_free((void *)(uintptr_t)price.body.at);
	return !e && arena->failed ? fail(why, ERR_MEMORY, "out of memory") : e;
}

enum err desk_agent_wrong(struct desk *d, struct rows *rows, const struct agent_record *a,
	struct arena *arena, struct str *wrong, struct fault *why)
{
	const struct provider_record *p;
	struct agent_config parts;
	struct fault missing = { 0 };
	enum err e = agent_parse(a->body, arena, &parts, why);

	if (e) return e;
	e = desk_provider(d, rows, a->ws, parts.provider, &p, &missing);
	if (e == ERR_NOT_FOUND) {
		*wrong = arena_print(arena,
			"there is no provider %.*s: add it with "
			"parley providers add",
			STR_ARGS(parts.provider));
		return OK;
	}
	if (e)
		*why = missing;
	else
		*wrong = provider_wrong(d, p, arena);
	return e;
}

/* ---- reading ---- */

struct catalogue_reading {
	struct desk *desk;
	struct arena *arena;
	struct catalogue *out;
	size_t cap;
};

static enum err agent_row(void *ctx, const struct row *row, struct fault *why)
{
	struct catalogue_reading *r = ctx;
	struct agent_record a;
	enum err e = record_read(&records[RECORD_AGENTS], row, r->arena, &a, why);

	if (e || catalogue_agent(r->out, a.id) || r->out->agents_len == r->cap) return e;
	r->out->agents[r->out->agents_len++] = a;
	return OK;
}

static enum err provider_row(void *ctx, const struct row *row, struct fault *why)
{
	struct catalogue_reading *r = ctx;
	struct provider_record p;
	enum err e = record_read(&records[RECORD_PROVIDERS], row, r->arena, &p, why);

	if (e || catalogue_provider(r->out, p.id) || r->out->providers_len == r->cap)
		return e;
	r->out->providers[r->out->providers_len++] = p;
	return OK;
}

enum err catalogue_read(struct desk *d, struct rows *rows, int64_t ws,
	struct arena *arena, struct catalogue *out, struct fault *why)
{
	const struct configured *c = configured(d);
	const struct val args[] = { val_int(ws) };
	struct catalogue_reading r = { .desk = d, .arena = arena, .out = out };
	char id[32];
	enum err e;

	*out = (struct catalogue){ 0 };
	r.cap = AGENTS_MAX + c->agents_len + c->providers_len;
	out->agents = ARENA_ARRAY(arena, struct agent_record, r.cap);
	out->providers = ARENA_ARRAY(arena, struct provider_record, r.cap);
	if (!out->agents || !out->providers)
		return fail(why, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < c->agents_len; i++) {
		struct agent_record *a;

		agent_id(ws, c->agents[i].name, id);
		a = own_agent(d, ws, id, arena);
		if (a) out->agents[out->agents_len++] = *a;
	}
	for (size_t i = 0; i < c->providers_len; i++) {
		struct provider_record *p;

		provider_id(ws, c->providers[i].name, id);
		p = own_provider(d, ws, id, arena);
		if (p) out->providers[out->providers_len++] = *p;
	}
	e = rows_query(rows, SQL_AGENTS_OF, args, 1, agent_row, &r, why);
	if (!e) e = rows_query(rows, SQL_PROVIDERS_OF, args, 1, provider_row, &r, why);
	if (!e && arena->failed) e = fail(why, ERR_MEMORY, "out of memory");
	return e;
}

const struct agent_record *catalogue_agent(const struct catalogue *c, struct str which)
{
	for (size_t i = 0; i < c->agents_len; i++)
		if (str_eq(c->agents[i].id, which) || str_eq(c->agents[i].name, which))
			return &c->agents[i];
	return NULL;
}

const struct provider_record *catalogue_provider(
	const struct catalogue *c, struct str which)
{
	for (size_t i = 0; i < c->providers_len; i++)
		if (str_eq(c->providers[i].id, which) ||
			str_eq(c->providers[i].name, which))
			return &c->providers[i];
	return NULL;
}

const struct agent_record *catalogue_default(struct desk *d, const struct catalogue *all)
{
	const struct configured *c = configured(d);
	const struct agent_record *first = NULL;

	if (c->default_agent.len) return catalogue_agent(all, c->default_agent);
	if (c->agents_len) return catalogue_agent(all, c->agents[0].name);
	for (size_t i = 0; i < all->agents_len; i++)
		if (!first || str_cmp(all->agents[i].name, first->name) < 0)
			first = &all->agents[i];
	return first;
}

struct str catalogue_wrong(struct desk *d, const struct catalogue *c,
	const struct agent_record *a, struct arena *arena)
{
	const struct provider_record *p;
	struct agent_config parts;

	if (agent_parse(a->body, arena, &parts, NULL)) return STR("it is unreadable");
	p = catalogue_provider(c, parts.provider);
	if (p) return provider_wrong(d, p, arena);
	return arena_print(arena,
		"there is no provider %.*s: add it with parley providers add",
		STR_ARGS(parts.provider));
}

/* ---- pages ---- */

enum err catalogue_page_open(struct task *t, struct rows *rows, const char *kind,
	struct json_writer *w, struct catalogue_page *out, struct fault *why)
{
	struct list_page p;
	int64_t as_of = 0;
	enum err e = page_read(t, kind, &p, why);

	if (!e) e = last_event(rows, t->job.who.ws, &as_of, why);
	if (e) return e;
	*out = (struct catalogue_page){ .kind = kind,
		.after = p.cursor[0],
		.left = p.limit,
		.as_of = as_of,
		.begun = !p.has_cursor };
	jw_object(w);
	jw_put_array(w, "items");
	return OK;
}

bool catalogue_page_has(struct catalogue_page *p, struct str name)
{
	if (!p->begun) {
		p->begun = str_eq(name, p->after);
		return false;
	}
	if (p->left == 0) {
		p->more = true;
		return false;
	}
	p->left--;
	p->last = name;
	return true;
}

void catalogue_page_close(struct task *t, struct catalogue_page *p, struct json_writer *w)
{
	jw_array_end(w);
	page_end(t, w, p->kind, p->more ? &p->last : NULL, 1, p->as_of);
	jw_object_end(w);
}
