/* place.h - an empty store for each test: a new file, or what PARLEY_TEST_STORE names,
 * with all that Parley keeps there dropped. So every driver runs the same tests. */
#ifndef TESTS_CONTRACT_PLACE_H
#define TESTS_CONTRACT_PLACE_H

#include "desk_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: it makes `fail` a macro */

const char *place_fresh(void); /* "sqlite:PATH", or as given */
const char *place_again(void); /* the last one, as it is */
void place_done(void);
/* An open store on a fresh place, migrated or not. */
struct db *place_open(bool migrated);
/* A rig on a fresh place; test setup and teardown. */
int place_rig(void **state);
int place_rig_alone(void **state);
int place_rig_done(void **state);
/* The same, alone, by a clock that stands at the start until clock_set moves it. */
#define CLOCK_START_MS ((int64_t)1800000000 * 1000)
int place_rig_clock(void **state);
int place_rig_clock_done(void **state);
/* Any SQL, past the statements of the program; fails the test when refused. */
void place_script(struct rig *, const char *sql);
/* Beside a rig that is shut: keeps what tests edit of its store, and puts it back. */
void place_keep(struct rig *);
void place_put_back(struct rig *);

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, place_rig, place_rig_done)
#define ALONE_TEST(test)                                                                 \
	cmocka_unit_test_setup_teardown(test, place_rig_alone, place_rig_done)
#define CLOCK_TEST(test)                                                                 \
	cmocka_unit_test_setup_teardown(test, place_rig_clock, place_rig_clock_done)

#endif
