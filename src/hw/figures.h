/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a device: their words, their columns in data/hw.csv, the multiples in which people say them. */
#ifndef HW_FIGURES_H
#define HW_FIGURES_H

#include "hardware.h"
#include "quantity.h"

struct multiple {
    const char *word; /* "GB/s"; "" for counts */
    double scale;     /* base units in one */
    enum dimension dimension;
};

struct figure {
    const char *word;   /* "memory" */
    const char *title;  /* "memory, rate" */
    const char *column; /* of the table; NULL: comes from a row that is named, see hw/row.h */
    const struct multiple *usual;
};

extern const struct figure hw_figures[HW_KEYS];

/* The key of that word; false where there is none. */
bool hw_key_of_word(str word, enum hw_key *key);

#endif
