/* build.c - which build this is. */
#include "base/build.h"

#include "base/build_commit.h"

const char *const build_commit = BUILD_COMMIT;
