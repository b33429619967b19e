/* judge.h - what jansson says about a text. Its names are ours too: it is kept apart. */
#ifndef JUDGE_H
#define JUDGE_H

#include "base/str.h"

bool judge_reads(struct str json);
bool judge_same(struct str a, struct str b); /* both are read, and are one value */

#endif
