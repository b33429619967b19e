/* tables.c - reads the schema's own text. It knows what the steps of migrate.c say, and
 * no more of SQL than that. */
#include "store/tables.h"

#include "store/migrate.h"

#include <assert.h>

/* The next word; a bracket ends it. */
static struct str word_cut(struct str *rest)
{
	size_t n = 0;
	struct str word;

	*rest = str_trim(*rest);
	while (n < rest->len && !strchr(" (),;@", rest->at[n]))
		n++;
	word = str_first(*rest, n);
	*rest = str_from(*rest, n);
	return word;
}

/* What stands before the next comma that is not in brackets. */
static struct str item_cut(struct str *rest)
{
	struct str item = *rest;
	int depth = 0;

	for (size_t i = 0; i < rest->len; i++) {
		if (rest->at[i] == '(') depth++;
		if (rest->at[i] == ')') depth--;
		if (depth < 0 || (depth == 0 && rest->at[i] == ',')) {
			item = str_first(*rest, i);
			*rest = depth < 0 ? STR_NONE : str_from(*rest, i + 1);
			return str_trim(item);
		}
	}
	*rest = STR_NONE;
	return str_trim(item);
}

static void key_add(struct schema_table *t, struct str name)
{
	for (int i = 0; i < t->columns_len; i++)
		if (str_eq(t->columns[i].name, name) && t->keys_len < KEYS_MAX)
			t->keys[t->keys_len++] = i;
}

static void column_add(struct schema_table *t, struct str item)
{
	struct str name = word_cut(&item), type = word_cut(&item);

	assert(t->columns_len < COLUMNS_MAX);
	t->columns[t->columns_len++] =
		(struct table_column){ name, str_is(type, "BIGINT") ? VAL_INT
					     : str_is(type, "TEXT") ? VAL_TEXT
								    : VAL_BYTES };
	if (str_find(item, STR("PRIMARY KEY")) >= 0) key_add(t, name);
}

static void items_read(struct schema_table *t, struct str items)
{
	while (items.len) {
		struct str item = item_cut(&items);

		if (!str_starts(item, "PRIMARY KEY (")) {
			column_add(t, item);
			continue;
		}
		item = str_from(item, strlen("PRIMARY KEY ("));
		while (item.len && item.at[0] != ')') {
			key_add(t, word_cut(&item));
			item = str_from(item, item.len && item.at[0] == ',');
		}
	}
}

static bool text_skip(struct str *s, const char *start)
{
	if (!str_starts(*s, start)) return false;
	*s = str_from(*s, strlen(start));
	return true;
}

/* One statement; false: out of memory. */
static bool statement_read(struct schema_table **first, struct str s, struct arena *arena)
{
	bool made = text_skip(&s, "CREATE TABLE ");
	struct schema_table **at = first;
	struct str name;

	if (!made && !text_skip(&s, "ALTER TABLE ")) return true;
	name = word_cut(&s);
	while (*at && !str_eq((*at)->name, name))
		at = &(*at)->next;
	if (made) {
		*at = ARENA_NEW(arena, struct schema_table);
		if (!*at) return false;
		(*at)->name = name;
		items_read(*at, str_from(str_trim(s), 1));
	} else if (text_skip(&s, " ADD COLUMN ")) {
		column_add(*at, s);
	} else if (text_skip(&s, " RENAME COLUMN ")) {
		struct str from = word_cut(&s);

		word_cut(&s); /* TO */
		for (int i = 0; i < (*at)->columns_len; i++)
			if (str_eq((*at)->columns[i].name, from))
				(*at)->columns[i].name = word_cut(&s);
	}
	return true;
}

struct schema_table *schema_tables(struct arena *arena)
{
	struct schema_table *first = NULL;

	for (int64_t version = 1; version <= schema_newest(); version++) {
		struct str rest = schema_step(version), statement;

		while (str_cut(&rest, ';', &statement))
			if (!statement_read(&first, str_trim(statement), arena))
				return NULL;
	}
	return first;
}
