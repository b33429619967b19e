/* output.h - structured output: what a run says last is a value that fits a schema. Pure. */
#ifndef CORE_OUTPUT_H
#define CORE_OUTPUT_H

#include "core/shared/json_schema.h"

struct run;

enum { OUTPUT_REPAIRS = 2, OUTPUT_LOOK = 32 }; /* misses told; messages to look at */

/* Notes every fault of a schema that is written. */
void output_schema_check(
	struct check *, const struct json_place *at, const struct json *schema);
/* Is the text JSON that fits? False: what the model is told is in *wrong. */
bool output_fits(
	const struct json *schema, struct str text, struct arena *, struct str *wrong);
/* Does a message tell the model of a miss? */
bool output_missed(struct str content);
/* The member `output` of a run: the value, or null. */
void output_write(struct json_writer *, const struct run *);

#endif
