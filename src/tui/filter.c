/* filter.c - filters of a list. */
#include "tui/filter.h"

bool filter_key(struct filter *filters, const struct filter_kind *kinds, size_t n,
	const struct row_list *rows, int32_t letter)
{
	for (size_t i = 0; i < n; i++) {
		struct filter *f = &filters[i];

		if (kinds[i].letter != letter) continue;
		if (kinds[i].names) {
			struct str next =
				listing_next(rows, kinds[i].names, buf_str(&f->name));

			buf_clear(&f->name);
			buf_add(&f->name, next);
		} else if (++f->at == FILTER_CHOICES || !kinds[i].choices[f->at]) {
			f->at = 0;
		}
		return true;
	}
	return false;
}

bool filter_passes(const struct filter *f, struct str name)
{
	return f->name.len == 0 || str_eq(buf_str(&f->name), name);
}

bool filter_on(const struct filter *filters, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (filters[i].at || filters[i].name.len) return true;
	return false;
}

void filter_head(const struct filter *filters, const struct filter_kind *kinds, size_t n,
	struct page *p)
{
	for (size_t i = 0; i < n; i++) {
		const char *id = kinds[i].choices[filters[i].at];

		page_word(p, STYLE_ACCENT,
			id ? MSG(&p->words, id) : buf_str(&filters[i].name));
	}
}

void filter_done(struct filter *filters, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_done(&filters[i].name);
		filters[i] = (struct filter){ 0 };
	}
}
