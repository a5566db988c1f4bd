/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An antipattern as a row of a table: what it is called, where in a file it can
 * stand, how to tell, how to rewrite it, and what to tell people about it.
 *
 * A rule looks at one node at a time, asks the analysis of the source what it
 * means, and either stays silent or fills a match. It knows no trace and prints
 * nothing. A family of rules is a file (st4_implicit_sync.c); its rows are listed
 * in rules.c. The ids are stable for ever.
 *
 *     const struct rule rule_scalar_read_back = {
 *         .id = "ST401", .name = "scalar-read-back", .entry = "A1", .level = LEVEL_WARNING,
 *         .query = {.kinds = {SYN_CALL}, .tails = {"item", "tolist", "float", "int", "bool"}},
 *         .check = check_scalar_read_back, .fix = fix_scalar_read_back, .fix_kind = FIX_SAFE,
 *         .words = &words_scalar_read_back,
 *     };
 */
#ifndef RULES_RULE_H
#define RULES_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "proof.h"
#include "source/ask/project.h"
#include "syntax/syntax.h"

struct edits; /* syntax/edit.h */
struct rule;
struct match;

/* In the order of weight. What the level of a match follows from: level.h. */
enum level { LEVEL_NOTE, LEVEL_WARNING, LEVEL_ERROR };

enum fix_kind {
    FIX_NONE,
    FIX_SAFE,   /* losses stay bit-equal on the CPU */
    FIX_UNSAFE, /* may change random streams, autograd, float order or keys of a state_dict */
};

/* What a rule may ask. One a file; several files are checked at once, so nothing in it is shared but what is const. */
struct check {
    const struct project *project;
    uint32_t file; /* number in the project */
    const struct syntax *tree;
    struct arena *arena; /* of the matches: messages go here */
};

static inline struct site check_site(const struct check *check, uint32_t node)
{
    return (struct site){check->file, node};
}

/* Tells that what a rule asks of the node is not followed to its end. */
static inline void check_limit(const struct check *check, const struct limit *limit, uint32_t node)
{
    project_limit(check->project, limit, check_site(check, node));
}

/*
 * Which nodes can match at all, so that choosing the rules of a node is a
 * look-up. `kinds` are enum syntax_kind, ended by 0 (SYN_ABSENT is never asked
 * for). `tails` narrow calls: the last name of what is called; none: any call.
 */
enum { QUERY_KINDS = 8, QUERY_TAILS = 48 };
struct query {
    uint8_t kinds[QUERY_KINDS];
    const char *tails[QUERY_TAILS];
};

/* What `steptime rules show` says. Examples are Python, a few whole lines each, ended by a newline. */
struct rule_words {
    const char *brief;       /* for the table of rules: a few words */
    const char *why;         /* what it costs and why, two or three sentences */
    const char *bad, *good;  /* the pattern, and its rewrite */
    const char *unsafe_when; /* when the rewrite changes results, or must not be done */
    const char *source;      /* who says so */
};

enum { RULE_YIELDS = 4 };
struct rule {
    const char *id;    /* "ST401" */
    const char *name;  /* "scalar-read-back" */
    const char *entry; /* of the catalogue: "A1" */
    enum level level;  /* of a match that says nothing else */
    struct query query;

    /*
     * Rules (by id) whose advice goes further. Where one of them tells of the same
     * upload this is a note: what is to be done about the copy once theirs is done.
     */
    const char *yields_to[RULE_YIELDS];

    /*
     * Judges the node. True: *match is filled as below. It comes zeroed but
     * for rule, file, node, level and fix, which hold what the row says.
     */
    bool (*check)(const struct check *check, uint32_t node, struct match *match);

    /*
     * Adds the edits that rewrite the match, or adds none and returns false where
     * it cannot after all. NULL: there is no rewrite. Lives in fix_*.c.
     */
    bool (*fix)(const struct check *check, const struct match *match, struct edits *edits);
    enum fix_kind fix_kind;
    bool fix_last; /* it moves whole loops: what others make faster within them goes before it */

    const struct rule_words *words;
};

enum { MATCH_CAPTURES = 8 };

/* A wait that another one speaks for. */
struct joined_wait {
    const struct joined_wait *before; /* the one before it in the text; NULL */
    uint32_t node;
};

/* A place where a rule applies. It comes to a check zeroed but for what the row says. */
struct match {
    const struct rule *rule;
    uint32_t file;
    uint32_t node;       /* what to underline; the check may move it */
    uint32_t begin, end; /* its bytes; 0, 0 from a check: those of the node */
    uint32_t function;   /* the function around it, SYNTAX_NONE at module level; filled by rules_check */
    enum level level;    /* follows from the links: rules_check */
    enum fix_kind fix;
    str message; /* a sentence without numbers of a trace: what happens here, and what to do instead */

    struct broken broken[LINKS];
    uint32_t runs_at;   /* the node of which the pace counts; 0: `node` */
    bool of_run;        /* it speaks of all steps: how often it runs itself does not matter */
    struct proof proof; /* filled by rules_check */

    str missing; /* of a note which link does not hold, to follow the message; "" */

    bool shown_later; /* the wait is where a progress bar shows the value, at the end of the step */
    bool yields;      /* another finding tells of the same copy, and says more */
    bool not_needed;  /* nobody needs what is waited for, not even the next step of an environment */

    const struct joined_wait *joined; /* waits that go with this one, a finding each, all notes; the last one first */
    uint32_t joined_count;
    const struct match *joined_to; /* of one of these the wait that speaks for it, of the same file; NULL */

    uint32_t upload; /* the call that copies to the device, of a rule about copies; 0: none */

    uint32_t captures[MATCH_CAPTURES]; /* nodes that the fix needs; their meaning is the rule's own */
    uint32_t capture_count;

    /*
     * What a profile shows of it: the name of the built-in function or method
     * ("item", "to", "tensor"), "" where none is called, and which call
     * of that name in its function this is, counted from 0 in the order of the text
     * (filled by rules_check).
     */
    str builtin;
    uint32_t order;

    /* Places of one cause are one finding (families/causes.h): that of the first; NULL of it, and of one alone. */
    const struct match *cause;
    struct match *also; /* its next place; NULL */
};

/* Another wait goes with the match. */
static inline void match_join(struct arena *arena, struct match *match, struct match *other)
{
    struct joined_wait *joined = arena_array(arena, 1, sizeof *joined);
    *joined = (struct joined_wait){match->joined, other->node};
    other->joined_to = match;
    match->joined = joined;
    match->joined_count++;
}

/* The first reason counts. `node`: in the file of the match. */
static inline void match_break(struct match *match, enum chain_link link, const char *why, struct site at)
{
    if (!match->broken[link].why)
        match->broken[link] = (struct broken){why, at, false, false};
}

/* Its gain: another wait of the step makes it free. */
static inline void match_break_by_order(struct match *match, const char *why, struct site at)
{
    if (!match->broken[LINK_GAIN].why)
        match->broken[LINK_GAIN] = (struct broken){why, at, false, true};
}

#endif
