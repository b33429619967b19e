/* put.c - writes objects from the list of their members. */
#include "core/shared/put.h"

#include "base/keep.h"
#include "core/shared/show.h"

void put_members(struct json_writer *w, const struct put *members, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const struct put *p = &members[i];

		if (p->spare && !p->text.len) continue;
		switch (p->type) {
		case PUT_TEXT: show_text(w, p->key, p->text); break;
		case PUT_STR: jw_put_str(w, p->key, p->text); break;
		case PUT_INT: jw_put_int(w, p->key, p->number); break;
		case PUT_BOOL: jw_put_bool(w, p->key, p->number != 0); break;
		case PUT_TIME: show_time(w, p->key, p->number); break;
		case PUT_JSON: show_json(w, p->key, p->text); break;
		}
	}
}

void put_object(struct json_writer *w, const struct put *members, size_t len)
{
	jw_object(w);
	put_members(w, members, len);
	jw_object_end(w);
}

struct str put_object_text(struct arena *arena, const struct put *members, size_t len)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	put_object(&w, members, len);
	return buf_keep_done(&b, arena);
}
