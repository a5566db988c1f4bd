/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes of short byte strings and of integers.
 *
 * hash_bytes and hash_word are for tables in memory. They are keyed with a secret that each process draws for itself, so
 * that nobody can choose names or ids that share a slot. They differ from run to run: nothing that is written, compared
 * with another process or put in order may depend on them.
 *
 * hash_stable and hash_mix are the same everywhere: for ids that reach a report, and for what ranks or processes compare.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_FACTOR 0x9FB21C651E98DF25ULL /* odd, its bits spread */

struct hash_secret {
    uint64_t start, factor; /* the factor is odd */
};

extern struct hash_secret hash_secret; /* drawn before main */

/* The finaliser of MurmurHash3 (Appleby): every input bit reaches every output bit. */
static inline uint64_t hash_mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

/* A hash of what was hashed so far, and a value more. */
static inline uint64_t hash_add(uint64_t hash, uint64_t value)
{
    return hash_mix(hash ^ hash_mix(value + 0x9E3779B97F4A7C15ULL));
}

static inline uint64_t hash_load(const char *at, size_t len)
{
    uint64_t word = 0;
    if (len) /* the empty text may have no address */
        memcpy(&word, at, len);
    return word;
}

/* A 64x64->128 multiplication, its halves folded. */
static inline uint64_t hash_fold(uint64_t x, uint64_t factor)
{
    const unsigned __int128 wide = (unsigned __int128)x * factor;
    return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

/* Eight bytes a round. */
static inline uint64_t hash_rounds(uint64_t h, uint64_t factor, const char *at, size_t len)
{
    for (; len >= 8; at += 8, len -= 8)
        h = hash_fold(h ^ hash_load(at, 8), factor);
    return h ^ hash_load(at, len);
}

static inline uint64_t hash_stable(const char *at, size_t len)
{
    return hash_mix(hash_rounds(len * 0x9E3779B97F4A7C15ULL, HASH_FACTOR, at, len));
}

/*
 * Folded twice: after one fold ids in a row share slots where the halves of the product run against each other, which one
 * secret in a hundred makes them do.
 */
static inline uint64_t hash_word(uint64_t word)
{
    return hash_fold(hash_fold(word ^ hash_secret.start, hash_secret.factor), HASH_FACTOR);
}

static inline uint64_t hash_bytes(const char *at, size_t len)
{
    const uint64_t start = hash_secret.start + len * 0x9E3779B97F4A7C15ULL;
    return hash_word(hash_rounds(start, hash_secret.factor, at, len));
}

#endif
