/* on_ended.h - who is told that a run has ended: {"webhook": url}. Pure. */
#ifndef CORE_ON_ENDED_H
#define CORE_ON_ENDED_H

#include "base/str.h"

struct on_ended {
	struct str webhook; /* empty: nobody */
};

/* {"webhook"}: must be an http or https URL. */
extern const struct shape on_ended_shape;

#endif
