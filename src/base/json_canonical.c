/* json_canonical.c - one text for each value (RFC 8785), and which values are equal. */
#include "base/json.h"
#include "base/mem.h"
#include "base/real.h"
#include "base/table.h"

#include <stdlib.h>

enum { FEW_MEMBERS = 32 };

/* --- numbers --- */

static bool is_integer_spelling(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.at[i] == '.' || s.at[i] == 'e' || s.at[i] == 'E') return false;
	}
	return true;
}

/* Either in room or the spelling itself, which for integers is canonical but for -0. */
static struct str number_form(const struct json *j, char room[REAL_SIZE])
{
	if (j->is_int) return j->integer ? j->text : STR("0");
	if (is_integer_spelling(j->text)) return j->text;
	return str_make(room, real_write(j->real, room));
}

static bool number_equal(const struct json *a, const struct json *b)
{
	char a_room[REAL_SIZE], b_room[REAL_SIZE];

	if (a->is_int && b->is_int) return a->integer == b->integer;
	return str_eq(number_form(a, a_room), number_form(b, b_room));
}

/* --- equality --- */

static bool array_equal(const struct json *a, const struct json *b)
{
	for (uint32_t i = 0; i < a->count; i++) {
		if (!json_equal(&a->items[i], &b->items[i])) return false;
	}
	return true;
}

/* Looks each member of a up in b, by table unless it is empty. */
static bool members_equal(
	const struct json *a, const struct json *b, const struct table *t)
{
	for (uint32_t i = 0; i < a->count; i++) {
		struct str name = a->members[i].name;
		const struct json *other = &b->members[i].value;

		if (!str_eq(name, b->members[i].name))
			other = t->len ? table_get(t, name) : json_get_str(b, name);
		if (!other || !json_equal(&a->members[i].value, other)) return false;
	}
	return true;
}

/* The table is for speed only: without memory for it the answer is the same. */
static bool object_equal(const struct json *a, const struct json *b)
{
	struct table names = { 0 };
	bool equal;

	for (uint32_t i = 0; b->count > FEW_MEMBERS && i < b->count; i++) {
		if (table_put(&names, b->members[i].name, &b->members[i].value)) continue;
		table_done(&names);
		break;
	}
	equal = members_equal(a, b, &names);
	table_done(&names);
	return equal;
}

bool json_equal(const struct json *a, const struct json *b)
{
	if (!a || !b) return a == b;
	if (a->type != b->type) return false;
	switch (a->type) {
	case JSON_NUMBER: return number_equal(a, b);
	case JSON_STRING: return str_eq(a->text, b->text);
	case JSON_ARRAY: return a->count == b->count && array_equal(a, b);
	case JSON_OBJECT: return a->count == b->count && object_equal(a, b);
	default: return true;
	}
}

/* --- the canonical form --- */

/* UTF-8 sorts as UTF-16 does, except that UTF-16 puts what is beyond U+FFFF (lead bytes
 * from 0xf0) before U+E000 to U+FFFF (lead bytes 0xee and 0xef). */
static int utf16_cmp(struct str a, struct str b)
{
	size_t i = 0, len = a.len < b.len ? a.len : b.len;
	unsigned char x, y;

	while (i < len && a.at[i] == b.at[i])
		i++;
	if (i == len) return (a.len > b.len) - (a.len < b.len);
	x = (unsigned char)a.at[i];
	y = (unsigned char)b.at[i];
	if (x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0))
		return x >= 0xf0 ? -1 : 1;
	return x < y ? -1 : 1;
}

static int member_cmp(const void *a, const void *b)
{
	const struct json_member *const *x = a, *const *y = b;

	return utf16_cmp((*x)->name, (*y)->name);
}

/* Most objects are small, and in order already. */
static void members_sort(const struct json_member **list, size_t len)
{
	if (len > FEW_MEMBERS) {
		qsort(list, len, sizeof *list, member_cmp);
		return;
	}
	for (size_t i = 1; i < len; i++) {
		const struct json_member *m = list[i];
		size_t at = i;

		for (; at && utf16_cmp(list[at - 1]->name, m->name) > 0; at--)
			list[at] = list[at - 1];
		list[at] = m;
	}
}

static void object_canonical(struct buf *out, const struct json *j)
{
	const struct json_member *few[FEW_MEMBERS], **sorted = few;

	if (j->count > FEW_MEMBERS) sorted = mem_alloc(j->count * sizeof *sorted);
	if (!sorted) {
		out->failed = true;
		return;
	}
	for (uint32_t i = 0; i < j->count; i++)
		sorted[i] = &j->members[i];
	members_sort(sorted, j->count);
	buf_add_char(out, '{');
	for (uint32_t i = 0; i < j->count; i++) {
		if (i) buf_add_char(out, ',');
		json_write_str(out, sorted[i]->name);
		buf_add_char(out, ':');
		json_canonical(out, &sorted[i]->value);
	}
	buf_add_char(out, '}');
	if (sorted != few) mem_free(sorted);
}

void json_canonical(struct buf *out, const struct json *j)
{
	char room[REAL_SIZE];

	if (!j) {
		buf_add(out, STR("null"));
		return;
	}
	switch (j->type) {
	case JSON_NUMBER: buf_add(out, number_form(j, room)); break;
	case JSON_ARRAY:
		buf_add_char(out, '[');
		for (uint32_t i = 0; i < j->count; i++) {
			if (i) buf_add_char(out, ',');
			json_canonical(out, &j->items[i]);
		}
		buf_add_char(out, ']');
		break;
	case JSON_OBJECT: object_canonical(out, j); break;
	default: json_write(out, j); break;
	}
}
