/* db.c - finds the driver for a url, and the small conveniences over its run. */
#include "store/db.h"

#include "store/pack.h"

static const struct {
	const char *scheme;
	const struct db_driver *driver;
} drivers[] = {
	{ "sqlite:", &sqlite_driver },
	{ "postgresql:", &postgres_driver },
	{ "postgres:", &postgres_driver },
};

/* NULL for a scheme nobody knows; *rest is what follows it. */
static const struct db_driver *driver_find(struct str url, struct str *rest)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		*rest = str_from(url, strlen(drivers[i].scheme));
		if (str_starts(url, drivers[i].scheme) && rest->len)
			return drivers[i].driver;
	}
	return NULL;
}

const struct db_driver *store_url_driver(struct str url)
{
	struct str rest;

	return driver_find(url, &rest);
}

bool store_url_is_shared(struct str url)
{
	const struct db_driver *driver = store_url_driver(url);

	return driver && driver->hint;
}

/* postgresql://a,b/name, postgresql:///name?host=a,b or host=a,b */
bool store_url_several(struct str url)
{
	int host = str_find(url, STR("host=")), slashes = str_find(url, STR("://"));
	struct str at = host >= 0      ? str_from(url, (size_t)host + 5)
			: slashes >= 0 ? str_from(url, (size_t)slashes + 3)
				       : STR_NONE;
	size_t n = 0;

	if (!store_url_is_shared(url)) return false;
	while (n < at.len && !strchr(host >= 0 ? "& " : "/?", at.at[n]))
		n++;
	return str_find(str_first(at, n), STR(",")) >= 0;
}

enum err db_synced(struct db *db, bool *out, struct fault *why)
{
	int64_t synced = 1;
	struct call call = { .sql = SQL_GIVEN,
		.row = row_take_int,
		.ctx = &synced,
		.text = "SELECT CASE WHEN current_setting('synchronous_standby_names')"
			" <> '' AND current_setting('synchronous_commit')"
			" NOT IN ('off', 'local') THEN 1 ELSE 0 END::bigint" };
	enum err e = db->driver->hint ? db_run(db, &call, 1, why) : OK;

	if (!e) *out = synced;
	return e;
}

enum err row_take_int(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	*(int64_t *)ctx = row_int(row, 0);
	return OK;
}

struct db *db_open(struct str url, enum db_mode mode, const struct db_options *options,
	struct fault *why)
{
	struct db_options o = options ? *options : (struct db_options){ 0 };
	const struct db_driver *driver = driver_find(url, &o.url);
	struct db *db;

	if (!driver) {
		fail(why, ERR_INVALID,
			"store \"%.*s\": sqlite:PATH or postgresql://… is accepted",
			STR_ARGS(url));
		return NULL;
	}
	db = driver->open(&o, mode, why);
	if (!db || !driver->row_packed) return db;
	db->packer = packer_new();
	if (db->packer) return db;
	fail_memory(why);
	return db_close(db);
}

struct db *db_close(struct db *db)
{
	if (!db) return NULL;
	packer_free(db->packer);
	db->driver->close(db);
	return NULL;
}

enum err db_run(struct db *db, struct call *calls, size_t len, struct fault *why)
{
	return db->driver->run(db, calls, len, why);
}

enum err db_one(struct db *db, enum sql sql, const struct val *args, int args_len,
	row_fn *row, void *ctx, struct fault *why)
{
	struct call call = {
		.sql = sql, .args = args, .args_len = args_len, .row = row, .ctx = ctx
	};

	return db_run(db, &call, 1, why);
}

/* Fibonacci hashing: workspaces are numbered one after the other. */
int turn_of(int64_t ws)
{
	return TURN_SHARD + (int)((uint64_t)ws * 0x9e3779b97f4a7c15u >> 58);
}

void db_turn(struct db *db, int turn)
{
	db->turn = turn;
}

enum err db_begin(struct db *db, struct fault *why)
{
	return db_one(db, SQL_BEGIN, NULL, 0, NULL, NULL, why);
}

enum err db_commit(struct db *db, struct fault *why)
{
	return db_one(db, SQL_COMMIT, NULL, 0, NULL, NULL, why);
}

bool db_is_quick(const struct db *db)
{
	return !db->lost && db->driver->is_quick && db->driver->is_quick(db);
}

enum err db_rollback(struct db *db)
{
	return db_one(db, SQL_ROLLBACK, NULL, 0, NULL, NULL, NULL);
}

int64_t row_int(const struct row *row, int column)
{
	return row->db->driver->row_int(row, row->first + column);
}

struct str row_text(const struct row *row, int column)
{
	return row->db->driver->row_text(row, row->first + column);
}

bool row_packed(const struct row *row, int column)
{
	const struct db_driver *driver = row->db->driver;

	return driver->row_packed && driver->row_packed(row, row->first + column);
}
