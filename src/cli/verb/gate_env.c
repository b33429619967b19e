/* gate_env.c - which variables those are, read and set. */
#include "cli/verb/gate_env.h"

#include <stdlib.h>

#include "base/keep.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/shared/trace.h"

enum { VARIABLES_MAX = 256 };

/* A name that ends in * stands for all that begin so. */
static const char *const steering[] = { "LD_*", "BASH_ENV", "BASH_FUNC_*", "ENV",
	"SHELLOPTS", "BASHOPTS", "IFS", "PYTHON*", "PERL5*", "PERLLIB", "RUBYLIB",
	"RUBYOPT", "NODE_OPTIONS", "NODE_PATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
	"GIT_*", "GCONV_PATH", "LOCPATH", NULL };

static bool steers(struct str name)
{
	for (const char *const *s = steering; *s; s++) {
		size_t len = strlen(*s);

		if ((*s)[len - 1] == '*'
				? name.len >= len && memcmp(name.at, *s, len - 1) == 0
				: str_is(name, *s))
			return true;
	}
	return false;
}

static struct str variable_name(const char *variable)
{
	const char *equals = strchr(variable, '=');

	return equals ? str_make(variable, (size_t)(equals - variable)) : STR_NONE;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t steering_find(const char *out[VARIABLES_MAX])
{
	extern char **environ;
	size_t len = 0;

	for (char **e = environ; e && *e && len < VARIABLES_MAX; e++)
		if (steers(variable_name(*e))) out[len++] = *e;
	if (len) qsort(out, len, sizeof *out, by_name);
	return len;
}

struct str gate_env(struct arena *arena, bool *readable)
{
	const char *found[VARIABLES_MAX];
	size_t len = steering_find(found);
	struct buf b = { .max = 1 << 20 };
	struct json_writer w = { .out = &b };

	/* More than there is room for would be set, and not shown. */
	*readable = len < VARIABLES_MAX;
	if (!len) return STR_NONE;
	jw_object(&w);
	for (size_t i = 0; i < len; i++) {
		struct str name = variable_name(found[i]);

		*readable &= utf8_valid(str_of(found[i]));
		jw_key_str(&w, name);
		jw_str(&w, str_of(found[i] + name.len + 1));
	}
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

bool gate_env_trace(struct str by, struct arena *arena)
{
	struct trace_on on = trace_pass(trace_read(str_of(getenv("TRACEPARENT")),
						str_of(getenv("TRACESTATE")), arena),
		by, arena);

	return !on.parent.len ||
	       setenv("TRACEPARENT", arena_copy(arena, on.parent), 1) == 0;
}

bool gate_env_set(const struct json *env, struct arena *arena)
{
	const char *found[VARIABLES_MAX];
	size_t len = steering_find(found);

	if (env && !json_is(env, JSON_OBJECT)) return false;
	for (uint32_t i = 0; env && i < env->count; i++)
		if (!json_is(&env->members[i].value, JSON_STRING) ||
			!steers(env->members[i].name))
			return false;
	for (size_t i = 0; i < len; i++)
		unsetenv(arena_copy(arena, variable_name(found[i])));
	for (uint32_t i = 0; env && i < env->count; i++)
		if (setenv(arena_copy(arena, env->members[i].name),
			    arena_copy(arena, env->members[i].value.text), 1) != 0)
			return false;
	return !arena->failed;
}
