/* record_columns.h - how columns are written down in record.c. */
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

/* Flags of enum column_flags; then what else is to be said of it, if anything. */
#define COLUMN_AS(column, of_type, of, member, bits, ...)                                \
	{                                                                                \
		.name = column, .type = COLUMN_##of_type,                                \
		.offset = offsetof(struct of, member), .flags = bits, __VA_ARGS__        \
	}
#define COLUMN(type, of, member, ...) COLUMN_AS(#member, type, of, member, __VA_ARGS__)
#define WORD(of, member, names, bits) COLUMN(WORD, of, member, bits, .words = &(names))

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

#endif
