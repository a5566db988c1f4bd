/* SPDX-License-Identifier: Apache-2.0 */
/* One hash for short byte strings and one mixer for integers, both for in-memory tables only. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>
#include <string.h>

/* The finaliser of MurmurHash3 (Appleby): every input bit reaches every output bit. */
static inline uint64_t hash_mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

static inline uint64_t hash_load(const char *at, size_t len)
{
    uint64_t word = 0;
    if (len) /* the empty text may have no address */
        memcpy(&word, at, len);
    return word;
}

/* Eight bytes a round, folded by a 64x64->128 multiplication. */
static inline uint64_t hash_bytes(const char *at, size_t len)
{
    uint64_t h = len * 0x9E3779B97F4A7C15ULL;
    for (; len >= 8; at += 8, len -= 8) {
        const unsigned __int128 wide = (unsigned __int128)(h ^ hash_load(at, 8)) * 0x9FB21C651E98DF25ULL;
        h = (uint64_t)wide ^ (uint64_t)(wide >> 64);
    }
    return hash_mix(h ^ hash_load(at, len));
}

#endif
