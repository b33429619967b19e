/* shape.h - an object of the API, described once: a table with a row for each member. Reading it (every
 * fault with its JSON pointer), writing it and a patch over what is kept come from the table.
 * script/lint compares it with the schema of the same name in serve/openapi.json. */
#ifndef CORE_SHAPE_H
#define CORE_SHAPE_H

#include "core/shared/body.h"

#include <stddef.h>

/* What a member is, and what lies in its place of the struct. */
enum shape_type {
	OF_TEXT, /* struct str of at most `most` characters, as the text_shape in `flags` says */
	OF_NAME, /* struct str that `fits`, or an id with this `prefix`; `must` says how */
	OF_NUMBER, /* int64_t from `least` to `most`; another one is written as null */
	OF_BOOL,   /* bool */
	OF_WORD,   /* an enum: one of `words` */
	OF_EITHER, /* bool: the first of two words is false, the second true */
	OF_SPAN, /* int64_t: a duration, from `least` to `most` ms; 0 is written as null */
	OF_TIME,  /* int64_t: an instant in ms; 0 is written as null */
	OF_WORDS, /* unsigned: an array of `words`, 1 << each */
	OF_TEXTS, /* an array of struct str that `fits` each, from `least` to `most`, and its length */
	OF_OBJECT, /* the struct of the shape `of` */
	OF_LIST,   /* an array of these, from `least` to `most`, and its length */
	OF_JSON, /* const struct json *: any value, as it came; NULL is written as null */
	OF_OWN,	 /* `read` and `write` know */
};

/* Beside those of text_shape. An empty member is written as null unless they say otherwise. */
enum {
	SHAPE_FIXED = 8,   /* a patch cannot change it */
	SHAPE_SPARE = 16,  /* an empty one is left out */
	SHAPE_BARE = 32,   /* an empty one is written as it is */
	SHAPE_UNSAID = 64, /* never written */
	SHAPE_NULL = 128,  /* shape_copy keeps its null */
};

struct shape_member;

/* An object that is being read. */
struct shape_reading {
	struct check *check;
	const struct json_place *at;
	const struct json *json;
	struct arena *arena;
	void *out;		    /* the struct */
	const struct members *more; /* that the object may have; or NULL */
	const void *ctx;	    /* what own readers need to know; or NULL */
};

/* `value` is NULL for one that is absent or null. */
typedef void shape_read_fn(const struct shape_reading *, const struct shape_member *,
	const struct json *value);
/* Key and value. */
typedef void shape_write_fn(
	struct json_writer *, const struct shape_member *, const void *from);

struct shape_member {
	struct str name;
	enum shape_type type;
	size_t at;
	int64_t least, most;
	unsigned flags;
	/* Said of a value that is wrong, in place of the usual; {least} and {most} are numbers. */
	const char *must;
	int64_t otherwise;	  /* of numbers, bools and words that are absent */
	const char *const *words; /* by number; NULL: none has this number */
	size_t words_len;
	bool (*fits)(struct str);
	const char *prefix;
	const char *each; /* said of an item, as `must` is; {value} is its text */
	const struct shape *of;
	size_t len_at; /* where the length of an array lies */
	size_t has_at; /* where the bool lies that says whether an object is there; 0: there is none */
	shape_read_fn *read;
	shape_write_fn *write;
};

struct shape {
	const struct shape_member *members;
	size_t len;
	size_t size; /* of its struct */
	/* Before members are read: false, they are not worth it. Or NULL. */
	bool (*first)(const struct shape_reading *);
	/* What members say together, once each was read; or NULL. */
	void (*together)(const struct shape_reading *);
	/* Of items that are texts and no objects: into the struct and back. */
	bool (*from_text)(struct str, void *out);
	void (*to_text)(struct buf *, const void *from);
};

enum { SHAPE_MEMBERS_MAX = 32 };

#define AT(tag, member)	 offsetof(struct tag, member)
#define ALL(tag, member) .at = AT(tag, member), .len_at = AT(tag, member##_len)
#define WORDS(table)	 .words = (table), .words_len = sizeof(table) / sizeof *(table)
#define SHAPE(table, tag)                                                                \
	.members = (table), .len = sizeof(table) / sizeof *(table),                      \
	.size = sizeof(struct tag)

/* Fills out, which is zeroed. `json` NULL: nothing but what absent members are. */
void shape_read(const struct shape *, const struct shape_reading *);
/* The same of an object that must be there; `more` and `arena` as in shape_reading. */
void shape_check(const struct shape *, struct check *, const struct json_place *,
	const struct json *, const struct members *more, struct arena *, void *out);
void shape_write(struct json_writer *, const struct shape *, const void *from);
/* As "5m": in the largest unit that it is whole in. */
void span_write(struct json_writer *, int64_t ms);
void shape_write_members(struct json_writer *, const struct shape *, const void *from);
/* What `json` has of these members, as it came. False: none of them, and an empty object was written. */
bool shape_copy(struct json_writer *, const struct shape *, const struct json *);
int shape_find(const struct shape *, struct str name); /* its index, or -1 */
/* Does the object that is read have this member, and is it not null? */
bool shape_said(const struct shape_reading *, const char *name);
/* The value of one member, as JSON in the arena. */
struct str shape_text(
	const struct shape *, struct str name, const void *from, struct arena *);
/* A whole body into the struct; ERR_INVALID with an item for each fault. */
enum err shape_take(const struct shape *, const struct json *body, const struct members *,
	struct arena *, void *out, struct fault *why);
/* Members of `body` over those of the JSON object `before` (empty: none), null for the usual: the new
 * whole into *json, in the arena, and taken apart into *out (may be NULL). ERR_INVALID also for
 * another value of what is fixed. */
enum err shape_keep(const struct shape *, const struct json *body, struct str before,
	const struct members *more, struct arena *, struct str *json, void *out,
	struct fault *why);
/* Takes apart what shape_keep wrote. ERR_INTERNAL, with this text: it is damaged. */
enum err shape_load(const struct shape *, struct str json, struct arena *, void *out,
	const char *damaged, struct fault *why);

#endif
