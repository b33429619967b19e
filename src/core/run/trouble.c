/* trouble.c - the names of what can stop a run. */
#include "core/run/trouble.h"

#include "core/shared/body.h"

static const char *const names[TROUBLES] = {
	[TROUBLE_NONE] = "",
	[TROUBLE_RATE_LIMITED] = "rate_limited",
	[TROUBLE_OVERLOADED] = "overloaded",
	[TROUBLE_UNREACHABLE] = "unreachable",
	[TROUBLE_UNAUTHORIZED] = "unauthorized",
	[TROUBLE_NO_CREDIT] = "no_credit",
	[TROUBLE_REFUSED] = "refused",
	[TROUBLE_TOO_LONG] = "too_long",
	[TROUBLE_DECLINED] = "declined",
	[TROUBLE_CUT] = "cut",
	[TROUBLE_LIMIT] = "limit",
	[TROUBLE_LOOP] = "loop",
	[TROUBLE_REJECTED] = "rejected",
	[TROUBLE_PROGRAM] = "program",
	[TROUBLE_INTERNAL] = "internal",
};

const char *trouble_name(enum trouble trouble)
{
	return names[trouble];
}

bool trouble_find(struct str name, enum trouble *out)
{
	int at = name_find(names, TROUBLES, name);

	if (at <= TROUBLE_NONE) return false;
	*out = (enum trouble)at;
	return true;
}
