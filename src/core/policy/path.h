/* path.h - file paths as text. Nothing is looked up: links are not followed. */
#ifndef CORE_PATH_H
#define CORE_PATH_H

#include "core/policy/command_line.h"

/* Without "//", "/./", "x/.." and a slash at the end; "." when nothing is left. `..` that
 * leads above the beginning of a relative path stays. STR_NONE: no memory. */
struct str path_normal(struct str path, struct arena *);
/* A part of it is `..` or begins with `~`: where it leads is not known from the text. */
enum doubt path_unclear(struct str path);

#endif
