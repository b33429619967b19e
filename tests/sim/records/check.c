/* check.c - the store against the model. */
#include "check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool __attribute__((format(printf, 2, 3)))
wrong_is(char wrong[WRONG_SIZE], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(wrong, WRONG_SIZE, format, args);
	va_end(args);
	return false;
}

/* ---- people, as the desk lists them ---- */

struct listing {
	struct model *m;
	int ws;
	int found;
	char *wrong;
};

static bool user_fits(struct listing *l, const struct json *shown)
{
	struct str id = text_at(shown, "id"), role = text_at(shown, "role");

	for (int i = 0; i < l->m->users_len; i++) {
		const struct model_user *u = &l->m->users[i];

		if (u->ws != l->ws || u->gone || !str_is(id, u->id)) continue;
		l->found++;
		if (!str_is(text_at(shown, "name"), u->name) ||
			!str_is(role, role_name(u->role)) ||
			json_is(json_at(shown, "disabled"), JSON_TRUE) != u->disabled)
			return wrong_is(l->wrong,
				"user %s is %.*s, %.*s, and should be %s, %s%s", u->id,
				STR_ARGS(text_at(shown, "name")), STR_ARGS(role), u->name,
				role_name(u->role), u->disabled ? ", disabled" : "");
		return true;
	}
	return wrong_is(l->wrong, "user %.*s (%.*s) should not be there", STR_ARGS(id),
		STR_ARGS(text_at(shown, "name")));
}

static bool token_fits(struct listing *l, const struct json *shown)
{
	struct str id = text_at(shown, "id");

	for (int i = 0; i < l->m->tokens_len; i++) {
		const struct model_token *t = &l->m->tokens[i];

		if (t->ws != l->ws || t->gone || !str_is(id, t->id)) continue;
		l->found++;
		return true;
	}
	return wrong_is(l->wrong, "token %.*s should not be there", STR_ARGS(id));
}

/* All pages of a list, each item once. */
static bool list_walk(struct rig *r, const struct use *use, struct listing *l,
	bool (*fits)(struct listing *, const struct json *))
{
	char query[256] = "limit=200";
	bool ok = true, more = true;

	while (ok && more) {
		struct outcome o;
		const struct json *items;
		struct str cursor;

		rig_do(r,
			&(struct request){ use, .query = query,
				.workspace = l->m->workspaces[l->ws] },
			&o);
		items = outcome_read(&o) ? json_get(o.json, "items") : NULL;
		if (!items) ok = wrong_is(l->wrong, "list: %s", o.task.job.why.detail);
		for (uint32_t i = 0; ok && i < items->count; i++)
			ok = fits(l, &items->items[i]);
		cursor = text_at(o.json, "next_cursor");
		more = ok && cursor.len > 0;
		snprintf(query, sizeof query, "limit=200&cursor=%.*s", STR_ARGS(cursor));
		outcome_done(&o);
	}
	return ok;
}

/* ---- versions ---- */

struct versions {
	struct model *m;
	char *wrong;
	bool ok;
};

static void version_row(void *ctx, int columns, const char *const *texts)
{
	struct versions *v = ctx;
	int64_t version = strtoll(texts[1], NULL, 10);

	(void)columns;
	for (int i = 0; i < v->m->users_len; i++) {
		struct model_user *u = &v->m->users[i];

		if (u->gone || strcmp(u->id, texts[0]) != 0) continue;
		if (v->ok && (u->changed	  ? version <= u->version
				     : u->touched ? version < u->version
						  : version != u->version))
			v->ok = wrong_is(v->wrong, "user %s has version %s after %lld",
				u->id, texts[1], (long long)u->version);
		u->version = version;
	}
}

static bool check_versions(struct model *m, struct raw_sql *raw, char wrong[WRONG_SIZE])
{
	struct versions v = { m, wrong, true };

	if (raw_each(raw, "SELECT id, version FROM users", version_row, &v) < 0)
		return wrong_is(wrong, "users cannot be read");
	return v.ok;
}

bool records_fit_people(
	struct model *m, struct rig *r, struct raw_sql *raw, char wrong[WRONG_SIZE])
{
	for (int ws = 0; ws < WORKSPACES; ws++) {
		struct listing users = { m, ws, 0, wrong }, tokens = users;
		int users_due = 0, tokens_due = 0;

		if (!list_walk(r, &use_user_list, &users, user_fits) ||
			!list_walk(r, &use_token_list, &tokens, token_fits))
			return false;
		for (int i = 0; i < m->users_len; i++)
			users_due += m->users[i].ws == ws && !m->users[i].gone;
		for (int i = 0; i < m->tokens_len; i++)
			tokens_due += m->tokens[i].ws == ws && !m->tokens[i].gone;
		if (users.found != users_due || tokens.found != tokens_due)
			return wrong_is(wrong,
				"%d of %d users and %d of %d tokens are listed",
				users.found, users_due, tokens.found, tokens_due);
		if (model_owners(m, ws, -1) < 1)
			return wrong_is(wrong, "no enabled owner is left");
	}
	return check_versions(m, raw, wrong);
}

/* ---- asks, deliveries, what is left behind ---- */

struct counts {
	const struct model *m;
	int64_t asks, pending, deliveries, astray;
};

static const struct model_ask *ask_find(const struct model *m, const char *id)
{
	for (int i = 0; i < m->asks_len; i++)
		if (strcmp(m->asks[i].id, id) == 0) return &m->asks[i];
	return NULL;
}

static void ask_row(void *ctx, int columns, const char *const *texts)
{
	struct counts *c = ctx;
	const struct model_ask *a = ask_find(c->m, texts[0]);
	bool pending = strcmp(texts[1], "pending") == 0;

	(void)columns;
	c->asks++;
	if (!a || c->m->sessions[a->session].gone || a->pending != pending) c->astray++;
}

static void delivery_row(void *ctx, int columns, const char *const *texts)
{
	struct counts *c = ctx;
	const struct model_ask *a = ask_find(c->m, texts[0]);

	(void)columns;
	c->deliveries++;
	if (!a || c->m->sessions[a->session].gone || !a->delivered) c->astray++;
}

static bool check_asks(const struct model *m, struct raw_sql *raw, char wrong[WRONG_SIZE])
{
	struct counts c = { .m = m };
	int64_t asks = 0, deliveries = 0;

	for (int i = 0; i < m->asks_len; i++) {
		bool there = !m->sessions[m->asks[i].session].gone;

		asks += there;
		deliveries += there && m->asks[i].delivered;
	}
	if (raw_each(raw, "SELECT id, status FROM asks", ask_row, &c) != asks || c.astray)
		return wrong_is(wrong, "%lld asks of %lld, %lld of them wrong",
			(long long)c.asks, (long long)asks, (long long)c.astray);
	if (raw_each(raw, "SELECT ask FROM deliveries", delivery_row, &c) != deliveries ||
		c.astray)
		return wrong_is(wrong, "%lld deliveries of %lld, %lld of them wrong",
			(long long)c.deliveries, (long long)deliveries,
			(long long)c.astray);
	return true;
}

/* Texts of a session hold its number as "secret-N-": none is left of one that is gone. */
struct leftovers {
	const struct model *m;
	const char *table;
	char *wrong;
	bool ok;
};

static void leftover_row(void *ctx, int columns, const char *const *texts)
{
	struct leftovers *l = ctx;

	for (int i = 0; i < columns && l->ok; i++)
		for (const char *at = texts[i]; (at = strstr(at, "secret-")); at++) {
			long n = strtol(at + 7, NULL, 10);

			if (n >= 0 && n < l->m->sessions_len && !l->m->sessions[n].gone)
				continue;
			l->ok = wrong_is(l->wrong,
				"%s still holds a text of the deleted session %ld",
				l->table, n);
			break;
		}
}

static bool check_leftovers(
	const struct model *m, struct raw_sql *raw, char wrong[WRONG_SIZE])
{
	static const char *const tables[] = { "sessions", "asks", "events", "idempotency",
		"deliveries", "marks", "users", "tokens", "workspaces" };

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct leftovers l = { m, tables[i], wrong, true };
		char sql[64];

		snprintf(sql, sizeof sql, "SELECT * FROM %s", tables[i]);
		if (raw_each(raw, sql, leftover_row, &l) < 0)
			return wrong_is(wrong, "%s cannot be read", tables[i]);
		if (!l.ok) return false;
	}
	return true;
}

bool records_fit_rest(
	const struct model *m, struct rig *r, struct raw_sql *raw, char wrong[WRONG_SIZE])
{
	char why[256] = "";

	if (!check_asks(m, raw, wrong) || !check_leftovers(m, raw, wrong)) return false;
	return rig_check(r, why) >= 0 || wrong_is(wrong, "check: %s", why);
}
