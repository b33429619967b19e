/* notify.h - makes deliveries: people told, webhooks sent, resumers run, on a thread of its own.
 * What there is to do is in the store; nothing is kept here that a crash could lose. */
#ifndef CHANNEL_NOTIFY_H
#define CHANNEL_NOTIFY_H

#include "core/delivery/resumer.h"
#include "core/policy/operation.h"
#include "desk/desk.h"
#include "net/process.h"
#include "text/lang.h"

/* A command line of the operator's: starts a stopped agent again, verifies, or tells somebody;
 * verifiers may be an address instead. */
struct notify_named {
	struct str name, command;
};

/* E-mail. Without smtp_url there is none. */
struct notify_mail {
	struct str smtp_url, smtp_password;
	struct str from;
	struct str reply;  /* with {token} in it; empty: replies are not taken */
	bool vouched;	   /* a mail server vouches for who replies (mail_authserv) */
	enum risk approve; /* the highest risk that a reply may approve */
	/* A mailbox that replies are read from; without a URL there is none. */
	struct str imap_url, imap_password;
	int64_t imap_poll_ms;
	struct str key; /* that the tokens of replies and of muting are made with */
};

struct notify_settings {
	struct str url;		     /* how the server is reached, no trailing slash */
	struct str data;	     /* where a client finds server and token by itself */
	struct str webhook_internal; /* as core/address has it */
	int64_t webhook_timeout_ms;
	int64_t webhook_host_max; /* under way to one host at once */
	const struct notify_named *resumers, *verifiers;
	size_t resumers_len, verifiers_len;
	const struct notify_named *channels; /* commands that tell people */
	size_t channels_len;
	enum lang lang;		 /* of who has not chosen one */
	struct str push_subject; /* who we are to push services; empty: push is off */
	struct str resumer_env;	 /* names with commas: what they see of our environment */
	struct notify_mail mail;
	struct str slack_token, slack_api;   /* no token: no Slack */
	enum risk slack_approve;	     /* the highest risk that is approved there */
	int64_t resumer_timeout_ms;	     /* 0: none */
	bool isolated;			     /* these programs are: net/process.h */
	const struct process_hidden *hidden; /* from isolated resumers; borrowed */
	size_t hidden_len;
	bool shared; /* other processes write to the store, too */
};

struct notify;

/* Listens to the desk from now on. The desk is borrowed; settings are copied. */
struct notify *notify_new(
	struct desk *, const struct notify_settings *, struct fault *why);
enum err notify_start(struct notify *, struct fault *why);
/* Takes nothing more on; from any thread. Webhooks under way get some seconds, resumers end. */
void notify_stop(struct notify *);
/* Stops it and waits until it has; before the desk is closed. NULL is fine; returns
 * NULL. */
struct notify *notify_free(struct notify *);

#endif
