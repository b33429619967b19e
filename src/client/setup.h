/* setup.h - what a client is made of. Private to this folder. */
#ifndef CLIENT_SETUP_H
#define CLIENT_SETUP_H

#include "client/client.h"

struct client {
	void *multi; /* CURLM: transfers share its connections */
	struct arena arena;
	struct str url;	   /* as it was given */
	struct str base;   /* what paths are put behind; no trailing slash */
	struct str socket; /* NUL-terminated path, or empty */
	struct str token;
	struct str cookie;
	struct str via;
	struct str workspace;
	struct str lang;
	struct str project, work_tree, program, machine_user;
	bool local; /* loopback or a socket: no proxy is asked */
	int stop_fd;
	int64_t silence_ms;
};

#endif
