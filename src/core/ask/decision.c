/* decision.c - digests of records. The decision is hashed in a form that anybody can write
 * again (RFC 8785); the others are hashed as our own fields, which costs less. */
#include "core/ask/decision.h"

#include "base/hash.h"
#include "base/keep.h"
#include "core/body.h"

static void short_write(const uint8_t digest[SHA256_SIZE], char out[SHORT_DIGEST_SIZE])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	size_t len = 0;

	for (size_t i = 0; i < 15; i += 3) {
		uint32_t bits = (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 |
				digest[i + 2];

		for (int shift = 18; shift >= 0; shift -= 6)
			out[len++] = digits[bits >> shift & 63];
	}
	out[len++] = digits[digest[15] >> 2];
	out[len++] = digits[(digest[15] & 3) << 4];
	out[len] = '\0';
}

void text_digest(struct str text, char out[SHORT_DIGEST_SIZE])
{
	uint8_t digest[SHA256_SIZE];

	sha256(text, digest);
	short_write(digest, out);
}

void fields_digest(const struct str *fields, size_t len, char out[SHORT_DIGEST_SIZE])
{
	uint8_t digest[SHA256_SIZE];

	sha256_fields(fields, len, digest);
	short_write(digest, out);
}

/* ---- the decision ---- */

static void member_add(struct json *object, const char *name, struct json value)
{
	object->members[object->count++] = (struct json_member){ str_of(name), value };
}

static struct json text_or_null(struct str text)
{
	return text.len ? (struct json){ .type = JSON_STRING, .text = text }
			: (struct json){ .type = JSON_NULL };
}

/* JSON that cannot be read again was not written by us: it counts as its own text. */
static struct json json_or_null(struct str text, struct arena *arena)
{
	static const struct json_limits limits = { .depth = 80, .values = 400000 };
	const struct json *read;

	if (!text.len || json_read(text, &limits, arena, &read, NULL))
		return text_or_null(text);
	return *read;
}

struct str decision_write(const struct ask *a, struct arena *arena)
{
	struct json_member room[7];
	struct json whole = { .type = JSON_OBJECT, .members = room };
	struct buf text = { 0 };

	member_add(&whole, "ask", text_or_null(a->id));
	member_add(&whole, "status", text_or_null(str_of(ask_status_name(a->status))));
	member_add(&whole, "answer", json_or_null(a->answer, arena));
	member_add(&whole, "answered_by", json_or_null(a->answered_by, arena));
	member_add(&whole, "approved_digest", text_or_null(a->approved_digest));
	member_add(&whole, "reason", text_or_null(a->reason));
	if (a->revoked.len)
		member_add(&whole, "revoked", json_or_null(a->revoked, arena));
	buf_reserve(&text, a->answer.len + a->answered_by.len + a->reason.len + 256);
	json_canonical(&text, &whole);
	return buf_keep_done(&text, arena);
}

void decision_digest_in(const struct ask *a, struct arena *arena, char out[DIGEST_SIZE])
{
	struct str text = decision_write(a, arena);

	out[0] = '\0';
	if (arena->failed) return;
	memcpy(out, "sha256:", 7);
	sha256_hex(text, out + 7);
}

void decision_digest(const struct ask *a, char out[DIGEST_SIZE])
{
	struct arena arena = { 0 };

	decision_digest_in(a, &arena, out);
	arena_done(&arena);
}

/* ---- records ---- */

struct str digest_number(int64_t n, char room[NUMBER_SIZE])
{
	size_t at = NUMBER_SIZE;
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	do
		room[--at] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0) room[--at] = '-';
	return str_make(room + at, NUMBER_SIZE - at);
}

void asked_digest(const struct ask *a, char out[SHORT_DIGEST_SIZE])
{
	char risk[NUMBER_SIZE], urgency[NUMBER_SIZE], created[NUMBER_SIZE];
	const struct str fields[] = { a->id, a->session, a->run, a->agent, a->agent_name,
		a->token, a->project, str_of(ask_kind_name(a->kind)),
		str_of(priority_name(a->priority)), digest_number(a->risk, risk),
		digest_number(a->urgency, urgency), a->exclusive ? STR("1") : STR("0"),
		a->fixed, a->search, a->digest, a->dedupe_key, a->requester,
		digest_number(a->created_ms, created), a->starters, a->verify,
		a->because };
	size_t without = a->because.len ? 0 : a->verify.len ? 1 : a->starters.len ? 2 : 3;

	/* What came later counts only where it is there: older events know nothing of it. */
	fields_digest(fields, sizeof fields / sizeof *fields - without, out);
}

void session_digest(const struct session *s, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE];
	const struct str fields[] = { s->id, s->agent, s->agent_name, s->token,
		s->project, s->external_id, s->metadata,
		s->parallel ? STR("1") : STR("0"), digest_number(s->created_ms, created),
		s->sensitive ? STR("sensitive") : STR_NONE, s->starter };
	size_t without = s->starter.len ? 0 : s->sensitive ? 1 : 2;

	fields_digest(fields, sizeof fields / sizeof *fields - without, out);
}

void user_digest(const struct user *u, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE];
	const struct str fields[] = { u->id, u->name, str_of(role_name(u->role)),
		u->password, u->language, u->disabled ? STR("1") : STR("0"),
		digest_number(u->created_ms, created), u->away };

	/* What came later counts only where it is there: older events know nothing of it. */
	fields_digest(fields, sizeof fields / sizeof *fields - !u->away.len, out);
}

void token_digest(const struct token *t, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE], expires[NUMBER_SIZE], wait[NUMBER_SIZE],
		again[NUMBER_SIZE], begun[NUMBER_SIZE];
	const struct str fields[] = { str_make((const char *)t->hash, SHA256_SIZE), t->id,
		str_of(token_kind_name(t->kind)), t->role, t->name, t->agent, t->user,
		t->tools, t->last4, digest_number(t->created_ms, created),
		digest_number(t->expires_ms, expires), digest_number(t->mcp_wait_s, wait),
		t->mcp_local ? STR("1") : STR("0"), digest_number(t->again_s, again),
		t->maker, t->runs ? STR("runs") : STR_NONE, t->login,
		digest_number(t->begun_ms, begun), t->origin, t->client, t->projects };
	bool login = t->login.len || t->begun_ms || t->origin.len || t->client.len;
	/* As it was before there were these. */
	size_t without = t->projects.len ? 0
			 : login	 ? 1
			 : t->runs	 ? 5
			 : t->maker.len	 ? 6
					 : 7;

	fields_digest(fields, sizeof fields / sizeof *fields - without, out);
}

void votes_digest(const struct ask *a, char out[SHORT_DIGEST_SIZE])
{
	const struct str fields[] = { a->require, a->votes };

	fields_digest(fields, 2, out);
}

void team_digest(const struct team *t, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE];
	const struct str fields[] = { t->id, t->name, t->members, t->on_call, t->projects,
		digest_number(t->created_ms, created) };

	fields_digest(fields, sizeof fields / sizeof *fields, out);
}
