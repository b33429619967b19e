#include "oracle.h"

#include <jansson.h>
#include <stdlib.h>

static json_t *load(struct str text)
{
	return json_loadb(text.len ? text.at : "", text.len,
		JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

bool oracle_reads(struct str text)
{
	json_t *j = load(text);
	bool read = j != NULL;

	json_decref(j);
	return read;
}

static char *sorted(struct str text)
{
	json_t *j = load(text);
	char *dump =
		j ? json_dumps(j, JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_COMPACT) : NULL;

	json_decref(j);
	return dump;
}

bool oracle_same(struct str a, struct str b)
{
	char *x = sorted(a), *y = sorted(b);
	bool same = x && y && strcmp(x, y) == 0;

	free(x);
	free(y);
	return same;
}
