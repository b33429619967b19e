/* contact_rows.c - contacts as rows of a batch, and the events about them. */
#include "desk/notify/notify_ask.h"

#include "desk/people/people_log.h"

enum err contact_fetch(struct rows *rows, int64_t ws, struct str id,
	const struct contact **out, struct fault *why)
{
	*out = NULL;
	return rows_get(rows, RECORD_CONTACTS, KEY(ws, id), out, why);
}

void contact_event(struct rows *rows, const struct contact *c, const char *type)
{
	char digest[SHORT_DIGEST_SIZE];

	contact_digest(c, digest);
	log_event(rows, NULL, c->ws, type, digest,
		FIELDS(field_str("contact", c->id), field_text("user", c->user),
			field_text("team", c->team),
			field_word("channel", delivery_kind_name(c->channel))));
}
