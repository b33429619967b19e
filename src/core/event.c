#include "core/event.h"

#include "base/clock.h"

#include <stdio.h>

const char *const event_types[] = {
	"ask.created", "ask.answered", "ask.skipped", "ask.expired", "ask.cancelled",
	"ask.assigned", "ask.claimed", "ask.extended", "ask.replied", "ask.used",
	"session.created", "session.status", "session.progress", "session.deleted", NULL,
};

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

/* The record that is hashed behind the hash before it: a line a field, then the digest. Ids
 * and types are far shorter than FIELD_MAX; what is longer is none of ours, and its length
 * still counts. */
enum { FIELD_MAX = 64, RECORD_MAX = 512 };

void event_hash(const struct event *e, const uint8_t before[SHA256_SIZE],
	uint8_t out[SHA256_SIZE])
{
	const struct str fields[] = { str_of(e->type), e->session, e->ask, e->run };
	char record[RECORD_MAX];

	int n = snprintf(record, sizeof record, "%lld\n%lld\n%lld\n", (long long)e->ws,
		(long long)e->n, (long long)e->at_ms);
	size_t len = (size_t)n;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		struct str field = str_first(fields[i], FIELD_MAX);

		n = snprintf(record + len, sizeof record - len, "%zu:%.*s\n", fields[i].len,
			STR_ARGS(field));
		len += (size_t)n;
	}
	memcpy(record + len, e->digest, SHA256_SIZE);
	len += SHA256_SIZE;
	sha256_2(str_make((const char *)before, SHA256_SIZE), str_make(record, len), out);
}

static void id_write(struct json_writer *w, const char *key, struct str id)
{
	jw_key(w, key);
	jw_str(w, id);
}

void event_write(struct json_writer *w, const struct event *e)
{
	char at[TIME_SIZE];

	time_write(e->at_ms, at);
	jw_object(w);
	jw_key(w, "id");
	jw_int(w, e->n);
	jw_key(w, "type");
	jw_text(w, e->type);
	jw_key(w, "at");
	jw_text(w, at);
	if (e->session.len) {
		id_write(w, "session", e->session);
	} else {
		jw_key(w, "session");
		jw_null(w);
	}
	if (e->ask.len) id_write(w, "ask", e->ask);
	if (e->run.len) id_write(w, "run", e->run);
	jw_key(w, "data");
	jw_raw(w, e->data.len ? e->data : STR("{}"));
	jw_object_end(w);
}

bool event_passes(const struct event *e, const struct event_filter *f)
{
	if (f->session.len && !str_eq(f->session, e->session)) return false;
	if (f->agent.len && !str_eq(f->agent, e->agent)) return false;
	if (!f->types.len) return true;

	struct str rest = f->types, type;
	while (str_cut(&rest, ',', &type))
		if (type.len && str_is(type, e->type)) return true;
	return false;
}

enum err event_types_read(struct str list, struct arena *arena, struct str *out,
	struct fault *why)
{
	struct str rest = list, type;

	if (!list.len) {
		*out = STR_NONE;
		return OK;
	}
	if (list.at[list.len - 1] == ',')
		return fail(why, ERR_INVALID, "types: a name is missing behind the last comma");
	while (str_cut(&rest, ',', &type))
		if (!event_type_find(type))
			return fail(why, ERR_INVALID, "types: \"%.*s\" is no type of event",
				STR_ARGS(str_first(type, FIELD_MAX)));
	struct str types = arena_print(arena, ",%.*s,", STR_ARGS(list));
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	*out = types;
	return OK;
}
