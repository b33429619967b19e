/* body.h - how core and dialect read foreign JSON: every fault is noted with its place,
 * and none stops the reading. Private to them. Prefixes: wrong_, members_, text_. */
#ifndef CORE_BODY_H
#define CORE_BODY_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/json.h"

/* A place in a body. Made on the stack while reading; a JSON pointer is written only when
 * something is wrong there. */
struct json_place {
	const struct json_place *up; /* NULL: `name` is a finished JSON pointer */
	struct str name;	     /* of a member; without text: the item `index` */
	size_t index;
};

static inline struct json_place place_root(const char *pointer)
{
	return (struct json_place){ .name = str_of(pointer) };
}

static inline struct json_place place_member(const struct json_place *up, struct str name)
{
	return (struct json_place){ .up = up, .name = name.at ? name : STR("") };
}

static inline struct json_place place_item(const struct json_place *up, size_t index)
{
	return (struct json_place){ .up = up, .index = index };
}

/* What was found wrong so far. */
struct check {
	struct fault *why; /* may be NULL */
	bool failed;
};

void wrong(struct check *, const struct json_place *, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same of the member `name` of what stands at `at`. */
void wrong_member(struct check *, const struct json_place *at, struct str name,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
/* What the reading comes to: ERR_MEMORY before ERR_INVALID before OK. */
enum err check_end(const struct check *, const struct arena *);

/* The member names an object may have. */
struct members {
	const struct str *names;
	size_t len;
};

/* The index of a name in a table of them, or -1. */
int name_find(const char *const *names, size_t len, struct str name);
/* Defines TAG_name and TAG_read of `enum TAG`. The table has the name of each value, in `member` of its rows
 * if they are structs; NULL: it has none. */
#define ENUM_NAMES(tag, table) ENUM_NAMES_IN(tag, table, )
#define ENUM_NAMES_IN(tag, table, member)                                                \
	const char *tag##_name(enum tag value)                                           \
	{                                                                                \
		return table[value] member;                                              \
	}                                                                                \
	bool tag##_read(struct str name, enum tag *out)                                  \
	{                                                                                \
		for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++)             \
			if (table[i] member && str_is(name, table[i] member)) {          \
				*out = (enum tag)i;                                      \
				return true;                                             \
			}                                                                \
		return false;                                                            \
	}

int members_find(const struct members *, struct str name); /* its index, or -1 */
/* The value of names[i] into out[i]; NULL when it is absent or null. A member of no such
 * name is wrong unless `also` (may be NULL) has it. False: not even an object. */
bool members_read(struct check *, const struct json_place *, const struct json *,
	const struct members *, const struct members *also, const struct json **out);

/* How a text may look. */
enum text_shape {
	TEXT_FREE = 0,
	TEXT_LINE = 1,	 /* no control characters, so no line ends */
	TEXT_FILLED = 2, /* not empty, not blank */
	TEXT_NEEDED = 4, /* must be there; implies neither of the others */
};

/* Readers of a member `name` of what stands at `at`; a NULL value is an absent member.
 * They return what it says, or nothing when it is wrong. */
struct str text_read(struct check *, const struct json_place *at, struct str name,
	const struct json *, size_t max, unsigned shape);
bool flag_read(struct check *, const struct json_place *at, struct str name,
	const struct json *, bool otherwise);
/* A whole number in [min, max]. */
bool count_read(struct check *, const struct json_place *at, struct str name,
	const struct json *, int64_t min, int64_t max);
/* "90s", "30m" or seconds, in [min, max] ms; 0 when it is wrong or absent. */
int64_t duration_check(struct check *, const struct json_place *at, struct str name,
	const struct json *, int64_t min_ms, int64_t max_ms);
/* Seconds as a number, or a text such as "90s", "30m", "24h", "7d". False when it is
 * neither, negative, or beyond 100 years. */
bool duration_of(const struct json *, int64_t *ms);

bool text_listed(const struct str *list, size_t len, struct str);
/* 1 to `most` of a-z, 0-9 and `others`: what may stand in names that programs use. */
bool text_plain_name(struct str, const char *others, size_t most);
bool text_blank(struct str);		  /* nothing but white space */
bool text_one_line(struct str);		  /* no control characters */
bool text_longer(struct str, size_t max); /* has more than max code points */
struct str text_excerpt(struct str);	  /* of foreign text, short enough for a fault */
/* Foreign text on one line: every line end becomes a blank. */
void text_flatten(struct buf *, struct str);

#endif
