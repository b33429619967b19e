/* receipt.c - receipts: the payload made, and checked again. The decision's digest is made anew from what the
 * receipt says, and the hash of its event from the event's members, so that both can be found in a log
 * that somebody else keeps. */
#include "core/proof/receipt.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/shared/show.h"

static const char *const settlements[] = { "ask.answered", "ask.skipped", "ask.expired",
	"ask.cancelled" };

bool receipt_hangs_on(const struct ask *a, const char *type)
{
	if (a->revoked.len) return strcmp(type, "ask.revoked") == 0;
	for (size_t i = 0; i < sizeof settlements / sizeof *settlements; i++)
		if (strcmp(type, settlements[i]) == 0) return a->status != ASK_PENDING;
	return false;
}

/* "approved", "rejected", or its status. */
static struct str receipt_outcome(const struct ask *a, struct arena *arena)
{
	bool approved;

	if (a->kind != ASK_APPROVAL || a->status != ASK_ANSWERED)
		return str_of(ask_status_name(a->status));
	return !ask_approved(a, arena, &approved, NULL) && approved ? STR("approved")
								    : STR("rejected");
}

/* ---- made ---- */

static void hex_put(
	struct json_writer *w, const char *key, const uint8_t hash[SHA256_SIZE])
{
	char hex[SHA256_HEX_SIZE];

	hex_write(hash, SHA256_SIZE, hex);
	jw_put_text(w, key, hex);
}

static void event_put(struct json_writer *w, const struct receipt_facts *f)
{
	const struct event *e = f->event;

	jw_put_object(w, "event");
	jw_put_int(w, "form", f->form);
	jw_put_int(w, "ws", e->ws);
	jw_put_int(w, "n", e->n);
	show_time(w, "at", e->at_ms);
	jw_put_text(w, "type", e->type);
	jw_put_str(w, "session", e->session);
	jw_put_str(w, "ask", e->ask);
	jw_put_str(w, "run", e->run);
	jw_put_str(w, "agent", e->agent);
	jw_put_str(w, "data", e->data);
	hex_put(w, "before", f->before);
	hex_put(w, "hash", e->hash);
	jw_object_end(w);
}

static void ask_put(struct json_writer *w, const struct ask *a, const struct json *fixed,
	struct arena *arena)
{
	show_agent(w, a->ws, a->agent, a->agent_name);
	jw_put_text(w, "kind", ask_kind_name(a->kind));
	jw_put_json(w, "title", json_get(fixed, "title"));
	jw_put_json(w, "questions", json_get(fixed, "questions"));
	jw_put_json(w, "operation", json_get(fixed, "operation"));
	show_text(w, "digest", a->digest);
	show_text(w, "risk", str_of(risk_name(a->risk)));
	jw_put_text(w, "status", ask_status_name(a->status));
	jw_put_str(w, "outcome", receipt_outcome(a, arena));
	show_json(w, "answer", a->answer);
	show_json(w, "answered_by", a->answered_by);
	show_text(w, "approved_digest", a->approved_digest);
	show_text(w, "reason", a->reason);
	show_json(w, "require", a->require);
	show_json(w, "votes", a->votes.len ? a->votes : STR("[]"));
	show_json(w, "revoked", a->revoked);
	show_time(w, "used_at", a->used_ms);
	show_time(w, "created_at", a->created_ms);
	show_time(w, "settled_at", a->settled_ms);
}

enum err receipt_payload(const struct receipt_facts *f, struct arena *arena,
	struct str *out, struct fault *why)
{
	struct buf text = { 0 }, canonical = { 0 };
	struct json_writer w = { .out = &text };
	const struct json *fixed, *whole;
	char decision[DIGEST_SIZE];
	enum err e = ask_fixed(f->ask, arena, &fixed, why);

	if (e) return e;
	decision_digest_in(f->ask, arena, decision);
	jw_object(&w);
	jw_put_int(&w, "v", 1);
	jw_put_str(&w, "workspace", f->workspace);
	jw_put_str(&w, "ask", f->ask->id);
	jw_put_str(&w, "session", f->ask->session);
	ask_put(&w, f->ask, fixed, arena);
	jw_put_text(&w, "decision", decision);
	event_put(&w, f);
	jw_object_end(&w);
	e = text.failed ? fail_memory(why)
			: json_read(buf_str(&text), &ask_limits, arena, &whole, why);
	if (!e) json_canonical(&canonical, whole);
	buf_done(&text);
	*out = buf_keep_done(&canonical, arena);
	return e ? e : arena->failed ? fail_memory(why) : OK;
}

/* ---- checked ---- */

/* What http.md says a decision is, of what the receipt says. */
static bool decision_fits(const struct json *payload)
{
	static const char *const names[] = { "ask", "status", "answer", "answered_by",
		"approved_digest", "reason", "revoked" };
	struct json_member room[sizeof names / sizeof *names];
	struct json whole = { .type = JSON_OBJECT, .members = room };
	struct buf text = { 0 };
	char hex[SHA256_HEX_SIZE];
	struct str said = json_text_of(payload, "decision");
	bool ok;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct json *value = json_get(payload, names[i]);
		bool revoked = i + 1 == sizeof names / sizeof *names;

		if (!value) return false;
		if (revoked && value->type == JSON_NULL) continue;
		room[whole.count++] = (struct json_member){ str_of(names[i]), *value };
	}
	json_canonical(&text, &whole);
	sha256_hex(buf_str(&text), hex);
	ok = !text.failed && str_starts(said, "sha256:") &&
	     str_is(str_from(said, 7), hex);
	buf_done(&text);
	return ok;
}

bool receipt_hash_read(const struct json *j, const char *name, uint8_t out[SHA256_SIZE])
{
	return hex_read(json_text_of(j, name), out, SHA256_SIZE);
}

bool receipt_event_read(const struct json *j, int64_t ws, struct event *e)
{
	static const char *const texts[] = { "type", "session", "ask", "run", "agent" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!json_is(json_get(j, texts[i]), JSON_STRING)) return false;
	*e = (struct event){ .ws = ws,
		.n = json_int_of(j, "n"),
		.type = event_type_find(json_text_of(j, "type")),
		.session = json_text_of(j, "session"),
		.ask = json_text_of(j, "ask"),
		.run = json_text_of(j, "run"),
		.agent = json_text_of(j, "agent") };
	return e->type && time_read(json_text_of(j, "at"), &e->at_ms) &&
	       receipt_hash_read(j, "hash", e->hash);
}

bool receipt_event_hash(const struct json *j, const struct event *e,
	const uint8_t before[SHA256_SIZE], uint8_t out[SHA256_SIZE])
{
	switch (json_int_of(j, "form")) {
	case 1: event_hash_old(e, before, out); return true;
	case 2: event_hash(e, before, out); return true;
	default: return false;
	}
}

static bool event_fits(const struct json *payload, struct arena *arena, bool *unlogged)
{
	const struct json *j = json_get(payload, "event"), *data, *decision;
	uint8_t before[SHA256_SIZE], hash[SHA256_SIZE];
	const struct json *revoked = json_get(payload, "revoked");
	struct ask a = { .revoked = json_is(revoked, JSON_NULL) ? STR_NONE : STR("{}") };
	struct event e;

	if (!receipt_event_read(j, json_int_of(j, "ws"), &e) ||
		!json_is(json_get(j, "data"), JSON_STRING) ||
		!receipt_hash_read(j, "before", before) ||
		!ask_status_read(json_text_of(payload, "status"), &a.status) ||
		!receipt_hangs_on(&a, e.type) ||
		!str_eq(e.ask, json_text_of(payload, "ask")) ||
		!str_eq(e.session, json_text_of(payload, "session")))
		return false;
	e.data = json_text_of(j, "data");
	sha256(e.data, e.digest);
	if (!receipt_event_hash(j, &e, before, hash) ||
		memcmp(hash, e.hash, SHA256_SIZE) != 0)
		return false;
	if (json_read(e.data, &ask_limits, arena, &data, NULL)) return false;
	decision = json_get(data, "decision");
	*unlogged = !decision;
	return !decision ||
	       str_eq(json_text(decision), json_text_of(payload, "decision"));
}

enum proof_word receipt_check_json(const struct json *receipt,
	const struct proof_keys *keys, struct arena *arena, struct receipt_said *out)
{
	struct jws_parts parts;
	struct str text;
	enum proof_word w;

	if (!jws_split_flat(receipt, &parts)) return PROOF_SHAPE;
	w = jws_check(&parts, RECEIPT_TYP, keys, arena, &out->payload, &text);
	if (w) return w;
	if (json_int_of(out->payload, "v") != 1 ||
		!json_is(json_get(out->payload, "event"), JSON_OBJECT))
		return PROOF_SHAPE;
	if (!decision_fits(out->payload)) return PROOF_DECISION;
	return event_fits(out->payload, arena, &out->unlogged) ? PROOF_GOOD : PROOF_EVENT;
}

enum proof_word receipt_check(struct str text, const struct proof_keys *keys,
	struct arena *arena, struct receipt_said *out)
{
	static const struct json_limits limits = { .depth = 8, .values = 100 };
	const struct json *receipt;

	if (json_read(text, &limits, arena, &receipt, NULL)) return PROOF_SHAPE;
	return receipt_check_json(receipt, keys, arena, out);
}
