/* SPDX-License-Identifier: Apache-2.0 */
/* How the definitions of a file, and the uses that they reach, are held. */
#ifndef SOURCE_FLOWS_H
#define SOURCE_FLOWS_H

#include "base/map.h"
#include "definition.h"
#include "none.h"

struct def {
    struct definition shown;
    uint32_t slot;
    uint32_t previous;                /* of CHANGE and AUGMENT: the definition before */
    uint32_t first_operand, operands; /* of MEETING */
    uint32_t same_as;                 /* of a MEETING that is none: the definition it stands for; else NONE */
    uint32_t import_file;             /* of IMPORT: the file of the module; NONE */
    uint16_t proof;                   /* enum proof */
};

/* What the uses of a definition prove about it. */
enum proof {
    PROOF_TENSOR = 1,
    PROOF_CPU = 2,
    PROOF_MODULE = 4,
    PROOF_LOSS = 8,
    PROOF_KEYED = 32 /* it has keys: no tensor */,
    PROOF_FETCHED = 64 /* .cpu() is called on it: where it is read as host data too, that stands on another way */,
    PROOF_ITEM = 16 /* a tensor, if it has a device */,
    PROOF_WITH_LOSS = 128 /* a loss is computed from it */,
    PROOF_MOVED = 256 /* its parts are moved to a device that the function is given too */
};

struct slot {
    uint32_t function; /* in the file */
    str text;
    uint32_t outer; /* slot it stands for: of an outer function or of the module; NONE: its own */
    bool outside;   /* not bound in the function */
    bool shared;    /* another function reads or binds it */
};

/* Of a group of definitions: names that it may be read by, from flow.reached[first] on. See flow_reach.c. */
struct reached {
    uint32_t first, count;
};

struct flow {
    struct def *defs;
    uint32_t def_count;
    uint32_t *operands;
    uint32_t operand_count;
    uint32_t *def_of; /* per node: of names; else NONE */
    uint32_t node_count;
    uint32_t *first_use, *uses;   /* per definition: names that read it, from uses[first_use[d]] on */
    uint32_t *first_next, *nexts; /* per definition: others through which it is seen: meetings, changes */
    uint32_t *group;              /* per definition: of those that lead to the same names */
    struct reached *groups;
    uint32_t *reached; /* names, of each group in order */
    struct slot *slots;
    uint32_t slot_count;
    struct map slot_by_name; /* function << 32 | file-local name id */
};

uint32_t flow_resolve(const struct flow *flow, uint32_t def);   /* through same_as */
uint32_t flow_read_def(const struct flow *flow, uint32_t name); /* what it reads: of `x += 1` the one before; NONE */
void flow_index(struct flow *flow);                             /* first_use, first_next */
void flow_reach(struct flow *flow);                             /* group, groups, reached; after flow_index */
void flow_free(struct flow *flow);

#endif
