/* field.h - a JSON object in one go: the list of its members. Prefixes: field_, fields_. */
#ifndef CORE_FIELD_H
#define CORE_FIELD_H

#include "base/arena.h"
#include "base/json.h"

struct field {
	const char *key;
	enum field_type {
		FIELD_TEXT, /* an empty one is null */
		FIELD_STR,  /* an empty one is "" */
		FIELD_INT,
		FIELD_BOOL,
		FIELD_TIME,    /* in ms; 0 is null */
		FIELD_JSON,    /* finished; an empty one is null */
		FIELD_MEMBERS, /* finished ones with their keys, as they are */
	} type;
	struct str text;
	int64_t number;
	bool spare; /* left out when it is empty or 0 */
};

static inline struct field field_text(const char *key, struct str text)
{
	return (struct field){ key, FIELD_TEXT, text, 0, false };
}

static inline struct field field_word(const char *key, const char *text) /* NULL: null */
{
	return (struct field){ key, text ? FIELD_STR : FIELD_TEXT, str_of(text), 0,
		false };
}

static inline struct field field_str(const char *key, struct str text)
{
	return (struct field){ key, FIELD_STR, text, 0, false };
}

static inline struct field field_json(const char *key, struct str json)
{
	return (struct field){ key, FIELD_JSON, json, 0, false };
}

static inline struct field field_int(const char *key, int64_t n)
{
	return (struct field){ key, FIELD_INT, STR_NONE, n, false };
}

static inline struct field field_bool(const char *key, bool is)
{
	return (struct field){ key, FIELD_BOOL, STR_NONE, is, false };
}

static inline struct field field_time(const char *key, int64_t ms)
{
	return (struct field){ key, FIELD_TIME, STR_NONE, ms, false };
}

static inline struct field field_null(const char *key)
{
	return field_text(key, STR_NONE);
}

/* `"a":1,"b":2`, or nothing. */
static inline struct field field_members(struct str members)
{
	return (struct field){ NULL, FIELD_MEMBERS, members, 0, false };
}

/* It is left out when it is empty or 0. */
static inline struct field field_some(struct field p)
{
	p.spare = true;
	return p;
}

/* The members of an object, and how many they are. */
#define FIELDS(...)                                                                      \
	(const struct field[]){ __VA_ARGS__ },                                           \
		sizeof((const struct field[]){ __VA_ARGS__ }) / sizeof(struct field)

void fields_write(struct json_writer *, const struct field *, size_t len);
void fields_object(struct json_writer *, const struct field *, size_t len);
struct str fields_text(struct arena *, const struct field *, size_t len);

#endif
