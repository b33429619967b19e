/* people.c - the names of what people hold. */
#include "core/people/people.h"

static const char *const kinds[] = {
	[TOKEN_BEARER] = "token",
	[TOKEN_COOKIE] = "cookie",
	[TOKEN_CODE] = "code",
};

const char *token_kind_name(enum token_kind kind)
{
	return kinds[kind];
}

struct str token_login(const struct token *t)
{
	return t->login.len ? t->login : t->id;
}

bool token_kind_read(struct str name, enum token_kind *out)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (str_is(name, kinds[i])) {
			*out = (enum token_kind)i;
			return true;
		}
	return false;
}
