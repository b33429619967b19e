/* filter.c - filters of a list. */
#include "tui/filter.h"

#include "base/keep.h"
#include "tui/words.h"

/* ---- choices: the first is all ---- */

static struct str choice_name(const struct filter_group *g, size_t which, size_t choice)
{
	struct str name = STR_NONE;

	while (choice-- > 0)
		name = listing_next(g->rows, g->kinds[which].names, name);
	return name;
}

size_t filter_choices(const struct filter_group *g, size_t which)
{
	const struct filter_kind *kind = &g->kinds[which];
	size_t n = 1;

	if (kind->names)
		while (choice_name(g, which, n).len)
			n++;
	else
		while (n < FILTER_CHOICES && kind->choices[n])
			n++;
	return n;
}

static size_t choice_now(const struct filter_group *g, size_t which)
{
	const struct filter *f = &g->filters[which];
	size_t n = filter_choices(g, which);

	if (!g->kinds[which].names) return f->at;
	for (size_t i = 1; i < n; i++)
		if (str_eq(choice_name(g, which, i), buf_str(&f->name))) return i;
	return 0;
}

static void choose(const struct filter_group *g, size_t which, size_t choice)
{
	struct filter *f = &g->filters[which];

	if (!g->kinds[which].names) {
		f->at = choice;
		return;
	}
	buf_clear(&f->name);
	buf_add(&f->name, choice_name(g, which, choice));
}

/* ---- keys ---- */

size_t filter_find(const struct filter_group *g, int32_t letter)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->kinds[i].letter == letter) return i;
	return letter == 'f' ? 0 : g->n;
}

void filter_move(const struct filter_group *g, size_t which, int by)
{
	size_t n = filter_choices(g, which), now = choice_now(g, which);

	choose(g, which, by > 0 ? (now + 1) % n : (now + n - 1) % n);
}

void filter_clear(struct filter *f)
{
	filter_done(f, 1);
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

void filter_done(struct filter *filters, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_done(&filters[i].name);
		filters[i] = (struct filter){ 0 };
	}
}

/* ---- drawing ---- */

void filter_head(const struct filter_group *g, struct page *p)
{
	for (size_t i = 0; i < g->n; i++) {
		const char *id = g->kinds[i].choices[g->filters[i].at];

		page_word(p, STYLE_ACCENT,
			id ? MSG(&p->words, id) : buf_str(&g->filters[i].name));
	}
}

static struct str choice_words(
	const struct filter_group *g, size_t which, size_t choice, struct arena *arena)
{
	const char *id = g->kinds[which].choices[g->kinds[which].names ? 0 : choice];

	if (choice && g->kinds[which].names) return choice_name(g, which, choice);
	return MSG(arena, id ? id : "tui.filter.all");
}

void filter_with(const struct filter_group *g, size_t which, size_t choice,
	void (*with)(void *ctx), void *ctx)
{
	struct filter *f = &g->filters[which], kept = *f;

	*f = (struct filter){ 0 };
	choose(g, which, choice);
	with(ctx);
	filter_clear(f);
	*f = kept;
}

struct rows_count {
	const struct filter_group *of;
	size_t n;
};

static void rows_count(void *ctx)
{
	struct rows_count *c = ctx;

	c->n = c->of->count(c->of->list);
}

/* How many rows there would be with this choice; empty: nobody knows. */
static struct str choice_count(
	const struct filter_group *g, size_t which, size_t choice, struct arena *arena)
{
	struct rows_count c = { .of = g };

	if (g->count)
		filter_with(g, which, choice, rows_count, &c);
	else if (g->counts && choice < g->counts->len)
		c.n = (size_t)g->counts->n[choice];
	else
		return STR_NONE;
	return arena_print(arena, "%4zu", c.n);
}

/* "p Urgency  P Project": the keys of the others that have a menu. */
static struct str other_hints(
	const struct filter_group *g, size_t which, struct arena *arena)
{
	struct buf out = { .max = 4096 };

	for (size_t i = 0; i < g->n; i++)
		if (g->kinds[i].name && i != which)
			words_join(&out, "  ",
				arena_print(arena, "%c %s", (char)g->kinds[i].letter,
					msg_text(g->kinds[i].name)));
	return buf_keep_done(&out, arena);
}

void filter_menu(const struct filter_group *g, size_t which, size_t rows, struct page *p)
{
	enum { COUNT_COLUMN = 30 };
	size_t n = filter_choices(g, which), now = choice_now(g, which);
	size_t room = rows > 2 ? rows - 1 : 1, top = now >= room ? now - room + 1 : 0;

	page_row(p);
	PAGE_MSG(p, STYLE_BOLD, g->kinds[which].name);
	page_hints(p, STYLE_SOFT, other_hints(g, which, &p->words));
	for (size_t i = top; i < n && i < top + room; i++) {
		page_row_choice(p, i == now);
		page_add_text(p, STYLE_PLAIN, i == now ? "(•) " : "( ) ");
		page_cell(p, COUNT_COLUMN, i == now ? STYLE_BOLD : STYLE_PLAIN,
			choice_words(g, which, i, &p->words));
		page_add(p, STYLE_SOFT, choice_count(g, which, i, &p->words));
	}
}
