/* table.h - lists as tables. On a terminal they have heads and fit its width; in a pipe every column
 * is as wide as its row says. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/cli.h"

struct table_column {
	const char *head;   /* a message; NULL ends a table */
	int width;	    /* in a pipe; of the last one: 0. Below 0: on the right */
	const char *member; /* what it shows: "agent/name" is a member of a member; or */
	struct str (*cell)(struct cli *, const struct json *);
	enum {
		CELL_TEXT,
		CELL_ID,    /* on a terminal as much of it as tells it from the others */
		CELL_TEXTS, /* of a list, blanks between */
		CELL_TIME,
		CELL_COUNT,
		CELL_COST,
	} kind; /* of the member */
	const char
		*words; /* the family of messages that say a text's word on a terminal */
	enum { COLUMN_ALWAYS, COLUMN_ON_TERMINAL, COLUMN_IN_PIPE } where;
};

struct str table_cell(struct cli *, const struct table_column *, const struct json *item);

/* `tabs`: in a pipe tabs stand between the cells. */
void table_print(
	struct cli *, const struct table_column *, const struct json *items, bool tabs);

#endif
