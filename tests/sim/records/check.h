/* check.h - the store against the model: through the desk, and past it. */
#ifndef TESTS_SIM_RECORDS_CHECK_H
#define TESTS_SIM_RECORDS_CHECK_H

#include "model.h"
#include "raw_sql.h"

enum { WRONG_SIZE = 256 };

/* After each batch: people and tokens as they are listed, versions, an owner. False:
 * `wrong` says what. */
bool records_fit_people(
	struct model *, struct rig *, struct raw_sql *, char wrong[WRONG_SIZE]);
/* Asks, deliveries, what deleted sessions left behind, and the log. Slower. */
bool records_fit_rest(
	const struct model *, struct rig *, struct raw_sql *, char wrong[WRONG_SIZE]);

#endif
