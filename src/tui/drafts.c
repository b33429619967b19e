/* drafts.c - answers not sent yet, kept in a file. */
#include "tui/drafts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "client/locate.h"

enum { FILE_MAX = 1 << 20, DRAFTS_MAX = 200 };

struct draft_kept {
	struct buf id, json;
};

static struct draft_kept *draft_free(struct draft_kept *k)
{
	if (!k) return NULL;
	buf_done(&k->id);
	buf_done(&k->json);
	mem_free(k);
	return NULL;
}

static void draft_put(struct drafts *d, struct str ask, struct str json)
{
	struct draft_kept *k = mem_alloc(sizeof *k);

	if (!k) return;
	buf_add(&k->id, ask);
	buf_add(&k->json, json);
	if (k->id.failed || k->json.failed || d->by_ask.len >= DRAFTS_MAX ||
		!table_put(&d->by_ask, buf_str(&k->id), k))
		draft_free(k);
}

void drafts_open(struct drafts *d, struct str path)
{
	struct arena arena = { 0 };
	const struct json *all = NULL;
	struct str text;

	*d = (struct drafts){ .path = path };
	if (path.len == 0 ||
		file_read(path.at, FILE_MAX, true, &arena, &text, NULL) != OK ||
		json_read(text, NULL, &arena, &all, NULL) != OK ||
		!json_is(all, JSON_OBJECT)) {
		arena_done(&arena);
		return;
	}
	for (uint32_t i = 0; i < all->count; i++) {
		struct buf json = { 0 };

		json_write(&json, &all->members[i].value);
		draft_put(d, all->members[i].name, buf_str(&json));
		buf_done(&json);
	}
	arena_done(&arena);
}

void drafts_drop(struct drafts *d, struct str ask)
{
	struct draft_kept *k = table_remove(&d->by_ask, ask);

	d->changed |= k != NULL;
	draft_free(k);
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
	bool there = k && json_read(buf_str(&k->json), NULL, &arena, &json, NULL) == OK;

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
	struct str id;
	void *value;

	buf_add_char(&out, '{');
	for (size_t at = 0; table_next(&d->by_ask, &at, &id, &value);) {
		struct draft_kept *k = value;

		if (out.len > 1) buf_add_char(&out, ',');
		json_write_str(&out, id);
		buf_add_char(&out, ':');
		buf_add(&out, buf_str(&k->json));
		table_remove(&d->by_ask, id);
		draft_free(k);
	}
	buf_add_char(&out, '}');
	if (d->changed && d->path.len > 0 && !out.failed)
		file_write(d->path.at, buf_str(&out));
	buf_done(&out);
	table_done(&d->by_ask);
	*d = (struct drafts){ 0 };
}
