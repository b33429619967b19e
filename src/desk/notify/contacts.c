/* contacts.c - where people and teams are reached: listed, added, verified, tried, removed. One's
 * own; admins anybody's. */
#include "desk/notify/contacts.h"

#include "base/hash.h"
#include "core/shared/address.h"
#include "desk/notify/notify_ask.h"
#include "desk/people/people.h"
#include "desk/shared/collection.h"

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
		return desk_may(p, false, why);
	if (!t->within.len) return desk_person(p, "only a person has contacts", why);
	return str_eq(t->within, p->user) || role_may(p->role, MAY_ADMIN)
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "only an admin can do this for others");
}

static enum err contact_show(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	(void)rows, (void)why;
	contact_write(w, record, role_may(t->job.who.role, MAY_ADMIN), &t->job.arena);
	return OK;
}

/* ---- while deciding ---- */

/* The owner is there, and not above the caller; nor is the person above a token of theirs that may
 * less: whoever reads their mail answers as they do. */
static enum err owner_admit(struct task *t, struct rows *rows, struct fault *why)
{
	const struct principal *p = &t->job.who;
	const struct team *team;
	const struct user *u;
	enum err e = contact_may(t, why);

	if (!e && of_team(t))
		e = team_fetch(rows, p->ws, t->within, &team, why);
	else if (!e)
		e = people_reached(rows, p, owner_user(t), &u, why);
	return e ? e : desk_refused(t, why);
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
	const struct contact *c = NULL;
	size_t count = 0;
	enum err e = rows_fetch(rows, RECORD_CONTACTS, SQL_CONTACT_LIST,
		ARGS(t->job.who.ws, owner_user(t), owner_team(t)), why);

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

static void contact_leaves(struct rows *rows, const struct contact *c)
{
	contact_event(rows, c, "contact.removed");
	rows_count_contacts(rows, c->ws, -1);
}

static void contact_remove(struct rows *rows, const struct contact *c)
{
	contact_leaves(rows, c);
	rows_delete(rows, c);
}

/* A browser belongs to who registered it last. */
static enum err browser_take(
	struct rows *rows, int64_t ws, const struct contact_body *b, struct fault *why)
{
	const struct contact *c = NULL;
	enum err e;

	if (!channel_is(b->channel, CHANNEL_BROWSER)) return OK;
	e = rows_fetch(rows, RECORD_CONTACTS, SQL_CONTACTS_AT,
		ARGS(delivery_kind_name(b->channel), b->address), why);
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
	const struct contact *c = NULL;
	enum err e;

	if (!channel_is(channel, CHANNEL_IDS)) return OK;
	e = rows_fetch(rows, RECORD_CONTACTS, SQL_CONTACTS_AT,
		ARGS(delivery_kind_name(channel), address), why);
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
	const struct routes_record *kept, fresh = {
		.ws = ws, .body = str_of(routes_default), .changed_ms = rows->now_ms
	};
	enum err e = rows_get(rows, RECORD_ROUTES, KEY(ws), &kept, why);

	if (!e && !kept) rows_new(rows, RECORD_ROUTES, &fresh);
	return e;
}

/* ---- the collection ---- */

static enum err contact_admit(struct task *t, struct rows *rows, struct fault *why)
{
	const struct user *u;
	const struct team *team;
	enum err e;

	if (!t->job.kind->read) return owner_admit(t, rows, why);
	e = contact_may(t, why);
	if (e || !t->within.len) return e;
	return of_team(t) ? team_fetch(rows, t->job.who.ws, t->within, &team, why)
			  : rows_fetch_user(rows, t->job.who.ws, t->within, &u, why);
}

static enum err contact_args(
	struct task *t, struct rows *rows, struct val *args, int *len, struct fault *why)
{
	(void)rows, (void)why;
	args[(*len)++] = val_text(owner_user(t));
	args[(*len)++] = val_text(owner_team(t));
	return OK;
}

static enum err contact_find(const struct collection *r, struct task *t,
	struct rows *rows, struct str which, const void **out, struct fault *why)
{
	const struct contact *c = NULL;
	enum err e = contact_fetch(rows, t->job.who.ws, which, &c, why);

	(void)r;
	*out = !e && c && owned(t, c) ? c : NULL;
	return e;
}

static enum err contact_create_check(struct task *t, struct fault *why)
{
	struct contact_body *b = TASK_CHECKED(t, struct contact_body);

	return contact_body_read(t->body, of_team(t), b, why);
}

static enum err contact_patch_check(struct task *t, struct fault *why)
{
	struct contact_patch *p = TASK_CHECKED(t, struct contact_patch);

	return contact_patch_read(t->body, p, why);
}

static enum err contact_new(
	struct task *t, struct rows *rows, struct contact *c, struct fault *why)
{
	const struct contact_body *b = t->checked;
	enum err e = address_admit(t, b, why);

	c->id = rows_new_id(rows, "con");
	c->user = owner_user(t);
	c->team = owner_team(t);
	c->created_ms = rows->now_ms;
	c->channel = b->channel;
	c->address = b->address;
	c->format = b->format;
	c->name = b->name;
	if (channel_is(b->channel, CHANNEL_BROWSER))
		c->detail = subscription_detail(&b->subscription, rows->arena);
	c->verified = c->team.len || !channel_is(b->channel, CHANNEL_CODE);
	if (!e) e = browser_take(rows, c->ws, b, why);
	if (!e && c->user.len) e = slack_free(rows, b->channel, b->address, c->user, why);
	if (!e) e = contact_fits(t, rows, b, why);
	return e ? e : routes_seed(rows, c->ws, why);
}

static enum err contact_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	const struct contact_patch *p = t->checked;
	struct contact *c = record;

	if (!was) return contact_new(t, rows, c, why);
	if (p->has_name) c->name = p->name;
	if (p->has_muted) c->muted = p->muted;
	return OK;
}

static enum err contact_written(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	struct contact *c = record;
	enum err e = OK;

	(void)t;
	if (was) return OK;
	rows_count_contacts(rows, c->ws, 1);
	if (!c->verified) e = contact_code_send(rows, c, why);
	if (!e) contact_event(rows, c, "contact.added");
	return e;
}

static enum err contact_before_delete(
	struct task *t, struct rows *rows, const void *record, struct fault *why)
{
	(void)t, (void)why;
	contact_leaves(rows, record);
	return OK;
}

static const struct collection contacts = {
	.noun = "contact",
	.nouns = "contacts",
	.record = RECORD_CONTACTS,
	.id_at = offsetof(struct contact, id),
	.list = SQL_CONTACT_LIST,
	.admit = contact_admit,
	.args = contact_args,
	.find = contact_find,
	.show = contact_show,
	.fill = contact_fill,
	.written = contact_written,
	.before_delete = contact_before_delete,
};

const struct use use_contact_list = LISTS("contact_list", 0, contacts);
const struct use use_contact_get = GETS("contact_get", 0, contacts);
const struct use use_contact_create =
	CREATES("contact_create", 0, JOB_LATE, contacts, contact_create_check);
const struct use use_contact_patch =
	PATCHES("contact_patch", 0, JOB_LATE, contacts, contact_patch_check);
const struct use use_contact_delete = DELETES("contact_delete", 0, JOB_LATE, contacts);

/* One's own, to be verified or tried. */
static enum err contact_of_path(
	struct task *t, struct rows *rows, const struct contact **out, struct fault *why)
{
	const void *found;
	enum err e = owner_admit(t, rows, why);

	if (!e) e = collection_find(&contacts, t, rows, t->id, &found, why);
	if (!e) *out = found;
	return e;
}

enum err contacts_drop(struct rows *rows, int64_t ws, struct str user, struct str team,
	struct fault *why)
{
	const struct contact *c = NULL;
	const struct notify_person *n;
	enum err e = rows_fetch(
		rows, RECORD_CONTACTS, SQL_CONTACT_LIST, ARGS(ws, user, team), why);

	while (!e && (c = rows_next(rows, RECORD_CONTACTS, c)))
		if (c->ws == ws && str_eq(c->user, user) && str_eq(c->team, team))
			contact_remove(rows, c);
	if (e || !user.len) return e;
	e = rows_get(rows, RECORD_NOTIFY_PEOPLE, KEY(ws, user), &n, why);
	if (!e && n) rows_delete(rows, n);
	return e;
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

enum err contact_code_send(struct rows *rows, struct contact *c, struct fault *why)
{
	static const char letters[] = "abcdefghjkmnpqrstuvwxyz";
	struct delivery like = { .purpose = DELIVERY_CODE, .host = c->address };
	int64_t sent = 0;
	char code[CONTACT_CODE_LEN + 1] = "";
	enum err e = rows_int(rows, SQL_CODES_SENT,
		ARGS(delivery_kind_name(c->channel), c->address,
			rows->now_ms - 3600 * 1000),
		&sent, why);

	if (e) return e;
	if (sent >= CONTACT_CODES_HOUR) {
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
	const struct json *code = json_get(t->body, "code");
	enum err e = t->body ? MEMBERS_ONLY(t->body, why, "code") : OK;

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
		contact_event(rows, c, "contact.verified");
		return collection_reply(&contacts, t, rows, c, why);
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
	enum err e = contact_of_path(t, rows, &was, why);

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
	return collection_reply(&contacts, t, rows, c, why);
}

const struct use use_contact_verify =
	WRITES("contact_verify", 0, JOB_LATE, NULL, verify_decide, NULL, verify_check);

/* ---- look up ---- */

static enum err lookup_check(struct task *t, struct fault *why)
{
	return contact_lookup_read(
		t->body, TASK_CHECKED(t, struct contact_lookup), &t->job.arena, why);
}

/* Without an e-mail address in the body: the first that the person has verified here. */
static enum err lookup_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct contact_lookup *l = t->checked;
	const struct val args[] = { val_int(job->who.ws), val_text(owner_user(t)),
		val_text(STR_NONE) };
	const struct contact *c = NULL;
	enum err e = contact_may(t, why);

	if (!e) e = channel_on(t, l->channel, why);
	if (e || l->email.len) return e;
	e = rows_fetch(rows, RECORD_CONTACTS, SQL_CONTACT_LIST, args, 3, why);
	while (!e && !l->email.len && (c = rows_next(rows, RECORD_CONTACTS, c)))
		if (owned(t, c) && c->channel == DELIVERY_EMAIL && c->verified)
			l->email = c->address;
	if (!e && !l->email.len)
		e = fail_at(why, "/email",
			"no verified e-mail address is known; enter the e-mail address "
			"of the Slack account, or its member ID (in Slack: Profile, ⋮, "
			"Copy member ID)");
	return e;
}

const struct use use_contact_lookup =
	READS("contact_lookup", 0, 0, lookup_read, lookup_check);

/* ---- test ---- */

static enum err test_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct delivery like = { .purpose = DELIVERY_TEST };
	const struct contact *c;
	struct delivery *d;
	enum err e = contact_of_path(task_of(job), rows, &c, why);

	if (!e && !c->verified)
		e = fail(why, ERR_UNVERIFIED, "verify this contact first");
	if (!e) notify_stage(rows, NULL, c, like, &d);
	if (e) return e;
	job->status = 202;
	delivery_write(TO_REPLY(job), d);
	return OK;
}

const struct use use_contact_test =
	WRITES("contact_test", 0, JOB_LATE, NULL, test_decide, NULL, desk_empty_check);
