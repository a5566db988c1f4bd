/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What public functions do to what they are given, as data: a row an effect. A
 * call that no row names uses its arguments, may keep them, and may change them:
 * nothing that reaches it is unused.
 */
#ifndef SOURCE_KNOWN_USES_H
#define SOURCE_KNOWN_USES_H

#include "base/str.h"

enum use {
    USE_UNKNOWN, /* anything may happen */
    USE_RESULT,  /* it goes on in the result, and nowhere else */
    USE_SHOWN,   /* printed, logged, written: its content is read */
    USE_NUMPY,   /* a library of the host computes with it; it goes on in the result */
    USE_KEPT,    /* it is alive when the call is over */
    USE_PYTHON,  /* Python iterates over it; it goes on in the result */
    USE_SIZE,    /* it says how large something is */
    USE_SHAPE,   /* only what the host knows anyway is asked: its length, its type */
};

/* USE_UNKNOWN where no row has the name. */
enum use known_use_of_function(str qualified);
enum use known_use_of_method(str name); /* of whatever object */

#endif
