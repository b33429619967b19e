/* policy_log.h - events about rules, stops, the policy, routes, templates, lists, agents
 * and providers: whatever a use case does to them is an event, without its doing. The first
 * three also raise the version that decisions are made by. */
#ifndef DESK_POLICY_LOG_H
#define DESK_POLICY_LOG_H

#include "desk/shared/inner.h"

/* The clerk's hook: stages an event for each of these records that the job changed. */
void policy_logged(struct job *, struct rows *);

#endif
