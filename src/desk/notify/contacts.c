/* contacts.c - where people and teams are reached: listed, added, verified, tried, removed. One's
 * own; admins anybody's. */
#include "desk/notify/contacts.h"

#include "base/hash.h"
#include "core/shared/address.h"
#include "desk/notify/notify_ask.h"
#include "desk/people/people.h"

/* ---- whose ---- */

static bool of_team(const struct task *t)
{
	return str_starts(t->within, "team_");
}

static struct str owner_user(const struct task *t)
{
	if (of_team(t)) return STR_NONE;
	return t->within.len ? t->within : t->job.who.user;
}

static struct str owner_team(const struct task *t)
{
	return of_team(t) ? t->within : STR_NONE;
}

static bool owned(const struct task *t, const struct contact *c)
{
	return c->ws == t->job.who.ws && str_eq(c->user, owner_user(t)) &&
	       str_eq(c->team, owner_team(t));
}

/* One's own, or an admin's. Agents have none. */
static enum err contact_may(const struct task *t, struct fault *why)
{
	const struct principal *p = &t->job.who;

	if (p->role == ROLE_AGENT || !role_may(p->role, MAY_READ_ALL))
		return fail(why, ERR_FORBIDDEN, "the role %s may not do this",
			role_name(p->role));
	if (!t->within.len)
		return principal_person(p).len
			       ? OK
			       : fail(why, ERR_FORBIDDEN, "only a person has contacts");
	return str_eq(t->within, p->user) || role_may(p->role, MAY_ADMIN)
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "only an admin can do this for others");
}

static bool shows_whole(const struct task *t, const struct contact *c)
{
	(void)c;
	return role_may(t->job.who.role, MAY_ADMIN);
}

static void contact_show(struct task *t, const struct contact *c)
{
	struct json_writer w = { .out = &t->job.out };

	contact_write(&w, c, shows_whole(t, c), &t->job.arena);
}

static enum err contact_missing(const struct task *t, struct fault *why)
{
	return fail(
		why, ERR_NOT_FOUND, "no contact %.*s", STR_ARGS(str_first(t->id, 64)));
}

/* ---- list, get ---- */

struct contact_listed {
	struct task *t;
	struct json_writer *w;
	bool found;
};

static enum err contact_row(void *ctx, const struct row *row, struct fault *why)
{
	struct contact_listed *l = ctx;
	struct arena *arena = &l->t->job.arena;
	struct contact c;
	enum err e = record_read(&records[RECORD_CONTACTS], row, arena, &c, why);

	if (e || !owned(l->t, &c)) return e;
	l->found = true;
	contact_write(l->w, &c, shows_whole(l->t, &c), arena);
	return OK;
}

static enum err contact_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct contact_listed l = { t, &w, false };
	const struct val args[] = { val_int(job->who.ws), val_text(owner_user(t)),
		val_text(owner_team(t)) };
	int64_t as_of = 0;
	enum err e = contact_may(t, why);

	if (!e) e = last_event(rows, job->who.ws, &as_of, why);
	if (e) return e;
	jw_object(&w);
	jw_put_array(&w, "items");
	e = rows_query(rows, SQL_CONTACT_LIST, args, 3, contact_row, &l, why);
	jw_array_end(&w);
	page_end(t, &w, "contacts", NULL, 0, as_of);
	jw_object_end(&w);
	return e;
}

const struct use use_contact_list = READS("contact_list", 0, 0, contact_list_read, NULL);

static enum err contact_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct contact_listed l = { t, &w, false };
	const struct val key[] = { val_int(job->who.ws), val_text(t->id) };
	enum err e = contact_may(t, why);

	if (!e)
		e = rows_query(rows, SQL_OF(RECORD_CONTACTS, RECORD_GET), key, 2,
			contact_row, &l, why);
	return e || l.found ? e : contact_missing(t, why);
}

const struct use use_contact_get = READS("contact_get", 0, 0, contact_get_read, NULL);

/* ---- while deciding ---- */

/* The owner is there, and not above the caller; nor is the person above a token of theirs that may
 * less: whoever reads their mail answers as they do. */
static enum err owner_admit(struct task *t, struct rows *rows, struct fault *why)
{
	const struct principal *p = &t->job.who;
	const struct team *team;
	const struct user *u;
	enum err e = contact_may(t, why);

	if (e) return e;
	if (of_team(t)) {
		e = team_fetch(rows, p->ws, t->within, &team, why);
	} else {
		e = rows_fetch_user(rows, p->ws, owner_user(t), &u, why);
		if (!e && !principal_reaches(p, u->role))
			e = fail(why, ERR_FORBIDDEN, "this is above the role %s",
				role_name(p->role));
	}
	return e ? e : desk_refused(t, why);
}

static enum err contact_admit(
	struct task *t, struct rows *rows, const struct contact **out, struct fault *why)
{
	enum err e = owner_admit(t, rows, why);

	if (!e) e = contact_fetch(rows, t->job.who.ws, t->id, out, why);
	return e || (*out && owned(t, *out)) ? e : contact_missing(t, why);
}

/* What only the desk knows of an address. */
static enum err address_admit(
	const struct task *t, const struct contact_body *b, struct fault *why)
{
	struct url url;
	enum err e;

	if (!channel_is(b->channel, CHANNEL_ADMINS)) {
		e = channel_on(t, b->channel, why);
		if (e) return e;
	} else if (!role_may(t->job.who.role, MAY_ADMIN))
		return fail(why, ERR_FORBIDDEN,
			"only an admin can add webhooks and commands");
	if (channel_is(b->channel, CHANNEL_NAMED) &&
		!channel_listed(t->desk->commands, b->address))
		return fail_at(why, "/address",
			t->desk->commands[0] ? "no such command; configured: %s"
					     : "no such command; none is configured%s",
			t->desk->commands);
	if (channel_is(b->channel, CHANNEL_URL) &&
		(!url_split(b->address, &url) ||
			!reach_may_allow(t->desk->set.webhook_internal, &url)))
		return fail_at(why,
			channel_is(b->channel, CHANNEL_BROWSER) ? "/subscription/endpoint"
								: "/address",
			"the operator must allow an internal address, or one without TLS "
			"(webhook_internal)");
	return OK;
}

static enum err contact_fits(struct task *t, struct rows *rows,
	const struct contact_body *b, struct fault *why)
{
	const struct val args[] = { val_int(t->job.who.ws), val_text(owner_user(t)),
		val_text(owner_team(t)) };
	const struct contact *c = NULL;
	size_t count = 0;
	enum err e = rows_fetch(rows, RECORD_CONTACTS, SQL_CONTACT_LIST, args, 3, why);

	while (!e && (c = rows_next(rows, RECORD_CONTACTS, c))) {
		if (!owned(t, c)) continue;
		if (++count >= CONTACTS_MAX)
			return fail(why, ERR_CONFLICT, "there are already %d contacts",
				CONTACTS_MAX);
		if (c->channel == b->channel && str_eq(c->address, b->address))
			return fail(why, ERR_CONFLICT, "this contact already exists");
	}
	return e;
}

static void contact_remove(struct rows *rows, const struct contact *c)
{
	contact_event(rows, c, "contact.removed");
	rows_count_contacts(rows, c->ws, -1);
	rows_delete(rows, c);
}

/* A browser belongs to who registered it last. */
static enum err browser_take(
	struct rows *rows, int64_t ws, const struct contact_body *b, struct fault *why)
{
	const struct val args[] = { val_text(str_of(delivery_kind_name(b->channel))),
		val_text(b->address) };
	const struct contact *c = NULL;
	enum err e;

	if (!channel_is(b->channel, CHANNEL_BROWSER)) return OK;
	e = rows_fetch(rows, RECORD_CONTACTS, SQL_CONTACTS_AT, args, 2, why);
	while (!e && (c = rows_next(rows, RECORD_CONTACTS, c)))
		if (c->ws == ws && c->channel == b->channel &&
			str_eq(c->address, b->address))
			contact_remove(rows, c);
	return e;
}

/* A Slack id is held by one verified person, of any workspace: presses are theirs. */
static enum err slack_free(struct rows *rows, enum delivery_kind channel,
	struct str address, struct str than, struct fault *why)
{
	const struct val args[] = { val_text(str_of(delivery_kind_name(channel))),
		val_text(address) };
	const struct contact *c = NULL;
	enum err e;

	if (!channel_is(channel, CHANNEL_IDS)) return OK;
	e = rows_fetch(rows, RECORD_CONTACTS, SQL_CONTACTS_AT, args, 2, why);
	while (!e && (c = rows_next(rows, RECORD_CONTACTS, c)))
		if (c->channel == channel && str_eq(c->address, address) && c->verified &&
			c->user.len && !str_eq(c->user, than))
			e = fail(why, ERR_CONFLICT,
				"somebody else has verified this Slack id");
	return e;
}

/* With the first contact the workspace has a table of routes. */
static enum err routes_seed(struct rows *rows, int64_t ws, struct fault *why)
{
	const struct val key[] = { val_int(ws) };
	struct routes_record fresh = {
		.ws = ws, .body = str_of(routes_default), .changed_ms = rows->now_ms
	};
	enum err e = rows_fetch(
		rows, RECORD_ROUTES, SQL_OF(RECORD_ROUTES, RECORD_GET), key, 1, why);

	if (e || rows_find(rows, RECORD_ROUTES,
			 record_name(&records[RECORD_ROUTES], &fresh, rows->arena)))
		return e;
	rows_new(rows, RECORD_ROUTES, &fresh);
	return OK;
}

/* ---- create ---- */

static enum err contact_create_check(struct task *t, struct fault *why)
{
	struct contact_body *b = TASK_CHECKED(t, struct contact_body);

	return contact_body_read(t->body, of_team(t), b, why);
}

static enum err contact_create_decide(
	struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct contact_body *b = t->checked;
	struct contact fresh = { .ws = job->who.ws,
		.user = owner_user(t),
		.team = owner_team(t),
		.created_ms = rows->now_ms };
	struct contact *c;
	enum err e = owner_admit(t, rows, why);

	if (!e) e = address_admit(t, b, why);
	if (!e) e = browser_take(rows, fresh.ws, b, why);
	if (!e && fresh.user.len)
		e = slack_free(rows, b->channel, b->address, fresh.user, why);
	if (!e) e = contact_fits(t, rows, b, why);
	if (!e) e = routes_seed(rows, fresh.ws, why);
	if (e) return e;
	fresh.id = rows_new_id(rows, "con");
	fresh.channel = b->channel;
	fresh.address = b->address;
	fresh.format = b->format;
	fresh.name = b->name;
	if (channel_is(b->channel, CHANNEL_BROWSER))
		fresh.detail = subscription_detail(&b->subscription, rows->arena);
	fresh.verified = fresh.team.len || !channel_is(b->channel, CHANNEL_CODE);
	c = rows_new(rows, RECORD_CONTACTS, &fresh);
	rows_count_contacts(rows, fresh.ws, 1);
	if (!c->verified) e = contact_code_send(rows, c, why);
	if (!e) contact_event(rows, c, "contact.added");
	if (e) return e;
	job->status = 201;
	desk_keep_id(t, "contact", c->id);
	contact_show(t, c);
	return OK;
}

static enum err contact_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	const struct contact *c;
	struct str id;
	enum err e = desk_kept_id(t, k, "contact", &id, why);

	if (!e) e = contact_fetch(rows, job->who.ws, id, &c, why);
	if (e) return e;
	if (!c) return fail(why, ERR_NOT_FOUND, "no contact %.*s", STR_ARGS(id));
	contact_show(t, c);
	return OK;
}

const struct use use_contact_create = WRITES("contact_create", 0, JOB_LATE, NULL,
	contact_create_decide, contact_again, contact_create_check);

/* ---- change, delete ---- */

static enum err contact_patch_check(struct task *t, struct fault *why)
{
	struct contact_patch *p = TASK_CHECKED(t, struct contact_patch);

	return contact_patch_read(t->body, p, why);
}

static enum err contact_patch_decide(
	struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct contact_patch *p = t->checked;
	const struct contact *was;
	struct contact *c;
	enum err e = contact_admit(t, rows, &was, why);

	if (e) return e;
	c = rows_change(rows, was);
	if (p->has_name) c->name = p->name;
	if (p->has_muted) c->muted = p->muted;
	contact_show(t, c);
	return OK;
}

const struct use use_contact_patch = WRITES("contact_patch", 0, JOB_LATE, NULL,
	contact_patch_decide, NULL, contact_patch_check);

static enum err contact_delete_decide(
	struct job *job, struct rows *rows, struct fault *why)
{
	const struct contact *c;
	enum err e = contact_admit(task_of(job), rows, &c, why);

	if (!e) contact_remove(rows, c);
	if (!e) job->status = 204;
	return e;
}

const struct use use_contact_delete =
	WRITES("contact_delete", 0, JOB_LATE, NULL, contact_delete_decide, NULL, NULL);

enum err contacts_drop(struct rows *rows, int64_t ws, struct str user, struct str team,
	struct fault *why)
{
	const struct val args[] = { val_int(ws), val_text(user), val_text(team) };
	const struct val key[] = { val_int(ws), val_text(user) };
	struct notify_person like = { .ws = ws, .user = user };
	const struct contact *c = NULL;
	const struct notify_person *n;
	enum err e = rows_fetch(rows, RECORD_CONTACTS, SQL_CONTACT_LIST, args, 3, why);

	while (!e && (c = rows_next(rows, RECORD_CONTACTS, c)))
		if (c->ws == ws && str_eq(c->user, user) && str_eq(c->team, team))
			contact_remove(rows, c);
	if (e || !user.len) return e;
	e = rows_fetch(rows, RECORD_NOTIFY_PEOPLE,
		SQL_OF(RECORD_NOTIFY_PEOPLE, RECORD_GET), key, 2, why);
	if (e) return e;
	n = rows_find(rows, RECORD_NOTIFY_PEOPLE,
		record_name(&records[RECORD_NOTIFY_PEOPLE], &like, rows->arena));
	if (n) rows_delete(rows, n);
	return OK;
}

/* ---- verify ---- */

static struct str code_hash(const struct contact *c, struct str code, struct arena *arena)
{
	const struct str fields[] = { c->id, code };
	uint8_t hash[SHA256_SIZE];
	char hex[SHA256_HEX_SIZE];

	sha256_fields(fields, 2, hash);
	hex_write(hash, sizeof hash, hex);
	return arena_str(arena, str_of(hex));
}

struct codes_sent {
	int64_t count;
};

static enum err codes_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	((struct codes_sent *)ctx)->count = row_int(row, 0);
	return OK;
}

enum err contact_code_send(struct rows *rows, struct contact *c, struct fault *why)
{
	static const char letters[] = "abcdefghjkmnpqrstuvwxyz";
	const struct val args[] = { val_text(str_of(delivery_kind_name(c->channel))),
		val_text(c->address), val_int(rows->now_ms - 3600 * 1000) };
	struct delivery like = { .purpose = DELIVERY_CODE, .host = c->address };
	struct codes_sent sent = { 0 };
	char code[CONTACT_CODE_LEN + 1] = "";
	enum err e = rows_query(rows, SQL_CODES_SENT, args, 3, codes_row, &sent, why);

	if (e) return e;
	if (sent.count >= CONTACT_CODES_HOUR) {
		fail(why, ERR_RATE,
			"%d codes were already sent to this address in the last hour",
			CONTACT_CODES_HOUR);
		why->retry_after_s = 3600;
		return ERR_RATE;
	}
	for (int i = 0; i < CONTACT_CODE_LEN; i++)
		code[i] = letters[random_u64(rows->ids) % (sizeof letters - 1)];
	c->code = code_hash(c, str_of(code), rows->arena);
	c->code_ms = rows->now_ms;
	c->code_tries = 0;
	like.detail = arena_str(rows->arena, str_of(code));
	notify_stage(rows, NULL, c, like, NULL);
	return OK;
}

static enum err verify_check(struct task *t, struct fault *why)
{
	static const char *const names[] = { "code", NULL };
	const struct json *code = json_get(t->body, "code");
	enum err e = t->body ? members_only(t->body, names, why) : OK;

	if (!e && code && !json_text(code).len)
		e = fail_at(why, "/code", "must be the code that was sent");
	return e;
}

/* Wrong tries are kept, so the job succeeds and the reply says that the code did not. */
static enum err code_try(struct task *t, struct rows *rows, struct contact *c,
	struct str code, struct fault *why)
{
	struct buf small = { .max = 64 };
	struct str typed = str_trim(code);
	bool fits, open = c->code.len && c->code_tries < CONTACT_CODE_TRIES &&
			  rows->now_ms - c->code_ms < CONTACT_CODE_MS;

	for (size_t i = 0; i < typed.len && i < 32; i++)
		buf_add_char(&small,
			(char)(typed.at[i] |
				('A' <= typed.at[i] && typed.at[i] <= 'Z' ? 0x20 : 0)));
	fits = open && same_secret(code_hash(c, buf_str(&small), rows->arena), c->code);
	buf_done(&small);
	if (fits) {
		c->verified = c->tested = true;
		c->broken_ms = 0;
		c->broken = STR_NONE;
		c->code = STR_NONE;
		contact_show(t, c);
		contact_event(rows, c, "contact.verified");
		return OK;
	}
	c->code_tries++;
	rows_savepoint(rows);
	return fail(why, ERR_UNVERIFIED, "%s",
		open && c->code_tries < CONTACT_CODE_TRIES
			? "this is not the code that was sent"
			: "the code is no longer valid; request a new one");
}

static enum err verify_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct str code = json_text(json_get(t->body, "code"));
	const struct contact *was;
	struct contact *c;
	enum err e = contact_admit(t, rows, &was, why);

	if (e) return e;
	if (was->verified && !was->broken_ms)
		return fail(why, ERR_CONFLICT, "this contact is already verified");
	e = channel_on(t, was->channel, why);
	if (e) return e;
	c = rows_change(rows, was);
	e = slack_free(rows, c->channel, c->address, c->user, why);
	if (e) return e;
	if (code.len) return code_try(t, rows, c, code, why);
	e = contact_code_send(rows, c, why);
	if (e) return e;
	job->status = 202;
	contact_show(t, c);
	return OK;
}

const struct use use_contact_verify =
	WRITES("contact_verify", 0, JOB_LATE, NULL, verify_decide, NULL, verify_check);

/* ---- test ---- */

static enum err test_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct delivery like = { .purpose = DELIVERY_TEST };
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	const struct contact *c;
	struct delivery *d;
	enum err e = contact_admit(t, rows, &c, why);

	if (!e && !c->verified)
		e = fail(why, ERR_UNVERIFIED, "verify this contact first");
	if (!e) notify_stage(rows, NULL, c, like, &d);
	if (e) return e;
	job->status = 202;
	delivery_write(&w, d);
	return OK;
}

static enum err test_check(struct task *t, struct fault *why)
{
	static const char *const none[] = { NULL };

	return t->body ? members_only(t->body, none, why) : OK;
}

const struct use use_contact_test =
	WRITES("contact_test", 0, JOB_LATE, NULL, test_decide, NULL, test_check);
