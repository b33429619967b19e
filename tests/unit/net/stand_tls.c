/* stand_tls.c - certificates made on the spot, and sockets that speak TLS. */
#include "stand.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

enum { FDS = 16384, DAY_S = 24 * 3600 };

static SSL *peers[FDS]; /* the test's thread only */
static SSL_CTX *context;

/* ---- certificates ---- */

static X509 *certificate_of(EVP_PKEY *key, const char *name, int days)
{
	X509 *cert = X509_new();
	X509_NAME *subject = X509_get_subject_name(cert);

	X509_set_version(cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
	X509_gmtime_adj(X509_getm_notBefore(cert), -30L * DAY_S);
	X509_gmtime_adj(X509_getm_notAfter(cert), (long)days * DAY_S);
	X509_NAME_add_entry_by_txt(
		subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
	X509_set_issuer_name(cert, subject);
	X509_set_pubkey(cert, key);
	assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
	return cert;
}

void certificate_make(const char *cert, const char *key, const char *name, int days)
{
	EVP_PKEY *pair = EVP_EC_gen("P-256");
	X509 *x = certificate_of(pair, name, days);
	FILE *f = fopen(cert, "we");

	assert_true(f && PEM_write_X509(f, x));
	fclose(f);
	f = fopen(key, "we");
	assert_true(f && PEM_write_PrivateKey(f, pair, NULL, NULL, 0, NULL, NULL));
	fclose(f);
	X509_free(x);
	EVP_PKEY_free(pair);
}

/* ---- peers ---- */

struct ssl_ctx_st *peer_context(void)
{
	if (!context) context = SSL_CTX_new(TLS_client_method());
	assert_non_null(context);
	return context;
}

void peer_forget(int fd)
{
	for (int i = fd < 0 ? 0 : fd; i < (fd < 0 ? FDS : fd + 1); i++) {
		SSL_free(peers[i]);
		peers[i] = NULL;
	}
	if (fd < 0) {
		SSL_CTX_free(context);
		context = NULL;
	}
}

struct ssl_st *peer_tls(int fd)
{
	return peers[fd];
}

bool peer_secure(int fd, void (*prepare)(SSL *))
{
	assert_true(fd < FDS);
	peer_forget(fd);
	peers[fd] = SSL_new(peer_context());
	assert_non_null(peers[fd]);
	SSL_set_fd(peers[fd], fd);
	if (prepare) prepare(peers[fd]);
	ERR_clear_error();
	return SSL_connect(peers[fd]) == 1;
}

ssize_t peer_tls_write(int fd, const void *at, size_t len)
{
	ERR_clear_error();
	return SSL_write(peers[fd], at, (int)len);
}

ssize_t peer_tls_read(int fd, void *at, size_t len)
{
	int n;

	ERR_clear_error();
	n = SSL_read(peers[fd], at, (int)len);
	if (n > 0) return n;
	return SSL_get_error(peers[fd], n) == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}
