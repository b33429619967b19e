/* together.c - which of the chosen asks go together, and how that looks. */
#include "tui/together.h"

#include "base/keep.h"
#include "text/safe_text.h"

enum { INDENT = 2 };

void together_done(struct together *b)
{
	arena_done(&b->arena);
	*b = (struct together){ 0 };
}

/* ---- choosing ---- */

/* Columns of an operation on its line. */
static size_t line_width(struct str line, struct arena *arena)
{
	struct str rest = line, piece;
	size_t width = 0;

	while (str_cut(&rest, '\n', &piece))
		width += 1 + text_width(safe_line(arena, piece));
	return width;
}

/* NULL: it may be settled with others, whichever they are. */
static const char *item_alone(const struct item *item, size_t width, struct arena *arena)
{
	if (!item->digest.len)
		return item->risk == RISK_CRITICAL ? "web.batch.why.risk" : NULL;
	if (item->risk >= RISK_HIGH) return "web.batch.why.risk";
	if (item->voted) return "web.batch.why.votes";
	if (!item->read) return "tui.batch.why.unread";
	if (!item->line.len || line_width(item->line, arena) + INDENT > width)
		return "web.batch.why.long";
	return NULL;
}

static bool items_alike(const struct item *a, const struct item *b)
{
	if (a->digest.len || b->digest.len)
		return a->shape == b->shape && a->form == b->form;
	return a->form == b->form || a->like == b->like;
}

static bool in_batch(const struct item *item)
{
	return item->chosen && item->passes;
}

/* One of those that most of the others go with. */
static const struct item *together_lead(
	const struct list *l, size_t width, struct arena *arena)
{
	const struct item *lead = NULL;
	size_t most = 0;

	for (size_t i = 0; i < l->rows.all_len; i++) {
		const struct item *item = l->rows.all[i];
		size_t n = 0;

		if (!in_batch(item) || item_alone(item, width, arena)) continue;
		for (size_t k = 0; k < l->rows.all_len; k++)
			n += in_batch(l->rows.all[k]) &&
			     items_alike(item, l->rows.all[k]) &&
			     !item_alone(l->rows.all[k], width, arena);
		if (n > most) lead = item, most = n;
	}
	return lead;
}

static void row_add(struct together *b, const struct item *item, const char *why)
{
	b->rows[b->len++] = (struct together_row){ .id = arena_str(&b->arena, item->id),
		.title = arena_str(&b->arena, item->title),
		.digest = arena_str(&b->arena, item->digest),
		.line = arena_str(&b->arena, item->line),
		.why = why };
}

void together_make(struct together *b, const struct list *l, size_t width)
{
	const struct item *lead;

	together_done(b);
	b->rows = ARENA_ARRAY(&b->arena, struct together_row, l->rows.all_len + 1);
	if (!b->rows) return;
	lead = together_lead(l, width, &b->arena);
	for (int left = 0; left < 2; left++) {
		for (size_t i = 0; i < l->rows.all_len; i++) {
			const struct item *item = l->rows.all[i];
			const char *why;

			if (!in_batch(item)) continue;
			why = item_alone(item, width, &b->arena);
			if (!why && lead && !items_alike(lead, item))
				why = "web.batch.why.other";
			if ((why != NULL) == (left == 1)) row_add(b, item, why);
		}
		if (!left) b->taken = b->len;
	}
}

const struct together_row *together_first(const struct together *b)
{
	return b->taken ? b->rows : NULL;
}

/* ---- what differs ---- */

static struct str piece_at(struct str line, size_t n)
{
	struct str piece = STR_NONE;

	while (str_cut(&line, '\n', &piece))
		if (n-- == 0) return piece;
	return STR_NONE;
}

static bool boundary(struct str piece, size_t at)
{
	return at == 0 || at >= piece.len || strchr(" =/:,\"", piece.at[at - 1]) ||
	       strchr(" /:,\"", piece.at[at]);
}

/* How many bytes at the start, and then at the end, this piece has in common with that of
 * every other row; whole words only. */
static void piece_common(
	const struct together *b, size_t n, struct str piece, size_t *start, size_t *end)
{
	*start = *end = piece.len;
	for (size_t i = 0; i < b->taken; i++) {
		struct str other = piece_at(b->rows[i].line, n);
		size_t most = other.len < piece.len ? other.len : piece.len, k = 0;

		while (k < most && other.at[k] == piece.at[k])
			k++;
		if (k < *start) *start = k;
		for (k = 0; k < most &&
			    other.at[other.len - 1 - k] == piece.at[piece.len - 1 - k];)
			k++;
		if (k < *end) *end = k;
	}
	if (*start == piece.len) return;
	while (!boundary(piece, *start))
		--*start;
	if (*end > piece.len - *start) *end = piece.len - *start;
	while (!boundary(piece, piece.len - *end))
		--*end;
}

/* ---- drawing ---- */

static void operation_line_draw(const struct together *b, struct page *p, struct str line)
{
	struct str rest = line, piece;

	for (size_t n = 0; str_cut(&rest, '\n', &piece); n++) {
		size_t start, end;

		piece_common(b, n, piece, &start, &end);
		if (n) page_add_text(p, STYLE_PLAIN, " ");
		page_add(p, n ? STYLE_PLAIN : STYLE_BOLD, str_first(piece, start));
		if (start == piece.len) continue;
		page_add(p, STYLE_WARN,
			str_make(piece.at + start, piece.len - start - end));
		page_add(p, STYLE_PLAIN, str_from(piece, piece.len - end));
	}
}

static void left_write(const struct together *b, struct page *p)
{
	if (b->taken == b->len) return;
	page_gap(p);
	page_row(p);
	page_add(p, STYLE_BOLD,
		msg_count(&p->words, "tui.batch.left", (int64_t)(b->len - b->taken)));
	for (size_t i = b->taken; i < b->len; i++) {
		struct str why = MSG(&p->words, b->rows[i].why);
		size_t width = p->width, room = text_width(why) + 2;

		page_row(p);
		page_pad(p, INDENT);
		p->width = width > room + 10 ? width - room : width;
		page_add(p, STYLE_SOFT, b->rows[i].title);
		p->width = width;
		page_word(p, STYLE_WARN, why);
	}
}

void together_write(const struct together *b, struct page *p)
{
	bool operations = b->taken && b->rows->digest.len;

	page_row(p);
	page_add(p, STYLE_BOLD,
		operations ? MSG(&p->words, "web.operation")
			   : msg_count(&p->words, "tui.batch.title", (int64_t)b->taken));
	for (size_t i = 0; i < b->taken; i++) {
		page_row(p);
		page_pad(p, INDENT);
		if (b->rows[i].line.len)
			operation_line_draw(b, p, b->rows[i].line);
		else
			page_add(p, STYLE_PLAIN, b->rows[i].title);
	}
	left_write(b, p);
}

struct str together_body(
	const struct together *b, const struct form *form, struct arena *arena)
{
	struct buf body = { .max = 1 << 20 };
	struct json_writer w = { .out = &body };

	jw_object(&w);
	jw_put_array(&w, "ids");
	for (size_t i = 0; i < b->taken; i++)
		jw_str(&w, b->rows[i].id);
	jw_array_end(&w);
	jw_put_object(&w, "digests");
	for (size_t i = 0; i < b->taken; i++)
		if (b->rows[i].digest.len)
			jw_key_str(&w, b->rows[i].id), jw_str(&w, b->rows[i].digest);
	jw_object_end(&w);
	jw_key(&w, form ? "answers" : "skip");
	if (form)
		form_answer(form, &w);
	else
		jw_bool(&w, true);
	jw_object_end(&w);
	return buf_keep_done(&body, arena);
}
