/* mandate.h - an approval in advance: a bundle of calls that a person lets an agent make in one
 * session, each line so often and up to a sum. Pure. Prefixes: mandate_, amount_. */
#ifndef CORE_MANDATE_H
#define CORE_MANDATE_H

#include "core/policy/rule_set.h"
#include "core/shared/digest.h"

enum { MANDATE_LINES_MAX = 20, MANDATE_USES_MAX = 1000, MANDATES_MAX = 20 };
#define MANDATE_LONGEST_MS (INT64_C(7) * 24 * 3600 * 1000)
#define MANDATE_USUAL_MS   (INT64_C(8) * 3600 * 1000)

/* A sum in millionths, exact. */
typedef unsigned __int128 amount;
/* A number of JSON, not negative, of at most 15 digits, 6 of them decimals; false: another. */
bool amount_read(struct str spelling, amount *out);
void amount_write(struct buf *, amount);

struct mandate_line {
	struct str key;
	struct rule_match match; /* its tools, arguments and risk */
	int64_t uses;
	bool sums;
	struct str pointer; /* where the amount of a call stands */
	amount max;
	enum risk risk;
	const struct json *json; /* as it came */
};
struct mandate_lines {
	struct mandate_line at[MANDATE_LINES_MAX];
	size_t len;
};
struct mandate_count {
	int64_t used;
	amount spent;
};

/* The array of a body, whose faults stand below `at`. Borrows the JSON. */
void mandate_lines_read(struct check *, const struct json_place *at, const struct json *,
	struct arena *, struct mandate_lines *out);
/* Until when: a time or a duration, absent the usual; 0: wrong. */
int64_t mandate_until_read(
	struct check *, const struct json_place *at, const struct json *, int64_t now_ms);
/* What was kept. False: it cannot be read, and allows nothing. */
bool mandate_lines_load(struct str lines, struct arena *, struct mandate_lines *out);
bool mandate_counts_load(
	struct str counts, size_t len, struct arena *, struct mandate_count *out);
struct str mandate_counts_text(
	const struct mandate_lines *, const struct mandate_count *, struct arena *);
enum risk mandate_risk(const struct mandate_lines *); /* the gravest */

/* What a person makes of it who approves with other arguments: lines left out, uses, max and
 * until lowered. Anything else is wrong, below `at`. The lines in *out as JSON. */
void mandate_narrow(struct check *, const struct json_place *at,
	const struct mandate_record *asked, const struct json *edited, int64_t now_ms,
	struct arena *, struct str *lines, int64_t *until_ms);

/* The first line that fits and has enough left, or -1; *takes is what it costs. */
int mandate_fit(const struct mandate_lines *, const struct mandate_count *,
	const struct operation_view *, enum risk, struct arena *, amount *takes);
/* Is any of it left? */
bool mandate_left(const struct mandate_lines *, const struct mandate_count *);
/* Does it hold now? */
bool mandate_holds(const struct mandate_record *, int64_t now_ms);

/* Of all but its counts, of which events of their own tell. */
void mandate_digest(const struct mandate_record *, char out[SHORT_DIGEST_SIZE]);
/* The mandate as the API shows it. */
void mandate_show(struct json_writer *, const struct mandate_record *, int64_t now_ms);
/* {"id", "line", "used", "uses", "spent", "max"} of a line. */
struct str mandate_drawn_text(const struct mandate_record *, const struct mandate_lines *,
	const struct mandate_count *, int line, struct arena *);

#endif
