/* operation_line.h - an operation on one line, as lists and batches show it, and the title
 * of an approval that was given none. */
#ifndef CORE_OPERATION_LINE_H
#define CORE_OPERATION_LINE_H

#include "base/json.h"

/* Its tool, then each argument as name=value, in order of their names, with `between`
 * before each. A value that could be mistaken for something else is written as JSON, so
 * that no argument can imitate another one; control characters are escaped. The one argument
 * that a tool is about (a command) stands without its name. */
void operation_line(struct buf *, const struct json *operation, const char *between);
/* "Bash: git push origin main": its tool and what the call is about, at most `max` code
 * points. Empty: it has no name. */
struct str operation_title(const struct json *operation, size_t max, struct arena *);

#endif
