/* check_people.c - users, tokens, logins, teams, keys, rules, stops, the policy, routes,
 * templates, lists, agents, providers, MCP servers and contacts of one workspace against their events.
 *
 * A page of rows is read by id; then all events about people are gone through, of which the
 * last one about a record counts. A token that has run out may be gone without an event:
 * the event that made it says when it ends. */
#include "desk/check/check.h"

#include "base/clock.h"
#include "base/mem.h"
#include "core/notify/contact.h"
#include "desk/people/people_log.h"

enum { PEOPLE_PAGE = 5000 };

struct person_facts {
	struct str id;
	char digest[SHORT_DIGEST_SIZE];
	char before
		[SHORT_DIGEST_SIZE]; /* as events told of it once; empty: never otherwise */
	bool told, differs, ended, old, unreadable;
};

/* One that events tell of and that has no row, until an event ends it. */
struct person_missing {
	char id[ID_SIZE + 64];
	int64_t n;
};

/* A kind of records: where they are, how they are called in events, and what those tell of
 * them. */
struct people_kind {
	enum sql sql;
	enum record_id record;
	int id_at; /* the column of its id; -1: a workspace has one, called as the member */
	const char *member;   /* of an event: the id */
	const char *types[2]; /* how the types of its events begin */
	/* The event of its end; NULL: one without a digest. Events of these had none once. */
	const char *end;
};

#define PAGE_OF(name) SQL_OF(RECORD_##name, RECORD_PAGE), RECORD_##name

static const struct people_kind kinds[] = {
	{ PAGE_OF(USERS), 1, "user", { "user." } },
	{ SQL_CHECK_TOKENS, RECORD_TOKENS, 2, "token", { "token.", "login." } },
	{ PAGE_OF(TEAMS), 1, "team", { "team." } },
	{ SQL_CHECK_KEYS, RECORD_SERVER_KEYS, 0, "key", { "settings.changed" } },
	{ PAGE_OF(RULES), 1, "rule", { "rule." } },
	{ PAGE_OF(STOPS), 1, "stop", { "stop." } },
	{ SQL_CHECK_POLICIES, RECORD_POLICIES, -1, "policy", { "policy.changed" } },
	{ SQL_CHECK_ROUTES, RECORD_ROUTES, -1, "routes", { "routes.changed" } },
	{ SQL_TEMPLATE_LIST, RECORD_PRESETS, 2, "template", { "template.changed" } },
	{ SQL_LIST_LIST, RECORD_PRESETS, 2, "list", { "list.changed" } },
	{ PAGE_OF(AGENTS), 1, "agent", { "agent.changed" } },
	{ PAGE_OF(PROVIDERS), 1, "provider", { "provider.changed" } },
	{ PAGE_OF(TOOLS), 1, "tool", { "tool.changed" } },
	{ PAGE_OF(SIGNING_KEYS), 1, "kid", { "key." } },
	{ PAGE_OF(HOLDS), 1, "hold", { "hold." } },
	{ PAGE_OF(MCP_SERVERS), 1, "id", { "mcp." } },
	{ PAGE_OF(CONTACTS), 1, "contact", { "contact." }, "contact.removed" },
};

struct people_pass {
	const struct people_kind *kind;
	struct table missing; /* id → struct person_missing */
};

static const struct people_kind *kind_of(const struct check_pass *p)
{
	return ((const struct people_pass *)p->own)->kind;
}

static struct table *missing_of(const struct check_pass *p)
{
	return &((struct people_pass *)p->own)->missing;
}

static bool kind_tells(const struct people_kind *k, const char *type)
{
	for (size_t i = 0; i < 2 && k->types[i]; i++)
		if (str_starts(str_of(type), k->types[i])) return true;
	return false;
}

/* ---- rows ---- */

static enum err person_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_pass *p = ctx;
	struct person_facts *f = &CHECK_FACTS(p, struct person_facts)[p->len];
	const struct people_kind *k = kind_of(p);
	const struct record *of = &records[k->record];
	struct arena arena = { 0 };
	struct str id = k->id_at < 0 ? str_of(k->member) : row_text(row, k->id_at);
	void *record = arena_alloc(&arena, of->size);
	enum err e =
		record ? record_read(of, row, &arena, record, why) : fail_memory(why);

	if (!e) log_digest(k->record, record, f->digest);
	if (!e && k->record == RECORD_CONTACTS) contact_digest_before(record, f->before);
	p->rows++;
	f->id = p->to = arena_str(&p->arena, id);
	arena_done(&arena);
	if (e && e != ERR_INTERNAL) return e;
	/* Keys of all workspaces lie in one table. */
	if (k->record == RECORD_SERVER_KEYS && server_key_ws(id) != p->c->ws) return OK;
	f->unreadable = check_unreadable(p, f->id, &e, why);
	p->c->people++;
	return check_keep(p, f->id, f, why);
}

/* ---- events ---- */

static bool has_run_out(const struct check_pass *p, const struct json *data)
{
	char now[TIME_SIZE];
	const struct json *kept = json_get(data, "kept_until");
	struct str expires = json_text(kept ? kept : json_get(data, "expires_at"));

	time_write(p->c->rows->now_ms, now);
	/* A rule that ran out is kept for a while: its end says how long. */
	if (kind_of(p)->record == RECORD_RULES && !kept) return false;
	return expires.len && str_cmp(expires, str_of(now)) <= 0;
}

static enum err missing_tell(struct check_pass *p, struct str id, const struct event *e,
	const struct json *data, bool ended, struct fault *why)
{
	struct person_missing *m = table_get(missing_of(p), id);

	if (ended || has_run_out(p, data)) {
		if (m) table_remove(missing_of(p), id);
		mem_free(m);
		return OK;
	}
	if (m) return OK;
	m = mem_alloc(sizeof *m);
	if (!m) return fail_memory(why);
	m->n = e->n;
	id = str_first(id, sizeof m->id - 1);
	memcpy(m->id, id.at, id.len);
	if (table_put(missing_of(p), str_make(m->id, id.len), m)) return OK;
	mem_free(m);
	return fail_memory(why);
}

static enum err person_event(void *ctx, const struct event *e, struct fault *why)
{
	struct check_pass *p = ctx;
	const struct people_kind *k = kind_of(p);
	struct arena arena = { 0 };
	const struct json *data = kind_tells(k, e->type) ? check_data(e, &arena) : NULL;
	struct str id = json_text(json_get(data, k->member));
	struct str digest = json_text(json_get(data, "record"));
	struct person_facts *f = id.len ? table_get(&p->table, id) : NULL;
	bool ended = k->end ? strcmp(e->type, k->end) == 0 : !digest.len;
	enum err err = OK;

	if (f) {
		f->told = true;
		f->ended = ended;
		f->old = !ended && !digest.len;
		f->differs = digest.len && !str_is(digest, f->digest) &&
			     !str_is(digest, f->before);
	} else if (id.len && str_cmp(id, p->from) > 0 && str_cmp(id, p->to) <= 0) {
		err = missing_tell(p, id, e, data, ended, why);
	}
	arena_done(&arena);
	return err;
}

/* ---- the pass ---- */

static void page_judge(struct check_pass *p)
{
	size_t at = 0;
	struct str key;
	void *value;

	for (size_t i = 0; i < p->len; i++) {
		const struct person_facts *f = &CHECK_FACTS(p, struct person_facts)[i];

		if (f->unreadable) continue;
		if (!f->told)
			check_found(p->c, f->id, "no event tells of it");
		else if (f->ended)
			check_found(
				p->c, f->id, "it was deleted, its row is still there");
		else if (f->differs)
			check_found(p->c, f->id, "it is not as its last event says");
		p->c->old += f->old;
	}
	while (table_next(missing_of(p), &at, &key, &value)) {
		const struct person_missing *m = value;

		check_found(
			p->c, key, "its row is missing (event %lld)", (long long)m->n);
		mem_free(value);
	}
	table_clear(missing_of(p));
}

static enum err people_compare(struct check_pass *p, struct fault *why)
{
	enum err e = check_events(p->c, STR_NONE, true, STR_NONE, person_event, p, why);

	if (!e) page_judge(p);
	return e;
}

static enum err kind_check(
	struct checking *c, const struct people_kind *kind, struct fault *why)
{
	struct people_pass own = { .kind = kind };
	struct check_pass p = { .c = c,
		.own = &own,
		.sql = kind->sql,
		.page = PEOPLE_PAGE,
		.facts = sizeof(struct person_facts),
		.row = person_row,
		.compare = people_compare };
	enum err e = check_pages(&p, why);

	table_done(&own.missing);
	return e;
}

/* The workspace's own name. */
struct name_pass {
	const struct checking *c;
	bool told, differs;
};

static enum err name_event(void *ctx, const struct event *e, struct fault *why)
{
	struct name_pass *p = ctx;
	struct arena arena = { 0 };
	const struct json *data =
		strcmp(e->type, "settings.changed") == 0 ? check_data(e, &arena) : NULL;
	char digest[SHORT_DIGEST_SIZE];

	(void)why;
	if (str_is(json_text(json_get(data, "setting")), "workspace")) {
		digest_text(p->c->workspace, digest);
		p->told = true;
		p->differs = !str_is(json_text(json_get(data, "record")), digest);
	}
	arena_done(&arena);
	return OK;
}

enum err check_people(struct checking *c, struct fault *why)
{
	struct name_pass name = { .c = c };
	enum err e = OK;

	for (size_t i = 0; !e && i < sizeof kinds / sizeof *kinds; i++)
		e = kind_check(c, &kinds[i], why);
	if (!e) e = check_events(c, STR_NONE, true, STR_NONE, name_event, &name, why);
	if (!e && (!name.told || name.differs))
		check_found(c, c->workspace, "the workspace: %s",
			name.told ? "its name is not as its event says"
				  : "no event tells of it");
	return e;
}
