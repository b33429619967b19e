/* decision.c - digests of asks. The decision is hashed in a form that anybody can write
 * again (RFC 8785); the others are hashed as our own fields, which costs less. */
#include "core/ask/ask.h"

#include "base/hash.h"
#include "base/keep.h"
#include "core/shared/body.h"

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

/* ---- the ask ---- */

void asked_digest(const struct ask *a, char out[SHORT_DIGEST_SIZE])
{
	char risk[NUMBER_SIZE], urgency[NUMBER_SIZE], created[NUMBER_SIZE];
	const struct str fields[] = { a->id, a->session, a->run, a->agent, a->agent_name,
		a->token, a->project, str_of(ask_kind_name(a->kind)),
		str_of(priority_name(a->priority)), digest_number(a->risk, risk),
		digest_number(a->urgency, urgency), a->exclusive ? STR("1") : STR("0"),
		a->fixed, a->search, a->digest, a->dedupe_key, a->requester,
		digest_number(a->created_ms, created), a->starters, a->verify, a->because,
		a->trace };
	size_t without = a->trace.len	   ? 0
			 : a->because.len  ? 1
			 : a->verify.len   ? 2
			 : a->starters.len ? 3
					   : 4;

	/* Newer columns are hashed only when set: older events were hashed without them. */
	digest_fields(fields, sizeof fields / sizeof *fields - without, out);
}

void votes_digest(const struct ask *a, char out[SHORT_DIGEST_SIZE])
{
	const struct str fields[] = { a->require, a->votes };

	digest_fields(fields, 2, out);
}
