/* SPDX-License-Identifier: Apache-2.0 */
/* The C locale as an object, for the two places that call the C library's own reading and writing of reals. */
#ifndef BASE_PLAIN_LOCALE_H
#define BASE_PLAIN_LOCALE_H

#include <locale.h>

/* Made once, never freed. Any thread may ask. */
locale_t plain_locale(void);

#endif
