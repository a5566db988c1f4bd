/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka.h wants these four before it, in this order. */
#ifndef CMOCKA_FIRST_H
#define CMOCKA_FIRST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#endif
