/* labels.c - labels of metrics, bounded and escaped. Prefixes: label_, counts_. */
#include "desk/shared/labels.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <string.h>

struct str counts_name(struct counted_names *c, struct str name)
{
	char *kept;

	if (!name.len) return STR_NONE;
	kept = table_get(&c->known, name);
	if (kept) return str_of(kept);
	if (c->len == COUNTED_NAMES) return STR("other");
	kept = mem_copy(name.at, name.len);
	if (!kept || !table_put(&c->known, str_of(kept), kept)) {
		mem_free(kept);
		return STR("other");
	}
	c->len++;
	return str_of(kept);
}

void counts_names_done(struct counted_names *c)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&c->known, &at, &key, &value))
		mem_free(value);
	table_done(&c->known);
}

void label_add(struct buf *b, const char *name, struct str value)
{
	buf_print(b, "%s%s=\"", b->len ? "," : "", name);
	value = utf8_first(value, LABEL_VALUE_MAX);
	for (size_t i = 0; i < value.len; i++)
		if (value.at[i] == '"' || value.at[i] == '\\')
			buf_print(b, "\\%c", value.at[i]);
		else if (value.at[i] == '\n')
			buf_add_text(b, "\\n");
		else
			buf_add_char(b, value.at[i]);
	buf_add_char(b, '"');
}
