/* host.c - hosts of addresses. */
#include "core/policy/host.h"

#include "core/shared/address.h"

/* `0x7f.1` and `2130706433` are 127.0.0.1 to some. */
static bool number_in_disguise(struct str host)
{
	size_t start = host.len;
	struct address ignored;

	while (start > 0 && host.at[start - 1] != '.')
		start--;
	return start < host.len && host.at[start] >= '0' && host.at[start] <= '9' &&
	       !address_read(host, &ignored);
}

struct str host_of(struct str url, struct arena *arena)
{
	struct str host = url_host(url, arena);

	if (host.len > 1 && host.at[host.len - 1] == '.') host.len--;
	return number_in_disguise(host) ? STR_NONE : host;
}

bool host_pattern_valid(struct str pattern)
{
	if (str_starts(pattern, "*.")) pattern = str_from(pattern, 2);
	for (size_t i = 0; i < pattern.len; i++) {
		char c = pattern.at[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
			!strchr(".-_:", c))
			return false;
	}
	return pattern.len > 0 && pattern.at[0] != '.' &&
	       pattern.at[pattern.len - 1] != '.' && !number_in_disguise(pattern);
}

bool host_fits(struct str pattern, struct str host)
{
	if (!str_starts(pattern, "*.")) return str_eq(pattern, host);
	pattern = str_from(pattern, 1); /* with its dot */
	return host.len > pattern.len &&
	       str_eq(str_from(host, host.len - pattern.len), pattern);
}
