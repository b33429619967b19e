/* furnish.h - a store with something of everything that Parley keeps, for tests that edit it. */
#ifndef TESTS_FURNISH_H
#define TESTS_FURNISH_H

#include "desk_rig.h"

/* Fills the rig's store, and opens it again. Fails the test when anything is refused. */
void furnish(struct rig *);

#endif
