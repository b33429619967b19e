/* sql.h - every statement, by name. The text is portable: one for all engines.
 *
 * Those that are written out are rows of statements.h. Getting, listing, adding, changing and deleting
 * records is SQL_OF(record, op), made from the record's table of columns. A change carries the version
 * it was decided on: when another writer was first, no row changes and the batch is decided anew. */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include "store/records.h"

#include <stdbool.h>

#define RECORD_NAME(name, ...) RECORD_##name,

enum record_id { RECORDS(RECORD_NAME) RESOURCES(RECORD_NAME) RECORD_COUNT };

#undef RECORD_NAME

enum record_sql {
	RECORD_GET,	/* $1 …: the key */
	RECORD_PAGE,	/* $1 workspace: after the id $2, $3 of them */
	RECORD_LOST,	/* how many are of a workspace that does not exist */
	RECORD_ADD,	/* all columns */
	RECORD_ADD_NEW, /* all but those that come later */
	RECORD_UPDATE, /* the key, the version it was decided on, all columns that change */
	RECORD_UPDATE_USUAL,	  /* the same without those that seldom do */
	RECORD_DELETE,		  /* the key and, where there is one, the version */
	RECORD_DELETE_OF_SESSION, /* $1 workspace, $2 session: all that go with it */
	RECORD_SQLS
};

#define STATEMENT(name, text) name,

enum sql {
#include "store/statements.h"
#include "store/statements_notes.h"
	SQL_RECORDS, /* from here on: those of records */
	SQL_COUNT = SQL_RECORDS + (int)RECORD_COUNT * (int)RECORD_SQLS,
	SQL_GIVEN = SQL_COUNT /* none of these: the call brings its text along */
};

#undef STATEMENT

#define SQL_OF(record, op)                                                               \
	((enum sql)(SQL_RECORDS + (int)(record)*RECORD_SQLS + (int)(op)))

extern const char *const sql_written[SQL_RECORDS]; /* with marks */
const char *sql_text(enum sql);			   /* NULL: a record without that */
bool sql_reads(enum sql);			   /* changes nothing */

#endif
