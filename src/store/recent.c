/* recent.c - the rows that the only writer wrote last, and when they are forgotten. */
#include "store/recent.h"

#include "base/mem.h"
#include "store/rows_inner.h"

/* One row; its record lies behind it, then its texts. */
struct recent_row {
	_Alignas(16) struct recent_row *older;
	struct recent_row *newer;
	const struct record *record;
	struct str name;
	size_t size; /* of all of it */
};

static void *recent_record(const struct recent_row *row)
{
	return (void *)(uintptr_t)(row + 1);
}

/* The text of a column, in its record; NULL: it has none. */
static struct str *text_of(const struct column *c, void *record)
{
	struct str *text = (struct str *)(void *)((char *)record + c->offset);

	return (c->type == COLUMN_TEXT || c->type == COLUMN_BYTES) && text->len ? text
										: NULL;
}

static size_t texts_size(const struct record *r, void *record)
{
	const struct column *end = r->columns + r->columns_len;
	size_t size = 0;

	for (const struct column *c = r->columns; c < end; c++) {
		const struct str *text = text_of(c, record);

		if (text) size += text->len;
	}
	return size;
}

/* Those of the record are copied to `at`, and are from there from now on. */
static void texts_move(const struct record *r, void *record, char *at)
{
	const struct column *end = r->columns + r->columns_len;

	for (const struct column *c = r->columns; c < end; c++) {
		struct str *text = text_of(c, record);

		if (!text) continue;
		memcpy(at, text->at, text->len);
		text->at = at;
		at += text->len;
	}
}

static void unlink_row(struct recent_rows *recent, struct recent_row *row)
{
	*(row->older ? &row->older->newer : &recent->oldest) = row->newer;
	*(row->newer ? &row->newer->older : &recent->newest) = row->older;
}

static void forget(struct recent_rows *recent, struct recent_row *row)
{
	table_remove(&recent->named, row->name);
	unlink_row(recent, row);
	recent->bytes -= row->size;
	row->older = recent->gone;
	recent->gone = row;
}

static void forget_named(struct recent_rows *recent, struct str name)
{
	struct recent_row *row = table_get(&recent->named, name);

	if (row) forget(recent, row);
}

static void keep(struct recent_rows *recent, const struct row_copy *copy)
{
	const struct record *r = copy->record;
	size_t size =
		sizeof(struct recent_row) + r->size + texts_size(r, copy_record(copy));
	struct recent_row *row = size <= RECENT_BYTES / 16 ? mem_grow(NULL, size) : NULL;

	if (!row) return;
	*row = (struct recent_row){ .record = r, .size = size, .older = recent->newest };
	memcpy(recent_record(row), copy_record(copy), r->size);
	texts_move(r, recent_record(row), (char *)recent_record(row) + r->size);
	row->name = *text_of(&r->columns[r->name], recent_record(row));
	if (!table_put(&recent->named, row->name, row)) {
		mem_free(row);
		return;
	}
	*(row->older ? &row->older->newer : &recent->oldest) = row;
	recent->newest = row;
	recent->bytes += size;
	while (recent->bytes > RECENT_BYTES)
		forget(recent, recent->oldest);
}

/* Is another job likely to want it? A session made for one ask is over with it. */
static bool is_worth_it(enum record_id id, const void *record)
{
	const struct session *s = record;

	if (id == RECORD_ASKS) return ((const struct ask *)record)->status == ASK_PENDING;
	if (id == RECORD_RUNS) return ((const struct run *)record)->status == RUN_RUNNING;
	return !session_ended(s) && !(s->for_ask && s->settled);
}

static void keep_all(
	struct recent_rows *recent, const struct rows *rows, enum record_id id)
{
	for (const struct row_copy *copy = rows->of[id].first; copy; copy = copy->next) {
		const void *record = copy_record(copy);

		if (recent->vain >= RECENT_VAIN && !recent->oldest) return;
		if (copy->undone || !copy_changed(copy)) continue;
		if (copy->stored_version)
			forget_named(
				recent, record_name(copy->record, record, rows->arena));
		if (recent->vain >= RECENT_VAIN || !is_worth_it(id, record)) continue;
		keep(recent, copy);
		recent->vain++;
	}
}

void recent_begin(struct recent_rows *recent)
{
	while (recent->gone) {
		struct recent_row *row = recent->gone;

		recent->gone = row->older;
		mem_free(row);
	}
}

const void *recent_find(struct recent_rows *recent, enum record_id id, struct str name)
{
	const struct recent_row *row = table_get(&recent->named, name);

	if (!row || row->record != &records[id]) return NULL;
	recent->vain = recent->vain > RECENT_FOUND ? recent->vain - RECENT_FOUND : 0;
	return recent_record(row);
}

void recent_keep(struct recent_rows *recent, const struct rows *rows)
{
	if (rows->sessions_deleted) {
		recent_clear(recent);
		return;
	}
	if (++recent->batches % RECENT_AGAIN == 0 && recent->vain >= RECENT_VAIN)
		recent->vain -= 2;
	keep_all(recent, rows, RECORD_ASKS);
	keep_all(recent, rows, RECORD_SESSIONS);
	keep_all(recent, rows, RECORD_RUNS);
}

void recent_clear(struct recent_rows *recent)
{
	while (recent->oldest)
		forget(recent, recent->oldest);
}

void recent_done(struct recent_rows *recent)
{
	recent_clear(recent);
	recent_begin(recent);
	table_done(&recent->named);
}
