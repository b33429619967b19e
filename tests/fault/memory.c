/* memory.c - every n-th allocation fails, ours and SQLite's, once or from then on, while
 * a desk opens and works. It says so, keeps no half of anything, and works again
 * afterwards. */
#include "scene.h"

#include "base/clock.h"
#include "base/mem.h"
#include "store/fast/sqlite_memory.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- trials ---- */

static const struct rig_options options = { .cut = true, .alone = true };
static struct stage stage;

static bool trial_run(uint64_t n, bool onwards)
{
	struct rig r;
	struct scene scene;
	char what[64];
	bool hit;

	snprintf(what, sizeof what, "allocation %llu%s", (unsigned long long)n,
		onwards ? " onwards" : "");
	stage_enter(&stage, &options, &r, &scene);
	mem_fail_at(n, onwards);
	scene_play(&scene);
	hit = mem_count() >= n;
	mem_fail_at(0, 0);
	if (n % 2) scene_cut(&scene, CUT_ALL, what);
	scene_judge(&scene, what);
	scene_repeat(&scene, what);
	rig_close(&r);
	return hit;
}

/* All trials; in a short run every `quick`th, from one that differs from run to run: PARLEY_SEED says which. */
static void trials_run(uint64_t quick, bool all, const char *name)
{
	const char *given = getenv("PARLEY_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)clock_now_ms();
	uint64_t step = getenv("PARLEY_LONG") ? 1 : quick, n = 1 + seed % step;

	print_message("every %llu, from %llu on\n", (unsigned long long)step,
		(unsigned long long)n);
	while (trial_run(n, all))
		n += step;
	scene_tell(name);
}

static void one_allocation_that_fails_spoils_nothing(void **state)
{
	(void)state;
	trials_run(11, false, "one");
}

static void nor_does_a_heap_that_is_used_up(void **state)
{
	(void)state;
	trials_run(31, true, "all from one on");
}

static void a_desk_that_cannot_open_says_so(void **state)
{
	struct rig r;
	bool hit = true;

	(void)state;
	cut_reset();
	assert_true(rig_open(&r, &options));
	for (uint64_t n = 1; hit; n++) {
		bool opened;

		rig_shut(&r);
		mem_fail_at(n, 0);
		opened = rig_reopen(&r);
		hit = mem_count() >= n;
		mem_fail_at(0, 0);
		if (!opened) {
			assert_int_not_equal(r.why.err, OK);
			assert_true(r.why.detail[0] != '\0');
		}
	}
	assert_non_null(r.desk);
	assert_int_equal(rig_ask(&r, NULL).err, OK);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_desk_that_cannot_open_says_so),
		cmocka_unit_test(one_allocation_that_fails_spoils_nothing),
		cmocka_unit_test(nor_does_a_heap_that_is_used_up),
	};

	sqlite_memory_use(); /* before the rig uses SQLite: its heap counts, too */
	cut_register();
	stage_set(&stage, &options);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
