/* fault.c - filling a fault. */
#include "base/fault.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const names[] = {
	[OK] = "ok",
	[ERR_BAD_REQUEST] = "bad request",
	[ERR_NO_TOKEN] = "no token",
	[ERR_FORBIDDEN] = "forbidden",
	[ERR_NOT_ENTITLED] = "not entitled",
	[ERR_VOTES] = "votes are needed",
	[ERR_REJECTED] = "rejected",
	[ERR_APPROVAL_PENDING] = "approval pending",
	[ERR_AHEAD] = "ahead",
	[ERR_STALE] = "stale",
	[ERR_ALONE] = "not with others",
	[ERR_UNVERIFIED] = "not verified",
	[ERR_CHANNEL_OFF] = "channel is off",
	[ERR_PROJECT] = "project",
	[ERR_NOT_FOUND] = "not found",
	[ERR_METHOD] = "method not allowed",
	[ERR_CONFLICT] = "conflict",
	[ERR_VERIFYING] = "verifying",
	[ERR_REVOKED] = "revoked",
	[ERR_FULL] = "busy",
	[ERR_HELD] = "held",
	[ERR_NOT_SETTLED] = "not_settled",
	[ERR_USED] = "used",
	[ERR_APPROVAL] = "approval",
	[ERR_NO_KEY] = "no_key",
	[ERR_READ_ONLY] = "read_only",
	[ERR_STOPPED] = "stopped",
	[ERR_DENIED] = "denied",
	[ERR_MANDATE_SPENT] = "mandate spent",
	[ERR_DENIED_ANSWER] = "denied",
	[ERR_TOO_BIG] = "too big",
	[ERR_MEDIA_TYPE] = "unsupported media type",
	[ERR_INVALID] = "invalid",
	[ERR_RATE] = "rate limit",
	[ERR_TOO_MANY] = "too many asks in a session",
	[ERR_UNAVAILABLE] = "unavailable",
	[ERR_UNKNOWN] = "outcome unknown",
	[ERR_MEMORY] = "out of memory",
	[ERR_BUSY] = "busy",
	[ERR_INTERNAL] = "internal error",
};

const char *err_name(enum err err)
{
	size_t i = (size_t)err;

	return i < sizeof names / sizeof *names && names[i] ? names[i] : "unknown error";
}

static void say(char *out, size_t size, const char *format, va_list)
	__attribute__((format(printf, 3, 0)));

/* Cuts what does not fit between two code points. */
static void say(char *out, size_t size, const char *format, va_list args)
{
	int len = vsnprintf(out, size, format, args);

	if (len < 0) out[0] = '\0';
	if (len < 0 || (size_t)len < size) return;
	for (size_t i = size - 1, back = 0; i > 0 && back < 4; back++) {
		unsigned char c = (unsigned char)out[--i];

		if (c < 0x80) return;
		if (c < 0xc0) continue;
		if (back + 1 < (c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u)) out[i] = '\0';
		return;
	}
}

enum err fail(struct fault *why, enum err err, const char *format, ...)
{
	va_list args;

	if (!why) return err;
	why->err = err;
	why->member = NULL;
	va_start(args, format);
	say(why->detail, sizeof why->detail, format, args);
	va_end(args);
	return err;
}

enum err fail_memory(struct fault *why)
{
	return fail(why, ERR_MEMORY, "out of memory");
}

void fail_member(struct fault *why, const char *name, struct str text)
{
	if (!why) return;
	why->member = name;
	snprintf(why->member_text, sizeof why->member_text, "%.*s", STR_ARGS(text));
}

enum err fail_at(struct fault *why, const char *pointer, const char *format, ...)
{
	struct fault_item *item;
	va_list args;

	if (!why) return ERR_INVALID;
	why->err = ERR_INVALID;
	if (why->items_len == FAULT_ITEMS) return ERR_INVALID;
	item = &why->items[why->items_len++];
	snprintf(item->pointer, sizeof item->pointer, "%s", pointer);
	va_start(args, format);
	say(item->detail, sizeof item->detail, format, args);
	va_end(args);
	if (why->items_len == 1)
		snprintf(why->detail, sizeof why->detail, "%s", item->detail);
	return ERR_INVALID;
}

struct fault_pointer fault_pointer(const char *format, ...)
{
	struct fault_pointer out;
	va_list args;

	va_start(args, format);
	vsnprintf(out.text, sizeof out.text, format, args);
	va_end(args);
	return out;
}

void fault_shift(struct fault *why, int from, const char *pointer)
{
	for (int i = from; why && i < why->items_len; i++) {
		char whole[sizeof why->items[i].pointer];

		snprintf(whole, sizeof whole, "%s%.*s", pointer, (int)(sizeof whole - 1),
			why->items[i].pointer);
		memcpy(why->items[i].pointer, whole, sizeof whole);
	}
}
