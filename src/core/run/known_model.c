/* known_model.c - the built-in table of models. */
#include "core/run/provider.h"

struct known_row {
	const char *id;
	int64_t context, from_ms; /* from_ms: since when that is its price */
	struct price price;
};

#include "core/run/known_rows.h"

const char *const known_models_date = rows_date;
const char *const known_models_from = rows_from;

enum { ROWS = sizeof rows / sizeof *rows };

bool known_model_at(size_t i, struct provider_model *out)
{
	if (i >= ROWS) return false;
	*out = (struct provider_model){ .id = str_of(rows[i].id),
		.context = rows[i].context,
		.priced = true,
		.price = rows[i].price };
	return true;
}

/* "", "-latest", "-20250929", "-2025-08-07": the same model. "-mini": another. */
static bool tail_is_date(struct str tail)
{
	size_t digits = 0;

	if (tail.len == 0 || str_is(tail, "-latest")) return true;
	for (size_t i = 0; i < tail.len; i++) {
		if (tail.at[i] >= '0' && tail.at[i] <= '9')
			digits++;
		else if (tail.at[i] != '-' && tail.at[i] != '@')
			return false;
	}
	return digits == 8;
}

bool known_model(struct str id, int64_t now_ms, struct provider_model *out)
{
	for (size_t i = 0; i < ROWS; i++)
		if (now_ms >= rows[i].from_ms && str_starts(id, rows[i].id) &&
			tail_is_date(str_from(id, strlen(rows[i].id))))
			return known_model_at(i, out);
	return false;
}

/* The number that the text begins with ("5", "5-5", "5.6"), as its first two parts; a date is no part. False: it
 * begins with none. */
static bool version_read(struct str *text, int out[2])
{
	out[0] = out[1] = 0;
	for (int part = 0; part < 2; part++) {
		struct str at = part ? str_from(*text, 1) : *text;
		size_t len = 0;

		if (part && (!text->len || (text->at[0] != '-' && text->at[0] != '.')))
			break;
		for (; len < at.len && at.at[len] >= '0' && at.at[len] <= '9'; len++)
			out[part] = len < 4 ? out[part] * 10 + at.at[len] - '0' : 0;
		if (len == 0 || len > 3) return part > 0;
		*text = str_from(at, len);
	}
	return true;
}

static bool tail_fits(struct str tail, const char *wanted)
{
	static const char *const others[] = { "lite", "image", "tts", "live", "omni" };

	if (wanted) return str_is(tail, wanted);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (str_find(tail, str_of(others[i])) >= 0) return false;
	return str_starts(tail, "-");
}

bool known_model_number(struct str id, const char *before, const char *behind, int out[2])
{
	struct str tail = id;

	if (!str_starts(tail, before)) return false;
	tail = str_from(tail, strlen(before));
	if (!version_read(&tail, out)) return false;
	return tail_fits(tail, behind) || (behind && !*behind && tail_is_date(tail));
}

struct str known_model_newest(const char *before, const char *behind)
{
	struct str newest = STR_NONE;
	int number[2], best[2] = { -1, 0 };

	for (size_t i = 0; i < ROWS; i++) {
		struct str tail = str_of(rows[i].id);

		if (!str_starts(tail, before)) continue;
		tail = str_from(tail, strlen(before));
		if (!version_read(&tail, number) || !tail_fits(tail, behind)) continue;
		if (number[0] < best[0] || (number[0] == best[0] && number[1] <= best[1]))
			continue;
		newest = str_of(rows[i].id);
		best[0] = number[0];
		best[1] = number[1];
	}
	return newest;
}
