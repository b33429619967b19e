/* start.h - the first run of a workspace, as /v1/me shows it. */
#ifndef DESK_START_H
#define DESK_START_H

#include "desk/shared/inner.h"

/* "start": null where it never began, and for whoever is no person. */
enum err start_show(
	struct json_writer *, struct rows *, const struct principal *, struct fault *);

#endif
