/* slack.h - what serve keeps to be called by Slack. */
#ifndef SERVE_SLACK_H
#define SERVE_SLACK_H

#include "serve/inner.h"

struct slack_in *slack_in_new(const struct serve_slack *); /* NULL: out of memory */
struct slack_in *slack_in_free(struct slack_in *); /* NULL is fine; returns NULL */

#endif
