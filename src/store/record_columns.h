/* record_columns.h - how columns are written down. For the files that describe records. */
#ifndef STORE_RECORD_COLUMNS_H
#define STORE_RECORD_COLUMNS_H

#include "store/record.h"

#include <stddef.h>

/* An enum that is stored by name: TYPE_name and TYPE_read are its functions. */
#define WORDS(type, title)                                                               \
	static const char *type##_to_word(int value)                                     \
	{                                                                                \
		return type##_name((enum type)value);                                    \
	}                                                                                \
	static bool type##_from_word(struct str name, int *out)                          \
	{                                                                                \
		enum type value;                                                         \
                                                                                         \
		if (!type##_read(name, &value)) return false;                            \
		*out = (int)value;                                                       \
		return true;                                                             \
	}                                                                                \
	static const struct column_words type##_words = { title, type##_to_word,         \
		type##_from_word }

#define COLUMN(column, of_type, of, member, ...)                                         \
	{                                                                                \
		.name = column, .type = of_type, .offset = offsetof(struct of, member),  \
		__VA_ARGS__                                                              \
	}
#define FIXED(type, of, member)                                                          \
	COLUMN(#member, COLUMN_##type, of, member, .changes = false)
#define CHANGES(type, of, member)                                                        \
	COLUMN(#member, COLUMN_##type, of, member, .changes = true)
#define LATER(type, of, member)                                                          \
	COLUMN(#member, COLUMN_##type, of, member, .changes = true, .later = true)
#define SELDOM(type, of, member)                                                         \
	COLUMN(#member, COLUMN_##type, of, member, .changes = true, .later = true,       \
		.seldom = true)
/* Never changes, and is empty in nearly every record. */
#define FIXED_RARE(type, of, member)                                                     \
	COLUMN(#member, COLUMN_##type, of, member, .changes = false, .later = true)
/* In every record that is made, and another in hardly any that changes. */
#define RARELY(type, of, member)                                                         \
	COLUMN(#member, COLUMN_##type, of, member, .changes = true, .seldom = true)
/* Texts that may be long: one that never changes, and one that is empty at first. */
#define PACKED(of, member) COLUMN(#member, COLUMN_TEXT, of, member, .packed = true)
#define PACKED_LATER(of, member)                                                         \
	COLUMN(#member, COLUMN_TEXT, of, member, .packed = true, .changes = true,        \
		.later = true)
#define NAMED(type, of, member, column, does)                                            \
	COLUMN(column, COLUMN_##type, of, member, .changes = (does))
#define NAMED_RARELY(type, of, member, column)                                           \
	COLUMN(column, COLUMN_##type, of, member, .changes = true, .seldom = true)
#define WORD_RARELY(of, member, names)                                                   \
	COLUMN(#member, COLUMN_WORD, of, member, .changes = true, .words = &(names),     \
		.seldom = true)
#define WORD(of, member, names, does)                                                    \
	COLUMN(#member, COLUMN_WORD, of, member, .changes = (does), .words = &(names))
#define FOUND(type, of, member, expression)                                              \
	COLUMN(#member, COLUMN_##type, of, member, .found_by = (expression))

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

#endif
