/* copy.c - goes through the table of every record in the order of its key, in pages. The
 * source is read in one snapshot, the target written in one transaction; before it is
 * committed it is read back, and the digest over its rows must be the source's. */
#include "admin/copy.h"

#include "base/hash.h"
#include "store/lock.h"
#include "store/migrate.h"
#include "store/record.h"

#include <unistd.h>

enum { PAGE = 500 };

struct copy {
	struct db *from, *to;
	int from_lock, to_lock;
	progress_fn *progress;
	void *ctx;
	int64_t done, all;
};

/* What a table holds: how much, and a digest over all of it. */
struct copy_sum {
	int64_t rows;
	uint8_t digest[SHA256_SIZE];
};

/* ---- one page of a table ---- */

struct copy_page {
	const struct record *table;
	struct arena arena;
	struct val *vals; /* PAGE rows of stored_len each */
	size_t len;
};

/* How a column's values travel. */
static enum val_type column_val(const struct column *c)
{
	switch (c->type) {
	case COLUMN_TEXT:
	case COLUMN_WORD:
	case COLUMN_EVENT_TYPE: return VAL_TEXT;
	case COLUMN_BYTES:
	case COLUMN_HASH: return VAL_BYTES;
	default: return VAL_INT;
	}
}

static enum err page_row(void *ctx, const struct row *row, struct fault *why)
{
	struct copy_page *p = ctx;
	struct val *to = p->vals + p->len++ * (size_t)p->table->stored_len;
	enum err e = OK;

	for (int i = 0; !e && i < p->table->stored_len; i++) {
		const struct column *c = &p->table->columns[i];

		to[i] = (struct val){ .type = column_val(c) };
		if (to[i].type == VAL_INT)
			to[i].integer = row_int(row, i);
		else
			e = column_text(c, row, i, &p->arena, &to[i].text, why);
	}
	if (e) return e;
	return p->arena.failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

/* As the target stores them. */
static void page_pack(struct copy_page *p, struct db *db)
{
	const struct record *t = p->table;
	size_t len = p->len * (size_t)t->stored_len;

	for (size_t i = 0; i < len; i++)
		p->vals[i] = column_pack(&t->columns[i % (size_t)t->stored_len],
			p->vals[i], db->packer, &p->arena);
}

static void names_write(struct buf *b, const struct record *t, int n)
{
	for (int i = 0; i < n; i++)
		buf_print(b, i ? ", %s" : "%s", t->columns[i].name);
}

static void params_write(struct buf *b, int n)
{
	for (int i = 1; i <= n; i++)
		buf_print(b, i > 1 ? ", $%d" : "$%d", i);
}

static void select_write(struct buf *b, const struct record *t, bool first)
{
	buf_add_text(b, "SELECT ");
	names_write(b, t, t->stored_len);
	buf_print(b, " FROM %s", t->table);
	if (!first) {
		buf_add_text(b, " WHERE (");
		names_write(b, t, t->keys_len);
		buf_add_text(b, ") > (");
		params_write(b, t->keys_len);
		buf_add_char(b, ')');
	}
	buf_add_text(b, " ORDER BY ");
	names_write(b, t, t->keys_len);
	buf_print(b, " LIMIT %d", PAGE);
	buf_add_char(b, '\0');
}

/* The rows behind `last`, the last one of the page before; NULL: from the start. */
static enum err page_read(
	struct copy_page *p, struct db *db, const struct val *last, struct fault *why)
{
	const struct record *t = p->table;
	struct buf text = { .max = 16384 };
	struct val key[RECORD_KEYS_MAX];
	struct call call = { .sql = SQL_GIVEN, .row = page_row, .ctx = p };
	enum err e;

	for (int i = 0; last && i < t->keys_len; i++)
		key[i] = last[i];
	call.args = key;
	call.args_len = last ? t->keys_len : 0;
	select_write(&text, t, !last);
	call.text = text.at;
	p->vals = ARENA_ARRAY(&p->arena, struct val, PAGE * (size_t)t->stored_len);
	e = p->vals && !text.failed ? db_run(db, &call, 1, why)
				    : fail(why, ERR_MEMORY, "out of memory");
	buf_done(&text);
	return e;
}

static enum err page_write(struct copy_page *p, struct db *db, struct fault *why)
{
	const struct record *t = p->table;
	struct call *calls = ARENA_ARRAY(&p->arena, struct call, p->len);
	struct buf text = { .max = 16384 };
	enum err e;

	buf_print(&text, "INSERT INTO %s (", t->table);
	names_write(&text, t, t->stored_len);
	buf_add_text(&text, ") VALUES (");
	params_write(&text, t->stored_len);
	buf_add_text(&text, ")");
	buf_add_char(&text, '\0');
	page_pack(p, db);
	for (size_t i = 0; calls && i < p->len; i++)
		calls[i] = (struct call){ .sql = SQL_GIVEN,
			.text = text.at,
			.args = p->vals + i * (size_t)t->stored_len,
			.args_len = t->stored_len };
	e = calls && !text.failed && !p->arena.failed
		    ? db_run(db, calls, p->len, why)
		    : fail(why, ERR_MEMORY, "out of memory");
	buf_done(&text);
	return e;
}

/* Each row's digest is over the one before and its values, with their lengths. */
static void sum_add(struct copy_sum *sum, const struct val *vals, int len, struct buf *b)
{
	sum->rows++;
	buf_set(b, str_make((const char *)sum->digest, SHA256_SIZE));
	for (int i = 0; i < len; i++) {
		buf_print(b, "%d %lld %zu ", (int)vals[i].type,
			(long long)vals[i].integer, vals[i].text.len);
		buf_add(b, vals[i].text);
	}
	sha256(buf_str(b), sum->digest);
}

/* ---- tables ---- */

/* Reads a table of `from` through; each page goes to `to`, unless that is NULL. */
static enum err table_pass(struct copy *c, const struct record *t, struct db *from,
	struct db *to, struct copy_sum *sum, struct fault *why)
{
	struct copy_page pages[2] = { { .table = t }, { .table = t } };
	struct buf bytes = { 0 };
	const struct val *last = NULL;
	size_t width = (size_t)t->stored_len;
	bool more = true;
	enum err e = OK;

	for (int n = 0; more && !e; n ^= 1) {
		struct copy_page *p = &pages[n];

		p->len = 0;
		e = page_read(p, from, last, why);
		for (size_t i = 0; !e && i < p->len; i++)
			sum_add(sum, p->vals + i * width, t->stored_len, &bytes);
		if (!e && bytes.failed) e = fail(why, ERR_MEMORY, "out of memory");
		if (!e && to && p->len) e = page_write(p, to, why);
		more = p->len == PAGE;
		if (p->len) last = p->vals + (p->len - 1) * width;
		arena_done(&pages[n ^ 1].arena); /* its key has been used */
		c->done += (int64_t)p->len;
		if (c->progress && !e) c->progress(c->ctx, c->done, c->all);
	}
	arena_done(&pages[0].arena);
	arena_done(&pages[1].arena);
	buf_done(&bytes);
	return e;
}

static enum err count_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	*(int64_t *)ctx += row_int(row, 0);
	return OK;
}

static enum err rows_count(struct db *db, int64_t *out, struct fault *why)
{
	enum err e = OK;

	*out = 0;
	for (const struct record *t = records; !e && t < records + RECORD_COUNT; t++) {
		struct buf text = { .max = 256 };
		struct call call = { .sql = SQL_GIVEN, .row = count_row, .ctx = out };

		buf_print(&text, "SELECT COUNT(*) FROM %s", t->table);
		buf_add_char(&text, '\0');
		call.text = text.at;
		e = text.failed ? fail(why, ERR_MEMORY, "out of memory")
				: db_run(db, &call, 1, why);
		buf_done(&text);
	}
	return e;
}

static bool sum_same(const struct copy_sum *a, const struct copy_sum *b)
{
	return a->rows == b->rows && memcmp(a->digest, b->digest, SHA256_SIZE) == 0;
}

/* Every table written, unless it is there already, then read back and compared. */
static enum err tables_copy(
	struct copy *c, bool there, struct copy_report *report, struct fault *why)
{
	enum err e = OK;

	c->all *= 2; /* each row is read twice */
	for (const struct record *t = records; !e && t < records + RECORD_COUNT; t++) {
		struct copy_sum source = { 0 }, target = { 0 };

		e = table_pass(c, t, c->from, there ? NULL : c->to, &source, why);
		if (!e) e = table_pass(c, t, c->to, NULL, &target, why);
		if (!e && !sum_same(&source, &target))
			e = there ? fail(why, ERR_CONFLICT,
					    "the target is not empty, and no copy of "
					    "the source (%s differ)",
					    t->table)
				  : fail(why, ERR_INTERNAL, "the copy of %s differs",
					    t->table);
		report->tables++;
		report->rows += source.rows;
	}
	return e;
}

/* ---- the whole ---- */

static enum err source_open(struct copy *c, struct str url, struct fault *why)
{
	const struct db_options options = { .patient = true };
	int64_t version = 0;
	enum err e = store_lock(url, &c->from_lock, why);

	if (e) return e;
	c->from = db_open(url, DB_READ, &options, why);
	if (!c->from) return why->err;
	e = db_begin(c->from, why);
	if (!e)
		e = db_one(c->from, SQL_SCHEMA_VERSION, NULL, 0, row_take_int, &version,
			why);
	if (!e && version != schema_newest())
		e = fail(why, ERR_CONFLICT,
			"the source has schema %lld, this parley %lld: "
			"start a server of this version on it once",
			(long long)version, (long long)schema_newest());
	return e ? e : rows_count(c->from, &c->all, why);
}

static enum err target_open(struct copy *c, struct str url, struct fault *why)
{
	const struct db_options options = { .patient = true };
	enum err e = store_lock(url, &c->to_lock, why);

	if (e) return e;
	c->to = db_open(url, DB_WRITE, &options, why);
	if (!c->to) return why->err;
	e = schema_migrate(c->to, why);
	return e ? e : db_begin(c->to, why);
}

enum err copy_store(struct str from, struct str to, progress_fn *progress, void *ctx,
	struct copy_report *report, struct fault *why)
{
	struct copy c = {
		.from_lock = -1, .to_lock = -1, .progress = progress, .ctx = ctx
	};
	int64_t there = 0;
	enum err e;

	*report = (struct copy_report){ 0 };
	e = source_open(&c, from, why);
	if (!e) e = target_open(&c, to, why);
	if (!e) e = rows_count(c.to, &there, why);
	report->there = there > 0;
	if (!e) e = tables_copy(&c, report->there, report, why);
	if (!e && !report->there) e = db_commit(c.to, why);
	db_close(c.from);
	db_close(c.to);
	store_unlock(c.from_lock);
	store_unlock(c.to_lock);
	return e;
}
