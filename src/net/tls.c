/* tls.c - TLS by OpenSSL over borrowed buffers; loads and renews certificates. */
#include "net/tls.h"

#include <assert.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

struct tls_context {
	SSL_CTX *ssl;
	BIO_METHOD *ends;
	int64_t end_ms;
};

struct tls {
	SSL *ssl;
	struct str in;
	struct buf *out;
	bool broken;
};

/* ---- the two ends ---- */

static int end_read(BIO *bio, char *at, int size)
{
	struct tls *t = BIO_get_data(bio);
	struct str some = str_first(t->in, size > 0 ? (size_t)size : 0);

	BIO_clear_retry_flags(bio);
	if (some.len == 0) {
		BIO_set_retry_read(bio);
		return -1;
	}
	memcpy(at, some.at, some.len);
	t->in = str_from(t->in, some.len);
	return (int)some.len;
}

static int end_write(BIO *bio, const char *at, int len)
{
	struct tls *t = BIO_get_data(bio);

	BIO_clear_retry_flags(bio);
	buf_add(t->out, str_make(at, len > 0 ? (size_t)len : 0));
	return t->out->failed ? -1 : len;
}

static long end_control(BIO *bio, int command, long number, void *at)
{
	(void)bio;
	(void)number;
	(void)at;
	return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *ends_new(void)
{
	BIO_METHOD *m = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "parley");

	if (m && BIO_meth_set_read(m, end_read) && BIO_meth_set_write(m, end_write) &&
		BIO_meth_set_ctrl(m, end_control))
		return m;
	BIO_meth_free(m);
	return NULL;
}

/* ---- certificate and key ---- */

static int no_passphrase(char *out, int size, int writing, void *ctx)
{
	(void)out;
	(void)size;
	(void)writing;
	(void)ctx;
	return -1; /* OpenSSL would ask the terminal */
}

/* HTTP/1.1 or nothing: who offers only other protocols is told so. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
	const unsigned char *offered, unsigned offered_len, void *ctx)
{
	static const unsigned char ours[] = "\x08http/1.1";

	(void)ssl;
	(void)ctx;
	if (SSL_select_next_proto((unsigned char **)(uintptr_t)out, out_len, ours,
		    sizeof ours - 1, offered, offered_len) == OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_OK;
	return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* Tickets carry sessions, so nothing is cached here for peers that have left. */
static bool context_set_up(SSL_CTX *c)
{
	SSL_CTX_set_options(c, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
	SSL_CTX_set_mode(c, SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_default_passwd_cb(c, no_passphrase);
	SSL_CTX_set_alpn_select_cb(c, choose_protocol, NULL);
	return SSL_CTX_set_min_proto_version(c, TLS1_2_VERSION) &&
	       SSL_CTX_set_cipher_list(c, "ECDHE+AESGCM:ECDHE+CHACHA20");
}

/* What is wrong with a file that can be read, in the words of OpenSSL if we have none. */
static const char *file_trouble(const char *nothing)
{
	unsigned long e = ERR_peek_error();
	const char *reason;

	if (ERR_GET_LIB(e) == ERR_LIB_PEM && ERR_GET_REASON(e) == PEM_R_NO_START_LINE)
		return nothing;
	reason = ERR_reason_error_string(ERR_peek_last_error());
	return reason ? reason : nothing;
}

static bool key_is_anothers(void)
{
	unsigned long e = ERR_peek_last_error();

	return ERR_GET_LIB(e) == ERR_LIB_X509 &&
	       (ERR_GET_REASON(e) == X509_R_KEY_VALUES_MISMATCH ||
		       ERR_GET_REASON(e) == X509_R_KEY_TYPE_MISMATCH);
}

static enum err context_files(
	SSL_CTX *c, const char *cert, const char *key, struct fault *why)
{
	if (access(cert, R_OK))
		return fail(
			why, ERR_INVALID, "tls_cert is '%s': %s", cert, strerror(errno));
	if (access(key, R_OK))
		return fail(
			why, ERR_INVALID, "tls_key is '%s': %s", key, strerror(errno));
	if (SSL_CTX_use_certificate_chain_file(c, cert) != 1)
		return fail(why, ERR_INVALID, "tls_cert is '%s': %s", cert,
			file_trouble("no certificate in PEM format is in it"));
	if (SSL_CTX_use_PrivateKey_file(c, key, SSL_FILETYPE_PEM) == 1) return OK;
	if (key_is_anothers())
		return fail(why, ERR_INVALID,
			"tls_key is '%s': it is not the key of the certificate in '%s'",
			key, cert);
	return fail(why, ERR_INVALID, "tls_key is '%s': %s", key,
		file_trouble("no key in PEM format, without a passphrase, is in it"));
}

static int64_t certificate_end_ms(const SSL_CTX *c)
{
	const X509 *cert = SSL_CTX_get0_certificate(c);
	struct tm tm;

	if (!cert || !ASN1_TIME_to_tm(X509_get0_notAfter(cert), &tm)) return INT64_MAX;
	return (int64_t)timegm(&tm) * 1000;
}

static SSL_CTX *context_read(const char *cert, const char *key, struct fault *why)
{
	SSL_CTX *c;
	enum err e;

	ERR_clear_error();
	c = SSL_CTX_new(TLS_server_method());
	if (!c || !context_set_up(c))
		e = fail(why, ERR_MEMORY, "out of memory");
	else
		e = context_files(c, cert, key, why);
	ERR_clear_error();
	if (!e) return c;
	SSL_CTX_free(c);
	return NULL;
}

enum err tls_context_load(
	struct tls_context *t, struct str cert, struct str key, struct fault *why)
{
	char *cert_path = mem_copy(cert.at, cert.len),
	     *key_path = mem_copy(key.at, key.len);
	SSL_CTX *fresh = NULL;

	if (cert_path && key_path)
		fresh = context_read(cert_path, key_path, why);
	else
		fail(why, ERR_MEMORY, "out of memory");
	mem_free(cert_path);
	mem_free(key_path);
	if (!fresh) return why ? why->err : ERR_INVALID;
	SSL_CTX_free(t->ssl); /* connections that use it keep it */
	t->ssl = fresh;
	t->end_ms = certificate_end_ms(fresh);
	return OK;
}

struct tls_context *tls_context_new(struct str cert, struct str key, struct fault *why)
{
	struct tls_context *t = mem_alloc(sizeof *t);

	if (t) t->ends = ends_new();
	if (!t || !t->ends)
		fail(why, ERR_MEMORY, "out of memory");
	else if (!tls_context_load(t, cert, key, why))
		return t;
	return tls_context_free(t);
}

int64_t tls_context_end_ms(const struct tls_context *t)
{
	return t->end_ms;
}

struct tls_context *tls_context_free(struct tls_context *t)
{
	if (!t) return NULL;
	SSL_CTX_free(t->ssl);
	BIO_meth_free(t->ends);
	mem_free(t);
	return NULL;
}

/* ---- a connection ---- */

struct tls *tls_new(struct tls_context *context, struct buf *out)
{
	struct tls *t = mem_alloc(sizeof *t);
	BIO *ends;

	if (!t) return NULL;
	t->out = out;
	t->ssl = SSL_new(context->ssl);
	ends = t->ssl ? BIO_new(context->ends) : NULL;
	if (!ends) {
		ERR_clear_error();
		return tls_free(t);
	}
	BIO_set_data(ends, t);
	BIO_set_init(ends, 1);
	SSL_set_bio(t->ssl, ends, ends);
	SSL_set_accept_state(t->ssl);
	return t;
}

struct tls *tls_free(struct tls *t)
{
	if (!t) return NULL;
	SSL_free(t->ssl);
	mem_free(t);
	return NULL;
}

bool tls_ready(const struct tls *t)
{
	return SSL_is_init_finished(t->ssl);
}

void tls_feed(struct tls *t, struct str bytes)
{
	t->in = bytes;
}

static enum tls_step tls_fail(struct tls *t)
{
	unsigned long e = ERR_peek_error();
	bool http =
		ERR_GET_LIB(e) == ERR_LIB_SSL && ERR_GET_REASON(e) == SSL_R_HTTP_REQUEST;

	ERR_clear_error();
	t->broken = true;
	return http ? TLS_HTTP : TLS_BROKEN;
}

enum tls_step tls_read(struct tls *t, char text[TLS_RECORD], size_t *len)
{
	int n;

	*len = 0;
	if (t->broken) return TLS_BROKEN;
	ERR_clear_error();
	n = SSL_read(t->ssl, text, TLS_RECORD);
	if (n > 0) {
		*len = (size_t)n;
		return TLS_TEXT;
	}
	switch (SSL_get_error(t->ssl, n)) {
	case SSL_ERROR_WANT_READ: return TLS_MORE;
	case SSL_ERROR_ZERO_RETURN: return TLS_END;
	default: return tls_fail(t);
	}
}

bool tls_write(struct tls *t, struct str text)
{
	assert(text.len > 0 && text.len <= TLS_RECORD);
	if (t->broken) return false;
	ERR_clear_error();
	if (SSL_write(t->ssl, text.at, (int)text.len) == (int)text.len) return true;
	tls_fail(t);
	return false;
}

bool tls_close(struct tls *t)
{
	if (t->broken || !tls_ready(t)) return false;
	if (SSL_get_shutdown(t->ssl) & SSL_SENT_SHUTDOWN) return false;
	ERR_clear_error();
	if (SSL_shutdown(t->ssl) >= 0) return true;
	tls_fail(t);
	return false;
}
