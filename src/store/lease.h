/* lease.h - claims records that are due, fairly between their owners, through the rows of a batch.
 *
 * A record that can be claimed has a lease, an owner, a group (whom it goes to; may be empty for
 * all) and four statements. Adding one is a const struct leased where its use cases are. */
#ifndef STORE_LEASE_H
#define STORE_LEASE_H

#include "core/delivery/lease.h"
#include "store/rows.h"

struct lease_claim;

struct lease_group {
	int64_t max; /* 0: any number */
	bool own;    /* another owner's of the same name is another group */
	bool shared; /* no owner gets more of it than about half of what is free */
};

struct leased {
	enum record_id record;
	size_t lease_at;	   /* struct lease */
	size_t owner_at, group_at; /* struct str */
	/* $1 now, $2 who asks, $3 kind, $4 how many → owner, instant: for whom something is due,
	 * who waits longest first. */
	enum sql owners;
	/* $1 now, $2 who asks, $3 kind, $4 owner, $5 groups to leave out (",a,b,"), $6 how many →
	 * records: what is due for that owner, oldest first. */
	enum sql due;
	/* $1 who, $2 kind → owner, group, count: what it holds. */
	enum sql held;
	/* Is this copy, which is not held, of that kind and due as it is now? An earlier job of the
	 * batch may have changed it. */
	bool (*due_now)(
		const struct rows *, const struct lease_claim *, const void *record);
	/* How many records of a group may be held at once, and whether the group is this owner's
	 * alone; NULL: group_max of the claim, one group shared by all owners. */
	struct lease_group (*group)(
		const struct lease_claim *, struct str owner, struct str name);
};

struct lease_claim {
	struct str by;	   /* the process */
	struct str kind;   /* of the records; empty where there is one kind */
	int64_t free;	   /* slots that it has left */
	int64_t take;	   /* how many it takes now, at most */
	int64_t group_max; /* held of one group at once; 0: any number */
	int64_t length_ms; /* of the lease */
	/* Only copies that the batch has made due, and none if anything was due before. */
	bool along;
	bool *left; /* not NULL: set when an owner was left whose records may be due */
};

/* Called with each record as it is claimed; it is to be changed further, if at all, at once. */
typedef enum err lease_claimed_fn(void *ctx, struct rows *, void *record, struct fault *);

/* Owners that hold fewest come first, then who waits longest; none gets more than its share. */
enum err rows_claim(struct rows *, const struct leased *, const struct lease_claim *,
	lease_claimed_fn *, void *ctx, struct fault *);

/* The call's one row: when the first is due; 0: nothing waits. A schema that we do not know is
 * an error, as it is to a claim. */
enum err lease_due_read(struct rows *, struct call, struct lease_due *, struct fault *);

static inline struct lease *leased_lease(const struct leased *l, void *record)
{
	return (struct lease *)(void *)((char *)record + l->lease_at);
}

#endif
