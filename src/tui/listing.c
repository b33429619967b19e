/* listing.c - rows, a cursor, what is in sight. */
#include "tui/listing.h"

#include "base/mem.h"
#include "base/utf8.h"

void *listing_row(size_t size, const struct str *texts, size_t n)
{
	size_t all = size;
	struct str *row;
	char *at;

	for (size_t i = 0; i < n; i++)
		all += texts[i].len;
	row = mem_alloc(all);
	if (!row) return NULL;
	at = (char *)row + size;
	for (size_t i = 0; i < n; i++) {
		row[i] = str_make(at, texts[i].len);
		if (texts[i].len > 0) memcpy(at, texts[i].at, texts[i].len);
		at += texts[i].len;
	}
	return row;
}

static bool room_make(struct row_list *l)
{
	size_t cap = l->cap ? l->cap * 2 : 64;
	void **all, **shown;

	if (l->all_len < l->cap) return true;
	all = mem_grow(l->all, cap * sizeof *all);
	if (all) l->all = all;
	shown = mem_grow(l->shown, cap * sizeof *shown);
	if (shown) l->shown = shown;
	if (!all || !shown) return false;
	l->cap = cap;
	return true;
}

bool listing_add(struct row_list *l, void *row)
{
	if (!row || !room_make(l)) return mem_free(row), false;
	l->all[l->all_len++] = row;
	l->shown[l->len++] = row;
	return true;
}

void listing_remove(struct row_list *l, size_t i)
{
	void *row = l->all[i];

	for (size_t n = 0; n < l->len; n++) {
		if (l->shown[n] != row) continue;
		memmove(l->shown + n, l->shown + n + 1,
			(--l->len - n) * sizeof *l->shown);
		if (l->at > n) l->at--;
	}
	listing_go(l, 0);
	memmove(l->all + i, l->all + i + 1, (--l->all_len - i) * sizeof *l->all);
	mem_free(row);
}

void listing_clear(struct row_list *l)
{
	for (size_t i = 0; i < l->all_len; i++)
		mem_free(l->all[i]);
	l->all_len = l->len = l->at = l->top = 0;
}

void listing_done(struct row_list *l)
{
	listing_clear(l);
	mem_free(l->all);
	mem_free(l->shown);
	*l = (struct row_list){ 0 };
}

void *listing_at(const struct row_list *l)
{
	return l->at < l->len ? l->shown[l->at] : NULL;
}

void listing_go(struct row_list *l, int64_t by)
{
	int64_t to = (int64_t)l->at + by, last = (int64_t)l->len - 1;

	if (to > last) to = last;
	l->at = to > 0 ? (size_t)to : 0;
}

bool listing_key(struct row_list *l, const struct key *k, size_t height)
{
	int64_t page = (int64_t)height - 1, all = (int64_t)l->len;
	int32_t letter = key_letter(k);
	int64_t by = k->name == K_DOWN || letter == 'j'	 ? 1
		     : k->name == K_UP || letter == 'k'	 ? -1
		     : k->name == K_PAGE_DOWN		 ? page
		     : k->name == K_PAGE_UP		 ? -page
		     : k->name == K_HOME		 ? -all
		     : k->name == K_END || letter == 'G' ? all
							 : 0;

	if (by != 0) listing_go(l, by);
	return by != 0;
}

void listing_scroll(struct row_list *l, size_t line, size_t above, size_t height)
{
	if (line < l->top + above) l->top = line > above ? line - above : 0;
	if (line >= l->top + height) l->top = line - height + 1;
}

struct str listing_next(const struct row_list *l, size_t offset, struct str now)
{
	struct str next = STR_NONE;

	for (size_t i = 0; i < l->all_len; i++) {
		const char *row = l->all[i];
		struct str name = *(const struct str *)(const void *)(row + offset);

		if (name.len > 0 && str_cmp(name, now) > 0 &&
			(next.len == 0 || str_cmp(name, next) < 0))
			next = name;
	}
	return next;
}

bool listing_found(const struct str *texts, size_t n, struct str folded)
{
	struct buf text = { 0 };
	bool found = folded.len == 0;

	for (size_t i = 0; i < n && !found; i++) {
		buf_clear(&text);
		utf8_fold(&text, texts[i]);
		found = str_find(buf_str(&text), folded) >= 0;
	}
	buf_done(&text);
	return found;
}
