/* regex.c - regular expressions over PCRE2. */
#include "base/regex.h"

#include "base/buf.h"
#include "base/mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
	STEPS = 5 * 1000 * 1000, /* of backtracking, for one text: some 100 ms */
	HEAP_KB = 16 * 1024,
	NEST = 100,
};

struct regex {
	pcre2_code *code;
	bool anchored; /* it is tried at one place only */
};

/* The long names that ECMAScript has for general categories. */
static const struct {
	const char *name, *short_name;
} categories[] = { { "Letter}", "L}" }, { "Uppercase_Letter}", "Lu}" },
	{ "Lowercase_Letter}", "Ll}" }, { "Mark}", "M}" }, { "Number}", "N}" },
	{ "Decimal_Number}", "Nd}" }, { "digit}", "Nd}" }, { "Punctuation}", "P}" },
	{ "Symbol}", "S}" }, { "Separator}", "Z}" } };

/* The same with names that PCRE2 knows. */
static void pattern_write(struct buf *out, struct str pattern)
{
	while (pattern.len) {
		bool property =
			str_starts(pattern, "\\p{") || str_starts(pattern, "\\P{");
		size_t n = property				      ? 3
			   : pattern.at[0] == '\\' && pattern.len > 1 ? 2
								      : 1;

		buf_add(out, str_first(pattern, n));
		pattern = str_from(pattern, n);
		for (size_t i = 0; property && i < sizeof categories / sizeof *categories;
			i++)
			if (str_starts(pattern, categories[i].name)) {
				buf_add_text(out, categories[i].short_name);
				pattern = str_from(pattern, strlen(categories[i].name));
				break;
			}
	}
}

struct regex *regex_new(struct str pattern, struct fault *why)
{
	const uint32_t options = PCRE2_UTF | PCRE2_NO_AUTO_POSSESS |
				 PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX |
				 PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF |
				 PCRE2_NEVER_BACKSLASH_C;
	struct regex *r = mem_alloc(sizeof *r);
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	struct buf text = { 0 };
	uint32_t all = 0;
	size_t at = 0;
	int code = 0;

	pattern_write(&text, pattern);
	if (r && context && !text.failed) {
		pcre2_set_parens_nest_limit(context, NEST);
		pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALT_BSUX);
		r->code = pcre2_compile((PCRE2_SPTR)(text.len ? text.at : ""), text.len,
			options, &code, &at, context);
	}
	if (!r || text.failed)
		fail_memory(why);
	else if (!context)
		fail(why, ERR_INVALID, "libpcre2-8 is not installed");
	else if (!r->code)
		fail(why, ERR_INVALID, "is no regular expression (at character %zu)",
			at + 1);
	pcre2_compile_context_free(context);
	buf_done(&text);
	if (!r || !r->code) return regex_free(r);
	pcre2_pattern_info(r->code, PCRE2_INFO_ALLOPTIONS, &all);
	r->anchored = all & PCRE2_ANCHORED;
	return r;
}

struct regex *regex_free(struct regex *r)
{
	if (r) pcre2_code_free(r->code);
	mem_free(r);
	return NULL;
}

enum regex_fit regex_try(const struct regex *r, struct str text)
{
	pcre2_match_data *found = pcre2_match_data_create(1, NULL);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	/* The limit is for each place that it is tried at. */
	size_t places = r->anchored ? 1 : text.len + 1, steps = STEPS / places + 16;
	int code = PCRE2_ERROR_NOMEMORY;

	if (found && context) {
		pcre2_set_match_limit(context, (uint32_t)steps);
		pcre2_set_heap_limit(context, HEAP_KB);
		code = pcre2_match(r->code, (PCRE2_SPTR)(text.at ? text.at : ""),
			text.len, 0, PCRE2_NO_UTF_CHECK, found, context);
	}
	pcre2_match_data_free(found);
	pcre2_match_context_free(context);
	if (code >= 0) return REGEX_FITS;
	return code == PCRE2_ERROR_NOMATCH ? REGEX_MISSES : REGEX_COSTS;
}
