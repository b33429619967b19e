/* alert.h - alerts: what people are told of when asking does not go well. A row is raised once,
 * told like an ask, and cleared once. Pure: what raises, keeps and clears one. */
#ifndef CORE_ALERT_H
#define CORE_ALERT_H

#include "core/notify/notify_route.h"

enum alert_kind {
	ALERT_UNANSWERED,
	ALERT_UNREACHABLE,
	ALERT_TIMEOUTS,
	ALERT_ERRORS,
	ALERT_OVERDUE,
	ALERT_MODEL,
	ALERT_DEAD,
	ALERT_UNREACHED,
	ALERT_CHANNEL,
	ALERT_BUDGET,
	ALERT_UNMEETABLE,
	ALERT_NODE,
	ALERT_LOST,
	ALERT_KINDS
};
const char *alert_kind_name(enum alert_kind);
bool alert_kind_read(struct str, enum alert_kind *);

enum { ALERT_ASKS_MAX = 20, ALERT_NOTE_MAX = 500 };

/* As it is stored. */
struct alert {
	int64_t ws;
	struct str id;
	enum alert_kind kind;
	struct str
		about; /* its key: a kind, route, provider, ask, channel or node; or empty */
	int64_t since_ms;
	struct str value, threshold; /* JSON numbers; empty: it has none */
	struct str asks;	     /* JSON array of at most ALERT_ASKS_MAX ids */
	struct str detail;	     /* a sentence; or empty */
	struct str acked;	     /* JSON {by, at, note}; or empty */
	struct str route;	     /* that tells of it; empty: none does */
	int64_t low_ms;	    /* a rate that is low enough since then; 0: it is not */
	int64_t cleared_ms; /* 0: it is open */
	int64_t version;
};
void alert_write(struct json_writer *, const struct alert *);
/* "[…]" of so many ids. */
struct str alert_asks(const struct str *ids, size_t len, struct arena *);
struct str alert_number(double, struct arena *);

/* policy.alerts. Off: 0; of `window` and `min` the default. */
struct alert_settings {
	double timeouts, errors, overdue, model, budget;
	int64_t window_ms, min;
	int64_t unanswered_ms, unreachable_ms, node_ms;
	int64_t dead;
};
/* Of a policy as it is kept; members that it lacks are as in a new workspace. */
enum err alert_settings_read(
	struct str policy, struct arena *, struct alert_settings *out, struct fault *);

/* A share of things that went badly, against what is allowed: 0 of fewer than `min`. */
double alert_share(int64_t bad, int64_t all, int64_t min);
enum { ALERT_CALM_MS = 5 * 60 * 1000 };
#define ALERT_CALM 0.8

/* What a look found of one kind and key. */
struct alert_finding {
	int64_t ws;
	enum alert_kind kind;
	struct str about;
	bool raised; /* it is beyond what is allowed; else near it */
	struct str value, threshold, asks, detail;
};

enum alert_move {
	ALERT_STAYS, /* as it is */
	ALERT_RAISES,
	ALERT_CALMS, /* a rate is low: it clears once that has lasted */
	ALERT_STIRS, /* a rate is not low any more */
	ALERT_CLEARS,
};
/* What becomes of the open one (NULL: none) after a look at `looked_ms` that found this (NULL:
 * nothing). */
enum alert_move alert_next(const struct alert *, const struct alert_finding *,
	int64_t looked_ms, int64_t now_ms);
/* Is it found by looking, or raised by what happens? */
bool alert_is_looked_for(enum alert_kind);

/* As the routes see it: an ask of no kind that people know. */
void alert_as_ask(const struct alert *, struct ask *out);
/* Somebody knows of it, and it is not over: nobody is told any more, nor of its end yet. */
static inline bool alert_is_acked(const struct ask *a)
{
	return ask_is_alert(a) && a->status == ASK_SKIPPED;
}

#endif
