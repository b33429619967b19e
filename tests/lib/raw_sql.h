/* raw_sql.h - reads a store past the program, by its URL: what the tables really hold; and writes
 * to it, as somebody may who does not know better. */
#ifndef TESTS_LIB_RAW_SQL_H
#define TESTS_LIB_RAW_SQL_H

#include <stdbool.h>
#include <stdint.h>

struct raw_sql;

typedef void raw_row_fn(void *ctx, int columns, const char *const *texts);

struct raw_sql *raw_open(const char *url); /* NULL: cannot be opened */
void raw_close(struct raw_sql *);	   /* NULL is fine */
/* Calls fn for each row, every column as text, NULL as "". -1: the query was refused. */
int64_t raw_each(struct raw_sql *, const char *sql, raw_row_fn *, void *ctx);
/* One statement; false: it was refused. */
bool raw_write(const char *url, const char *sql);

#endif
