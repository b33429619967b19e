/* slack_socket.h - Slack's Socket Mode: a connection that we open, over which Slack calls us. */
#ifndef CHANNEL_SLACK_SOCKET_H
#define CHANNEL_SLACK_SOCKET_H

#include "serve/inner.h"

struct slack_socket;
struct slack_envelope;

/* Texts are borrowed. NULL: out of memory. */
struct slack_socket *slack_socket_new(
	struct serve *, struct str api, struct str app_token);
/* After slack_socket_stop, or when it was never started. NULL is fine; returns NULL. */
struct slack_socket *slack_socket_free(struct slack_socket *);
void slack_socket_start(struct slack_socket *); /* NULL is fine */
void slack_socket_stop(struct slack_socket *);	/* NULL is fine */
/* Does Slack count on a connection of ours? */
bool slack_socket_open(const struct slack_socket *);
/* A connection that has ended meanwhile drops it: Slack says the same again over another. */
void slack_socket_acknowledge(
	struct slack_socket *, uint64_t link, struct str envelope, struct str reply);

/* slack_in.c: a call that came so. */
void slack_take(struct serve *, uint64_t link, struct str text);

#endif
