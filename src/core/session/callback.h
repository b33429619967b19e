/* callback.h - whom a session wants called when an ask of it is settled. */
#ifndef CORE_CALLBACK_H
#define CORE_CALLBACK_H

#include "base/json.h"

/* Empty: not. */
struct callback {
	struct str webhook, resumer;
};
enum err callback_read(
	struct str on_settled, struct arena *, struct callback *out, struct fault *why);
struct str callback_write(const struct callback *, struct arena *); /* empty: neither */

#endif
