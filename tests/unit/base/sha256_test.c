/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 against the examples of its standard, and texts of all lengths against a sum that sha256sum gave. */
#include "base/sha256.h"
#include "base/str.h"
#include "unit/cmocka_first.h"

static void assert_hash(str text, const char *expected)
{
    char hash[SHA256_TEXT];
    struct sha256 sha = sha256_begin();
    sha256_add(&sha, text.at, text.len);
    sha256_end(&sha, hash);
    assert_string_equal(hash, expected);
}

static void the_examples_of_the_standard_hold(void **state)
{
    assert_hash(S(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_hash(S("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_hash(S("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* The hash of the hashes of 0, 1 ... 199 bytes of 'a': every way that an end can lie in a block. */
static void every_length_is_padded_right(void **state)
{
    char text[200], hash[SHA256_TEXT];
    struct sha256 all = sha256_begin();
    memset(text, 'a', sizeof text);
    for (size_t length = 0; length < sizeof text; length++) {
        struct sha256 one = sha256_begin();
        sha256_add(&one, text, length);
        sha256_end(&one, hash);
        sha256_add(&all, hash, SHA256_TEXT - 1);
    }
    sha256_end(&all, hash);
    assert_string_equal(hash, "019f2b9f1af27a53a1f046da7e98af2c179f431e4b5bebb000e74040917a4123");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_standard_hold),
        cmocka_unit_test(every_length_is_padded_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
