/* check_people.c - users, tokens, logins, teams, keys, rules, stops, the policy, routes,
 * templates, lists, agents and providers of one workspace against their events.
 *
 * A page of rows is read by id; then all events about people are gone through, of which the
 * last one about a record counts. A token that has run out may be gone without an event:
 * the event that made it says when it ends. */
#include "desk/check.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/table.h"
#include "core/agent.h"
#include "core/decision.h"
#include "core/notify_route.h"
#include "core/preset.h"
#include "core/provider.h"
#include "desk/people_log.h"

enum { PEOPLE_PAGE = 5000 };

#define LAST_ID STR("\xf4\x8f\xbf\xbf")

struct person_facts {
	struct str id;
	char digest[SHORT_DIGEST_SIZE];
	bool told, differs, ended, unreadable;
};

/* One that events tell of and that has no row, until an event ends it. */
struct person_missing {
	char id[ID_SIZE + 64];
	int64_t n;
};

struct people_pass {
	struct checking *c;
	const struct people_kind *kind;
	struct arena arena; /* of one page */
	struct table table; /* id → struct person_facts */
	struct table missing;
	struct person_facts *at;
	size_t len, cap;
	int64_t rows;
	struct str from, to;
};

/* The kinds of records: where they are, and which member of an event names them. */
struct people_kind {
	enum sql sql;
	const char *member;
	enum err (*digest)(const struct row *, struct arena *,
		char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *);
	bool (*about)(const char *type);
};

static bool about_user(const char *type)
{
	return str_starts(str_of(type), "user.");
}

static bool about_token(const char *type)
{
	return str_starts(str_of(type), "token.") ||
	       (str_starts(str_of(type), "login.") && strcmp(type, "login.refused") != 0);
}

static bool about_team(const char *type)
{
	return str_starts(str_of(type), "team.");
}

static bool about_key(const char *type)
{
	return strcmp(type, "settings.changed") == 0;
}

static enum err user_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct user u;
	enum err e = user_from_row(row, arena, &u, why);

	*id = row_text(row, 1);
	if (!e) user_digest(&u, out);
	return e;
}

static enum err token_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct token t;
	enum err e = token_from_row(row, arena, &t, why);

	*id = row_text(row, 2);
	if (!e) token_digest(&t, out);
	return e;
}

static enum err team_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct team t;
	enum err e = team_from_row(row, arena, &t, why);

	*id = row_text(row, 1);
	if (!e) team_digest(&t, out);
	return e;
}

static enum err key_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct server_key k;
	enum err e = record_read(&records[RECORD_SERVER_KEYS], row, arena, &k, why);

	*id = row_text(row, 0);
	if (!e) server_key_digest(&k, out);
	return e;
}

static bool about_rule(const char *type)
{
	return str_starts(str_of(type), "rule.");
}

static bool about_stop(const char *type)
{
	return str_starts(str_of(type), "stop.");
}

static bool about_policy(const char *type)
{
	return strcmp(type, "policy.changed") == 0;
}

static enum err rule_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct kept_rule r;
	enum err e = record_read(&records[RECORD_RULES], row, arena, &r, why);

	*id = row_text(row, 1);
	if (!e) rule_digest(&r, out);
	return e;
}

static enum err stop_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct kept_stop s;
	enum err e = record_read(&records[RECORD_STOPS], row, arena, &s, why);

	*id = row_text(row, 1);
	if (!e) stop_digest(&s, out);
	return e;
}

static enum err policy_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct kept_policy p;
	enum err e = record_read(&records[RECORD_POLICIES], row, arena, &p, why);

	*id = STR("policy");
	if (!e) policy_digest(&p, out);
	return e;
}

static bool about_routes(const char *type)
{
	return strcmp(type, "routes.changed") == 0;
}

static bool about_template(const char *type)
{
	return strcmp(type, "template.changed") == 0;
}

static bool about_list(const char *type)
{
	return strcmp(type, "list.changed") == 0;
}

static bool about_agent(const char *type)
{
	return strcmp(type, "agent.changed") == 0;
}

static bool about_provider(const char *type)
{
	return strcmp(type, "provider.changed") == 0;
}

static enum err agent_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct kept_agent a;
	enum err e = record_read(&records[RECORD_AGENTS], row, arena, &a, why);

	*id = row_text(row, 1);
	if (!e) agent_digest(&a, out);
	return e;
}

static enum err provider_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct kept_provider p;
	enum err e = record_read(&records[RECORD_PROVIDERS], row, arena, &p, why);

	*id = row_text(row, 1);
	if (!e) provider_digest(&p, out);
	return e;
}

static enum err routes_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct kept_routes k;
	enum err e = record_read(&records[RECORD_ROUTES], row, arena, &k, why);

	*id = STR("routes");
	if (!e) routes_digest(&k, out);
	return e;
}

static enum err preset_facts(const struct row *row, struct arena *arena,
	char out[SHORT_DIGEST_SIZE], struct str *id, struct fault *why)
{
	struct kept_preset p;
	enum err e = record_read(&records[RECORD_PRESETS], row, arena, &p, why);

	*id = row_text(row, 2);
	if (!e) preset_digest(&p, out);
	return e;
}

static const struct people_kind kinds[] = {
	{ SQL_CHECK_USERS, "user", user_facts, about_user },
	{ SQL_CHECK_TOKENS, "token", token_facts, about_token },
	{ SQL_CHECK_TEAMS, "team", team_facts, about_team },
	{ SQL_CHECK_KEYS, "key", key_facts, about_key },
	{ SQL_CHECK_RULES, "rule", rule_facts, about_rule },
	{ SQL_CHECK_STOPS, "stop", stop_facts, about_stop },
	{ SQL_CHECK_POLICIES, "policy", policy_facts, about_policy },
	{ SQL_CHECK_ROUTES, "routes", routes_facts, about_routes },
	{ SQL_CHECK_TEMPLATES, "template", preset_facts, about_template },
	{ SQL_CHECK_LISTS, "list", preset_facts, about_list },
	{ SQL_CHECK_AGENTS, "agent", agent_facts, about_agent },
	{ SQL_CHECK_PROVIDERS, "provider", provider_facts, about_provider },
};

/* ---- rows ---- */

static enum err person_row(void *ctx, const struct row *row, struct fault *why)
{
	struct people_pass *p = ctx;
	struct person_facts *f = &p->at[p->len];
	struct arena arena = { 0 };
	struct str id = STR_NONE;
	enum err e = p->kind->digest(row, &arena, f->digest, &id, why);

	p->rows++;
	f->id = p->to = arena_str(&p->arena, id);
	arena_done(&arena);
	if (e && e != ERR_INTERNAL) return e;
	/* Keys of all workspaces lie in one table. */
	if (p->kind->sql == SQL_CHECK_KEYS && server_key_ws(id) != p->c->ws) return OK;
	if (e) {
		check_found(p->c, f->id, "%s", why ? why->detail : "it cannot be read");
		f->unreadable = true;
	}
	p->c->people++;
	p->len++;
	return !p->arena.failed && table_put(&p->table, f->id, f)
		       ? OK
		       : fail(why, ERR_MEMORY, "out of memory");
}

/* ---- events ---- */

static bool has_run_out(const struct people_pass *p, const struct json *data)
{
	char now[TIME_SIZE];
	const struct json *kept = json_get(data, "kept_until");
	struct str expires = json_text(kept ? kept : json_get(data, "expires_at"));

	time_write(p->c->now_ms, now);
	/* A rule that ran out is kept for a while: its end says how long. */
	if (p->kind->sql == SQL_CHECK_RULES && !kept) return false;
	return expires.len && str_cmp(expires, str_of(now)) <= 0;
}

static enum err missing_tell(struct people_pass *p, struct str id, const struct event *e,
	const struct json *data, bool ended, struct fault *why)
{
	struct person_missing *m = table_get(&p->missing, id);

	if (ended || has_run_out(p, data)) {
		if (m) table_remove(&p->missing, id);
		mem_free(m);
		return OK;
	}
	if (m) return OK;
	m = mem_alloc(sizeof *m);
	if (!m) return fail(why, ERR_MEMORY, "out of memory");
	m->n = e->n;
	id = str_first(id, sizeof m->id - 1);
	memcpy(m->id, id.at, id.len);
	if (table_put(&p->missing, str_make(m->id, id.len), m)) return OK;
	mem_free(m);
	return fail(why, ERR_MEMORY, "out of memory");
}

static enum err person_event(void *ctx, const struct event *e, struct fault *why)
{
	struct people_pass *p = ctx;
	struct arena arena = { 0 };
	const struct json *data = p->kind->about(e->type) ? check_data(e, &arena) : NULL;
	struct str id = json_text(json_get(data, p->kind->member));
	struct str digest = json_text(json_get(data, "record"));
	struct person_facts *f = id.len ? table_get(&p->table, id) : NULL;
	enum err err = OK;

	if (f) {
		f->told = true;
		f->ended = !digest.len;
		f->differs = digest.len && !str_is(digest, f->digest);
	} else if (id.len && str_cmp(id, p->from) > 0 && str_cmp(id, p->to) <= 0) {
		err = missing_tell(p, id, e, data, !digest.len, why);
	}
	arena_done(&arena);
	return err;
}

/* ---- the pass ---- */

static void page_judge(struct people_pass *p)
{
	size_t at = 0;
	struct str key;
	void *value;

	for (size_t i = 0; i < p->len; i++) {
		const struct person_facts *f = &p->at[i];

		if (f->unreadable) continue;
		if (!f->told)
			check_found(p->c, f->id, "no event tells of it");
		else if (f->ended)
			check_found(
				p->c, f->id, "it was deleted, its row is still there");
		else if (f->differs)
			check_found(p->c, f->id, "it is not as its last event says");
	}
	while (table_next(&p->missing, &at, &key, &value)) {
		const struct person_missing *m = value;

		check_found(
			p->c, key, "its row is missing (event %lld)", (long long)m->n);
		mem_free(value);
	}
	table_done(&p->missing);
	p->missing = (struct table){ 0 };
}

static enum err page_check(struct people_pass *p, struct fault *why)
{
	const struct val args[] = { val_int(p->c->ws), val_text(p->from),
		val_int(PEOPLE_PAGE) };
	enum err e;

	p->len = 0;
	p->rows = 0;
	table_clear(&p->table);
	p->at = ARENA_ARRAY(&p->arena, struct person_facts, PEOPLE_PAGE);
	if (!p->at) return fail(why, ERR_MEMORY, "out of memory");
	e = db_one(p->c->db, p->kind->sql, args, 3, person_row, p, why);
	if (e) return e;
	if (p->rows < PEOPLE_PAGE) p->to = LAST_ID;
	e = check_events(p->c, STR_NONE, true, STR_NONE, person_event, p, why);
	if (!e) page_judge(p);
	return e;
}

static enum err kind_check(
	struct checking *c, const struct people_kind *kind, struct fault *why)
{
	struct people_pass p = { .c = c, .kind = kind };
	struct arena last = { 0 }; /* of where the page before ended */
	enum err e;

	do {
		e = page_check(&p, why);
		arena_done(&last);
		last = p.arena;
		p.arena = (struct arena){ 0 };
		p.from = p.to;
	} while (!e && p.rows == PEOPLE_PAGE);
	arena_done(&last);
	table_done(&p.table);
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
	const struct json *data = about_key(e->type) ? check_data(e, &arena) : NULL;
	char digest[SHORT_DIGEST_SIZE];

	(void)why;
	if (str_is(json_text(json_get(data, "setting")), "workspace")) {
		text_digest(p->c->workspace, digest);
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
