/* disk.c - every n-th write, sync, truncation, opening … of the disk fails, once or from
 * then on, while a desk works. Then it is killed, or goes on until the power is cut. */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	enum cut_fault fault;
	const char *name;
} faults[] = { { CUT_WRITE, "write" }, { CUT_FULL, "full" }, { CUT_SYNC, "sync" },
	{ CUT_READ, "read" }, { CUT_TRUNCATE, "truncate" }, { CUT_OPEN, "open" },
	{ CUT_DELETE, "delete" } };

struct trial {
	struct rig rig;
	struct scene scene;
	char what[96];
};

/* False: this many calls of the kind are not made; there was nothing to fail. */
static bool trial_run(const struct stage *stage, struct trial *t,
	const struct rig_options *options, size_t kind, uint64_t n, bool onwards)
{
	bool hit;

	snprintf(t->what, sizeof t->what, "%s %llu%s", faults[kind].name,
		(unsigned long long)n, onwards ? " onwards" : "");
	stage_enter(stage, options, &t->rig, &t->scene);
	cut_fail_at(faults[kind].fault, n, onwards);
	scene_play(&t->scene);
	hit = cut_failures() > 0;
	cut_fail_none();
	if (n % 2) scene_cut(&t->scene, CUT_ALL, t->what);
	scene_judge(&t->scene, t->what);
	scene_repeat(&t->scene, t->what);
	scene_cut(&t->scene, n % 4 < 2 ? CUT_NONE : CUT_TORN, t->what);
	scene_judge(&t->scene, t->what);
	rig_close(&t->rig);
	return hit;
}

/* Every n up to where none is hit any more; then fewer, evenly. */
static void trials(const struct rig_options *options)
{
	static struct stage stage;
	static struct trial t;
	uint64_t step = getenv("PARLEY_LONG") || options->alone ? 1 : 7;

	stage_set(&stage, options);
	for (size_t kind = 0; kind < sizeof faults / sizeof *faults; kind++) {
		uint64_t n = 1;

		while (trial_run(&stage, &t, options, kind, n, false))
			n += step;
		for (n = 1; trial_run(&stage, &t, options, kind, n, true);)
			n += step;
		scene_tell(faults[kind].name);
	}
	stage_done(&stage);
}

static void a_disk_that_fails_makes_no_false_promise(void **state)
{
	(void)state;
	trials(&(struct rig_options){ .cut = true, .alone = true, .log_pages = 20 });
}

static void nor_with_readers_beside_the_writer(void **state)
{
	(void)state;
	trials(&(struct rig_options){ .cut = true, .log_pages = 20 });
}

static void nor_while_syncs_are_owed(void **state)
{
	(void)state;
	trials(&(struct rig_options){ .cut = true, .log_pages = 20, .ahead = true });
}

/* ---- what is said ---- */

static void says(enum cut_fault fault, enum err said)
{
	struct rig r;
	char why[256] = "";
	int64_t before;

	cut_reset();
	assert_true(rig_open(&r, &(struct rig_options){ .cut = true, .alone = true }));
	before = rig_check(&r, why);
	cut_fail_at(fault, 1, true);
	assert_int_equal(rig_ask(&r, "k").err, said);
	assert_false(desk_ready(r.desk));
	assert_int_not_equal(rig_ask(&r, "l").err, OK);
	assert_false(desk_ready(r.desk));
	cut_fail_none();
	assert_int_equal(rig_ask(&r, "k").err, OK);
	assert_true(desk_ready(r.desk));
	assert_int_equal(rig_check(&r, why), before + 2);
	rig_close(&r);
}

static void a_full_disk_is_unavailable(void **state)
{
	(void)state;
	says(CUT_FULL, ERR_UNAVAILABLE);
}

static void a_commit_whose_sync_fails_is_unknown(void **state)
{
	(void)state;
	says(CUT_SYNC, ERR_UNKNOWN);
}

/* The connection is given up, and no other is to be had for a while. */
static void a_store_that_cannot_be_opened_again_is_unavailable_until_it_can(void **state)
{
	struct rig r;
	char why[256] = "";
	int64_t before;

	(void)state;
	cut_reset();
	assert_true(rig_open(&r, &(struct rig_options){ .cut = true, .alone = true }));
	before = rig_check(&r, why);
	cut_fail_at(CUT_SYNC, 1, true);
	cut_fail_at(CUT_OPEN, 1, true);
	assert_int_equal(rig_ask(&r, "k").err, ERR_UNKNOWN);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rig_ask(&r, "l").err, ERR_UNAVAILABLE);
		assert_string_equal(
			rig_status(&r, "ask_00000000000000000000000000"), "?");
		assert_false(desk_ready(r.desk));
	}
	cut_fail_none();
	assert_int_equal(rig_ask(&r, "k").err, OK);
	assert_true(desk_ready(r.desk));
	assert_int_equal(rig_check(&r, why), before + 2);
	rig_close(&r);
}

/* Killed before anything else: the row was there after all, and its key says so. */
static void the_key_tells_after_the_recovery(void **state)
{
	static struct trial t;
	struct made again;
	char why[256] = "";
	int64_t before;

	(void)state;
	cut_reset();
	assert_true(
		rig_open(&t.rig, &(struct rig_options){ .cut = true, .alone = true }));
	before = rig_check(&t.rig, why);
	cut_fail_at(CUT_SYNC, 1, false);
	assert_int_equal(rig_ask(&t.rig, "k").err, ERR_UNKNOWN);
	cut_fail_none();
	t.scene.r = &t.rig;
	scene_cut(&t.scene, CUT_ALL, "killed");
	again = rig_ask(&t.rig, "k");
	assert_int_equal(again.err, OK);
	assert_int_equal(rig_check(&t.rig, why), before + 2);
	assert_string_equal(rig_status(&t.rig, again.id), "pending");
	rig_close(&t.rig);
}

/* Two a minute: the second is not known to be kept, so a third may be asked, and no fourth. */
static void rate_is_given_back(const struct rig_options *options)
{
	struct rig r;

	cut_reset();
	assert_true(rig_open(&r, options));
	assert_int_equal(rig_ask(&r, "j").err, OK);
	cut_fail_at(CUT_SYNC, 1, false);
	assert_int_equal(rig_ask(&r, "k").err, ERR_UNKNOWN);
	cut_fail_none();
	assert_int_equal(rig_ask(&r, "l").err, OK);
	assert_int_equal(rig_ask(&r, "m").err, ERR_RATE);
	rig_close(&r);
}

static void a_sync_that_fails_gives_back_the_rate(void **state)
{
	(void)state;
	rate_is_given_back(
		&(struct rig_options){ .cut = true, .alone = true, .ask_rate = 2 });
	rate_is_given_back(
		&(struct rig_options){ .cut = true, .ahead = true, .ask_rate = 2 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_disk_is_unavailable),
		cmocka_unit_test(a_commit_whose_sync_fails_is_unknown),
		cmocka_unit_test(
			a_store_that_cannot_be_opened_again_is_unavailable_until_it_can),
		cmocka_unit_test(the_key_tells_after_the_recovery),
		cmocka_unit_test(a_sync_that_fails_gives_back_the_rate),
		cmocka_unit_test(a_disk_that_fails_makes_no_false_promise),
		cmocka_unit_test(nor_with_readers_beside_the_writer),
		cmocka_unit_test(nor_while_syncs_are_owed),
	};

	cut_register();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
