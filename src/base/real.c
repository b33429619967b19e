/* real.c - strtod and printf do the sums; no '.' ever passes through them, so that the
 * locale has no say. */
#include "base/real.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS_MAX = 17 }; /* of a double's shortest text */

/* Both factors are exact and the product is rounded once: Clinger's fast path. */
static bool real_fast(const struct decimal *d, double *out)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
		1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
		1e22 };
	int64_t exponent = d->exponent - d->fraction;
	double value = (double)d->mantissa;

	if (!d->exact || d->mantissa > UINT64_C(1) << 53) return false;
	if (exponent < -22 || exponent > 22) return false;
	value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
	*out = d->negative ? -value : value;
	return true;
}

bool real_of(const struct decimal *d, double *out)
{
	char small[128];
	size_t size = d->digits.len + 32, len = 0;
	char *text = small;

	if (real_fast(d, out)) return true;
	if (size > sizeof small) text = mem_grow(NULL, size);
	if (!text) return false;
	for (size_t i = 0; i < d->digits.len; i++) {
		if (d->digits.at[i] != '.') text[len++] = d->digits.at[i];
	}
	snprintf(text + len, size - len, "e%lld", (long long)(d->exponent - d->fraction));
	*out = d->negative ? -strtod(text, NULL) : strtod(text, NULL);
	if (text != small) mem_free(text);
	return true;
}

/* The text of value is 0.DIGITS * 10^point. */
struct shortest {
	char digits[DIGITS_MAX + 1];
	int len;
	int point;
};

static bool reads_back(const struct shortest *s, double value)
{
	char text[DIGITS_MAX + 16];

	snprintf(text, sizeof text, "%se%d", s->digits, s->point - s->len);
	return strtod(text, NULL) == value;
}

/* printf's rounding to n digits. */
static void round_to(struct shortest *s, double value, int n)
{
	char text[DIGITS_MAX + 24];
	const char *at = text;

	snprintf(text, sizeof text, "%.*e", n - 1, value);
	for (s->len = 0; *at && *at != 'e'; at++) {
		if (*at >= '0' && *at <= '9') s->digits[s->len++] = *at;
	}
	s->digits[s->len] = '\0';
	s->point = atoi(at + 1) + 1;
}

/* The next decimal of as many digits. */
static void round_up(struct shortest *s)
{
	int i = s->len - 1;

	for (; i >= 0 && s->digits[i] == '9'; i--)
		s->digits[i] = '0';
	if (i >= 0) {
		s->digits[i]++;
		return;
	}
	s->digits[0] = '1';
	s->point++;
}

/* 15 digits always survive, so fewer need no try, but for subnormals, which hold fewer.
 * Below a power of two doubles lie closer than above it: there the nearest decimal may
 * miss while the next one up hits. */
static void shorten(struct shortest *s, double value)
{
	for (int n = value < 0x1p-1022 ? 1 : 15; n <= DIGITS_MAX; n++) {
		round_to(s, value, n);
		if (reads_back(s, value)) break;
		round_up(s);
		if (reads_back(s, value)) break;
	}
	while (s->len > 1 && s->digits[s->len - 1] == '0')
		s->digits[--s->len] = '\0';
}

/* ECMA-262, Number::toString, with its n and k. */
static size_t lay_out(const struct shortest *s, char *out, size_t size)
{
	int n = s->point, k = s->len;
	const char *d = s->digits;
	int len;

	if (k <= n && n <= 21)
		len = snprintf(out, size, "%s%.*s", d, n - k, "00000000000000000000");
	else if (0 < n && n <= 21)
		len = snprintf(out, size, "%.*s.%s", n, d, d + n);
	else if (-6 < n && n <= 0)
		len = snprintf(out, size, "0.%.*s%s", -n, "000000", d);
	else if (k == 1)
		len = snprintf(out, size, "%se%+d", d, n - 1);
	else
		len = snprintf(out, size, "%.1s.%se%+d", d, d + 1, n - 1);
	return (size_t)len;
}

size_t real_write(double value, char out[REAL_SIZE])
{
	struct shortest s;
	size_t sign = value < 0;

	if (value == 0) {
		out[0] = '0';
		out[1] = '\0';
		return 1;
	}
	if (sign) out[0] = '-';
	shorten(&s, fabs(value));
	return sign + lay_out(&s, out + sign, REAL_SIZE - sign);
}
