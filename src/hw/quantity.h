/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number with its unit, as people write it: "100Gbps", "4 TB/s", "50MiB",
 * "1.4GHz", "312 TFLOPS", "3us", "70W", "108", "120%". Bits and bytes differ by
 * a factor of eight and often by the case of one letter alone; where a text
 * leaves it open ("gb/s") it is not read.
 */
#ifndef HW_QUANTITY_H
#define HW_QUANTITY_H

#include "base/str.h"

enum dimension {
    DIMENSION_COUNT, /* no unit */
    DIMENSION_FLOP_RATE,
    DIMENSION_BYTES,
    DIMENSION_BYTE_RATE,
    DIMENSION_FREQUENCY,
    DIMENSION_TIME,
    DIMENSION_POWER,
    DIMENSION_SHARE, /* "120%" is 1.2 */
};

struct quantity {
    double value; /* in base units; finite, 0 or more */
    enum dimension dimension;
};

/* NULL, or what is wrong with it, in words that go on from "'4 gb/s' ". */
const char *quantity_read(str text, struct quantity *quantity);

str dimension_examples(enum dimension dimension); /* "4TB/s or 100Gbps" */

#endif
