/* clock.h - what time it is, which tests can set; and times as text.
 * Prefixes: time_, duration_. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/str.h"

#include <time.h>

int64_t clock_now_ms(void);  /* UTC since 1970; what clock_set said, when it said so */
int64_t clock_mono_ms(void); /* only goes forward; for waiting and measuring */
int64_t clock_mono_ns(void);
struct timespec clock_mono_after(int64_t ms); /* from now, for pthread_cond_timedwait */
/* clock_mono_ms as a person at a screen sees it pass: the test hooks move it. */
int64_t clock_person_ms(void);
void clock_set(int64_t now_ms);	      /* test hook; 0: the real one again */
int64_t clock_tested(int64_t now_ms); /* another's time, as the test hooks change it */
/* The environment's PARLEY_TEST_CLOCK names a file whose decimal number of milliseconds
 * is added to the real time, read at each call: for black-box tests. */
void clock_init(void);

/* Days since 1970 of a day of the proleptic Gregorian calendar; months from 1. */
int64_t clock_days(int64_t year, int month, int day);
int clock_month_days(int64_t year, int month);

enum { TIME_SIZE = 28 };
void time_write(int64_t ms, char out[TIME_SIZE]); /* "2026-11-15T08:00:00.000Z" */
bool time_read(struct str rfc3339, int64_t *ms);  /* any offset; false when malformed */
/* "90s" "30m" "24h" "7d", or a bare number of seconds; result in ms; false when it is
 * none, negative, or beyond 100 years. */
bool duration_read(struct str, int64_t *ms);
enum { DURATION_SIZE = 32 };
/* As "5m": in the largest unit that it is whole in. */
void duration_write(int64_t ms, char out[DURATION_SIZE]);

#endif
