/* decision.c - digests of records. The decision is hashed in a form that anybody can write
 * again (RFC 8785); the others are hashed as our own fields, which costs less. */
#include "core/decision.h"

#include "base/hash.h"
#include "core/body.h"

static void digest_show(const uint8_t digest[SHA256_SIZE], char out[DIGEST_SIZE])
{
	memcpy(out, "sha256:", 7);
	hex_write(digest, SHA256_SIZE, out + 7);
}

void text_digest(struct str text, char out[DIGEST_SIZE])
{
	uint8_t digest[SHA256_SIZE];

	sha256(text, digest);
	digest_show(digest, out);
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
	struct json_member room[6];
	struct json whole = { .type = JSON_OBJECT, .members = room };
	struct buf text = { 0 };

	member_add(&whole, "ask", text_or_null(a->id));
	member_add(&whole, "status", text_or_null(str_of(ask_status_name(a->status))));
	member_add(&whole, "answer", json_or_null(a->answer, arena));
	member_add(&whole, "answered_by", json_or_null(a->answered_by, arena));
	member_add(&whole, "approved_digest", text_or_null(a->approved_digest));
	member_add(&whole, "reason", text_or_null(a->reason));
	json_canonical(&text, &whole);
	return buf_keep_done(&text, arena);
}

void decision_digest(const struct ask *a, char out[DIGEST_SIZE])
{
	struct arena arena = { 0 };
	struct str text = decision_write(a, &arena);

	out[0] = '\0';
	if (!arena.failed) text_digest(text, out);
	arena_done(&arena);
}

/* ---- records ---- */

enum { NUMBER_SIZE = 24 };

static struct str number(int64_t n, char room[NUMBER_SIZE])
{
	size_t at = NUMBER_SIZE;
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	do
		room[--at] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0) room[--at] = '-';
	return str_make(room + at, NUMBER_SIZE - at);
}

void asked_digest(const struct ask *a, char out[DIGEST_SIZE])
{
	char risk[NUMBER_SIZE], created[NUMBER_SIZE];
	uint8_t digest[SHA256_SIZE];
	const struct str fields[] = { a->id, a->session, a->run, a->agent, a->token,
		a->project, str_of(ask_kind_name(a->kind)),
		str_of(priority_name(a->priority)), number(a->risk, risk),
		a->exclusive ? STR("1") : STR("0"), a->fixed, a->search, a->digest,
		a->dedupe_key, number(a->created_ms, created) };

	sha256_fields(fields, sizeof fields / sizeof *fields, digest);
	digest_show(digest, out);
}

void session_digest(const struct session *s, char out[DIGEST_SIZE])
{
	char created[NUMBER_SIZE];
	uint8_t digest[SHA256_SIZE];
	const struct str fields[] = { s->id, s->agent, s->token, s->project,
		s->external_id, s->metadata, s->parallel ? STR("1") : STR("0"),
		number(s->created_ms, created) };

	sha256_fields(fields, sizeof fields / sizeof *fields, digest);
	digest_show(digest, out);
}
