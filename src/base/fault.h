/* fault.h - what went wrong: a small enum, and a sentence on the caller's stack.
 * Prefixes: fail_, err_. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include "base/str.h"

enum err {
	OK = 0,
	ERR_BAD_REQUEST,  /* 400: not JSON, not HTTP */
	ERR_NO_TOKEN,	  /* 401 */
	ERR_FORBIDDEN,	  /* 403 */
	ERR_NOT_ENTITLED, /* 403: not theirs to settle; the member `reason` says why */
	ERR_PROJECT,	  /* 403: the token is bound to other projects */
	ERR_NOT_FOUND,	  /* 404 */
	ERR_METHOD,	  /* 405 */
	ERR_CONFLICT,	  /* 409: settled already, or another holds it */
	ERR_VERIFYING,	  /* 409: a verifier has not spoken yet */
	ERR_REVOKED,	  /* 409: an approval that was taken back */
	ERR_FULL,	  /* 409: as many runs work as may */
	ERR_HELD,	  /* 409: a hold keeps it; the member `holds` says which */
	ERR_NOT_SETTLED,  /* 409: it is still open */
	ERR_USED,	  /* 409: an approval that was redeemed before */
	ERR_APPROVAL,	  /* 403: not an approval of this; the member `reason` says why */
	ERR_READ_ONLY,	  /* 409: the configuration file defines it */
	ERR_STOPPED,	  /* 409: somebody stopped everything of this kind */
	ERR_DENIED,	  /* 409: a rule forbids by now what was approved */
	ERR_DENIED_ANSWER, /* 403: a rule forbids what is being approved */
	ERR_REJECTED, /* 403: whoever was asked said no, or nobody answered in time */
	ERR_APPROVAL_PENDING, /* 403: a person has to approve it first */
	ERR_AHEAD,	      /* 409: behind an event that is not there */
	ERR_MANDATE_SPENT,    /* 409: nothing is left of what was approved in advance */
	ERR_STALE,	      /* 409: it is about something that has changed since */
	ERR_TOO_BIG,	      /* 413 */
	ERR_MEDIA_TYPE,	      /* 415 */
	ERR_VOTES,	 /* 422: approvals are required, so each is voted on by itself */
	ERR_ALONE,	 /* 422: not with others; the member `reason` says why */
	ERR_UNVERIFIED,	 /* 422: nobody has shown yet whose address it is */
	ERR_INVALID,	 /* 422: well-formed, not acceptable */
	ERR_RATE,	 /* 429 */
	ERR_TOO_MANY,	 /* 429: of one session */
	ERR_CHANNEL_OFF, /* 503: the channel is not configured */
	ERR_NO_KEY,	 /* 503: the key to sign with cannot be opened here */
	ERR_UNAVAILABLE, /* 503: nothing was accepted */
	ERR_UNKNOWN,	 /* 503: outcome unknown; repeat with the same key */
	ERR_MEMORY,	 /* 503: out of memory, nothing was accepted */
	ERR_BUSY,	 /* 503: met other transactions; nothing was accepted */
	ERR_INTERNAL,	 /* 500: a bug of ours */
};

/* One thing wrong with a body: where (a JSON pointer) and what. */
struct fault_item {
	char pointer[160];
	char detail[256];
};

enum { FAULT_ITEMS = 8 };

/* On the caller's stack; { 0 } is ready. `items` are for ERR_INVALID bodies. */
struct fault {
	enum err err;
	char detail[512];      /* a path, and names that are known */
	int64_t retry_after_s; /* ERR_RATE, ERR_UNAVAILABLE: 0 is unset */
	const char *member;    /* one more member of the problem; NULL: none */
	char member_text[48];
	int items_len;
	struct fault_item items[FAULT_ITEMS];
};

const char *err_name(enum err);		 /* "conflict", … */
enum err fail_memory(struct fault *why); /* ERR_MEMORY, "out of memory" */
/* The same, for what returns a pointer: NULL. */
static inline void *no_memory(struct fault *why)
{
	fail_memory(why);
	return NULL;
}

/* Fills *why (which may be NULL) and returns err, so that it can be returned at once. */
enum err fail(struct fault *why, enum err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* One more member of the problem, beside what fail said: "rule": "rul_…". */
void fail_member(struct fault *why, const char *name, struct str text);
/* Adds an item with its pointer; err becomes ERR_INVALID; further ones beyond
 * FAULT_ITEMS are dropped. The first item's detail is also the fault's detail. */
enum err fail_at(struct fault *why, const char *pointer, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* What was found from this item on stands beneath that pointer. */
void fault_shift(struct fault *, int from, const char *pointer);
/* A pointer that is made for it: fail_at(why, POINTER("/ids/%zu", i), "…"). */
#define POINTER(...) fault_pointer(__VA_ARGS__).text
struct fault_pointer {
	char text[100];
};
struct fault_pointer fault_pointer(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
