/* collection.h - what people keep and the API lists, shows, makes, changes and deletes. Each is one const
 * struct, from which its use cases come; what is special of one is a hook. */
#ifndef DESK_COLLECTION_H
#define DESK_COLLECTION_H

#include "core/shared/shape.h"
#include "desk/shared/inner.h"

enum { LIST_ARGS_MAX = 8 };

struct collection {
	const char *noun, *nouns; /* "team", "teams" */
	/* Its key is the workspace and the id, unless `find` knows. */
	enum record_id record;
	/* Where they lie. Cursors and repeated requests go by the id. */
	size_t ws_at, id_at, name_at;
	/* All of a workspace; `paged`: those after this id, so many. Then what `args` adds. */
	enum sql list;
	bool paged;
	const char *first; /* what the first page comes after; NULL: an empty id */
	/* Of what no record keeps: the columns of `list` are the members of this shape, in its order. */
	const struct shape *view;
	/* Hooks, or NULL. `r` is the collection itself. */

	/* May the caller, before anything is looked for? */
	enum err (*admit)(struct task *, struct rows *, struct fault *);
	enum err (*args)(
		struct task *, struct rows *, struct val *, int *len, struct fault *);
	bool (*lists)(struct task *, struct rows *, const void *record);
	/* Members behind the items of a view. */
	enum err (*tail)(
		struct task *, struct rows *, struct json_writer *, struct fault *);
	/* By id or name; NULL in *out: there is none. */
	enum err (*find)(const struct collection *r, struct task *, struct rows *,
		struct str which, const void **out, struct fault *);
	/* The i-th of the configuration, which comes before what is stored and is not changed here, as a
	 * record in the arena; NULL: there is no such. */
	const void *(*own)(
		const struct collection *r, struct task *, size_t i, struct arena *);
	/* What comes behind what is stored, and is not changed here either: records, in the rows' arena. */
	enum err (*behind)(struct task *, struct rows *, const void ***out, size_t *len,
		struct fault *);
	enum err (*show)(struct task *, struct rows *, struct json_writer *,
		const void *record, struct fault *);
	/* Fills the record from the body; `was` is NULL of one that is made. */
	enum err (*fill)(struct task *, struct rows *, const void *was, void *record,
		struct fault *);
	/* What follows when it was made or changed, and the reply is written. */
	enum err (*written)(struct task *, struct rows *, const void *was, void *record,
		struct fault *);
	/* What goes before it is deleted, unless it must stay. */
	enum err (*before_delete)(
		struct task *, struct rows *, const void *record, struct fault *);
};

enum err collection_list(struct job *, struct rows *, struct fault *);
enum err collection_get(struct job *, struct rows *, struct fault *);
enum err collection_create(struct job *, struct rows *, struct fault *);
enum err collection_again(
	struct job *, struct rows *, const struct key_record *, struct fault *);
enum err collection_patch(struct job *, struct rows *, struct fault *);
enum err collection_delete(struct job *, struct rows *, struct fault *);
const struct collection *collection_of(const struct job *);

/* Its use cases, each in a line. */
#define LISTS(title, role, r) COLLECTION_READS(title, role, collection_list, r)
#define GETS(title, role, r)  COLLECTION_READS(title, role, collection_get, r)
#define CREATES(title, role, bits, r, checks)                                            \
	COLLECTION_WRITES(                                                               \
		title, role, bits, collection_create, collection_again, r, checks)
#define PATCHES(title, role, bits, r, checks)                                            \
	COLLECTION_WRITES(title, role, bits, collection_patch, NULL, r, checks)
#define DELETES(title, role, bits, r)                                                    \
	COLLECTION_WRITES(title, role, bits, collection_delete, NULL, r, NULL)
/* The five of a resource (core/shared/resources.h), where one role reads and one writes. */
#define RESOURCE_USES(word, reads, writes, r, checks)                                    \
	const struct use use_##word##_list = LISTS(#word "_list", reads, r);             \
	const struct use use_##word##_get = GETS(#word "_get", reads, r);                \
	const struct use use_##word##_create =                                           \
		CREATES(#word "_create", writes, 0, r, checks);                          \
	const struct use use_##word##_patch =                                            \
		PATCHES(#word "_patch", writes, 0, r, version_patch_check);              \
	const struct use use_##word##_delete = DELETES(#word "_delete", writes, 0, r)
#define COLLECTION_READS(title, role, reads, r)                                          \
	{                                                                                \
		.job = { title, .may = role, .read = reads }, .of = &(r)                 \
	}
#define COLLECTION_WRITES(title, role, bits, decides, repeats, r, checks)                \
	{                                                                                \
		.job = { title, .may = role, .flags = bits, .decide = decides,           \
			.again = repeats },                                              \
		.check = checks, .of = &(r)                                              \
	}

/* The one of this key in the store or this batch, of a record that begins with its workspace; NULL in
 * *out: there is none. */
enum err collection_stored(struct rows *, enum record_id, int64_t ws, struct str id,
	const void **out, struct fault *);
/* One of the task's workspace. ERR_NOT_FOUND, with a line that names it. */
enum err collection_find(const struct collection *, struct task *, struct rows *,
	struct str which, const void **out, struct fault *);
/* Of one whose `list` is all of a workspace. ERR_CONFLICT: it has so many. */
enum err collection_room(const struct collection *, struct task *, struct rows *,
	size_t most, struct fault *);
enum err collection_reply(const struct collection *, struct task *, struct rows *,
	const void *record, struct fault *);

/* The member `version` of a body that changes something. */
enum err version_read(const struct json *body, int64_t *out, struct fault *);
extern const struct members version_also; /* beside what a shape knows */
/* The check of a patch: it names the version, and something to change. */
enum err version_patch_check(struct task *, struct fault *);
/* ERR_CONFLICT: it is another by now. `what`: "the team has". */
enum err version_match(const char *what, int64_t said, int64_t now, struct fault *);

#endif
