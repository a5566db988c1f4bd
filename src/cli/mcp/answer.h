/* SPDX-License-Identifier: Apache-2.0 */
/* A call of a tool: the command runs in this process, and its answer is given in pages. The last one is kept for the next page. */
#ifndef CLI_MCP_ANSWER_H
#define CLI_MCP_ANSWER_H

#include "base/buf.h"
#include "cli/program/command.h"

struct answer {
    struct buf asked; /* the command line, to know it again */
    struct buf text;
    bool wrong; /* it is an error */
};

/* Fills the answer; one of the same words that is there already is kept where `more` of it is asked for. */
void answer_to(struct answer *answer, const struct command *command, int count, const char *const *words, bool more);

/*
 * Lines of at most PAGE_BYTES together, and which page of how many it is; in the arena. *wrong: there is no such page, or it is
 * one of an error.
 */
str answer_page(const struct answer *answer, int64_t page, struct arena *arena, bool *wrong);

void answer_free(struct answer *answer);

#endif
