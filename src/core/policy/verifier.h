/* verifier.h - what programs that look at an approval say of it, and what is kept of that.
 *
 * A verifier may reject, raise the risk and leave a note; it never approves. Until it spoke, or
 * its time is up, nobody else can approve either. */
#ifndef CORE_VERIFIER_H
#define CORE_VERIFIER_H

#include "core/policy/operation.h"

enum {
	VERIFIERS_MAX = 8, /* of one ask */
	VERIFIER_NOTE_MAX = 2000,
	VERIFIER_TRY_MS = 20 * 1000,
	VERIFIER_WAIT_MS = 90 * 1000, /* for which it can keep people from approving */
};

enum verifier_verdict { VERDICT_NONE, VERDICT_FINE, VERDICT_DENY, VERDICT_UNSURE };

/* One verifier of an ask. Strings are borrowed. */
struct verification {
	struct str name;
	struct str rule; /* rul_… that wants it */
	int64_t until_ms;
	enum verifier_verdict verdict; /* VERDICT_NONE: it has not spoken */
	struct str note;	       /* or empty */
	enum risk risk; /* that it raises the ask to; RISK_NONE: it does not */
	int64_t at_ms;	/* when it spoke, or failed */
};

struct verifications {
	struct verification at[VERIFIERS_MAX];
	size_t len;
};

/* Is this setting an address? Else it is a command line. */
bool verifier_is_url(struct str);

/* As the ask keeps and shows them: a JSON array; empty: none. */
enum err verifications_load(
	struct str text, struct arena *, struct verifications *out, struct fault *why);
struct str verifications_text(const struct verifications *, struct arena *);
/* The first that still keeps people from approving; NULL: none does. */
const struct verification *verifications_wait(
	const struct verifications *, int64_t now_ms);
/* What a verifier replied, or the last line that a command printed: {"verdict", "note", "risk"}.
 * ERR_INVALID: no verdict. */
enum err verdict_read(
	struct str reply, struct arena *, struct verification *out, struct fault *why);

#endif
