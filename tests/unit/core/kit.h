/* kit.h - what the tests of core share: JSON written with ', and looking into faults. */
#ifndef TESTS_UNIT_CORE_KIT_H
#define TESTS_UNIT_CORE_KIT_H

#include "core/ask/ask.h"
#include "core/session/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: it makes `fail` a macro */

extern struct arena kit; /* of the test that runs */

int kit_begin(void **);
int kit_end(void **);
#define KIT_TEST(test) cmocka_unit_test_setup_teardown(test, kit_begin, kit_end)

struct str kit_quote(const char *text);	       /* ' becomes " */
const struct json *kit_json(const char *text); /* of text written with ' */
const char *kit_text(struct str);	       /* NUL-terminated */
char *kit_repeat(const char *piece, size_t times);
char *kit_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *kit_fill(const char *text, const char *gap); /* for the %s in text */
const char *kit_compact(const struct json *);	   /* NULL: "(none)" */

/* The value at a path of names and indexes ("questions.0.type"); NULL: none there. */
const struct json *kit_at(const struct json *, const char *path);
/* JSON text, compared as a value with text written with '. */
void kit_same(const char *what, struct str json, const char *expected);
/* Fails unless there is an item with this pointer whose detail contains `part`. */
void kit_item(
	const char *what, const struct fault *, const char *pointer, const char *part);

enum err kit_draft(const char *body, struct draft *, struct fault *);
struct draft kit_drafted(const char *body);	    /* must be right */
const struct json *kit_fixed(const struct draft *); /* `fixed` as an object */
struct answer kit_answered(const struct draft *, const char *body); /* must be right */
struct ask kit_ask(
	const struct draft *); /* pending, made at 1,000 ms by token tok_agent */
const char *kit_shown(const struct ask *, int64_t now_ms);
struct ask_json kit_whole(const struct ask *); /* as who tells it in other words has it */

#endif
