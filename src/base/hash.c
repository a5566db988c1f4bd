/* SPDX-License-Identifier: Apache-2.0 */
/* The secret of this process's tables. */
#include "hash.h"

#include <sys/random.h>
#include <time.h>

struct hash_secret hash_secret;

/* Before any table is made, in the program and in whatever loads the library. */
__attribute__((constructor)) static void draw_secret(void)
{
    if (getrandom(&hash_secret, sizeof hash_secret, GRND_NONBLOCK) != sizeof hash_secret) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        hash_secret.start = hash_mix((uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)&now);
        hash_secret.factor = hash_mix(hash_secret.start ^ (uint64_t)now.tv_sec);
    }
    hash_secret.factor |= 1;
}
