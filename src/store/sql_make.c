/* sql_make.c - statements made from the tables of columns, and the marks in the others
 * replaced. */
#include "base/buf.h"
#include "store/record.h"
#include "store/sql.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- made from the tables of columns ---- */

/* An expression with the table's name, or its prefix, put in. */
static void found_write(
	struct buf *b, const struct record *r, const char *expression, struct str prefix)
{
	struct str name =
		prefix.len ? str_first(prefix, prefix.len - 1) : str_of(r->table);
	struct str rest = str_of(expression), before;

	while (str_find(rest, STR("@")) >= 0) {
		str_cut(&rest, '@', &before);
		buf_add(b, before);
		buf_add(b, name);
	}
	buf_add(b, rest);
}

static void names_write(struct buf *b, const struct record *r, struct str prefix)
{
	for (int i = 0; i < r->columns_len; i++) {
		buf_add_text(b, i ? ", " : "");
		if (r->columns[i].found_by)
			found_write(b, r, r->columns[i].found_by, prefix);
		else
			buf_print(b, "%.*s%s", STR_ARGS(prefix), r->columns[i].name);
	}
}

static void stored_names_write(struct buf *b, const struct record *r)
{
	for (int i = 0; i < r->stored_len; i++)
		buf_print(b, i ? ", %s" : "%s", r->columns[i].name);
}

static void key_write(struct buf *b, const struct record *r)
{
	for (int i = 0; i < r->keys_len; i++)
		buf_print(b, "%s%s = $%d", i ? " AND " : " WHERE ", r->columns[i].name,
			i + 1);
}

static void get_write(struct buf *b, const struct record *r)
{
	buf_add_text(b, "SELECT ");
	names_write(b, r, STR_NONE);
	buf_print(b, " FROM %s", r->table);
	key_write(b, r);
}

static void page_write(struct buf *b, const struct record *r)
{
	const char *ws = r->columns[0].name, *id = r->columns[1].name;

	buf_add_text(b, "SELECT ");
	names_write(b, r, STR_NONE);
	buf_print(b, " FROM %s WHERE %s = $1 AND %s > $2 ORDER BY %s LIMIT $3", r->table,
		ws, id, id);
}

static void lost_write(struct buf *b, const struct record *r)
{
	buf_print(b,
		"SELECT COUNT(*) FROM %s WHERE ws NOT IN (SELECT id FROM workspaces)",
		r->table);
}

static void add_write(struct buf *b, const struct record *r)
{
	buf_print(b, "INSERT INTO %s (", r->table);
	stored_names_write(b, r);
	buf_add_text(b, ") VALUES (");
	for (int i = 1; i <= r->stored_len; i++)
		buf_print(b, i > 1 ? ", $%d" : "$%d", i);
	buf_add_char(b, ')');
}

/* INSERT for a record whose `later` columns are empty: these are no parameters. */
static void add_new_write(struct buf *b, const struct record *r)
{
	int arg = 1;

	buf_print(b, "INSERT INTO %s (", r->table);
	stored_names_write(b, r);
	buf_add_text(b, ") VALUES (");
	for (int i = 0; i < r->stored_len; i++) {
		const struct column *c = &r->columns[i];

		buf_add_text(b, i ? ", " : "");
		if (!(c->flags & LATER))
			buf_print(b, "$%d", arg++);
		else
			buf_add_text(b, c->type == COLUMN_TEXT ? "''" : "0");
	}
	buf_add_char(b, ')');
}

/* The key, the version it was decided on, then what changes, in the order of the columns. */
static void changes_write(struct buf *b, const struct record *r, bool seldom)
{
	int arg = r->keys_len + 2;

	buf_print(b, "UPDATE %s SET ", r->table);
	for (int i = 0; i < r->columns_len; i++)
		if ((r->columns[i].flags & CHANGES) &&
			(seldom || !(r->columns[i].flags & SELDOM))) {
			buf_print(b, "%s%s = $%d", arg > r->keys_len + 2 ? ", " : "",
				r->columns[i].name, arg);
			arg++;
		}
	key_write(b, r);
	buf_print(b, " AND version = $%d", r->keys_len + 1);
}

static void update_write(struct buf *b, const struct record *r)
{
	changes_write(b, r, true);
}

static void update_usual_write(struct buf *b, const struct record *r)
{
	changes_write(b, r, false);
}

static void delete_write(struct buf *b, const struct record *r)
{
	buf_print(b, "DELETE FROM %s", r->table);
	key_write(b, r);
	if (r->version_at) buf_print(b, " AND version = $%d", r->keys_len + 1);
}

static void delete_of_session_write(struct buf *b, const struct record *r)
{
	buf_print(b, "DELETE FROM %s WHERE ws = $1 AND ", r->table);
	buf_add_text(b, r->of_asks ? "ask <> '' AND ask IN (SELECT id FROM asks"
				     " WHERE ws = $1 AND session = $2)"
				   : "session = $2 AND session <> ''");
}

static void (*const writers[RECORD_SQLS])(struct buf *, const struct record *) = {
	[RECORD_GET] = get_write,
	[RECORD_PAGE] = page_write,
	[RECORD_LOST] = lost_write,
	[RECORD_ADD] = add_write,
	[RECORD_ADD_NEW] = add_new_write,
	[RECORD_UPDATE] = update_write,
	[RECORD_UPDATE_USUAL] = update_usual_write,
	[RECORD_DELETE] = delete_write,
	[RECORD_DELETE_OF_SESSION] = delete_of_session_write,
};

static bool of_workspace(const struct record *r)
{
	for (int i = 0; i < r->stored_len; i++)
		if (strcmp(r->columns[i].name, "ws") == 0) return true;
	return false;
}

/* No UPDATE for records without a version, no DELETE by session for those without one, and pages
 * of those whose key is a workspace and an id. */
static bool record_has(const struct record *r, int op)
{
	return ((op != RECORD_UPDATE && op != RECORD_UPDATE_USUAL) || r->version_at) &&
	       (op != RECORD_DELETE_OF_SESSION || r->session_at || r->of_asks) &&
	       (op != RECORD_PAGE || r->keys_len == 2) &&
	       (op != RECORD_LOST || of_workspace(r));
}

/* ---- all of them ---- */

static const char *texts[SQL_COUNT];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static const struct record *record_named(struct str table)
{
	for (int i = 0; i < RECORD_COUNT; i++)
		if (str_is(table, records[i].table)) return &records[i];
	abort(); /* a mark of our own that names no table */
}

/* The text with its marks replaced. */
static void marks_write(struct buf *b, struct str text)
{
	struct str before;

	while (str_find(text, STR("@")) >= 0) {
		size_t n = 0;
		struct str prefix = STR_NONE;
		const struct record *r;

		str_cut(&text, '@', &before);
		buf_add(b, before);
		while (n < text.len &&
			((text.at[n] >= 'a' && text.at[n] <= 'z') || text.at[n] == '_'))
			n++;
		r = record_named(str_first(text, n));
		text = str_from(text, n);
		if (str_starts(text, "(")) {
			text = str_from(text, 1);
			str_cut(&text, ')', &prefix);
		}
		names_write(b, r, prefix);
	}
	buf_add(b, text);
}

static const char *text_keep(struct buf *b)
{
	buf_add_char(b, '\0');
	if (b->failed) abort(); /* at the start, before anything was accepted */
	return b->at;
}

static void texts_make(void)
{
	for (int sql = 0; sql < SQL_RECORDS; sql++) {
		struct buf b = { .max = 65536 };

		marks_write(&b, str_of(sql_written[sql]));
		texts[sql] = text_keep(&b);
	}
	for (int i = 0; i < RECORD_COUNT * (int)RECORD_SQLS; i++) {
		const struct record *r = &records[i / RECORD_SQLS];
		struct buf b = { .max = 65536 };

		if (!record_has(r, i % RECORD_SQLS)) continue;
		writers[i % RECORD_SQLS](&b, r);
		texts[SQL_RECORDS + i] = text_keep(&b);
	}
}

const char *sql_text(enum sql sql)
{
	pthread_once(&made, texts_make);
	return texts[sql];
}

bool sql_reads(enum sql sql)
{
	const char *text = sql_text(sql);

	return strncmp(text, "SELECT", 6) == 0 || strncmp(text, "WITH", 4) == 0;
}
