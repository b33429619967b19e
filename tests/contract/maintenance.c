/* maintenance.c - what is old is forgotten, and nothing else is. */
#include "place.h"

#include "base/clock.h"
#include "raw_sql.h"

#include <stdio.h>
#include <stdlib.h>

#define DAY_MS ((int64_t)24 * 3600 * 1000)

static enum err done_with(struct rig *r, const struct request *q)
{
	struct outcome o;
	enum err e = rig_do(r, q, &o);

	outcome_done(&o);
	return e;
}

/* What a look after this many days leaves. */
static void purge_after(struct rig *r, int64_t days)
{
	clock_set(CLOCK_START_MS + days * DAY_MS + 1);
	assert_int_equal(done_with(r, &(struct request){ &use_purge }), OK);
}

static enum err enter(struct rig *r, const char *session)
{
	return done_with(
		r, &(struct request){ &use_mcp_enter, r->agent, .mcp_session = session });
}

static enum err end(struct rig *r, const char *session)
{
	return done_with(
		r, &(struct request){ &use_mcp_end, r->agent, .mcp_session = session });
}

static void an_end_is_known_for_as_long_as_the_session_could_last(void **state)
{
	struct rig *r = *state;

	assert_int_equal(end(r, "n1"), OK);
	purge_after(r, MCP_SESSION_DAYS);
	assert_int_equal(enter(r, "n1"), ERR_NOT_FOUND);
	assert_int_equal(end(r, "n1"), ERR_NOT_FOUND);
	assert_int_equal(enter(r, "n2"), OK);
	assert_int_equal(end(r, "n2"), OK);
	purge_after(r, MCP_SESSION_DAYS + 1);
	assert_int_equal(enter(r, "n1"), OK); /* forgotten */
	assert_int_equal(enter(r, "n2"), ERR_NOT_FOUND);
}

static size_t deliveries(struct rig *r)
{
	struct outcome o;
	size_t len;

	rig_do(r, &(struct request){ &use_delivery_list, r->ada }, &o);
	assert_true(outcome_read(&o));
	len = json_at(o.json, "items")->count;
	outcome_done(&o);
	return len;
}

/* A delivery that ended so at the start. */
static void delivery_add(struct rig *r, const char *status)
{
	char sql[500];

	snprintf(sql, sizeof sql,
		"INSERT INTO deliveries (ws, id, session, ask, kind, target, status,"
		" attempts, next_ms, lease_ms, lease_by, last_error, last_status,"
		" created_ms, done_ms) VALUES (1, '%s', 's', '%s', 'webhook', 't', '%s',"
		" 1, 0, 0, '', '', -1, 0, %lld)",
		status, status, status, (long long)CLOCK_START_MS);
	place_script(r, sql);
}

static void deliveries_are_kept_while_somebody_may_look(void **state)
{
	struct rig *r = *state;

	delivery_add(r, "done");
	delivery_add(r, "dead");
	delivery_add(r, "waiting");
	purge_after(r, 6);
	assert_int_equal(deliveries(r), 3);
	purge_after(r, 7);
	assert_int_equal(deliveries(r), 2);
	purge_after(r, 89);
	assert_int_equal(deliveries(r), 2);
	purge_after(r, 90);
	assert_int_equal(deliveries(r), 1); /* what waits is never old */
}

static void count_row(void *ctx, int columns, const char *const *texts)
{
	(void)columns;
	*(int64_t *)ctx = strtoll(texts[0], NULL, 10);
}

static int64_t marks(struct rig *r)
{
	struct raw_sql *raw = raw_open(r->place);
	int64_t n = -1;

	assert_non_null(raw);
	raw_each(raw, "SELECT COUNT(*) FROM marks", count_row, &n);
	raw_close(raw);
	return n;
}

static void marks_go_with_whoever_made_them(void **state)
{
	struct rig *r = *state;
	struct made ask = rig_ask(r, NULL);
	const char *const marking[] = { r->mia, r->noa };
	struct outcome o;
	char mia[ID_SIZE];

	for (int i = 0; i < 2; i++)
		assert_int_equal(done_with(r, &(struct request){ &use_mark, marking[i],
						      ask.id, "{'read':true}" }),
			OK);
	assert_int_equal(marks(r), 2);
	assert_int_equal(rig_do(r, &(struct request){ &use_me, r->mia }, &o), OK);
	assert_true(outcome_read(&o));
	snprintf(mia, sizeof mia, "%.*s", STR_ARGS(text_at(o.json, "user.id")));
	outcome_done(&o);
	assert_int_equal(
		done_with(r, &(struct request){ &use_user_delete, r->ada, mia }), OK);
	assert_int_equal(marks(r), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLOCK_TEST(an_end_is_known_for_as_long_as_the_session_could_last),
		CLOCK_TEST(deliveries_are_kept_while_somebody_may_look),
		CLOCK_TEST(marks_go_with_whoever_made_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
