/* trouble.h - why a run did not succeed: the kinds of `error.kind`. */
#ifndef CORE_TROUBLE_H
#define CORE_TROUBLE_H

#include "base/str.h"

enum trouble {
	TROUBLE_NONE,
	TROUBLE_RATE_LIMITED,
	TROUBLE_OVERLOADED,
	TROUBLE_UNREACHABLE, /* no connection, or a reply that broke off or went silent */
	TROUBLE_UNAUTHORIZED, /* the key is missing, wrong or not enough */
	TROUBLE_NO_CREDIT,
	TROUBLE_REFUSED,  /* the provider calls the request wrong */
	TROUBLE_TOO_LONG, /* more than the model's context */
	TROUBLE_DECLINED, /* the model or a filter would not answer */
	TROUBLE_CUT,	  /* the answer reached the most a model may write */
	TROUBLE_LIMIT,
	TROUBLE_LOOP, /* one call with the same arguments failed again and again */
	TROUBLE_REJECTED,
	TROUBLE_PROGRAM,
	TROUBLE_INTERNAL,
	TROUBLES,
};

const char *trouble_name(enum trouble);		       /* "rate_limited"; "" for none */
bool trouble_find(struct str name, enum trouble *out); /* false: no such kind */

#endif
