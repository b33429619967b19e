/* notify_ask.h - people are told of asks: the steps of routes, and what becomes of each message.
 * Private to desk.
 *
 * 1. The first step's row commits with the ask. A settlement ends the route row and every unsent
 *    message of the ask in its own transaction.
 * 2. Each contact that shows the ask gets one `settled`, and never before its last message:
 *    staged by the settlement, or by the report of what was under way then. A message that another
 *    node took over meanwhile may come after that: it is followed by another `settled`.
 * 3. A workspace without contacts has no route rows. */
#ifndef DESK_NOTIFY_ASK_H
#define DESK_NOTIFY_ASK_H

#include "core/notify/notify_plan.h"
#include "desk/people/roster.h"
#include "desk/shared/happened.h"

/* What steps of one workspace need, loaded once a batch. */
struct recipients {
	int64_t ws; /* 0: nothing is loaded */
	struct roster roster;
	const struct contact **contacts;
	size_t contacts_len;
	struct plan_person *people;
	size_t people_len;
	struct route_table table;
};
enum err recipients_load(struct rows *, int64_t ws, struct recipients *, struct fault *);
/* The routes alone. */
enum err route_table_load(
	struct rows *, int64_t ws, struct route_table *, struct fault *);
/* All that was made for an ask, into the rows. */
enum err notify_fetch(struct rows *, const struct ask *, struct fault *);
/* The facts of one ask; its deliveries are fetched. */
enum err recipients_facts(struct rows *, const struct recipients *, const struct ask *,
	struct plan_facts *out, struct fault *);

/* What a delivery is about: an ask, or an alert as one (core/notify/alert.h). ERR_NOT_FOUND. */
enum err notify_subject(
	struct rows *, int64_t ws, struct str id, struct ask **out, struct fault *);
/* What a message about it is for. */
enum delivery_purpose notify_purpose(const struct ask *);
/* The row of a step that is due then. */
void notify_step_stage(struct rows *, const struct ask *, int64_t step, int64_t round,
	enum delivery_purpose, int64_t due_ms);
/* Its end: what is not sent yet is dropped, and whoever shows it is told. */
enum err notify_over(struct desk *, struct rows *, const struct ask *, struct fault *);

/* ---- moments of an alert ---- */

react_fn notify_alert_raised, notify_alert_cleared;

/* ---- moments of a session ---- */

react_fn notify_session_moved, notify_session_progress;

/* ---- moments of an ask ---- */

void notify_wants(const struct job *, struct wants *); /* of a new ask */
react_fn notify_asked; /* the route of a new ask, and its first step's row */
react_fn notify_settled;
/* Was such a message made for this contact? Each is made once. */
bool notify_there(
	const struct plan_facts *, const struct contact *, const struct delivery *like);
/* Its end, to one contact that shows it and has nothing under way; once. */
enum err notify_end_at(struct desk *, struct rows *, const struct ask *,
	struct str contact, struct fault *);
/* This message was begun here, and another node took it over: if the ask is settled, its end may
 * have come first, and follows once more. */
enum err notify_overtaken(
	struct desk *, struct rows *, const struct delivery *, struct fault *);
/* Messages that wait or are under way, which were fetched, are changed: no node reports one without
 * knowing what came since. */
void notify_news(struct rows *, const struct ask *);
react_fn notify_replied; /* its agent replied: said where the ask shows */
/* Replies that came while this message, which has arrived, waited or was under way. */
enum err notify_replied_meanwhile(struct rows *, const struct delivery *, struct fault *);
react_fn notify_assigned; /* to others than before: they are told */
react_fn notify_voted;	  /* somebody voted: messages that can be edited say so */
react_fn notify_moved;	  /* its deadline moved */

/* ---- rows ---- */

/* A message of this purpose for a contact; `a` may be NULL. Found in *out, unless NULL. */
void notify_stage(struct rows *, const struct ask *, const struct contact *,
	struct delivery like, struct delivery **out);
enum err contact_fetch(struct rows *, int64_t ws, struct str id,
	const struct contact **out, struct fault *); /* NULL: there is none */
/* contact.added, … */
void contact_event(struct rows *, const struct contact *, const char *type);

/* ---- deliveries under way ---- */

/* Works a route row that was claimed. */
enum err notify_step_due(struct recipients *, struct rows *, struct delivery *,
	struct notify_notes *, struct fault *);
void notify_note(struct notify_notes *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* What a report says of its channel: whether it works. */
enum err channel_reported(struct rows *, const struct delivery *,
	const struct delivery_outcome *, struct notify_notes *, struct fault *);
/* 1 << delivery_kind of each that does not. */
enum err channels_down(struct rows *, unsigned *out, struct fault *);
/* This step reaches nobody, for the reasons of the plan. Once. */
enum err unreached_step(struct rows *, const struct plan_facts *,
	const struct route_point *, const struct notify_plan *, struct notify_notes *,
	struct fault *);
/* May this claimed message be sent now? *hold: it waits, is carried or was dropped instead,
 * and the row says so. */
enum err notify_prepare(struct task *, struct rows *, struct delivery *, bool *hold,
	struct notify_notes *, struct fault *);
/* A message ended for good, or is tried again. */
enum err notify_reported(struct task *, struct rows *, struct delivery *,
	const struct delivery_outcome *, struct notify_notes *, struct fault *);
/* Not to be sent any more. */
void delivery_drop(struct rows *, struct delivery *, struct str reason);

#endif
