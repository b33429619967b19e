/* field.c - writes objects from the list of their members. */
#include "core/shared/field.h"

#include "base/keep.h"
#include "core/shared/show.h"

void fields_write(struct json_writer *w, const struct field *members, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const struct field *p = &members[i];

		if (p->spare && !p->text.len && !p->number) continue;
		switch (p->type) {
		case FIELD_TEXT: show_text(w, p->key, p->text); break;
		case FIELD_STR: jw_put_str(w, p->key, p->text); break;
		case FIELD_INT: jw_put_int(w, p->key, p->number); break;
		case FIELD_BOOL: jw_put_bool(w, p->key, p->number != 0); break;
		case FIELD_TIME: show_time(w, p->key, p->number); break;
		case FIELD_JSON: show_json(w, p->key, p->text); break;
		case FIELD_MEMBERS: jw_members(w, p->text); break;
		}
	}
}

void fields_object(struct json_writer *w, const struct field *members, size_t len)
{
	jw_object(w);
	fields_write(w, members, len);
	jw_object_end(w);
}

struct str fields_text(struct arena *arena, const struct field *members, size_t len)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	fields_object(&w, members, len);
	return buf_keep_done(&b, arena);
}
