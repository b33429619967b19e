/* pcre2_late.c - libpcre2-8, loaded with the first pattern of a schema. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/late.h"

#define FUNCTIONS(X)                                                                     \
	X(pcre2_compile_context *, NULL, pcre2_compile_context_create_8,                 \
		(pcre2_general_context * g), (g))                                        \
	X(int, -1, pcre2_set_parens_nest_limit_8,                                        \
		(pcre2_compile_context * c, uint32_t most), (c, most))                   \
	X(int, -1, pcre2_set_compile_extra_options_8,                                    \
		(pcre2_compile_context * c, uint32_t options), (c, options))             \
	X(pcre2_code *, NULL, pcre2_compile_8,                                           \
		(PCRE2_SPTR at, PCRE2_SIZE len, uint32_t options, int *code,             \
			PCRE2_SIZE *where, pcre2_compile_context *c),                    \
		(at, len, options, code, where, c))                                      \
	X(int, -1, pcre2_pattern_info_8,                                                 \
		(const pcre2_code *code, uint32_t what, void *to), (code, what, to))     \
	X(pcre2_match_data *, NULL, pcre2_match_data_create_8,                           \
		(uint32_t pairs, pcre2_general_context * g), (pairs, g))                 \
	X(pcre2_match_context *, NULL, pcre2_match_context_create_8,                     \
		(pcre2_general_context * g), (g))                                        \
	X(int, -1, pcre2_set_match_limit_8, (pcre2_match_context * c, uint32_t most),    \
		(c, most))                                                               \
	X(int, -1, pcre2_set_heap_limit_8, (pcre2_match_context * c, uint32_t most),     \
		(c, most))                                                               \
	X(int, -1, pcre2_match_8,                                                        \
		(const pcre2_code *code, PCRE2_SPTR at, PCRE2_SIZE len,                  \
			PCRE2_SIZE start, uint32_t options, pcre2_match_data *d,         \
			pcre2_match_context *c),                                         \
		(code, at, len, start, options, d, c))                                   \
	X(void, , pcre2_compile_context_free_8, (pcre2_compile_context * c), (c))        \
	X(void, , pcre2_code_free_8, (pcre2_code * c), (c))                              \
	X(void, , pcre2_match_data_free_8, (pcre2_match_data * d), (d))                  \
	X(void, , pcre2_match_context_free_8, (pcre2_match_context * c), (c))

LATE_LIBRARY("libpcre2-8.so.0", FUNCTIONS)

FUNCTIONS(LATE_CALL)
