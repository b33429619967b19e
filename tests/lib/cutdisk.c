#include "cutdisk.h"
#include "random.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operation that no sync has covered. */
struct doubt {
	size_t op;
	bool lost; /* a sync of its file failed: no later one makes it sure */
	bool sure; /* it was synced, and waits only behind a lost one of the same file */
};

/* The invariant of `durable`: what every cut at `position` leaves, before doubts. */
struct cut_history {
	struct cut_image base;
	struct cut_op *ops;
	size_t ops_len;
	size_t ops_cap;

	bool sought; /* false: what follows is not there yet */
	uint64_t position;
	struct cut_image durable;
	struct doubt *doubts; /* in the order of ops */
	size_t doubts_len;
	size_t doubts_cap;
};

static const char *const choice_names[CUT_CHOICES] = {
	[CUT_NONE] = "none",
	[CUT_ALL] = "all",
	[CUT_PREFIX] = "prefix",
	[CUT_SUBSET] = "subset",
	[CUT_TORN] = "torn",
};

const char *cut_choice_name(enum cut_choice choice)
{
	return choice < CUT_CHOICES ? choice_names[choice] : "?";
}

static bool coin(uint64_t *state)
{
	return random_next(state) >> 63;
}

static void *must_grow(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p) {
		fprintf(stderr, "cutdisk: out of memory\n");
		abort();
	}
	return p;
}

/* Room for one more item of `size` bytes; doubles. */
static void *must_room(void *items, size_t len, size_t *cap, size_t size)
{
	if (len < *cap) return items;
	*cap = *cap ? *cap * 2 : 64;
	return must_grow(items, *cap * size);
}

static void *must_copy(const void *at, size_t len)
{
	void *copy = must_grow(NULL, len);

	if (len) memcpy(copy, at, len);
	return copy;
}

/* Images. */

void cut_image_done(struct cut_image *image)
{
	for (uint32_t i = 0; i < image->files_len; i++)
		free(image->files[i].at);
	for (uint32_t i = 0; i < image->names_len; i++)
		free(image->names[i].text);
	free(image->files);
	free(image->names);
	*image = (struct cut_image){ 0 };
}

struct cut_image cut_image_copy(const struct cut_image *from)
{
	struct cut_image to = { .files_len = from->files_len };

	to.files = must_grow(NULL, from->files_len * sizeof(*to.files));
	for (uint32_t i = 0; i < from->files_len; i++) {
		size_t len = from->files[i].len;

		to.files[i] = (struct cut_bytes){ NULL, len, len };
		if (len) to.files[i].at = must_copy(from->files[i].at, len);
	}
	for (uint32_t i = 0; i < from->names_len; i++)
		cut_image_link(&to, from->names[i].text, from->names[i].file);
	return to;
}

static struct cut_name *name_find(const struct cut_image *image, const char *name)
{
	for (uint32_t i = 0; i < image->names_len; i++)
		if (strcmp(image->names[i].text, name) == 0) return &image->names[i];
	return NULL;
}

int64_t cut_image_find(const struct cut_image *image, const char *name)
{
	const struct cut_name *found = name_find(image, name);

	return found ? (int64_t)found->file : -1;
}

static void files_reach(struct cut_image *image, uint32_t file)
{
	if (file < image->files_len) return;
	image->files = must_grow(image->files, (file + 1u) * sizeof(*image->files));
	while (image->files_len <= file)
		image->files[image->files_len++] = (struct cut_bytes){ 0 };
}

uint32_t cut_image_file(struct cut_image *image)
{
	uint32_t file = image->files_len;

	files_reach(image, file);
	return file;
}

void cut_image_link(struct cut_image *image, const char *name, uint32_t file)
{
	struct cut_name *found = name_find(image, name);

	files_reach(image, file);
	if (found) {
		found->file = file;
		return;
	}
	image->names =
		must_grow(image->names, (image->names_len + 1u) * sizeof(*image->names));
	image->names[image->names_len++] =
		(struct cut_name){ must_copy(name, strlen(name) + 1), file };
}

void cut_image_unlink(struct cut_image *image, const char *name)
{
	struct cut_name *found = name_find(image, name);

	if (!found) return;
	free(found->text);
	*found = image->names[--image->names_len];
}

void cut_image_resize(struct cut_image *image, uint32_t file, size_t len)
{
	files_reach(image, file);
	struct cut_bytes *b = &image->files[file];

	if (len > b->cap) {
		b->cap = len > b->cap * 2 ? len : b->cap * 2;
		b->at = must_grow(b->at, b->cap);
	}
	if (len > b->len) memset(b->at + b->len, 0, len - b->len);
	b->len = len;
}

void cut_image_write(
	struct cut_image *image, uint32_t file, size_t at, const void *data, size_t len)
{
	files_reach(image, file);
	if (at + len > image->files[file].len) cut_image_resize(image, file, at + len);
	if (len) memcpy(image->files[file].at + at, data, len);
}

/* Histories. */

struct cut_history *cut_history_new(struct cut_image base)
{
	struct cut_history *h = must_grow(NULL, sizeof(*h));

	*h = (struct cut_history){ .base = base };
	return h;
}

struct cut_history *cut_history_free(struct cut_history *h)
{
	if (!h) return NULL;
	for (size_t i = 0; i < h->ops_len; i++)
		free(h->ops[i].data);
	free(h->ops);
	free(h->doubts);
	cut_image_done(&h->base);
	cut_image_done(&h->durable);
	free(h);
	return NULL;
}

void cut_history_add(struct cut_history *h, struct cut_op op)
{
	if (op.data) op.data = must_copy(op.data, op.len);
	h->ops = must_room(h->ops, h->ops_len, &h->ops_cap, sizeof(*h->ops));
	h->ops[h->ops_len++] = op;
}

uint64_t cut_history_length(const struct cut_history *h)
{
	return h->ops_len;
}

static bool op_of_directory(const struct cut_op *op)
{
	return op->kind == CUT_OP_LINK || op->kind == CUT_OP_UNLINK;
}

static void op_apply(struct cut_image *image, const struct cut_op *op)
{
	switch (op->kind) {
	case CUT_OP_LINK: cut_image_link(image, (const char *)op->data, op->file); break;
	case CUT_OP_UNLINK: cut_image_unlink(image, (const char *)op->data); break;
	case CUT_OP_WRITE:
		cut_image_write(image, op->file, op->at, op->data, op->len);
		break;
	case CUT_OP_RESIZE: cut_image_resize(image, op->file, op->at); break;
	case CUT_OP_SYNC:
	case CUT_OP_SYNC_FAILED:
	case CUT_OP_SYNC_DIR: break;
	}
}

static bool sync_covers(const struct cut_op *sync, const struct cut_op *op)
{
	if (op_of_directory(op)) return sync->kind == CUT_OP_SYNC_DIR;
	return sync->kind != CUT_OP_SYNC_DIR && op->file == sync->file;
}

/* What is sure becomes durable, but never before something older of the same file that is
 * in doubt: applied later, the old would overwrite the new. */
static void doubts_settle(struct cut_history *h, const struct cut_op *sync)
{
	bool blocked = false;
	size_t kept = 0;

	for (size_t i = 0; i < h->doubts_len; i++) {
		struct doubt d = h->doubts[i];
		const struct cut_op *op = &h->ops[d.op];

		if (sync_covers(sync, op)) {
			if (sync->kind == CUT_OP_SYNC_FAILED) d.lost = !d.sure;
			d.sure = !d.lost;
			blocked = blocked || d.lost;
			if (!blocked) {
				op_apply(&h->durable, op);
				continue;
			}
		}
		h->doubts[kept++] = d;
	}
	h->doubts_len = kept;
}

static void history_rewind(struct cut_history *h)
{
	cut_image_done(&h->durable);
	h->durable = cut_image_copy(&h->base);
	h->doubts_len = 0;
	h->position = 0;
	h->sought = true;
}

static void history_seek(struct cut_history *h, uint64_t position)
{
	assert(position <= h->ops_len);
	if (!h->sought || position < h->position) history_rewind(h);
	for (; h->position < position; h->position++) {
		const struct cut_op *op = &h->ops[h->position];

		if (op->kind >= CUT_OP_SYNC) {
			doubts_settle(h, op);
			continue;
		}
		h->doubts = must_room(
			h->doubts, h->doubts_len, &h->doubts_cap, sizeof(*h->doubts));
		h->doubts[h->doubts_len++] = (struct doubt){ .op = (size_t)h->position };
	}
}

size_t cut_history_doubts(struct cut_history *h, uint64_t position)
{
	size_t n = 0;

	history_seek(h, position);
	for (size_t i = 0; i < h->doubts_len; i++)
		n += !h->doubts[i].sure;
	return n;
}

static void write_garbage(struct cut_bytes *b, size_t from, uint64_t *seed)
{
	for (size_t i = from; i < b->len; i++)
		b->at[i] = (unsigned char)random_next(seed);
}

static void write_torn(struct cut_image *image, const struct cut_op *op, uint64_t *seed)
{
	bool missing = coin(seed) && coin(seed);
	bool whole = coin(seed) && coin(seed);
	size_t end = op->at + op->len;

	files_reach(image, op->file);
	if (end > image->files[op->file].len && coin(seed)) {
		size_t old = image->files[op->file].len;

		cut_image_resize(image, op->file, end);
		if (coin(seed)) write_garbage(&image->files[op->file], old, seed);
	}
	if (missing) return;
	for (size_t at = op->at; at < end;) {
		size_t next = (at / CUT_SECTOR + 1) * CUT_SECTOR;

		if (next > end) next = end;
		if (whole || coin(seed))
			cut_image_write(
				image, op->file, at, op->data + (at - op->at), next - at);
		at = next;
	}
}

/* A name is as it was at one moment: once a change of it is missing, the later ones are.
 * Those before `i` that are missing have been marked in `gone`. */
static bool name_stopped(const struct cut_history *h, const bool *gone, size_t i)
{
	const struct cut_op *op = &h->ops[h->doubts[i].op];

	for (size_t j = 0; j < i; j++) {
		const struct cut_op *before = &h->ops[h->doubts[j].op];

		if (gone[j] && op_of_directory(before) &&
			strcmp((const char *)before->data, (const char *)op->data) == 0)
			return true;
	}
	return false;
}

/* `moment`: for CUT_PREFIX. Writes of CUT_TORN are not asked: write_torn decides. */
static bool op_missing(enum cut_choice choice, size_t op, size_t moment, uint64_t *seed)
{
	switch (choice) {
	case CUT_NONE: return true;
	case CUT_PREFIX: return op >= moment;
	case CUT_SUBSET:
	case CUT_TORN: return coin(seed);
	case CUT_ALL:
	case CUT_CHOICES: break;
	}
	return false;
}

struct cut_image cut_history_cut(
	struct cut_history *h, uint64_t position, enum cut_choice choice, uint64_t seed)
{
	history_seek(h, position);

	struct cut_image image = cut_image_copy(&h->durable);
	bool *gone = must_grow(NULL, h->doubts_len);
	size_t first = h->doubts_len ? h->doubts[0].op : 0;
	size_t moment = first + random_below(&seed, position - first + 1);

	for (size_t i = 0; i < h->doubts_len; i++) {
		const struct doubt *d = &h->doubts[i];
		const struct cut_op *op = &h->ops[d->op];

		gone[i] = false;
		if (d->sure) {
			op_apply(&image, op);
		} else if (choice == CUT_TORN && op->kind == CUT_OP_WRITE) {
			write_torn(&image, op, &seed);
		} else {
			gone[i] = op_missing(choice, d->op, moment, &seed) ||
				  (op_of_directory(op) && name_stopped(h, gone, i));
			if (!gone[i]) op_apply(&image, op);
		}
	}
	free(gone);
	return image;
}
