/* tables.h - the tables of the schema, as its steps make them: for whoever must go
 * through all there is, and forget none. */
#ifndef STORE_TABLES_H
#define STORE_TABLES_H

#include "base/arena.h"
#include "store/db.h"

enum { COLUMNS_MAX = 48, KEYS_MAX = 4 };

struct table_column {
	struct str name;
	enum val_type type;
};

struct schema_table {
	struct schema_table *next; /* in the order they were made */
	struct str name;
	struct table_column columns[COLUMNS_MAX];
	int columns_len;
	int keys[KEYS_MAX]; /* the primary key, as places in `columns` */
	int keys_len;
};

/* The newest schema's, without the one that holds its version. NULL: out of memory. */
struct schema_table *schema_tables(struct arena *);

#endif
