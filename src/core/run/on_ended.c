/* on_ended.c - {"webhook": url}, read. */
#include "core/run/on_ended.h"

#include "core/shared/address.h"
#include "core/shared/shape.h"

enum { URL_MOST = 2000 };

static void url_check(const struct shape_reading *r)
{
	const struct on_ended *o = r->out;
	struct url url;

	if (o->webhook.len && !url_split(o->webhook, &url))
		wrong_member(
			r->check, r->at, STR("webhook"), "must be an http or https URL");
}

static const struct shape_member members[] = {
	{ STR("webhook"), OF_TEXT, AT(on_ended, webhook), 1, URL_MOST,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED },
};
const struct shape on_ended_shape = { SHAPE(members, on_ended), .together = url_check };
