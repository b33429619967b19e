/* notify_plan.h - whom a step of a route tells, by which contact, and when: pure. */
#ifndef CORE_NOTIFY_PLAN_H
#define CORE_NOTIFY_PLAN_H

#include "core/approval/entitled.h"
#include "core/notify/contact.h"
#include "core/notify/notify_prefs.h"
#include "core/notify/notify_route.h"

enum { PRESENT_MS = 60 * 1000 };

/* Why somebody is not told, or not yet. */
enum plan_why {
	PLAN_TOLD,
	PLAN_QUIET,
	PLAN_DIGEST,
	PLAN_PRESENT,
	PLAN_CLAIMED,
	PLAN_NO_CONTACT,
	PLAN_NOT_ENTITLED,
	PLAN_ON_CALL, /* the team has nobody on call */
	PLAN_MUTED,
	PLAN_DOWN, /* the channel does not work at all; it is tried again */
	PLAN_DEAD, /* every message failed for good */
};
const char *plan_why_name(enum plan_why); /* NULL: PLAN_TOLD */

/* What is known of a person beyond the roster. */
struct plan_person {
	struct str user;
	struct notify_prefs prefs; /* its zones are loaded */
	int64_t present_ms;	   /* when they were last in sight; 0: never */
};

/* Everything that the plan of an ask follows from. */
struct plan_facts {
	const struct ask *ask;
	const struct roster *roster; /* everybody, and all teams */
	const struct contact *const *contacts;
	size_t contacts_len;
	const struct plan_person *people; /* those who have set something, or were seen */
	size_t people_len;
	const struct delivery *const *told; /* all deliveries of this ask */
	size_t told_len;
	unsigned down; /* 1 << delivery_kind: channels that do not work */
	int64_t now_ms;
	struct arena *arena;
};

/* One who is told, or why not. */
struct plan_entry {
	int64_t at_ms; /* when it goes out; 0: it does not */
	int64_t step;
	struct str user;	       /* empty: a team's contact */
	const struct contact *contact; /* NULL: none */
	bool again;		       /* the contact has the ask already */
	enum plan_why why;
	struct str team; /* that is not told, where no person is named */
	int64_t from_ms; /* quiet until then, which is too late */
	bool waits;	 /* something that was put off for them is there already */
};

struct notify_plan {
	struct plan_entry *at;
	size_t len, cap;
};

/* Adds what this step does when it is due now. False: out of memory. */
bool plan_step(const struct plan_facts *, const struct notify_step *, int64_t step,
	struct notify_plan *);
/* Do these entries, from this one on, reach anybody, or is somebody looking? */
bool plan_reaches(const struct notify_plan *, size_t from);
/* May a message of this step still arrive, or did one? `user`: of theirs; empty: of anybody's. */
bool plan_hopes(const struct plan_facts *, const struct route_point *, struct str user);
/* Adds why nobody hears of a step whose messages failed; somebody who is looking is in it, too.
 * False: out of memory. */
bool plan_failed(const struct plan_facts *, const struct notify_step *,
	const struct route_point *, struct notify_plan *);
/* Adds who hears that the agent replied: each contact that was told of the ask, but for people
 * who are looking. False: out of memory. */
bool plan_thread(const struct plan_facts *, struct notify_plan *);
/* The next contact of this person after one that died, in the same step; NULL: none. */
const struct contact *plan_next_contact(
	const struct plan_facts *, struct str user, unsigned via);
const struct plan_person *plan_person(const struct plan_facts *, struct str user);
/* Are they in sight? */
bool plan_present(const struct plan_person *, int64_t now_ms);

#endif
