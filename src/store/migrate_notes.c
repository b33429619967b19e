/* migrate_notes.c - numbers and words of the notes that a store has when it learns to find notes by words. */
#include "core/run/memory_search.h"
#include "store/migrate.h"

#include <stdio.h>

enum { NOTES_AT_ONCE = 200, ID_MAX = 64 };

struct old_notes {
	struct arena arena;
	struct memory at[NOTES_AT_ONCE];
	size_t len;
};

static enum err old_note(void *ctx, const struct row *row, struct fault *why)
{
	struct old_notes *notes = ctx;
	struct arena *arena = &notes->arena;

	if (notes->len < NOTES_AT_ONCE)
		notes->at[notes->len++] = (struct memory){ .ws = row_int(row, 0),
			.id = arena_str(arena, row_text(row, 1)),
			.text = arena_str(arena, row_text(row, 2)),
			.tags = arena_str(arena, row_text(row, 3)) };
	return arena->failed ? fail_memory(why) : OK;
}

static enum err note_number(
	struct db *db, const struct memory *m, struct arena *arena, struct fault *why)
{
	struct str *words, mark = memory_mark(m->n, arena);
	size_t len = memory_words(m, arena, &words);
	struct call *calls = ARENA_ARRAY(arena, struct call, len + 1);
	struct val *args = ARENA_ARRAY(arena, struct val, 4 * len + 3);

	if (!calls || !args) return fail_memory(why);
	for (size_t i = 0; i < len; i++, args += 4) {
		memcpy(args, KEY(m->ws, words[i], m->n / MEMORY_BLOCK, mark),
			4 * sizeof *args);
		calls[i] = (struct call){
			.sql = SQL_MEMORY_WORD_ADD, .args = args, .args_len = 4
		};
	}
	memcpy(args, KEY(m->ws, m->id, m->n), 3 * sizeof *args);
	calls[len] =
		(struct call){ .sql = SQL_MEMORY_NUMBER, .args = args, .args_len = 3 };
	return db_run(db, calls, len + 1, why);
}

enum err migrate_notes(struct db *db, struct fault *why)
{
	static struct old_notes notes; /* one store is brought up at a time */
	char after[ID_MAX] = "";
	int64_t ws = 0, n = 0;
	enum err e = OK;

	do {
		notes.len = 0;
		e = db_one(db, SQL_MEMORY_OLD, ARGS(ws, str_of(after), NOTES_AT_ONCE),
			old_note, &notes, why);
		for (size_t i = 0; !e && i < notes.len; i++) {
			struct memory *m = &notes.at[i];

			n = m->ws == ws ? n + 1 : 1;
			ws = m->ws;
			m->n = n;
			e = note_number(db, m, &notes.arena, why);
			snprintf(after, sizeof after, "%.*s", STR_ARGS(m->id));
		}
		arena_done(&notes.arena);
	} while (!e && notes.len == NOTES_AT_ONCE);
	return e;
}
