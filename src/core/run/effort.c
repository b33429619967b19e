/* effort.c - how much a model thinks. */
#include "core/run/effort.h"

#include "core/shared/body.h"

#include <stdlib.h>

const char *const effort_names[EFFORTS] = { "", "none", "minimal", "low", "medium",
	"high", "xhigh", "max" };

enum effort effort_find(struct str name)
{
	int at = name_find(effort_names, EFFORTS, name);

	return at < 1 ? EFFORT_DEFAULT : (enum effort)at;
}

bool effort_valid(struct str name)
{
	return effort_find(name) != EFFORT_DEFAULT;
}

enum effort effort_nearest(enum effort wanted, struct str levels)
{
	enum effort best = EFFORT_DEFAULT;
	struct str one;

	while (wanted && levels.len) {
		enum effort level;
		int far, best_far;

		str_cut(&levels, ' ', &one);
		level = effort_find(one);
		far = abs((int)level - (int)wanted);
		best_far = abs((int)best - (int)wanted);
		if (level &&
			(!best || far < best_far || (far == best_far && level < best)))
			best = level;
	}
	return best ? best : wanted;
}
