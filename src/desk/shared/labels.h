/* labels.h - labels of metrics: the first names that a process meets have a value of their own, later
 * ones are "other". Prefixes: label_, counts_name. */
#ifndef DESK_LABELS_H
#define DESK_LABELS_H

#include "base/buf.h"
#include "base/table.h"

enum { COUNTED_NAMES = 100, LABEL_VALUE_MAX = 100 };

struct counted_names {
	struct table known;
	size_t len;
};

/* The name, as it is kept, or "other". */
struct str counts_name(struct counted_names *, struct str name);
void counts_names_done(struct counted_names *);
/* name="value" behind what is there; what would end a label is escaped. */
void label_add(struct buf *, const char *name, struct str value);

#endif
