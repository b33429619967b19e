/* db.c - finds the driver for a place, and the small conveniences over its run. */
#include "store/db.h"

static const struct db_driver *const drivers[] = { &sqlite_driver };

struct db *db_open(struct str place, enum db_mode mode, const struct db_options *options,
	struct fault *why)
{
	struct db_options o = options ? *options : (struct db_options){ 0 };

	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		size_t n = strlen(drivers[i]->scheme);

		if (!str_starts(place, drivers[i]->scheme) || place.len <= n ||
			place.at[n] != ':')
			continue;
		o.place = str_from(place, n + 1);
		return drivers[i]->open(&o, mode, why);
	}
	fail(why, ERR_INVALID, "store \"%.*s\": sqlite:PATH is accepted",
		STR_ARGS(place));
	return NULL;
}

struct db *db_close(struct db *db)
{
	if (db) db->driver->close(db);
	return NULL;
}

enum err db_run(struct db *db, struct call *calls, size_t len, struct fault *why)
{
	size_t failed;

	return db->driver->run(db, calls, len, &failed, why);
}

enum err db_one(struct db *db, enum sql sql, const struct val *args, int args_len,
	row_fn *row, void *ctx, struct fault *why)
{
	struct call call = { sql, args, args_len, row, ctx, 0 };

	return db_run(db, &call, 1, why);
}

enum err db_begin(struct db *db, struct fault *why)
{
	return db_one(db, SQL_BEGIN, NULL, 0, NULL, NULL, why);
}

enum err db_commit(struct db *db, struct fault *why)
{
	return db_one(db, SQL_COMMIT, NULL, 0, NULL, NULL, why);
}

enum err db_rollback(struct db *db)
{
	return db_one(db, SQL_ROLLBACK, NULL, 0, NULL, NULL, NULL);
}

int64_t row_int(const struct row *row, int column)
{
	return row->db->driver->row_int(row, column);
}

struct str row_text(const struct row *row, int column)
{
	return row->db->driver->row_text(row, column);
}
