/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deep learning recommendation models (Naumov et al. 2019), described by their
 * sizes, and the program of one training step of such a model.
 *
 * A description is TOML: the table of its name in data/dlrm.toml, or a file of
 * the user's own with the same keys (examples/dlrm.toml has all of them).
 */
#ifndef PROGRAM_DLRM_H
#define PROGRAM_DLRM_H

#include "program.h"

enum { DLRM_LAYERS = 32 };

/* Whose operators: those that PyTorch 1.8 records with gradients kept, or those of 2.x with gradients dropped. */
enum dlrm_era { DLRM_2021, DLRM_CURRENT };

struct dlrm {
    str name; /* "default"; of a file its path */
    int64_t batch;
    int64_t bottom[DLRM_LAYERS + 1]; /* dense features, then the width of each layer; the last is `width` */
    uint32_t bottom_layers;
    int64_t top[DLRM_LAYERS]; /* the width of each layer behind the interaction; the last is 1 */
    uint32_t top_layers;
    const int64_t *tables; /* rows of each */
    uint32_t table_count;
    int64_t width;   /* of the embeddings */
    int64_t lookups; /* a sample and table */
    bool dot;        /* the interaction; else all vectors side by side */
    bool bce;        /* the loss; else mean squared error */
    bool batched;    /* all tables in one lookup; else an embedding bag a table */
    enum dlrm_era era;
};

/* A name of data/dlrm.toml, or a file. False with STEPTIME_INPUT, naming line and key, or the nearest name. */
bool dlrm_find(str name, struct arena *arena, struct dlrm *dlrm, struct steptime_error *err);

/* What is wrong with it, in words; NULL: nothing. Whoever changes a figure asks again. */
const char *dlrm_check(const struct dlrm *dlrm);

/* One step of training by SGD: the batch goes to the device, forward, loss, backward, optimizer. */
struct program program_of_dlrm(const struct dlrm *dlrm, struct arena *arena);

#endif
