/* run_kit.c - runs played by hand, for tests that end with the first thing wrong. */
#include "run_kit.h"

#include "raw_sql.h"

#include <stdio.h>
#include <stdlib.h>

static void number_row(void *ctx, int columns, const char *const *texts)
{
	(void)columns;
	*(int64_t *)ctx = strtoll(texts[0], NULL, 10);
}

int64_t number(struct rig *r, const char *sql)
{
	struct raw_sql *raw = raw_open(r->place);
	int64_t n = -1;

	assert_non_null(raw);
	assert_int_equal(raw_each(raw, sql, number_row, &n), 1);
	raw_close(raw);
	return n;
}

struct held claimed(struct rig *r, const char *by)
{
	struct held h[8];
	size_t len = run_rig_claim(r, by, h, 8);

	/* What another lost is queued first. */
	if (!len) len = run_rig_claim(r, by, h, 8);
	assert_int_equal(len, 1);
	return h[0];
}

struct rig *prepared(void **state)
{
	struct rig *r = *state;

	assert_true(run_rig_prepare(r));
	return r;
}

struct made open_ask(struct rig *r)
{
	struct made made = { 0 };
	struct outcome o;

	rig_do(r, &(struct request){ &use_ask_list, r->ada }, &o);
	assert_true(outcome_read(&o));
	assert_int_equal(json_get(o.json, "items")->count, 1);
	snprintf(made.id, sizeof made.id, "%.*s",
		STR_ARGS(
			json_text(json_get(&json_get(o.json, "items")->items[0], "id"))));
	outcome_done(&o);
	return made;
}

enum err answer(struct rig *r, const char *ask, const char *body)
{
	struct outcome o;
	enum err e = rig_do(r, &(struct request){ &use_answer, r->mia, ask, body }, &o);

	outcome_done(&o);
	return e;
}

enum err said(struct rig *r, const char *session, const char *text, bool *shown)
{
	struct outcome o;
	enum err e =
		rig_do(r, &(struct request){ &use_session_state, r->ada, session }, &o);

	*shown = str_find(buf_str(&o.task.job.out), str_of(text)) >= 0;
	outcome_done(&o);
	return e;
}
