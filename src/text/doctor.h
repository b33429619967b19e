/* doctor.h - what `parley doctor` hears from who tries something out. */
#ifndef TEXT_DOCTOR_H
#define TEXT_DOCTOR_H

#include "text/msg.h"

enum doctor_mark { GOOD, MISSING, WRONG };

struct doctor {
	struct arena *arena;
	void (*note)(void *ctx, enum doctor_mark, const char *id, struct str text);
	void *ctx;
};
#define DOCTOR_NOTE(d, mark, id, ...)                                                    \
	(d)->note((d)->ctx, (mark), (id), MSG((d)->arena, (id), __VA_ARGS__))
/* One of two, with the same values. */
#define DOCTOR_WHETHER(d, ok, good, bad, ...)                                            \
	DOCTOR_NOTE((d), (ok) ? GOOD : WRONG, (ok) ? (good) : (bad), __VA_ARGS__)

#endif
