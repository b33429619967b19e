/* build.h - which build this is. */
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

extern const char
	*const build_commit; /* seven digits; "unknown": not from a repository */

#endif
