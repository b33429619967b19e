/* json.h - strict RFC 8259 reader over an arena, and a writer into a buffer.
 *
 * Invariants: a tree lives as long as its arena and the text it was read from (strings
 * without escapes are borrowed from the text). Numbers keep their spelling, so integers
 * are exact at any size. Member names of an object are unique. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/fault.h"

enum json_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	enum json_type type;
	bool is_int;	/* a number without fraction and exponent that fits int64 */
	uint32_t count; /* items of an array, members of an object */
	union {
		struct str text;	     /* string: decoded; number: its spelling */
		struct json *items;	     /* array */
		struct json_member *members; /* object, in order of appearance */
	};
	union {
		int64_t integer; /* when is_int */
		double real;	 /* number that is not is_int */
	};
};

struct json_member {
	struct str name;
	struct json value;
};

struct json_limits {
	uint32_t depth;	 /* 0: 64 */
	uint32_t values; /* 0: 200,000 */
};

/* ERR_BAD_REQUEST: not JSON (why says at which byte). ERR_INVALID: JSON we refuse:
 * U+0000, a lone surrogate, a repeated member name, a number beyond double's range, too
 * deep, too many values. ERR_MEMORY: the arena gave out. `limits` may be NULL. */
enum err json_read(struct str text, const struct json_limits *limits, struct arena *,
	const struct json **out, struct fault *why);

/* NULL when it is no object or has no such member. */
const struct json *json_get(const struct json *object, const char *name);
const struct json *json_get_str(const struct json *object, struct str name);
bool json_is(const struct json *, enum json_type); /* false for NULL pointers */
bool json_is_bool(const struct json *);
struct str json_text(const struct json *); /* a string's text, else STR_NONE */
struct str json_text_of(const struct json *, const char *member); /* of a member */
int64_t json_int_of(const struct json *, const char *member);	  /* 0: no such integer */
/* The items of an array in turn: start with NULL; false at the end, and if it is no array. */
bool json_each(const struct json *array, const struct json **item);
/* The object without these members, in the arena; `names` end with NULL. Anything else, and
 * without memory, as it is. */
const struct json *json_without(
	const struct json *object, const char *const *names, struct arena *);
double json_real(const struct json *);			   /* any number; 0 otherwise */
bool json_equal(const struct json *, const struct json *); /* as values: 1.0 equals 1 */

/* RFC 8785: members sorted by UTF-16 code units, numbers as ECMAScript prints them,
 * except that integers beyond 2^53 keep all their digits. */
void json_canonical(struct buf *out, const struct json *);
/* As compact JSON, members in their order, numbers as they were spelt. */
void json_write(struct buf *out, const struct json *);
struct str json_keep(const struct json *, struct arena *); /* its text, in the arena */
/* Of an object, or of nothing, with this member (JSON) in the place of one of its name, or added. */
struct str json_with(
	const struct json *object, const char *name, struct str value, struct arena *);
/* The same for people: a member or an item a line, indented by two. */
void json_write_pretty(struct buf *out, const struct json *);
/* A JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD. */
void json_write_str(struct buf *out, struct str);

/* Writer: puts the commas. Keys are plain literals that need no escape. */
struct json_writer {
	struct buf *out;
	bool more; /* a value stands before: the next needs a comma */
};

void jw_object(struct json_writer *);
void jw_object_end(struct json_writer *);
void jw_array(struct json_writer *);
void jw_array_end(struct json_writer *);
void jw_key_str(struct json_writer *, struct str key);
void jw_name(struct json_writer *, struct str); /* a key of any text */
void jw_str(struct json_writer *, struct str);
void jw_text(struct json_writer *, const char *); /* NULL writes null */
void jw_int(struct json_writer *, int64_t);
void jw_real(struct json_writer *, double);
void jw_bool(struct json_writer *, bool);
void jw_null(struct json_writer *);
void jw_json(struct json_writer *, const struct json *); /* NULL writes null */
void jw_raw(struct json_writer *, struct str json);	 /* one finished value as it is */
void jw_members(struct json_writer *, struct str);	 /* `"a":1,"b":2`; or nothing */

/* Here, so that the length of a literal is known. */
static inline void jw_key(struct json_writer *w, const char *key)
{
	jw_key_str(w, str_of(key));
}

/* A member of the object that is open: key and value. */
static inline void jw_put_str(struct json_writer *w, const char *key, struct str value)
{
	jw_key(w, key);
	jw_str(w, value);
}

/* The same, but nothing of an empty text. */
static inline void jw_put_some(struct json_writer *w, const char *key, struct str value)
{
	if (value.len) jw_put_str(w, key, value);
}

static inline void jw_put_text(struct json_writer *w, const char *key, const char *value)
{
	jw_key(w, key);
	jw_text(w, value);
}

static inline void jw_put_int(struct json_writer *w, const char *key, int64_t value)
{
	jw_key(w, key);
	jw_int(w, value);
}

static inline void jw_put_bool(struct json_writer *w, const char *key, bool value)
{
	jw_key(w, key);
	jw_bool(w, value);
}

static inline void jw_put_raw(struct json_writer *w, const char *key, struct str json)
{
	jw_key(w, key);
	jw_raw(w, json);
}

static inline void jw_put_json(
	struct json_writer *w, const char *key, const struct json *value)
{
	jw_key(w, key);
	jw_json(w, value);
}

static inline void jw_put_null(struct json_writer *w, const char *key)
{
	jw_key(w, key);
	jw_null(w);
}

static inline void jw_put_object(struct json_writer *w, const char *key)
{
	jw_key(w, key);
	jw_object(w);
}

static inline void jw_put_array(struct json_writer *w, const char *key)
{
	jw_key(w, key);
	jw_array(w);
}

#endif
