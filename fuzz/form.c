/* form.c - random keys on the answer form: nothing is sent or skipped but by a key that
 * confirms, what is sent is an answer, and typed text changes only by typing. */
#include "tui/form.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "core/ask/answer.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte picks one. */
static const char *const asks[] = {
	"[{\"text\":\"?\",\"type\":\"choice\",\"options\":[\"a\",\"b\"],\"other\":true}]",
	"[{\"text\":\"?\",\"type\":\"choices\",\"options\":[\"a\",\"b\",\"c\"],\"min\":2,"
	"\"max\":2,\"other\":true,\"note\":{\"required\":true}}]",
	"[{\"text\":\"?\",\"type\":\"text\",\"min\":2,\"max\":9}]",
	"[{\"text\":\"?\",\"type\":\"text\",\"format\":\"email\",\"required\":false}]",
	"[{\"text\":\"?\",\"type\":\"number\",\"min\":-1,\"max\":7,\"note\":{}}]",
	"[{\"text\":\"?\",\"type\":\"boolean\",\"note\":{}}]",
	"[{\"key\":\"decision\",\"text\":\"?\",\"type\":\"approval\"}]",
	"[{\"text\":\"?\",\"type\":\"approval\"},{\"text\":\"?\",\"type\":\"number\"},"
	"{\"text\":\"?\",\"type\":\"choice\",\"options\":[\"a\",\"b\"],\"prefill\":\"b\"},"
	"{\"text\":\"?\",\"type\":\"text\",\"prefill\":\"x\",\"required\":false}]",
};

static bool questions_open(struct form *f, size_t which, struct arena *arena)
{
	const struct json *json = NULL;
	struct question *list;

	if (json_read(str_of(asks[which]), NULL, arena, &json, NULL) != OK) return false;
	list = ARENA_ARRAY(arena, struct question, json->count);
	for (uint32_t i = 0; list && i < json->count; i++)
		assert(question_read(&json->items[i], "", false, i + 1, arena, &list[i],
			       NULL) == OK);
	return list && form_open(f, list, json->count);
}

enum { TEXTS = 3 };

static struct line *text_at(struct form *f, size_t n)
{
	struct entry *e = &f->entries[n / TEXTS];

	return n % TEXTS == 0 ? &e->other : n % TEXTS == 1 ? &e->text : &e->note;
}

static bool key_edits(const struct key *k)
{
	return k->name == K_CHAR || k->name == K_NEW_LINE || k->name == K_BACKSPACE ||
	       k->name == K_DELETE || k->name == K_ERASE_WORD ||
	       k->name == K_ERASE_LINE || k->pasted;
}

/* What every key must leave alone, and what it may. */
static enum wish press(struct form *f, const struct key *k)
{
	uint64_t sums[QUESTIONS_MAX * TEXTS];
	struct line *typed = form_line(f);

	for (size_t n = 0; n < f->len * TEXTS; n++)
		sums[n] = str_hash(line_text(text_at(f, n)));
	enum wish wish = form_key(f, k);
	for (size_t n = 0; n < f->len * TEXTS; n++) {
		struct line *l = text_at(f, n);

		assert(utf8_valid(line_text(l)) && l->at <= l->text.len);
		assert(str_hash(line_text(l)) == sums[n] || (l == typed && key_edits(k)));
	}
	return wish;
}

static void answer_checked(const struct form *f, struct arena *arena)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	const struct json *json = NULL;
	struct answer answer;

	form_answer(f, &w);
	assert(json_read(buf_str(&text), NULL, arena, &json, NULL) == OK);
	assert(answer_check_at(f->questions, f->len, json, "", arena, &answer, NULL) ==
		OK);
	buf_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char letters[] = "ynaresjk 129x.-@\xc3";
	struct arena arena = { 0 };
	struct form f;

	if (size < 2 ||
		!questions_open(&f, data[0] % (sizeof asks / sizeof *asks), &arena))
		return arena_done(&arena), 0;
	f.critical = data[1] & 1;
	for (size_t i = 2; i + 1 < size; i += 2) {
		struct key k = { .name = data[i] % KEYS, .pasted = data[i + 1] & 64 };
		enum form_mode mode = f.mode;

		if (k.name == K_CHAR)
			k.point = (unsigned char)
				letters[data[i + 1] % (sizeof letters - 1)];
		f.armed = data[i + 1] & 128;
		f.read |= k.name == K_END;
		switch (press(&f, &k)) {
		case WISH_SUBMIT:
			assert(f.armed && !k.pasted);
			assert(k.name == K_ENTER || key_letter(&k) == 'a');
			assert(!f.critical || mode == FORM_CONFIRM ||
				!(f.entries[0].selected & 1 &&
					f.questions[0].type == Q_APPROVAL));
			answer_checked(&f, &arena);
			break;
		case WISH_SKIP:
			assert(f.armed && !k.pasted && mode == FORM_SKIP &&
				key_letter(&k) == 'y');
			break;
		default: break;
		}
	}
	form_close(&f);
	arena_done(&arena);
	return 0;
}
