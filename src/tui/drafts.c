/* drafts.c - answers not sent yet, kept in a file. */
#include "tui/drafts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "client/locate.h"
#include "tui/listing.h"

enum { FILE_MAX = 1 << 20, DRAFTS_MAX = 200 };

/* What was filled in for one ask, as JSON: a row as in a listing. */
struct draft_kept {
	struct str ask, json;
};

static void draft_put(struct drafts *d, struct str ask, struct str json)
{
	const struct str texts[] = { ask, json };
	struct draft_kept *k = listing_row(sizeof *k, texts, 2);

	if (k && (d->by_ask.len >= DRAFTS_MAX || !table_put(&d->by_ask, k->ask, k)))
		mem_free(k);
}

void drafts_open(struct drafts *d, struct str path)
{
	struct arena arena = { 0 };
	const struct json *all = NULL;
	struct str text;

	*d = (struct drafts){ .path = path };
	if (path.len && file_read(path.at, FILE_MAX, true, &arena, &text, NULL) == OK &&
		json_read(text, NULL, &arena, &all, NULL) == OK)
		for (uint32_t i = 0; json_is(all, JSON_OBJECT) && i < all->count; i++)
			draft_put(d, all->members[i].name,
				json_keep(&all->members[i].value, &arena));
	arena_done(&arena);
}

void drafts_drop(struct drafts *d, struct str ask)
{
	struct draft_kept *k = table_remove(&d->by_ask, ask);

	d->changed |= k != NULL;
	mem_free(k);
}

void drafts_keep(struct drafts *d, struct str ask, const struct form *form)
{
	struct buf json = { 0 };
	struct json_writer w = { .out = &json };

	drafts_drop(d, ask);
	if (!form_touched(form)) return;
	form_draft(form, &w);
	if (!json.failed) draft_put(d, ask, buf_str(&json));
	d->changed = true;
	buf_done(&json);
}

bool drafts_fill(const struct drafts *d, struct str ask, struct form *form)
{
	const struct draft_kept *k = table_get(&d->by_ask, ask);
	struct arena arena = { 0 };
	const struct json *json = NULL;
	bool there = k && json_read(k->json, NULL, &arena, &json, NULL) == OK;

	if (there) form_fill(form, json);
	arena_done(&arena);
	return there;
}

/* Beside the old one, then in its place: never half a file. */
static void file_write(const char *path, struct str text)
{
	struct buf beside = { .max = 4096 };

	buf_print(&beside, "%s.new", path);
	int fd = beside.failed ? -1
			       : open(buf_text(&beside),
					 O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool whole = fd >= 0 && write(fd, text.at, text.len) == (ssize_t)text.len;

	if (fd >= 0) close(fd);
	if (whole) rename(buf_text(&beside), path);
	buf_done(&beside);
}

void drafts_close(struct drafts *d)
{
	struct buf out = { .max = FILE_MAX };
	struct json_writer w = { .out = &out };
	struct str id;
	void *value;

	jw_object(&w);
	for (size_t at = 0; table_next(&d->by_ask, &at, &id, &value);) {
		struct draft_kept *k = value;

		jw_name(&w, id);
		jw_raw(&w, k->json);
		table_remove(&d->by_ask, id);
		mem_free(k);
	}
	jw_object_end(&w);
	if (d->changed && d->path.len > 0 && !out.failed)
		file_write(d->path.at, buf_str(&out));
	buf_done(&out);
	table_done(&d->by_ask);
	*d = (struct drafts){ 0 };
}
