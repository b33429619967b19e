/* policy_log.h - events about rules, stops and the policy: whatever a use case does to them is
 * an event, and raises the version that decisions are made by, without its doing. */
#ifndef DESK_POLICY_LOG_H
#define DESK_POLICY_LOG_H

#include "desk/inner.h"

/* The clerk's hook: stages an event for each of these records that the job changed. */
enum err policy_logged(void *ctx, struct job *, struct rows *, struct fault *);

#endif
