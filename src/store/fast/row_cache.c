/* row_cache.c - the rows that the only writer wrote last, and when they are forgotten. */
#include "store/fast/row_cache.h"

#include "base/mem.h"
#include "store/rows_inner.h"

/* One row; its record lies behind it, then its texts. */
struct row_cache_row {
	_Alignas(16) struct row_cache_row *older;
	struct row_cache_row *newer;
	const struct record *record;
	struct str name;
	size_t size; /* of all of it */
};

static void *row_cache_record(const struct row_cache_row *row)
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

/* Copies the texts of the record to `at`, and points the record at them. */
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

static void unlink_row(struct row_cache *recent, struct row_cache_row *row)
{
	*(row->older ? &row->older->newer : &recent->oldest) = row->newer;
	*(row->newer ? &row->newer->older : &recent->newest) = row->older;
}

static void forget(struct row_cache *recent, struct row_cache_row *row)
{
	table_remove(&recent->named, row->name);
	unlink_row(recent, row);
	recent->bytes -= row->size;
	row->older = recent->gone;
	recent->gone = row;
}

static void forget_named(struct row_cache *recent, struct str name)
{
	struct row_cache_row *row = table_get(&recent->named, name);

	if (row) forget(recent, row);
}

static void keep(struct row_cache *recent, const struct row_copy *copy)
{
	const struct record *r = copy->record;
	size_t size =
		sizeof(struct row_cache_row) + r->size + texts_size(r, copy_record(copy));
	struct row_cache_row *row =
		size <= ROW_CACHE_BYTES / 16 ? mem_grow(NULL, size) : NULL;

	if (!row) return;
	*row = (struct row_cache_row){
		.record = r, .size = size, .older = recent->newest
	};
	memcpy(row_cache_record(row), copy_record(copy), r->size);
	texts_move(r, row_cache_record(row), (char *)row_cache_record(row) + r->size);
	row->name = *text_of(&r->columns[r->name], row_cache_record(row));
	if (!table_put(&recent->named, row->name, row)) {
		mem_free(row);
		return;
	}
	*(row->older ? &row->older->newer : &recent->oldest) = row;
	recent->newest = row;
	recent->bytes += size;
	while (recent->bytes > ROW_CACHE_BYTES)
		forget(recent, recent->oldest);
}

/* Is another job likely to want it? Not a session that was made for one ask. */
static bool is_worth_it(enum record_id id, const void *record)
{
	const struct session *s = record;

	if (id == RECORD_ASKS) return ((const struct ask *)record)->status == ASK_PENDING;
	if (id == RECORD_RUNS) return ((const struct run *)record)->status == RUN_RUNNING;
	return !session_ended(s) && !(s->for_ask && s->settled);
}

static void keep_all(struct row_cache *recent, const struct rows *rows, enum record_id id)
{
	for (const struct row_copy *copy = rows->of[id].first; copy; copy = copy->next) {
		const void *record = copy_record(copy);

		if (recent->vain >= ROW_CACHE_VAIN && !recent->oldest) return;
		if (copy->undone || !copy_changed(copy)) continue;
		if (copy->stored_version)
			forget_named(
				recent, record_name(copy->record, record, rows->arena));
		if (recent->vain >= ROW_CACHE_VAIN || !is_worth_it(id, record)) continue;
		keep(recent, copy);
		recent->vain++;
	}
}

void row_cache_begin(struct row_cache *recent)
{
	while (recent->gone) {
		struct row_cache_row *row = recent->gone;

		recent->gone = row->older;
		mem_free(row);
	}
}

const void *row_cache_find(struct row_cache *recent, enum record_id id, struct str name)
{
	const struct row_cache_row *row = table_get(&recent->named, name);

	if (!row || row->record != &records[id]) return NULL;
	recent->vain =
		recent->vain > ROW_CACHE_FOUND ? recent->vain - ROW_CACHE_FOUND : 0;
	return row_cache_record(row);
}

void row_cache_keep(struct row_cache *recent, const struct rows *rows)
{
	if (rows->sessions_deleted) {
		row_cache_clear(recent);
		return;
	}
	if (++recent->batches % ROW_CACHE_AGAIN == 0 && recent->vain >= ROW_CACHE_VAIN)
		recent->vain -= 2;
	keep_all(recent, rows, RECORD_ASKS);
	keep_all(recent, rows, RECORD_SESSIONS);
	keep_all(recent, rows, RECORD_RUNS);
}

void row_cache_clear(struct row_cache *recent)
{
	while (recent->oldest)
		forget(recent, recent->oldest);
}

void row_cache_done(struct row_cache *recent)
{
	row_cache_clear(recent);
	row_cache_begin(recent);
	table_done(&recent->named);
}
