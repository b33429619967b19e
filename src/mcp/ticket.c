/* ticket.c - writes and verifies signed tickets: sessions, event ids, call states. */
#include "mcp/ticket.h"

#include "base/hash.h"

/* One that carries what a server said may be longer. */
enum { SEAL_SIZE = 16, TICKET_MAX = 4096, STATE_MAX = 400 * 1024 };

static size_t ticket_max(enum ticket_kind kind)
{
	return kind == TICKET_STATE ? STATE_MAX : TICKET_MAX;
}

/* HMAC over kind and payload, cut to 128 bits. */
static void seal_make(struct str key, enum ticket_kind kind, struct str payload,
	uint8_t out[SHA256_SIZE])
{
	struct buf b = { .max = STATE_MAX + 1 };

	buf_add_char(&b, (char)kind);
	buf_add(&b, payload);
	hmac_sha256(key, buf_str(&b), out);
	buf_done(&b);
}

static void ticket_write(
	struct buf *out, struct str key, enum ticket_kind kind, struct str payload)
{
	uint8_t seal[SHA256_SIZE];

	seal_make(key, kind, payload, seal);
	base64url_write(out, payload);
	buf_add_char(out, '.');
	base64url_write(out, str_make((const char *)seal, SEAL_SIZE));
}

/* The payload's members, if it is one of ours. */
static const struct json *ticket_open(
	struct str text, struct str key, enum ticket_kind kind, struct arena *arena)
{
	struct buf payload = { .max = ticket_max(kind) }, shown = { .max = SEAL_SIZE };
	int dot = str_find(text, STR("."));
	const struct json *members = NULL;
	uint8_t seal[SHA256_SIZE];

	if (dot < 0 || text.len > ticket_max(kind)) return NULL;
	if (base64url_read(str_first(text, (size_t)dot), &payload) &&
		base64url_read(str_from(text, (size_t)dot + 1), &shown)) {
		seal_make(key, kind, buf_str(&payload), seal);
		if (same_secret(
			    buf_str(&shown), str_make((const char *)seal, SEAL_SIZE)) &&
			json_read(arena_str(arena, buf_str(&payload)), NULL, arena,
				&members, NULL))
			members = NULL;
	}
	buf_done(&payload);
	buf_done(&shown);
	return members;
}

static int64_t member_int(const struct json *members, const char *name)
{
	const struct json *value = json_get(members, name);

	return value && value->is_int ? value->integer : 0;
}

void ticket_session_write(struct buf *out, struct str key, const struct ticket_session *s)
{
	struct json_writer w = { .out = &(struct buf){ .max = TICKET_MAX } };

	jw_object(&w);
	jw_put_int(&w, "revision", s->client.revision);
	jw_put_int(&w, "can", s->client.can);
	jw_put_some(&w, "name", s->client.name);
	jw_put_some(&w, "nonce", s->nonce);
	jw_put_some(&w, "agent", s->agent);
	jw_put_some(&w, "server", s->server);
	jw_put_some(&w, "behind", s->behind);
	if (s->server.len) jw_put_int(&w, "speaks", s->speaks);
	jw_put_int(&w, "expires", s->expires_ms);
	jw_object_end(&w);
	ticket_write(out, key, TICKET_SESSION, buf_str(w.out));
	buf_done(w.out);
}

bool ticket_session_read(
	struct str text, struct str key, struct arena *arena, struct ticket_session *out)
{
	const struct json *m = ticket_open(text, key, TICKET_SESSION, arena);
	int64_t revision = member_int(m, "revision");

	if (!m || revision < 0 || revision >= REVISIONS) return false;
	*out = (struct ticket_session){
		.client = { (enum revision)revision, (unsigned)member_int(m, "can"),
			json_text_of(m, "name") },
		.nonce = json_text_of(m, "nonce"),
		.agent = json_text_of(m, "agent"),
		.server = json_text_of(m, "server"),
		.behind = json_text_of(m, "behind"),
		.speaks = member_int(m, "speaks"),
		.expires_ms = member_int(m, "expires"),
	};
	return true;
}

void ticket_call_write(struct buf *out, struct str key, enum ticket_kind kind,
	const struct ticket_call *c)
{
	struct json_writer w = { .out = &(struct buf){ .max = ticket_max(kind) } };

	jw_object(&w);
	jw_put_some(&w, "ask", c->ask);
	jw_put_some(&w, "id", c->id);
	jw_put_some(&w, "token", c->token);
	if (c->how) jw_put_int(&w, "how", c->how);
	if (c->expires_ms) jw_put_int(&w, "expires", c->expires_ms);
	jw_put_some(&w, "state", c->state);
	jw_put_some(&w, "question", c->question);
	jw_put_some(&w, "agent", c->agent);
	jw_put_some(&w, "digest", c->digest);
	jw_object_end(&w);
	ticket_write(out, key, kind, buf_str(w.out));
	buf_done(w.out);
}

bool ticket_call_read(struct str text, struct str key, enum ticket_kind kind,
	struct arena *arena, struct ticket_call *out)
{
	const struct json *m = ticket_open(text, key, kind, arena);

	if (!m) return false;
	*out = (struct ticket_call){
		.ask = json_text_of(m, "ask"),
		.id = json_text_of(m, "id"),
		.token = json_text_of(m, "token"),
		.how = (unsigned)member_int(m, "how"),
		.state = json_text_of(m, "state"),
		.question = json_text_of(m, "question"),
		.agent = json_text_of(m, "agent"),
		.digest = json_text_of(m, "digest"),
		.expires_ms = member_int(m, "expires"),
	};
	return true;
}
