/* operation.h - what exactly would run, and its digest. Prefixes: operation_, risk_. */
#ifndef CORE_OPERATION_H
#define CORE_OPERATION_H

#include "base/json.h"
#include "core/shared/body.h"

enum risk { RISK_NONE, RISK_LOW, RISK_MEDIUM, RISK_HIGH, RISK_CRITICAL };

enum { DIGEST_SIZE = 72 }; /* "sha256:" + 64 + NUL */

extern const char *const risk_names[RISK_CRITICAL + 1];
const char *risk_name(enum risk); /* NULL for RISK_NONE */
bool risk_read(struct str, enum risk *);
/* Checks an operation's members {type?, name, arguments?, risk?}; pointers under `at`. */
enum err operation_read(
	const struct json *, const char *at, enum risk *, struct fault *why);
/* As operation_read, noting into a check that others share. */
void operation_check(
	struct check *, const struct json *, const struct json_place *, enum risk *risk);
/* In its normal form: what is null is left out, but for arguments. */
/* `schema`: JSON Schema of its arguments, which is no part of what runs; empty: none. */
void operation_write(
	struct json_writer *, const struct json *operation, struct str schema);
/* SHA-256 over the RFC 8785 form of {type, name, arguments, session}; members the
 * operation lacks are left out. `arguments` replaces the operation's own when not NULL.
 * Empty when there is no memory. */
void operation_digest(const struct json *operation, const struct json *arguments,
	struct str session, char out[DIGEST_SIZE]);
/* The same without the session: what rules call `same`. */
void operation_same(const struct json *operation, const struct json *arguments,
	char out[DIGEST_SIZE]);
/* The same tool with the same names of arguments: what a batch may approve together. */
bool operation_alike(const struct json *, const struct json *);

/* Its tool, then each argument as name=value, in order of their names, with `between`
 * before each. A value that could be mistaken for something else is written as JSON, so
 * that no argument can imitate another one; control characters are escaped. The one argument
 * that a tool is about (a command) stands without its name. */
void operation_line(struct buf *, const struct json *operation, const char *between);
/* "Start 3 sub-agents": what a tool of our own agents would do. False, and nothing written: the
 * tool is none of them. */
bool operation_own_title(struct str tool, const struct json *arguments, struct buf *out);
/* The same for those; of others "Bash: git push origin main": its tool and what the call is
 * about. At most `max` code points. Empty: it has no name. */
struct str operation_title(const struct json *operation, size_t max, struct arena *);

#endif
