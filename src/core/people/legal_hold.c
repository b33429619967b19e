/* legal_hold.c - a hold as it is shown, and what its events tell of it. */
#include "core/people/legal_hold.h"

#include "core/shared/show.h"

void legal_hold_show(struct json_writer *w, const struct legal_hold *h)
{
	jw_object(w);
	jw_put_str(w, "id", h->id);
	show_text(w, "project", h->project);
	show_text(w, "session", h->session);
	show_text(w, "agent", h->agent);
	show_text(w, "user", h->user);
	jw_put_str(w, "reason", h->reason);
	show_json(w, "made_by", h->made_by);
	show_time(w, "created_at", h->created_ms);
	show_json(w, "lifted", h->lifted);
	jw_object_end(w);
}

void legal_hold_digest(const struct legal_hold *h, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE];
	const struct str fields[] = { h->id, h->project, h->session, h->agent, h->user,
		h->reason, h->made_by, digest_number(h->created_ms, created), h->lifted };

	digest_fields(fields, sizeof fields / sizeof *fields, out);
}
