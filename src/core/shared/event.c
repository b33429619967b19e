/* event.c - the types of events, their chain of hashes, their filter and their JSON. */
#include "core/shared/event.h"

#include "base/clock.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

#include <endian.h>

const char *const event_types[] = {
	"ask.created",
	"ask.answered",
	"ask.skipped",
	"ask.expired",
	"ask.cancelled",
	"ask.assigned",
	"ask.claimed",
	"ask.extended",
	"ask.replied",
	"ask.used",
	"ask.revoked",
	"ask.verified",
	"ask.asked_again",
	"ask.overtaken",
	"session.created",
	"session.status",
	"session.progress",
	"session.resuming",
	"session.resumed",
	"session.changed",
	"session.deleted",
	"user.recorded",
	"user.created",
	"user.changed",
	"user.deleted",
	"token.recorded",
	"token.created",
	"token.changed",
	"token.deleted",
	"login.link_created",
	"login.link_ended",
	"login.created",
	"login.changed",
	"login.ended",
	"login.refused",
	"settings.changed",
	"rule.made",
	"rule.changed",
	"rule.ended",
	"policy.changed",
	"policy.decided",
	"mandate.asked",
	"mandate.granted",
	"mandate.drawn",
	"mandate.ended",
	"stop.set",
	"stop.lifted",
	"team.changed",
	"user.away",
	"run.queued",
	"run.started",
	"run.waiting",
	"run.resumed",
	"run.model",
	"run.compacted",
	"run.message",
	"run.tool_started",
	"run.tool_finished",
	"run.completed",
	"run.failed",
	"run.cancelled",
	"task.created",
	"task.updated",
	"task.completed",
	"task.deleted",
	"ask.voted",
	"ask.retracted",
	"ask.notified",
	"ask.notify_failed",
	"ask.unreached",
	"ask.overdue",
	"contact.added",
	"contact.verified",
	"contact.broken",
	"contact.removed",
	"routes.changed",
	"template.changed",
	"list.changed",
	"agent.changed",
	"provider.changed",
	"tool.changed",
	"key.made",
	"key.revoked",
	"approval.redeemed",
	"hold.set",
	"hold.lifted",
	"export.made",
	"alert.raised",
	"alert.cleared",
	"alert.acked",
	"node.gone",
	"mcp.added",
	"mcp.changed",
	"mcp.accepted",
	"mcp.removed",
	"mcp.failed",
	"call.held",
	"call.started",
	"call.finished",
	NULL,
};

bool event_is_settlement(const struct event *e)
{
	static const char *const types[] = { "ask.answered", "ask.skipped", "ask.expired",
		"ask.cancelled" };

	return name_find(types, sizeof types / sizeof *types, str_of(e->type)) >= 0;
}

const char *event_type_find(struct str name)
{
	for (const char *const *t = event_types; *t; t++)
		if (str_is(name, *t)) return *t;
	return NULL;
}

void event_seal(struct event *e, const uint8_t before[SHA256_SIZE])
{
	sha256(e->data, e->digest);
	event_hash(e, before, e->hash);
}

/* What is hashed behind the hash before it: numbers as eight bytes, texts as their length
 * and their bytes, then the digest, then the agent's name. Ids and types are far shorter
 * than FIELD_MAX; what is longer is none of ours, and its length still counts. */
enum { FIELD_MAX = 64, BYTES_MAX = 8 * 8 + 4 * FIELD_MAX + SHA256_SIZE };

struct event_bytes {
	char at[BYTES_MAX];
	size_t len;
};

static void bytes_number(struct event_bytes *b, uint64_t n)
{
	n = htobe64(n);
	memcpy(b->at + b->len, &n, sizeof n);
	b->len += sizeof n;
}

static void bytes_text(struct event_bytes *b, struct str text)
{
	struct str head = str_first(text, FIELD_MAX);

	bytes_number(b, text.len);
	if (head.len) memcpy(b->at + b->len, head.at, head.len);
	b->len += head.len;
}

static void event_bytes(const struct event *e, struct event_bytes *b)
{
	b->len = 0;
	bytes_number(b, (uint64_t)e->ws);
	bytes_number(b, (uint64_t)e->n);
	bytes_number(b, (uint64_t)e->at_ms);
	bytes_text(b, str_of(e->type));
	bytes_text(b, e->session);
	bytes_text(b, e->ask);
	bytes_text(b, e->run);
	memcpy(b->at + b->len, e->digest, SHA256_SIZE);
	b->len += SHA256_SIZE;
}

void event_hash(const struct event *e, const uint8_t before[SHA256_SIZE],
	uint8_t out[SHA256_SIZE])
{
	struct event_bytes b;

	event_bytes(e, &b);
	bytes_number(&b, e->agent.len);
	sha256_3(str_make((const char *)before, SHA256_SIZE), str_make(b.at, b.len),
		e->agent, out);
}

void event_hash_old(const struct event *e, const uint8_t before[SHA256_SIZE],
	uint8_t out[SHA256_SIZE])
{
	struct event_bytes b;

	event_bytes(e, &b);
	sha256_2(str_make((const char *)before, SHA256_SIZE), str_make(b.at, b.len), out);
}

void event_write(struct json_writer *w, const struct event *e)
{
	char at[TIME_SIZE];

	time_write(e->at_ms, at);
	jw_object(w);
	jw_put_int(w, "id", e->n);
	jw_put_text(w, "type", e->type);
	jw_put_text(w, "at", at);
	show_text(w, "session", e->session);
	jw_put_some(w, "ask", e->ask);
	jw_put_some(w, "run", e->run);
	jw_put_raw(w, "data", e->data.len ? e->data : STR("{}"));
	jw_object_end(w);
}

bool event_of_people(const char *type)
{
	static const char *const families[] = { "user.", "token.", "login.", "settings.",
		"team." };

	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (str_starts(str_of(type), families[i])) return true;
	return false;
}

/* About how people are told: for people. */
static bool event_of_telling(const char *type)
{
	return str_starts(str_of(type), "contact.") ||
	       str_starts(str_of(type), "routes.") ||
	       str_starts(str_of(type), "ask.notif") ||
	       str_starts(str_of(type), "alert.") || str_starts(str_of(type), "node.") ||
	       strcmp(type, "ask.unreached") == 0;
}

bool event_passes(const struct event *e, const struct event_filter *f)
{
	if (f->not_people && event_of_people(e->type)) return false;
	if (f->agent.len && event_of_telling(e->type)) return false;
	if (f->session.len && !str_eq(f->session, e->session)) return false;
	if (f->agent.len && !str_eq(f->agent, e->agent)) return false;
	if (!f->types.len) return true;

	struct str rest = f->types, type;
	while (str_cut(&rest, ',', &type))
		if (type.len && str_is(type, e->type)) return true;
	return false;
}

enum err event_types_read(
	struct str list, struct arena *arena, struct str *out, struct fault *why)
{
	struct str rest = list, type;

	if (!list.len) {
		*out = STR_NONE;
		return OK;
	}
	if (list.at[list.len - 1] == ',')
		return fail_at(why, "/types", "a name is missing after the last comma");
	while (str_cut(&rest, ',', &type))
		if (!event_type_find(type))
			return fail_at(why, "/types", "unknown event type '%.*s'",
				STR_ARGS(str_first(type, FIELD_MAX)));
	struct str types = arena_print(arena, ",%.*s,", STR_ARGS(list));
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	*out = types;
	return OK;
}
