/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as base91, and read back as text/base91.h says. */
#include <string.h>

#include "text/base91.h"
#include "unit/cmocka_first.h"

/* Place among the printable characters but '<', '>' and '&'. */
static unsigned place_of(char letter)
{
    unsigned place = 0;
    for (char at = '!'; at < letter; at++)
        place += at != '<' && at != '>' && at != '&';
    return place;
}

static unsigned bit_of(str text, size_t bit)
{
    const size_t pair = bit / 13;
    if (2 * pair + 1 == text.len)
        return place_of(text.at[2 * pair]) >> bit % 13 & 1;
    return (place_of(text.at[2 * pair]) * 91 + place_of(text.at[2 * pair + 1])) >> bit % 13 & 1;
}

static void check(str bytes)
{
    struct buf text = {0};
    base91_add(&text, bytes);
    for (size_t i = 0; i < text.len; i++)
        assert_true(text.at[i] > ' ' && text.at[i] < 127 && !strchr("<>&", text.at[i]));
    const size_t bits = text.len / 2 * 13 + text.len % 2 * 6;
    assert_int_equal(bits / 8, bytes.len); /* whoever reads it knows where it ends */
    for (size_t bit = 0; bit < bytes.len * 8; bit++)
        assert_int_equal(bit_of(buf_str(&text), bit), (unsigned char)bytes.at[bit / 8] >> bit % 8 & 1);
    buf_free(&text);
}

static void every_length_comes_back(void **state)
{
    char bytes[4096 * 2];
    unsigned seed = 1;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)((seed = seed * 1103515245 + 12345) >> 16);
    for (size_t len = 0; len < 60; len++)
        check((str){bytes, len});
    check((str){bytes, sizeof bytes});
}

static void every_byte_comes_back(void **state)
{
    char bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    check((str){bytes, sizeof bytes});
    memset(bytes, 0xff, sizeof bytes);
    for (size_t len = 1; len < 15; len++)
        check((str){bytes, len});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_comes_back),
        cmocka_unit_test(every_byte_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
