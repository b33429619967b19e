/* script.h - what a provider of kind `script` answers: entries, of which the first that fits is said.
 * Pure. Prefix: script_. */
#ifndef CORE_SCRIPT_H
#define CORE_SCRIPT_H

#include "core/run/usage.h"
#include "core/shared/body.h"

enum { SCRIPT_ENTRIES_MAX = 1000, SCRIPT_CALLS_MAX = 64, SCRIPT_DELAY_MAX = 600 * 1000 };

enum script_stop { SCRIPT_END, SCRIPT_CUT, SCRIPT_REFUSAL };
extern const char *const script_stops[SCRIPT_REFUSAL + 1]; /* "end" … */

struct script_when {
	struct str text, agent, tool; /* empty: any */
	int64_t turn, attempt;	      /* -1: any */
};

struct script_call {
	struct str name;
	const struct json *arguments; /* an object; or NULL */
};

struct script_error {
	int64_t status;
	struct str message;
};

struct script_entry {
	struct script_when when;
	struct str say, think;
	struct script_call *calls;
	size_t calls_len;
	bool counts; /* it says what it used */
	struct usage usage;
	enum script_stop stop;
	int64_t delay_ms;
	bool fails;
	struct script_error error;
};

struct script {
	struct script_entry *entries;
	size_t len;
};

/* What a model is asked with. */
struct script_scene {
	struct str agent;
	int64_t turn;	 /* replies before it in the run */
	int64_t attempt; /* tries of this turn, from 1 */
	struct str text; /* the newest words of a user */
	struct str tool,
		result; /* of the tool whose result came last; empty: none came */
};

/* The member `script` of what stands at `at`, with a fault for each thing that is wrong. */
void script_check(struct check *, const struct json_place *at, const struct json *,
	struct arena *, struct script *out);
/* One that was checked before. */
void script_read(const struct json *, struct arena *, struct script *out);
/* NULL: none fits. */
const struct script_entry *script_find(
	const struct script *, const struct script_scene *);
/* With {{text}}, {{result}} and {{turn}} filled in. */
struct str script_fill(struct str, const struct script_scene *, struct arena *);

#endif
