/* contact_rows.c - contacts as rows of a batch, and the events about them. */
#include "desk/notify/notify_ask.h"

#include "base/keep.h"

enum err contact_fetch(struct rows *rows, int64_t ws, struct str id,
	const struct contact **out, struct fault *why)
{
	*out = NULL;
	return rows_get(rows, RECORD_CONTACTS, KEY(ws, id), out, why);
}

void contact_event(struct rows *rows, const struct contact *c, const char *type)
{
	struct buf b = { .max = 1024 };
	struct json_writer w = { .out = &b };
	char digest[SHORT_DIGEST_SIZE];

	contact_digest(c, digest);
	jw_object(&w);
	jw_put_str(&w, "contact", c->id);
	jw_put_text(&w, "user", c->user.len ? arena_copy(rows->arena, c->user) : NULL);
	jw_put_text(&w, "team", c->team.len ? arena_copy(rows->arena, c->team) : NULL);
	jw_put_text(&w, "channel", delivery_kind_name(c->channel));
	jw_put_text(&w, "record", digest);
	jw_object_end(&w);
	rows_event_of(rows, c->ws, type, buf_keep_done(&b, rows->arena));
}
