/* record_values.c - values of records for statements, records from result rows, and their names. */
#include "store/record.h"

#include "base/keep.h"
#include "store/pack.h"

#include <assert.h>

int record_changing(const struct record *r)
{
	int n = 0;

	for (int i = 0; i < r->columns_len; i++)
		n += (r->columns[i].flags & CHANGES) != 0;
	return n;
}

static bool val_same(const struct val *a, const struct val *b)
{
	return a->integer == b->integer && a->text.len == b->text.len &&
	       (a->text.at == b->text.at || str_eq(a->text, b->text));
}

bool record_seldom_differs(const struct record *r, const void *a, const void *b)
{
	for (int i = 0; i < r->stored_len; i++)
		if (r->columns[i].flags & SELDOM) {
			struct val left = record_val(&r->columns[i], a),
				   right = record_val(&r->columns[i], b);

			if (!val_same(&left, &right)) return true;
		}
	return false;
}

struct str record_key_name(
	const struct record *r, const struct val *key, struct arena *arena)
{
	struct buf b = { .max = 65536 };

	if (r->name >= 0) return key[r->name].text;
	for (int i = 0; i < r->keys_len; i++) {
		/* The length comes first: texts may hold any byte. */
		if (key[i].type == VAL_INT) {
			buf_print(&b, "%lld/", (long long)key[i].integer);
		} else {
			buf_print(&b, "%zu:", key[i].text.len);
			buf_add(&b, key[i].text);
		}
	}
	return buf_keep_done(&b, arena);
}

struct str record_name(const struct record *r, const void *record, struct arena *arena)
{
	struct val key[RECORD_KEYS_MAX];

	for (int i = 0; i < r->keys_len; i++)
		key[i] = record_val(&r->columns[i], record);
	return record_key_name(r, key, arena);
}

int64_t record_version(const struct record *r, const void *record)
{
	return r->version_at ? *(const int64_t *)(const void *)((const char *)record +
								r->version_at)
			     : 1;
}

void record_set_version(const struct record *r, void *record, int64_t version)
{
	if (r->version_at) *(int64_t *)(void *)((char *)record + r->version_at) = version;
}

/* ---- records from result rows ---- */

static enum err column_unknown(const char *what, struct str value, struct fault *why)
{
	return fail(why, ERR_INTERNAL, "the store holds an unknown %s \"%.*s\"", what,
		STR_ARGS(value));
}

struct val column_pack(const struct column *c, struct val value, struct packer *packer,
	struct arena *arena)
{
	struct str bytes;

	return (c->flags & PACKED) && packer &&
			       packer_pack(packer, value.text, arena, &bytes)
		       ? val_bytes(bytes.at, bytes.len)
		       : value;
}

enum err column_text(const struct column *c, const struct row *row, int i,
	struct arena *arena, struct str *out, struct fault *why)
{
	struct str stored = row_text(row, i);

	if (!(c->flags & PACKED) || !row_packed(row, i)) {
		*out = arena_str(arena, stored);
		return OK;
	}
	if (packer_unpack(row->db->packer, stored, arena, out)) return OK;
	return arena->failed
		       ? fail_memory(why)
		       : fail(why, ERR_INTERNAL,
				 "the store holds a %s that cannot be unpacked", c->name);
}

static enum err risk_column(int64_t stored, int *out, struct fault *why)
{
	if (stored < RISK_NONE || stored > RISK_CRITICAL)
		return fail(why, ERR_INTERNAL, "the store holds an unknown risk %lld",
			(long long)stored);
	*out = (int)stored;
	return OK;
}

static enum err column_read(const struct column *c, const struct row *row, int i,
	struct arena *arena, void *at, struct fault *why)
{
	struct str text;

	switch (c->type) {
	case COLUMN_INT: *(int64_t *)at = row_int(row, i); return OK;
	case COLUMN_BOOL: *(bool *)at = row_int(row, i) != 0; return OK;
	case COLUMN_RISK: return risk_column(row_int(row, i), at, why);
	case COLUMN_TEXT: return column_text(c, row, i, arena, at, why);
	case COLUMN_BYTES:
		*(struct str *)at = arena_str(arena, row_text(row, i));
		return OK;
	case COLUMN_HASH:
		text = row_text(row, i);
		if (text.len != SHA256_SIZE)
			return fail(why, ERR_INTERNAL,
				"the store holds a %s of %zu bytes", c->name, text.len);
		memcpy(at, text.at, SHA256_SIZE);
		return OK;
	case COLUMN_WORD:
		text = row_text(row, i);
		return c->words->read(text, at)
			       ? OK
			       : column_unknown(c->words->what, text, why);
	case COLUMN_EVENT_TYPE:
		text = row_text(row, i);
		*(const char **)at = event_type_find(text);
		return *(const char **)at ? OK : column_unknown("event type", text, why);
	}
	return OK;
}

enum err record_read(const struct record *r, const struct row *row, struct arena *arena,
	void *out, struct fault *why)
{
	union any_record record;

	assert(r->size <= sizeof record);
	memset(&record, 0, r->size);
	for (int i = 0; i < r->columns_len; i++) {
		const struct column *c = &r->columns[i];
		enum err e =
			column_read(c, row, i, arena, (char *)&record + c->offset, why);

		if (e) return e;
	}
	if (arena->failed) return fail_memory(why);
	memcpy(out, &record, r->size);
	return OK;
}
