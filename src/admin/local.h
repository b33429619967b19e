/* local.h - administration calls on the store itself, when no server runs. Private to admin. */
#ifndef ADMIN_LOCAL_H
#define ADMIN_LOCAL_H

#include "admin/admin.h"

struct local;

struct local *local_open(struct str store, admin_use_fn *, struct fault *why);
struct local *local_close(struct local *);
enum err local_do(struct local *, struct str workspace, const char *method,
	struct str path, struct str body, struct arena *, struct str *reply,
	struct fault *why);

#endif
