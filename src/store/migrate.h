/* migrate.h - the schema, as ordered steps that bring any older store up to date.
 * Prefix: schema_. */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include "store/db.h"

int64_t schema_newest(void); /* the version this program writes */
/* Brings the store up inside a transaction each. ERR_CONFLICT, with a clear line, when
 * the store is newer than this program. */
enum err schema_migrate(struct db *, struct fault *why);
/* No further than this version: for tests of older stores. */
enum err schema_migrate_to(struct db *, int64_t newest, struct fault *why);
/* Of SQL_SCHEMA_VERSION: ERR_UNAVAILABLE, and that line, when another node has brought the store
 * to a version that this program does not know yet. */
row_fn schema_row;
enum err schema_version(struct db *, int64_t *out, struct fault *why); /* 0: empty */

/* A step's own: numbers and words for the notes that are there. */
enum err migrate_notes(struct db *, struct fault *why);

#endif
