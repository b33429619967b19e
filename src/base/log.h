/* log.h - lines for the operator, to stderr. Only the edges log, and each thing once. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/str.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_setup(bool as_json, enum log_level);
bool log_wants(enum log_level); /* would a line of it be written? */
/* Control characters are shown as \xNN, so that foreign text cannot forge a line. One
 * write(2) a line, of at most 2,000 bytes. Never pass a secret. */
void log_line(enum log_level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The next lines of this thread are about this trace, of at most 32 letters and digits, which JSON lines name
 * as `trace_id`; empty: about none. */
void log_about(struct str trace_id);

#endif
