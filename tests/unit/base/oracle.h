/* oracle.h - what jansson says about a text. Its names are ours too: it is kept apart. */
#ifndef ORACLE_H
#define ORACLE_H

#include "base/str.h"

bool oracle_reads(struct str json);
bool oracle_same(struct str a, struct str b); /* both are read, and are one value */

#endif
