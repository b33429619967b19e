/* curl_late.c - libcurl, loaded with the first request to others: it and what it brings along
 * (TLS, SSH, LDAP, Kerberos) take 6 MB, and many servers never send one. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <stdarg.h>
#include <sys/time.h>

#include "base/late.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo

#if LIBCURL_VERSION_NUM >= 0x080000
#define READ_URL const CURLU
#else
#define READ_URL CURLU
#endif

#define FUNCTIONS(X)                                                                     \
	X(CURLcode, CURLE_FAILED_INIT, curl_global_init, (long flags), (flags))          \
	X(CURL *, NULL, curl_easy_init, (void), ())                                      \
	X(void, , curl_easy_cleanup, (CURL * easy), (easy))                              \
	X(CURLcode, CURLE_FAILED_INIT, curl_easy_perform, (CURL * easy), (easy))         \
	X(void, , curl_easy_reset, (CURL * easy), (easy))                                \
	X(CURLcode, CURLE_FAILED_INIT, curl_easy_recv,                                   \
		(CURL * easy, void *to, size_t room, size_t *len),                       \
		(easy, to, room, len))                                                   \
	X(CURLcode, CURLE_FAILED_INIT, curl_easy_send,                                   \
		(CURL * easy, const void *from, size_t room, size_t *len),               \
		(easy, from, room, len))                                                 \
	X(const char *, "libcurl is not installed", curl_easy_strerror, (CURLcode code), \
		(code))                                                                  \
	X(CURLHcode, CURLHE_NOT_BUILT_IN, curl_easy_header,                              \
		(CURL * easy, const char *name, size_t index, unsigned origin,           \
			int request, struct curl_header **out),                          \
		(easy, name, index, origin, request, out))                               \
	X(CURLM *, NULL, curl_multi_init, (void), ())                                    \
	X(CURLMcode, CURLM_INTERNAL_ERROR, curl_multi_cleanup, (CURLM * multi), (multi)) \
	X(CURLMcode, CURLM_INTERNAL_ERROR, curl_multi_add_handle,                        \
		(CURLM * multi, CURL * easy), (multi, easy))                             \
	X(CURLMcode, CURLM_INTERNAL_ERROR, curl_multi_remove_handle,                     \
		(CURLM * multi, CURL * easy), (multi, easy))                             \
	X(CURLMcode, CURLM_INTERNAL_ERROR, curl_multi_perform,                           \
		(CURLM * multi, int *running), (multi, running))                         \
	X(CURLMcode, CURLM_INTERNAL_ERROR, curl_multi_poll,                              \
		(CURLM * multi, struct curl_waitfd fds[], unsigned len, int ms,          \
			int *stirred),                                                   \
		(multi, fds, len, ms, stirred))                                          \
	X(CURLMsg *, NULL, curl_multi_info_read, (CURLM * multi, int *left),             \
		(multi, left))                                                           \
	X(struct curl_slist *, NULL, curl_slist_append,                                  \
		(struct curl_slist * list, const char *line), (list, line))              \
	X(void, , curl_slist_free_all, (struct curl_slist * list), (list))               \
	X(void, , curl_free, (void *at), (at))                                           \
	X(CURLU *, NULL, curl_url, (void), ())                                           \
	X(void, , curl_url_cleanup, (CURLU * url), (url))                                \
	X(CURLUcode, CURLUE_OUT_OF_MEMORY, curl_url_get,                                 \
		(READ_URL * url, CURLUPart part, char **out, unsigned flags),            \
		(url, part, out, flags))                                                 \
	X(CURLUcode, CURLUE_OUT_OF_MEMORY, curl_url_set,                                 \
		(CURLU * url, CURLUPart part, const char *text, unsigned flags),         \
		(url, part, text, flags))

#define ALL(X)                                                                           \
	FUNCTIONS(X)                                                                     \
	X(CURLcode, 0, curl_easy_setopt, (CURL * easy, CURLoption option, ...), )        \
	X(CURLcode, 0, curl_easy_getinfo, (CURL * easy, CURLINFO what, ...), )

LATE_LIBRARY("libcurl.so.4", ALL)

FUNCTIONS(LATE_CALL)

/* Their one further argument is a number or a pointer, and either fits where the other does. */
CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...)
{
	va_list args;
	void *value;

	if (!late_ready()) return CURLE_FAILED_INIT;
	va_start(args, option);
	value = va_arg(args, void *);
	va_end(args);
	return late.curl_easy_setopt(easy, option, value);
}

CURLcode curl_easy_getinfo(CURL *easy, CURLINFO what, ...)
{
	va_list args;
	void *out;

	if (!late_ready()) return CURLE_FAILED_INIT;
	va_start(args, what);
	out = va_arg(args, void *);
	va_end(args);
	return late.curl_easy_getinfo(easy, what, out);
}
