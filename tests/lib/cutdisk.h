/* cutdisk.h - a disk that can lose its power. Owns file contents and their history.
 *
 * A history is what a disk held when it was switched on, and every operation since, in
 * order. A position is a number of operations: position P is the moment just after the
 * first P of them. Any moment can be rebuilt as a power cut would have left it:
 *
 * 1. A write or resize followed by a sync of its file is there.
 * 2. One that is not may be there, be missing, or be there in some of its sectors,
 *    whatever became of those before and after it.
 * 3. A write that was in the cache when a sync *failed* stays in doubt for ever: the sync
 *    after it reports success and does not bring it back (as Linux does).
 * 4. A name made or removed is so for sure only after a sync of the directory; a sync of
 *    the file does not help. Without one it is what it was at some moment since.
 * 5. Bytes next to a torn write are never harmed (SQLite's "powersafe overwrite").
 *
 * It knows nothing of SQLite. Memory that runs out aborts: it serves tests only. */
#ifndef TESTS_CUTDISK_H
#define TESTS_CUTDISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUT_SECTOR = 512 };

/* Which of the operations in doubt survive. */
enum cut_choice {
	CUT_NONE,
	CUT_ALL,
	CUT_PREFIX, /* all up to some moment */
	CUT_SUBSET, /* each or not */
	/* Each or not, writes by sectors; files may have grown regardless, with zeros or
	 * rubbish where the data did not arrive. */
	CUT_TORN,
	CUT_CHOICES
};

const char *cut_choice_name(enum cut_choice);

struct cut_bytes {
	unsigned char *at;
	size_t len;
	size_t cap;
};

struct cut_name {
	char *text;
	uint32_t file;
};

/* What is on a disk. Files are known by number, and may have lost their name. */
struct cut_image {
	struct cut_bytes *files;
	uint32_t files_len;
	struct cut_name *names;
	uint32_t names_len;
};

void cut_image_done(struct cut_image *);
struct cut_image cut_image_copy(const struct cut_image *);
int64_t cut_image_find(const struct cut_image *, const char *name); /* a number, or -1 */
uint32_t cut_image_file(struct cut_image *); /* the number of a new, nameless file */
void cut_image_link(struct cut_image *, const char *name, uint32_t file);
void cut_image_unlink(struct cut_image *, const char *name);
void cut_image_write(struct cut_image *, uint32_t, size_t at, const void *, size_t len);
void cut_image_resize(struct cut_image *, uint32_t file, size_t len);

enum cut_op_kind {
	CUT_OP_LINK,
	CUT_OP_UNLINK,
	CUT_OP_WRITE,
	CUT_OP_RESIZE,
	CUT_OP_SYNC,
	CUT_OP_SYNC_FAILED,
	CUT_OP_SYNC_DIR,
};

struct cut_op {
	enum cut_op_kind kind;
	uint32_t file;	     /* not UNLINK, SYNC_DIR */
	size_t at;	     /* WRITE: where; RESIZE: the new size */
	size_t len;	     /* of data */
	unsigned char *data; /* WRITE: bytes; LINK, UNLINK: the name with its NUL */
};

struct cut_history;

struct cut_history *cut_history_new(struct cut_image base); /* base becomes its own */
struct cut_history *cut_history_free(struct cut_history *); /* NULL is fine */
void cut_history_add(struct cut_history *, struct cut_op);  /* copies data */
uint64_t cut_history_length(const struct cut_history *);
/* Operations in doubt at a position; with 0 every choice gives the same disk. Going
 * through positions upwards is cheap; going back starts from the beginning. */
size_t cut_history_doubts(struct cut_history *, uint64_t position);
/* The disk after a power cut at a position, yours. */
struct cut_image cut_history_cut(
	struct cut_history *, uint64_t at, enum cut_choice, uint64_t seed);

#endif
