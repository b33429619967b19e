/* slack_address.h - Slack's addresses. */
#ifndef CHANNEL_SLACK_ADDRESS_H
#define CHANNEL_SLACK_ADDRESS_H

#include "base/arena.h"

/* A method of the Web API; `api` with or without a slash at its end. NUL-terminated. */
struct str slack_method_url(struct str api, const char *method, struct arena *);
/* May something be posted there because a payload says so? Under hooks.slack.com, or at the host
 * of `api`. */
bool slack_response_url_valid(struct str url, struct str api);

#endif
