/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed sequence at `at`, 1 to 4; 0 where it is broken. len is at least 1. */
size_t utf8_length(const char *at, size_t len);

/* The character of a well-formed sequence of that length. */
uint32_t utf8_character(const char *at, size_t length);

/* UTF-16 units of a text, as editors count columns; a broken byte counts one. */
size_t utf16_units(const char *at, size_t len);

#endif
