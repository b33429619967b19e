/* argument_test.h - one test of one argument: {"/branch": {"in": ["main", "release"]}}. */
#ifndef CORE_ARGUMENT_TEST_H
#define CORE_ARGUMENT_TEST_H

#include "core/policy/tool_pattern.h"

struct check;
struct json_place;

enum argument_kind {
	ARGUMENT_IS,
	ARGUMENT_IN,
	ARGUMENT_GLOB,
	ARGUMENT_UNDER,
	ARGUMENT_HOST,
	ARGUMENT_RANGE, /* min, max or both */
	ARGUMENT_HAS,
};

struct argument_test {
	struct str pointer; /* RFC 6901 into the arguments */
	enum argument_kind kind;
	const struct json *value; /* of is, in, has */
	struct str text;	  /* glob; under: normalised; host: in small letters */
	const struct json *min, *max;
};

enum { ARGUMENT_TESTS_MAX = 10 };

/* Reads the object `arguments` of a match that stands at `at`. Borrows the JSON. */
void argument_tests_read(struct check *, const struct json_place *at, const struct json *,
	struct arena *, struct argument_test **out, size_t *len);
/* What of it keeps an allow from fitting goes to *doubt (may be NULL). */
enum fit argument_test_fit(const struct argument_test *, const struct json *arguments,
	struct arena *, enum doubt *);
bool argument_tests_equal(const struct argument_test *, const struct argument_test *);

/* The value a JSON pointer leads to, or NULL. */
const struct json *argument_at(const struct json *, struct str pointer);

#endif
