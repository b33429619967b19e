/* real.h - decimal text and doubles, exact both ways, whatever the locale says. */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include "base/str.h"

/* A JSON number taken apart: digits * 10^exponent. */
struct decimal {
	struct str digits; /* spelling before the exponent; may hold one '.' */
	bool negative;
	int64_t exponent;  /* as spelt, within ±10^9 */
	int64_t fraction;  /* digits behind the '.' */
	uint64_t mantissa; /* all digits as one integer, when `exact` */
	bool exact;
};

/* The nearest double, or an infinity. False: out of memory. */
bool real_of(const struct decimal *, double *out);

/* ECMAScript's Number::toString for finite values: the shortest text that reads back. */
enum { REAL_SIZE = 32 };
size_t real_write(double, char out[REAL_SIZE]);

#endif
