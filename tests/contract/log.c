/* log.c - the log of events: numbered without gap, and sealed so that no hand can change,
 * remove or reorder what happened without `check` seeing it. */
#include "place.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- numbers ---- */

/* Numbers of all events of a workspace are 1, 2, 3 …; how many there are. */
static int64_t numbered(struct rig *r, const char *token)
{
	int64_t n = 0;

	for (;;) {
		char query[64];
		struct outcome o;
		const struct json *items;
		uint32_t len;

		snprintf(query, sizeof query, "limit=200&after=%lld", (long long)n);
		assert_int_equal(
			rig_do(r, &(struct request){ &use_events, token, .query = query },
				&o),
			OK);
		assert_true(outcome_read(&o));
		items = json_get(o.json, "items");
		len = items->count;
		for (uint32_t i = 0; i < len; i++)
			assert_int_equal(int_at(&items->items[i], "id"), ++n);
		outcome_done(&o);
		if (len < 200) return n;
	}
}

static void second_workspace(
	struct rig *r, char agent[SECRET_SIZE], char admin[SECRET_SIZE])
{
	struct outcome o;

	assert_int_equal(rig_do(r,
				 &(struct request){ &use_workspace_create,
					 .body = "{'name':'second'}" },
				 &o),
		OK);
	outcome_done(&o);
	assert_int_equal(rig_do(r,
				 &(struct request){ &use_token_create,
					 .body = "{'role':'agent','name':'a'}",
					 .workspace = "second" },
				 &o),
		OK);
	memcpy(agent, o.task.secret, SECRET_SIZE);
	outcome_done(&o);
	assert_int_equal(rig_do(r,
				 &(struct request){ &use_token_create,
					 .body = "{'role':'admin','name':'b'}",
					 .workspace = "second" },
				 &o),
		OK);
	memcpy(admin, o.task.secret, SECRET_SIZE);
	outcome_done(&o);
}

static void a_batch_over_workspaces_numbers_each_without_gap(void **state)
{
	enum { ASKS = 40 };
	struct rig *r = *state;
	static struct outcome outcomes[ASKS];
	struct request asks[ASKS];
	char agent[SECRET_SIZE], admin[SECRET_SIZE], why[256] = "";
	int64_t first, second;

	second_workspace(r, agent, admin);
	first = numbered(r, r->ada);
	second = numbered(r, admin);
	for (int round = 0; round < 5; round++) {
		for (size_t i = 0; i < ASKS; i++)
			asks[i] = (struct request){ &use_ask, i % 3 ? r->agent : agent,
				.body = ASK_PLAIN };
		rig_batch(r, asks, outcomes, ASKS);
		for (size_t i = 0; i < ASKS; i++) {
			assert_int_equal(outcomes[i].err, OK);
			outcome_done(&outcomes[i]);
		}
	}
	/* session.created and ask.created each. */
	assert_int_equal(
		numbered(r, r->ada) + numbered(r, admin), first + second + 5 * ASKS * 2);
	assert_int_equal(numbered(r, admin), second + 5 * 14 * 2);
	assert_int_equal(rig_check(r, why), first + second + 5 * ASKS * 2);
}

/* Rows of one kind are written many at a time, and what is left of them in smaller runs. */
static void a_batch_of_any_size_is_written_whole(void **state)
{
	enum { MOST = 75 };
	static const size_t sizes[] = { 1, 2, 3, 7, 8, 9, 10, 31, 32, 33, 34, 43, MOST };
	struct rig *r = *state;
	static struct outcome outcomes[MOST];
	struct request asks[MOST];
	char why[256] = "";
	int64_t n = numbered(r, r->ada);

	for (size_t i = 0; i < MOST; i++)
		asks[i] = (struct request){ &use_ask, r->agent, .body = ASK_PLAIN };
	for (size_t round = 0; round < sizeof(sizes) / sizeof(sizes[0]); round++) {
		rig_batch(r, asks, outcomes, sizes[round]);
		for (size_t i = 0; i < sizes[round]; i++) {
			char id[ID_SIZE];

			assert_int_equal(outcomes[i].err, OK);
			snprintf(id, sizeof id, "%.*s", STR_ARGS(outcomes[i].task.ask));
			assert_string_equal(rig_status(r, id), "pending");
			outcome_done(&outcomes[i]);
		}
		n += 2 * (int64_t)sizes[round];
		assert_int_equal(numbered(r, r->ada), n);
		assert_int_equal(rig_check(r, why), n);
	}
}

static void a_workspace_does_not_see_anothers(void **state)
{
	struct rig *r = *state;
	char agent[SECRET_SIZE], admin[SECRET_SIZE];
	struct made ask = rig_ask(r, NULL);
	struct outcome o;
	int64_t before;

	second_workspace(r, agent, admin);
	before = numbered(r, admin);
	assert_int_equal(rig_do(r, &(struct request){ &use_ask_get, admin, ask.id }, &o),
		ERR_NOT_FOUND);
	outcome_done(&o);
	assert_int_equal(rig_do(r,
				 &(struct request){ &use_answer, admin, ask.id,
					 .body = "{'answer':true}" },
				 &o),
		ERR_NOT_FOUND);
	outcome_done(&o);
	assert_string_equal(rig_status(r, ask.id), "pending");
	assert_int_equal(numbered(r, admin), before);
}

static void what_failed_takes_no_number(void **state)
{
	struct rig *r = *state;
	struct made ask = rig_ask(r, NULL);
	int64_t before = numbered(r, r->ada);

	assert_int_equal(
		rig_settle(r, &use_answer, "ask_00000000000000000000000000", NULL),
		ERR_NOT_FOUND);
	assert_int_equal(rig_ask_body(r, "{'question':''}", NULL).err, ERR_INVALID);
	assert_int_equal(numbered(r, r->ada), before);
	assert_int_equal(rig_settle(r, &use_skip, ask.id, NULL), OK);
	assert_int_equal(rig_settle(r, &use_skip, ask.id, NULL), ERR_CONFLICT);
	/* ask.skipped and session.status */
	assert_int_equal(numbered(r, r->ada), before + 2);
}

/* ---- the chain ---- */

/* Five asks, three of them settled, one session deleted. */
static int64_t some_history(struct rig *r)
{
	struct made asks[5];
	char why[256] = "";
	int64_t events;

	for (size_t i = 0; i < 5; i++)
		asks[i] = rig_ask(r, NULL);
	assert_int_equal(rig_settle(r, &use_answer, asks[0].id, NULL), OK);
	assert_int_equal(rig_settle(r, &use_skip, asks[1].id, NULL), OK);
	assert_int_equal(rig_settle(r, &use_cancel, asks[2].id, NULL), OK);
	assert_int_equal(rig_delete(r, asks[0].session), OK);
	events = rig_check(r, why);
	if (events < 0) fail_msg("%s", why);
	assert_true(events >= 16);
	return events;
}

static void an_honest_log_is_found_whole(void **state)
{
	struct rig *r = *state;
	char why[256];
	int64_t events = some_history(r);

	assert_true(rig_reopen(r));
	assert_int_equal(rig_check(r, why), events);
}

/* What a hand in the store could do, and what `check` says of it. */
static const struct tampering {
	const char *what, *sql, *says; /* @3: the third event of the history */
} tamperings[] = {
	{ "data changed", "UPDATE events SET data = '{}' WHERE n = @3",
		"event @3: its data was changed" },
	{ "data emptied", "UPDATE events SET data = '' WHERE n = @4",
		"event @4: its data is gone" },
	{ "type changed", "UPDATE events SET type = 'ask.answered' WHERE n = @4",
		"event @4" },
	{ "type unknown", "UPDATE events SET type = 'ask.won' WHERE n = @4", "event @4" },
	{ "time changed", "UPDATE events SET at_ms = at_ms + 1 WHERE n = @5",
		"event @5" },
	{ "another ask", "UPDATE events SET ask = 'ask_x' WHERE n = @6", "event @6" },
	{ "another agent", "UPDATE events SET agent = 'other' WHERE n = @6", "event @6" },
	{ "another run", "UPDATE events SET run = 'run_x' WHERE n = @6", "event @6" },
	{ "another session", "UPDATE events SET session = 'ses_x' WHERE n = @7",
		"event @7" },
	{ "digest changed", "UPDATE events SET digest = hash WHERE n = @3", "event @3" },
	{ "hash changed", "UPDATE events SET hash = digest WHERE n = @3", "event @3" },
	{ "first removed", "DELETE FROM events WHERE n = 1", "event 1: it is missing" },
	{ "one removed", "DELETE FROM events WHERE n = @5", "event @5: it is missing" },
	{ "end cut", "DELETE FROM events WHERE n > @12", "the log ends at @12" },
	{ "all removed", "DELETE FROM events", "the log ends at 0" },
	{ "end cut, counter too",
		"DELETE FROM events WHERE n > @12; UPDATE workspaces SET last_event = "
		"@12",
		"the last hash is not the counter's" },
	{ "one removed, the rest moved up",
		"DELETE FROM events WHERE n = @5;"
		"UPDATE events SET n = -n, place = -place WHERE n > @5;"
		"UPDATE events SET n = -n - 1, place = -place - 1 WHERE n < 0;"
		"UPDATE workspaces SET last_event = last_event - 1",
		"event @5: it does not follow" },
	{ "two swapped",
		"UPDATE events SET n = -3, place = -3 WHERE n = @3;"
		"UPDATE events SET n = @3, place = place - 1 WHERE n = @4;"
		"UPDATE events SET n = @4, place = ws * 1099511627776 + @4 WHERE n = -3",
		"event @3: it does not follow" },
	{ "one before the first",
		"INSERT INTO events SELECT ws * 1099511627776 - 1, ws, -1, type, at_ms,"
		" session, ask, run, agent, data, digest, hash FROM events WHERE n = @1",
		"out of place" },
	{ "one out of place",
		"UPDATE events SET place = place + 1099511627776 WHERE n = @5",
		"event @5: it is missing" },
	{ "one added out of place",
		"INSERT INTO events SELECT place + 1099511627776, ws, n, type, at_ms,"
		" session, ask, run, agent, data, digest, hash FROM events WHERE n = @1",
		"out of place" },
	{ "counter's hash changed",
		"UPDATE workspaces SET last_hash = (SELECT hash FROM events"
		" WHERE n = 1)",
		"the last hash is not the counter's" },
	{ "counter set back", "UPDATE workspaces SET last_event = last_event - 1",
		"counter" },
	{ "events made old", "UPDATE workspaces SET old_events = last_event",
		"does not follow" },
	{ "one added",
		"INSERT INTO events SELECT (SELECT MAX(place) + 1 FROM events), ws,"
		" (SELECT MAX(n) + 1 FROM events), type, at_ms,"
		" session, ask, run, agent, data, digest, hash FROM events WHERE n = 1",
		"does not follow" },
};

/* The text with the numbers of events filled in. */
static const char *numbered_text(const char *text, int64_t before, char out[1024])
{
	size_t len = 0;

	for (const char *at = text; *at && len < 1000; at++) {
		char *end;

		if (*at != '@') {
			out[len++] = *at;
			continue;
		}
		len += (size_t)snprintf(out + len, 24, "%lld",
			(long long)(before + strtoll(at + 1, &end, 10)));
		at = end - 1;
	}
	out[len] = '\0';
	return out;
}

static void every_tampering_is_found(void **state)
{
	struct rig *r = *state;
	int64_t before = numbered(r, r->ada), events = some_history(r);
	char why[256] = "", text[1024];

	rig_shut(r);
	place_keep(r);
	for (size_t i = 0; i < sizeof tamperings / sizeof *tamperings; i++) {
		const struct tampering *t = &tamperings[i];

		place_script(r, numbered_text(t->sql, before, text));
		assert_true(rig_reopen(r));
		if (rig_check(r, why) != -1) fail_msg("%s: not found", t->what);
		if (!strstr(why, numbered_text(t->says, before, text)))
			fail_msg("%s: %s", t->what, why);
		rig_shut(r);
		place_put_back(r);
	}
	assert_true(rig_reopen(r));
	assert_int_equal(rig_check(r, why), events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_batch_over_workspaces_numbers_each_without_gap),
		RIG_TEST(a_batch_of_any_size_is_written_whole),
		RIG_TEST(a_workspace_does_not_see_anothers),
		ALONE_TEST(what_failed_takes_no_number),
		ALONE_TEST(an_honest_log_is_found_whole),
		ALONE_TEST(every_tampering_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
