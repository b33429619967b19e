/* words.c - an answer as one text: labels joined by ", ", then "Other: text". Where that
 * could be read in two ways, each label is written as a JSON string. */
#include "base/keep.h"
#include "dialect/inner.h"

/* The length of `name` when it opens `text` and a comma or the end follows. */
static size_t opens(struct str text, struct str name)
{
	size_t n = name.len;

	if (!n || n > text.len || memcmp(text.at, name.at, n) != 0) return 0;
	return n == text.len || text.at[n] == ',' ? n : 0;
}

/* The longest option that opens the text. */
static size_t option_open(
	struct arena *arena, struct str text, const struct choices *c, size_t *which)
{
	struct buf quoted = { 0 };
	size_t longest = 0;

	for (size_t i = 0; i < c->len && i < 32; i++) {
		quoted.len = 0;
		json_write_str(&quoted, c->at[i].said);
		const struct str names[] = { c->at[i].said, c->at[i].label,
			buf_str(&quoted) };

		for (size_t n = 0; n < 3; n++) {
			size_t len = opens(text, names[n]);

			if (len <= longest) continue;
			longest = len;
			*which = i;
		}
	}
	if (quoted.failed) arena->failed = true;
	buf_done(&quoted);
	return longest;
}

struct picked picked_read(struct arena *arena, struct str text, const struct choices *c)
{
	struct picked p = { 0 };

	for (text = str_trim(text); text.len; text = str_trim(text)) {
		size_t which = 0, len = option_open(arena, text, c, &which);
		struct str dropped;

		if (len) {
			p.set |= UINT32_C(1) << which;
			text = str_from(text, len + 1);
		} else if (str_starts(text, "Other:")) {
			p.other = str_trim(str_from(text, 6));
			return p;
		} else {
			p.lost = true;
			str_cut(&text, ',', &dropped);
		}
	}
	return p;
}

static void picked_write(
	struct buf *out, const struct choices *picked, struct str other, bool quoted)
{
	for (size_t i = 0; i < picked->len; i++) {
		if (i) buf_add_text(out, ", ");
		if (quoted)
			json_write_str(out, picked->at[i].said);
		else
			buf_add(out, picked->at[i].said);
	}
	if (!other.len) return;
	if (picked->len) buf_add_text(out, ", ");
	buf_add_text(out, "Other: ");
	buf_add(out, other);
}

/* Would a reader find the same options in it? */
static bool picked_clear(struct arena *arena, struct str text,
	const struct choices *offered, const struct choices *picked, struct str other)
{
	struct picked read = picked_read(arena, text, offered);
	uint32_t set = 0;

	for (size_t i = 0; i < offered->len && i < 32; i++)
		if (choice_find(picked, offered->at[i].id)) set |= UINT32_C(1) << i;
	for (size_t i = 0; i < picked->len; i++)
		if (picked->at[i].said.len && picked->at[i].said.at[0] == '"')
			return false;
	return !read.lost && read.set == set && str_eq(read.other, str_trim(other));
}

struct str answer_words(const struct foreign_reply *o, const struct said *s,
	const struct choices *offered)
{
	struct choices picked = said_choices(o, s, offered);
	struct buf b = { 0 };

	if (!picked.len && !s->other.len) return said_words(o, s);
	picked_write(&b, &picked, s->other, false);
	if (offered && !picked_clear(o->arena, buf_str(&b), offered, &picked, s->other)) {
		b.len = 0;
		picked_write(&b, &picked, s->other, true);
	}
	return buf_keep_done(&b, o->arena);
}
