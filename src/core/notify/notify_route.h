/* notify_route.h - routes: who is told of an ask, in which steps.
 *
 * A route is a list of steps; reminder, fallback and escalation are steps. Whom a step tells is
 * decided when it is due (core/notify/notify_plan.h). The first row of a workspace's table that fits an
 * ask is its route. */
#ifndef CORE_NOTIFY_ROUTE_H
#define CORE_NOTIFY_ROUTE_H

#include "core/ask/ask.h"
#include "core/delivery/delivery.h"
#include "core/shared/digest.h"

enum {
	ROUTES_MAX = 100,
	ROUTE_STEPS_MAX = 10,
	ROUTE_TO_MAX = 20,
	ROUTE_TIMES_MAX = 20,
	ROUTE_NAME_MAX = 100,
};

enum notify_to_kind {
	TO_ASSIGNEES, /* none: all who may settle it */
	TO_ALL,
	TO_USER,
	TO_TEAM,
	TO_ON_CALL,
	TO_LEADS,
	TO_ADMINS,
	TO_CONTACT,
};

const char *notify_to_name(enum notify_to_kind);

struct notify_to {
	enum notify_to_kind kind;
	struct str name; /* of a team; id of a user or contact */
};

struct notify_step {
	bool before;   /* the deadline; else after the ask */
	int64_t at_ms; /* by how much */
	struct notify_to *to;
	size_t to_len;
	unsigned via;	   /* 1 << delivery_kind; 0: the person's own order */
	bool pick_one;	   /* who was told longest ago */
	bool always;	   /* also who is looking */
	bool unless_never; /* also while somebody answers it */
};

/* One row of the table. */
struct notify_route {
	struct str id, name;
	unsigned kinds; /* 1 << ask_kind, and ROUTE_ALERT; 0: any */
	bool has_risk, has_priority;
	enum risk risk_min;
	enum priority priority_min;
	struct str project, agent; /* patterns; empty: any */
	bool any;		   /* match: {} */
	int64_t target_ms;	   /* 0: none */
	struct notify_step *steps;
	size_t steps_len;
	int64_t every_ms, times; /* of the last step; times 0: it is not repeated */
};
enum { ROUTE_ALERT_BIT = 8 };
#define ROUTE_ALERT (1u << ROUTE_ALERT_BIT)

/* Is it an alert, as core/notify/alert.h shows it to the routes? */
static inline bool ask_is_alert(const struct ask *a)
{
	return (int)a->kind == ROUTE_ALERT_BIT;
}

/* The table of a workspace as it is stored: a JSON array of rows. */
struct routes_record {
	int64_t ws;
	struct str body;
	int64_t changed_ms;
	int64_t version;
};

struct route_table {
	struct notify_route *rows;
	size_t len;
};

extern const char *const routes_default; /* what a new workspace has */

/* The items of a body, at this pointer. Rows without an id have none yet. */
enum err routes_read(const struct json *items, const char *pointer, struct arena *,
	struct route_table *out, struct fault *why);
/* As stored; empty: the default. */
enum err routes_load(
	struct str stored, struct arena *, struct route_table *out, struct fault *why);
/* What the event of a change names the table by. */
void routes_digest(const struct routes_record *, char out[SHORT_DIGEST_SIZE]);
/* As a JSON array: what is stored, and shown. */
void routes_write(struct json_writer *, const struct route_table *);

/* The row that fits; NULL: none. */
const struct notify_route *routes_find(const struct route_table *, const struct ask *);
/* Does a step tell this team, its leads or who is on call? */
bool route_names_team(const struct notify_route *, struct str name);
const struct notify_route *routes_by_id(const struct route_table *, struct str id);

/* A point of a route: which step, which time of it, when it is due. */
struct route_point {
	int64_t step, round, due_ms;
};
/* The point behind `from` (NULL: the first) that happens before the deadline; false: there is
 * none. It follows from the ask alone, so that a deadline that moves moves it. */
bool route_next(const struct notify_route *, int64_t created_ms, int64_t deadline_ms,
	const struct route_point *from, struct route_point *out);

#endif
