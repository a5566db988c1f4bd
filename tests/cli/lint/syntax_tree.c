/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of each file named on standard input, for test_syntax.py: a line
 * "= errors path", then a line "kind begin end size op" a node. With -q only the
 * first line of each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "syntax/syntax.h"

static str file_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return (str){0};
    fseek(file, 0, SEEK_END);
    const long len = ftell(file);
    rewind(file);
    char *at = malloc((size_t)len + 1);
    const size_t got = fread(at, 1, (size_t)len, file);
    fclose(file);
    return (str){at, got};
}

static void show(const struct syntax *tree)
{
    for (uint32_t node = 0; node < tree->count; node++)
        printf("%s %u %u %u %u\n", syntax_kind_name(tree->kind[node]), tree->begin[node], tree->end[node],
               tree->size[node], tree->op[node]);
}

int main(int argc, char **argv)
{
    const bool quiet = argc > 1 && !strcmp(argv[1], "-q");
    char path[4096];
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = 0;
        struct arena arena = {0};
        const str text = file_text(path);
        const struct syntax *tree = syntax_parse(&arena, str_of(path), text);
        printf("= %u %s\n", tree->error_count, path);
        if (!quiet)
            show(tree);
        arena_free(&arena);
        free((void *)text.at);
    }
    return 0;
}
