/* log.c - one line, made on the stack and written with one call. */
#include "base/log.h"

#include "base/clock.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_SIZE = 2000, MESSAGE_SIZE = 4000 };

static atomic_bool log_json;
static _Atomic int log_most = LOG_INFO;

static _Thread_local char log_trace[33];

static const char *const names[] = {
	[LOG_ERROR] = "error",
	[LOG_WARN] = "warn",
	[LOG_INFO] = "info",
	[LOG_DEBUG] = "debug",
};

struct log_text {
	char text[LINE_SIZE];
	size_t len;
	size_t max; /* the rest is kept for the line's end */
};

void log_setup(bool as_json, enum log_level level)
{
	atomic_store(&log_json, as_json);
	atomic_store(&log_most, (int)level);
}

/* Adds the piece whole or not at all; once one did not fit, later ones are left out, too. */
static void line_add(struct log_text *l, struct str s)
{
	if (s.len > l->max - l->len) {
		l->max = l->len;
		return;
	}
	memcpy(l->text + l->len, s.at, s.len);
	l->len += s.len;
}

static void add_hex(struct log_text *l, struct str bytes, bool json)
{
	char text[24];
	size_t len = 0;

	for (size_t i = 0; i < bytes.len; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s\\x%02x",
			json ? "\\" : "", (unsigned char)bytes.at[i]);
	line_add(l, str_make(text, len));
}

/* Bytes that are no UTF-8 are shown like control characters. */
static void add_message(struct log_text *l, struct str message, bool json)
{
	while (message.len) {
		size_t len = utf8_length(message.at, message.len);
		struct str piece = str_first(message, len ? len : 1);
		unsigned char c = (unsigned char)piece.at[0];
		bool c1 = len == 2 && c == 0xc2 && (unsigned char)piece.at[1] < 0xa0;

		if (len == 0 || c < 0x20 || c == 0x7f || c1)
			add_hex(l, piece, json);
		else if (json && (c == '"' || c == '\\'))
			line_add(l, c == '"' ? STR("\\\"") : STR("\\\\"));
		else
			line_add(l, piece);
		message = str_from(message, piece.len);
	}
}

void log_about(struct str trace_id)
{
	trace_id = str_first(trace_id, sizeof log_trace - 1);
	if (trace_id.len) memcpy(log_trace, trace_id.at, trace_id.len);
	log_trace[trace_id.len] = '\0';
}

bool log_wants(enum log_level level)
{
	return (int)level <= atomic_load_explicit(&log_most, memory_order_relaxed);
}

void log_line(enum log_level level, const char *format, ...)
{
	bool json = atomic_load(&log_json);
	struct log_text line = { .max = LINE_SIZE - 3 };
	char time[TIME_SIZE], message[MESSAGE_SIZE];
	va_list args;
	int len;

	if (!log_wants(level)) return;
	va_start(args, format);
	len = vsnprintf(message, sizeof message, format, args);
	va_end(args);
	if (len < 0) return;
	if (len >= MESSAGE_SIZE) len = MESSAGE_SIZE - 1;
	time_write(clock_now_ms(), time);
	line_add(&line, json ? STR("{\"time\":\"") : STR(""));
	line_add(&line, str_of(time));
	line_add(&line, json ? STR("\",\"level\":\"") : STR(" "));
	line_add(&line, str_of(names[level]));
	if (json && log_trace[0]) {
		line_add(&line, STR("\",\"trace_id\":\""));
		line_add(&line, str_of(log_trace));
	}
	line_add(&line, json ? STR("\",\"message\":\"") : STR(" "));
	add_message(&line, str_make(message, (size_t)len), json);
	line.max = LINE_SIZE;
	line_add(&line, json ? STR("\"}\n") : STR("\n"));
	/* Nobody is left to tell when stderr is gone. */
	if (write(STDERR_FILENO, line.text, line.len) < 0) return;
}
