/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), for what people compare with `sha256sum`. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_TEXT = 65 };

struct sha256 {
    uint32_t state[8];
    uint64_t bytes; /* so far */
    uint8_t block[SHA256_BLOCK];
};

struct sha256 sha256_begin(void);
void sha256_add(struct sha256 *sha, const void *bytes, size_t count);

/* In hexadecimal, ended by a NUL. */
void sha256_end(struct sha256 *sha, char text[SHA256_TEXT]);

#endif
