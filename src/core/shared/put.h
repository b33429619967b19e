/* put.h - a JSON object in one go: the list of its members. */
#ifndef CORE_PUT_H
#define CORE_PUT_H

#include "base/arena.h"
#include "base/json.h"

struct put {
	const char *key;
	enum put_type {
		PUT_TEXT, /* an empty one is null */
		PUT_STR,  /* an empty one is "" */
		PUT_INT,
		PUT_BOOL,
		PUT_TIME, /* in ms; 0 is null */
		PUT_JSON, /* finished; an empty one is null */
	} type;
	struct str text;
	int64_t number;
	bool spare; /* an empty text or JSON is left out */
};

static inline struct put put_text(const char *key, struct str text)
{
	return (struct put){ key, PUT_TEXT, text, 0, false };
}

static inline struct put put_name(const char *key, const char *text)
{
	return put_text(key, str_of(text ? text : ""));
}

static inline struct put put_str(const char *key, struct str text)
{
	return (struct put){ key, PUT_STR, text, 0, false };
}

static inline struct put put_json(const char *key, struct str json)
{
	return (struct put){ key, PUT_JSON, json, 0, false };
}

static inline struct put put_int(const char *key, int64_t n)
{
	return (struct put){ key, PUT_INT, STR_NONE, n, false };
}

static inline struct put put_bool(const char *key, bool is)
{
	return (struct put){ key, PUT_BOOL, STR_NONE, is, false };
}

static inline struct put put_time(const char *key, int64_t ms)
{
	return (struct put){ key, PUT_TIME, STR_NONE, ms, false };
}

static inline struct put put_null(const char *key)
{
	return put_text(key, STR_NONE);
}

/* Of a text or JSON: the member is left out when it is empty. */
static inline struct put put_some(struct put p)
{
	p.spare = true;
	return p;
}

/* The members of an object, and how many they are. */
#define PUTS(...)                                                                        \
	(const struct put[]){ __VA_ARGS__ },                                             \
		sizeof((const struct put[]){ __VA_ARGS__ }) / sizeof(struct put)

void put_members(struct json_writer *, const struct put *, size_t len);
void put_object(struct json_writer *, const struct put *, size_t len);
struct str put_object_text(struct arena *, const struct put *, size_t len);

#endif
