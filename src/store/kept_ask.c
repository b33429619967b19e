/* kept_ask.c - packs an ask, by the table of its columns. */
#include "store/kept_ask.h"

#include "store/record.h"

typedef void text_fn(void *ctx, struct str *);

static void texts_each(struct kept_ask *k, text_fn *fn, void *ctx)
{
	const struct record *r = &records[RECORD_ASKS];
	struct str *view[] = { &k->view.workspace, &k->view.session_title, &k->view.url,
		&k->view.stopped, &k->view.denied, &k->view.expect };

	for (int i = 0; i < r->columns_len; i++)
		if (r->columns[i].type == COLUMN_TEXT)
			fn(ctx, (struct str *)(void *)((char *)&k->ask +
						       r->columns[i].offset));
	for (size_t i = 0; i < sizeof view / sizeof *view; i++)
		fn(ctx, view[i]);
}

static void text_count(void *size, struct str *text)
{
	*(size_t *)size += text->len;
}

static void text_move(void *to, struct str *text)
{
	char **at = to;

	if (text->len) memcpy(*at, text->at, text->len);
	text->at = *at;
	*at += text->len;
}

static struct kept_ask borrowed(const struct ask *a, const struct ask_view *view)
{
	struct kept_ask k = { .ask = *a, .view = *view };

	k.view.mark = NULL;
	return k;
}

size_t kept_ask_size(const struct ask *a, const struct ask_view *view)
{
	struct kept_ask k = borrowed(a, view);
	size_t size = sizeof k + _Alignof(struct kept_ask) - 1;

	texts_each(&k, text_count, &size);
	return size - size % _Alignof(struct kept_ask);
}

struct kept_ask *kept_ask_put(void *at, const struct ask *a, const struct ask_view *view)
{
	struct kept_ask *k = at;
	char *texts = (char *)(k + 1);

	*k = borrowed(a, view);
	texts_each(k, text_move, &texts);
	return k;
}
