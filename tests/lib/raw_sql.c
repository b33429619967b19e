/* raw_sql.c - SQLite and PostgreSQL, read by their own libraries. */
#include "raw_sql.h"

#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 80 };

struct raw_sql {
	sqlite3 *sqlite; /* or */
	PGconn *postgres;
};

static struct raw_sql *open_as(const char *url, int flags)
{
	static const char file[] = "sqlite:";
	struct raw_sql *r = calloc(1, sizeof *r);
	bool ok = r != NULL;

	if (ok && strncmp(url, file, sizeof file - 1) == 0) {
		ok = sqlite3_open_v2(url + sizeof file - 1, &r->sqlite, flags, NULL) ==
		     SQLITE_OK;
	} else if (ok) {
		r->postgres = PQconnectdb(url);
		ok = PQstatus(r->postgres) == CONNECTION_OK;
	}
	if (ok) return r;
	raw_close(r);
	return NULL;
}

struct raw_sql *raw_open(const char *url)
{
	return open_as(url, SQLITE_OPEN_READONLY);
}

void raw_close(struct raw_sql *r)
{
	if (!r) return;
	sqlite3_close(r->sqlite);
	PQfinish(r->postgres);
	free(r);
}

static int64_t sqlite_each(sqlite3 *db, const char *sql, raw_row_fn *fn, void *ctx)
{
	const char *texts[COLUMNS_MAX];
	sqlite3_stmt *stmt;
	int64_t rows = 0;
	int step, columns;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK) return -1;
	columns = sqlite3_column_count(stmt);
	while ((step = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int i = 0; i < columns && i < COLUMNS_MAX; i++) {
			texts[i] = (const char *)sqlite3_column_text(stmt, i);
			if (!texts[i]) texts[i] = "";
		}
		fn(ctx, columns, texts);
		rows++;
	}
	sqlite3_finalize(stmt);
	return step == SQLITE_DONE ? rows : -1;
}

static int64_t postgres_each(PGconn *db, const char *sql, raw_row_fn *fn, void *ctx)
{
	PGresult *result = PQexec(db, sql);
	int64_t rows = -1;
	const char *texts[COLUMNS_MAX];
	int columns = PQnfields(result);

	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		for (rows = 0; rows < PQntuples(result); rows++) {
			for (int i = 0; i < columns && i < COLUMNS_MAX; i++)
				texts[i] = PQgetvalue(result, (int)rows, i);
			fn(ctx, columns, texts);
		}
	if (PQresultStatus(result) == PGRES_COMMAND_OK) rows = 0;
	PQclear(result);
	return rows;
}

int64_t raw_each(struct raw_sql *r, const char *sql, raw_row_fn *fn, void *ctx)
{
	return r->sqlite ? sqlite_each(r->sqlite, sql, fn, ctx)
			 : postgres_each(r->postgres, sql, fn, ctx);
}

static void row_ignore(void *ctx, int columns, const char *const *texts)
{
	(void)ctx, (void)columns, (void)texts;
}

bool raw_write(const char *url, const char *sql)
{
	struct raw_sql *r = open_as(url, SQLITE_OPEN_READWRITE);
	bool ok = r && raw_each(r, sql, row_ignore, NULL) >= 0;

	raw_close(r);
	return ok;
}
