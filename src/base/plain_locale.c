/* SPDX-License-Identifier: Apache-2.0 */
#include "plain_locale.h"

#include <pthread.h>

static locale_t made;

static void make(void)
{
    made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t plain_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return made;
}
