/* show.c - writes JSON members that may be null. */
#include "core/shared/show.h"

#include "base/clock.h"

void show_text(struct json_writer *w, const char *key, struct str text)
{
	jw_key(w, key);
	if (text.len)
		jw_str(w, text);
	else
		jw_null(w);
}

void show_time(struct json_writer *w, const char *key, int64_t ms)
{
	char text[TIME_SIZE];

	jw_key(w, key);
	if (!ms) {
		jw_null(w);
		return;
	}
	time_write(ms, text);
	jw_text(w, text);
}

void show_json(struct json_writer *w, const char *key, struct str json)
{
	jw_put_raw(w, key, json.len ? json : STR("null"));
}

void show_members(struct json_writer *w, struct str json)
{
	json = str_trim(json);
	if (json.len > 2) jw_members(w, str_make(json.at + 1, json.len - 2));
}

void show_number(struct json_writer *w, const char *key, int64_t n, bool known)
{
	if (known)
		jw_put_int(w, key, n);
	else
		jw_put_null(w, key);
}

void show_count(struct json_writer *w, const char *key, int64_t n)
{
	jw_key(w, key);
	if (n < 0)
		jw_null(w);
	else
		jw_int(w, n);
}

void show_agent(struct json_writer *w, int64_t ws, struct str agent, struct str name)
{
	char id[32];
	bool person = str_starts(agent, "usr_");

	if (!person) agent_id(ws, agent, id);
	jw_put_object(w, "agent");
	jw_put_str(w, "id", person ? agent : str_of(id));
	jw_put_str(w, "name", name.len ? name : agent);
	jw_object_end(w);
}

void show_who(struct json_writer *w, const char *kind, const struct principal *p)
{
	jw_object(w);
	jw_put_text(w, "kind", kind);
	show_text(w, "user", p ? p->user : STR_NONE);
	show_text(w, "name", p ? p->name : STR_NONE);
	show_text(w, "via", p ? p->via : STR_NONE);
	jw_object_end(w);
}

void answered_by_write(struct buf *out, const char *kind, const struct principal *p)
{
	struct json_writer w = { .out = out };

	show_who(&w, kind, p);
}
