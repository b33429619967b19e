#include "place.h"

#include "base/clock.h"
#include "store/migrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64], place[256];

void place_done(void)
{
	static const char *const ends[] = { "", "-wal", "-shm" };
	char path[128];

	if (!folder[0]) return;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		snprintf(path, sizeof path, "%s/parley.db%s", folder, ends[i]);
		unlink(path);
	}
	rmdir(folder);
	folder[0] = '\0';
}

const char *place_fresh(void)
{
	const char *given = getenv("PARLEY_TEST_STORE");
	const char *tmp = getenv("TMPDIR");

	if (given) {
		snprintf(place, sizeof place, "%s", given);
		if (!place_clear(place)) fail_msg("%s is not to be cleared", place);
		return place;
	}
	place_done();
	snprintf(folder, sizeof folder, "%.40s/contract-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(folder));
	snprintf(place, sizeof place, "sqlite:%s/parley.db", folder);
	return place;
}

struct db *place_open(bool migrated)
{
	struct fault why = { 0 };
	struct db *db = db_open(str_of(place_fresh()), DB_WRITE, NULL, &why);

	if (!db) fail_msg("%s", why.detail);
	if (migrated && schema_migrate(db, &why)) fail_msg("%s", why.detail);
	return db;
}

static int rig_on_place(void **state, bool alone)
{
	static struct rig rig;

	if (!rig_open(&rig,
		    &(struct rig_options){ .place = place_fresh(), .alone = alone }))
		fail_msg("%s", rig.why.detail);
	*state = &rig;
	return 0;
}

int place_rig(void **state)
{
	return rig_on_place(state, false);
}

int place_rig_alone(void **state)
{
	return rig_on_place(state, true);
}

int place_rig_done(void **state)
{
	rig_close(*state);
	place_done();
	return 0;
}

int place_rig_clock(void **state)
{
	clock_set(CLOCK_START_MS);
	return place_rig_alone(state);
}

int place_rig_clock_done(void **state)
{
	clock_set(0);
	return place_rig_done(state);
}

void place_script(struct rig *r, const char *sql)
{
	struct fault why = { 0 };
	struct db *db = db_open(str_of(r->place), DB_WRITE, NULL, &why);

	if (!db || db->driver->script(db, sql, &why)) fail_msg("%s: %s", sql, why.detail);
	db_close(db);
}

static const char *const edited[] = { "asks", "sessions", "users", "teams", "tokens",
	"events", "server_keys", "workspaces", "messages", "tool_calls" };

/* `sql` for each of these tables, whose name stands where it has an @. */
static void each_edited(struct rig *r, const char *sql)
{
	char all[4096];
	size_t len = 0;

	for (size_t i = 0; i < sizeof edited / sizeof *edited; i++)
		for (const char *at = sql; *at; at++)
			len += (size_t)snprintf(all + len, sizeof all - len, "%.*s",
				*at == '@' ? 64 : 1, *at == '@' ? edited[i] : at);
	place_script(r, all);
}

void place_keep(struct rig *r)
{
	each_edited(r,
		"DROP TABLE IF EXISTS kept_@; CREATE TABLE kept_@ AS SELECT * FROM @;");
}

void place_put_back(struct rig *r)
{
	each_edited(r, "DELETE FROM @; INSERT INTO @ SELECT * FROM kept_@;");
}

const char *place_again(void)
{
	return place;
}
