/* effort.h - how much a model thinks. Pure. Prefix: effort_. */
#ifndef CORE_EFFORT_H
#define CORE_EFFORT_H

#include "base/str.h"

#include <stdbool.h>

enum effort {
	EFFORT_DEFAULT, /* as the model has it */
	EFFORT_NONE,
	EFFORT_MINIMAL,
	EFFORT_LOW,
	EFFORT_MEDIUM,
	EFFORT_HIGH,
	EFFORT_XHIGH,
	EFFORT_MAX,
	EFFORTS
};
extern const char *const effort_names[EFFORTS]; /* "" for the default */

bool effort_valid(struct str name);
/* EFFORT_DEFAULT: no such level. */
enum effort effort_find(struct str name);
/* The nearest of these, with spaces between; of two as near the lesser. An empty list says nothing: the same. */
enum effort effort_nearest(enum effort, struct str levels);

#endif
