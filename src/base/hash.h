/* hash.h - SHA-256, HMAC, constant-time compare, hex, base64 and base64url.
 * Prefixes: sha256_, hmac_, hex_, base64_, base64url_. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/buf.h"
#include "base/str.h"

enum { SHA256_SIZE = 32, SHA256_HEX_SIZE = 65 };

/* Fast for short texts: nothing is allocated, nothing can fail. */
void sha256(struct str, uint8_t out[SHA256_SIZE]);
void sha256_2(struct str, struct str, uint8_t out[SHA256_SIZE]); /* over both, in turn */
void sha256_3(struct str, struct str, struct str, uint8_t out[SHA256_SIZE]);
/* Over the lengths of all fields (a byte, or 255 and eight bytes), then the fields in turn:
 * no two lists of fields are hashed alike. */
void sha256_fields(const struct str *fields, size_t len, uint8_t out[SHA256_SIZE]);
void sha256_hex(struct str, char out[SHA256_HEX_SIZE]);
void hmac_sha256(struct str key, struct str text, uint8_t out[SHA256_SIZE]);
bool same_secret(struct str, struct str); /* time depends on the lengths only */

int hex_digit(char);				    /* its value; -1: it is none */
void hex_write(const uint8_t *, size_t, char *out); /* 2n characters and a NUL */
bool hex_read(struct str, uint8_t *out, size_t n);  /* exactly 2n digits */
void base64url_write(struct buf *, struct str);	    /* no padding */
bool base64url_read(struct str, struct buf *out); /* strict: no padding, no stray bits */
void base64_write(struct buf *, struct str);	  /* padded */
bool base64_read(struct str, struct buf *out);	  /* strict: padded, no stray bits */

#endif
