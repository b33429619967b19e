/* slack_in.h - how Slack calls us. */
#ifndef CHANNEL_SLACK_IN_H
#define CHANNEL_SLACK_IN_H

#include "channel/slack/slack_socket.h"
#include "serve/receiver.h"

struct doctor;

extern const struct receiver slack_receiver;
void slack_doctor(const struct settings *, const struct doctor *);

#endif
