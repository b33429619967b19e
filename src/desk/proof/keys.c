/* keys.c - the keys that a workspace signs with: listed, made anew, revoked. A key is made when it is first
 * needed, sealed as providers' keys are, and never leaves the store but as its public half. */
#include "desk/proof/signing.h"

#include "base/keep.h"
#include "base/seal.h"
#include "desk/run/configured.h"

/* ---- rows ---- */

static enum err keys_load(struct rows *rows, int64_t ws,
	const struct signing_key *const **out, size_t *len, struct fault *why)
{
	enum err e =
		rows_fetch(rows, RECORD_SIGNING_KEYS, SQL_SIGNING_KEYS_OF, ARGS(ws), why);

	*len = 0;
	if (e) return e;
	*out = (const struct signing_key *const *)(const void *)rows_all(
		rows, RECORD_SIGNING_KEYS, ws, len);
	return rows->arena->failed ? fail_memory(why) : OK;
}

/* The next one after this number, of these; NULL: there is none. */
static const struct signing_key *key_after(
	const struct signing_key *const *keys, size_t len, int64_t number)
{
	const struct signing_key *found = NULL;

	for (size_t i = 0; i < len; i++)
		if (keys[i]->number > number &&
			(!found || keys[i]->number < found->number))
			found = keys[i];
	return found;
}

/* The last one, which signs; NULL: none was made yet. */
static enum err key_now(
	struct rows *rows, int64_t ws, const struct signing_key **out, struct fault *why)
{
	const struct signing_key *const *keys;
	size_t len;
	enum err e = keys_load(rows, ws, &keys, &len, why);

	*out = NULL;
	for (size_t i = 0; !e && i < len; i++)
		if (!*out || keys[i]->number > (*out)->number) *out = keys[i];
	return e;
}

static enum err key_refuse(struct fault *why)
{
	return fail(why, ERR_NO_KEY,
		"this server cannot open the key that the workspace signs with: it needs the "
		"secret.key that the key was made with");
}

/* A key of the next number: the one before signs no more. */
static enum err key_make(struct task *t, struct rows *rows, int64_t ws,
	const struct signing_key **out, struct fault *why)
{
	const struct configured *c = configured_now(t->desk);
	struct signing_key k = { .ws = ws, .number = 1, .from_ms = rows->now_ms };
	const struct signing_key *last;
	uint8_t seed[SIGN_SEED_SIZE], key[SIGN_KEY_SIZE];
	struct buf sealed = { .max = 4096 }, x = { .max = 64 };
	char kid[PROOF_KID_SIZE];
	enum err e = key_now(rows, ws, &last, why);

	if (e) return e;
	if (last) k.number = last->number + 1;
	if (!c->sealing) return key_refuse(why);
	random_bytes(rows->ids, seed, sizeof seed);
	if (!sign_public(seed, key) ||
		!seal_close(c->secret, str_make((char *)seed, sizeof seed), &sealed)) {
		buf_done(&sealed);
		return fail_memory(why);
	}
	memset(seed, 0, sizeof seed);
	proof_key_thumbprint(key, kid);
	base64url_write(&x, str_make((const char *)key, sizeof key));
	k.kid = arena_str(rows->arena, str_of(kid));
	k.x = buf_keep_done(&x, rows->arena);
	k.sealed = buf_keep_done(&sealed, rows->arena);
	*out = rows_new(rows, RECORD_SIGNING_KEYS, &k);
	return rows->arena->failed ? fail_memory(why) : OK;
}

/* ---- for who signs and checks ---- */

static enum err key_open(const struct configured *c, const struct signing_key *k,
	struct jws_signer *out, struct fault *why)
{
	struct buf seed = { .max = 64 };
	bool ok = c->sealing && seal_open(c->secret, k->sealed, &seed) &&
		  seed.len == SIGN_SEED_SIZE && k->kid.len == PROOF_KID_SIZE - 1;

	if (ok) {
		memcpy(out->seed, seed.at, SIGN_SEED_SIZE);
		memcpy(out->kid, k->kid.at, PROOF_KID_SIZE - 1);
		out->kid[PROOF_KID_SIZE - 1] = '\0';
	}
	if (seed.at) memset(seed.at, 0, seed.len);
	buf_done(&seed);
	return ok ? OK : key_refuse(why);
}

enum err signing_open(struct task *t, struct rows *rows, int64_t ws,
	struct jws_signer *out, struct fault *why)
{
	const struct signing_key *k;
	enum err e = key_now(rows, ws, &k, why);

	if (!e && !k) {
		t->keyless = t->job.kind->read;
		e = t->keyless ? fail(why, ERR_NO_KEY, "no key was made yet")
			       : key_make(t, rows, ws, &k, why);
	}
	return e ? e : key_open(configured_now(t->desk), k, out, why);
}

enum err signing_keys(
	struct rows *rows, int64_t ws, struct proof_keys *out, struct fault *why)
{
	const struct signing_key *const *keys;
	size_t len;
	enum err e = keys_load(rows, ws, &keys, &len, why);

	*out = (struct proof_keys){ 0 };
	if (e) return e;
	out->at = ARENA_ARRAY(rows->arena, struct proof_key, len + 1);
	if (!out->at) return fail_memory(why);
	for (size_t i = 0; i < len; i++)
		if (signing_key_public(keys[i], &out->at[out->len])) out->len++;
	return OK;
}

/* ---- the list ---- */

static enum err key_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct json_writer *w = TO_REPLY(job);
	struct task *t = task_of(job);
	const struct signing_key *const *keys;
	size_t len;
	enum err e = keys_load(rows, job->who.ws, &keys, &len, why);

	if (e) return e;
	t->keyless = len == 0;
	if (t->keyless) return fail(why, ERR_NO_KEY, "no key was made yet");
	jw_object(w);
	jw_put_array(w, "keys");
	for (size_t i = 0; i < len; i++)
		signing_key_show(w, keys[i], i ? keys[i - 1]->from_ms : 0);
	jw_array_end(w);
	jw_object_end(w);
	return OK;
}

const struct use use_key_list = READS("key_list", 0, 0, key_list_read, NULL);

/* ---- made ---- */

static enum err key_first_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct jws_signer signer;

	return signing_open(task_of(job), rows, job->who.ws, &signer, why);
}

const struct use use_key_first =
	WRITES("key_first", 0, 0, NULL, key_first_decide, NULL, NULL);

static enum err key_reply(
	struct task *t, struct rows *rows, const struct signing_key *k, struct fault *why)
{
	const struct signing_key *const *keys, *next;
	size_t len;
	enum err e = keys_load(rows, k->ws, &keys, &len, why);

	if (e) return e;
	next = key_after(keys, len, k->number);
	signing_key_show(TO_REPLY(&t->job), k, next ? next->from_ms : 0);
	return OK;
}

static enum err key_rotate_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct signing_key *k;
	enum err e = desk_reach(&job->who, ROLE_OWNER, why);

	if (!e) e = desk_refused(t, why);
	if (!e) e = key_make(t, rows, job->who.ws, &k, why);
	if (e) return e;
	job->status = 201;
	desk_keep_id(t, "key", k->kid);
	return key_reply(t, rows, k, why);
}

static enum err key_find(struct rows *rows, int64_t ws, struct str kid,
	const struct signing_key **out, struct fault *why)
{
	enum err e = rows_get(rows, RECORD_SIGNING_KEYS, KEY(ws, kid), out, why);

	return e || *out ? e : desk_missing("key", kid, why);
}

static enum err key_again(struct job *job, struct rows *rows,
	const struct key_record *kept, struct fault *why)
{
	struct task *t = task_of(job);
	const struct signing_key *k;
	struct str kid;
	enum err e = desk_kept_id(t, kept, "key", &kid, why);

	if (!e) e = key_find(rows, job->who.ws, kid, &k, why);
	return e ? e : key_reply(t, rows, k, why);
}

const struct use use_key_rotate = WRITES("key_rotate", MAY_ADMIN, JOB_LATE, NULL,
	key_rotate_decide, key_again, desk_empty_check);

/* ---- revoked ---- */

static enum err key_revoke_check(struct task *t, struct fault *why)
{
	struct str reason;
	enum err e = MEMBERS_ONLY(t->body, why, "reason");

	return e ? e : note_read(t->body, "reason", REASON_MAX, true, &reason, why);
}

/* The one that signs leaves no gap: another takes its place at once. */
static enum err key_revoke_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct signing_key *found, *now;
	struct signing_key *k;
	struct str reason;
	enum err e = desk_reach(&job->who, ROLE_OWNER, why);

	if (!e) e = desk_refused(t, why);
	if (!e) e = key_find(rows, job->who.ws, t->id, &found, why);
	if (!e && found->revoked_ms)
		e = fail(why, ERR_CONFLICT, "the key was revoked before");
	if (!e) e = note_read(t->body, "reason", REASON_MAX, true, &reason, why);
	if (!e) e = key_now(rows, job->who.ws, &now, why);
	if (!e && now == found) e = key_make(t, rows, job->who.ws, &now, why);
	if (e) return e;
	k = rows_change(rows, found);
	k->revoked_ms = rows->now_ms;
	k->reason = arena_str(rows->arena, reason);
	desk_keep_id(t, "key", k->kid);
	return key_reply(t, rows, k, why);
}

const struct use use_key_revoke = WRITES("key_revoke", MAY_ADMIN, JOB_LATE, NULL,
	key_revoke_decide, key_again, key_revoke_check);
