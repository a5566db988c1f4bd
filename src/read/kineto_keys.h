/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of an event and of its args that say something to us, and how their values are taken. */
#ifndef READ_KINETO_KEYS_H
#define READ_KINETO_KEYS_H

#include "base/str.h"
#include "trace/event.h"

enum take {
    TAKE_NOTHING, /* read over */
    TAKE_END,     /* no value: the event ends */
    /* of the event itself */
    TAKE_PHASE,
    TAKE_CATEGORY,
    TAKE_NAME,
    TAKE_PROCESS,
    TAKE_THREAD,
    TAKE_START,
    TAKE_DURATION,
    TAKE_THREAD_DURATION, /* tdur: stands in where dur is absent */
    TAKE_ID,
    TAKE_ARGS,
    /* of its args */
    TAKE_DEVICE,
    TAKE_STREAM,
    TAKE_LABEL,   /* name, labels: what a metadata event gives */
    TAKE_INTEGER, /* into the attribute */
    TAKE_THOUSANDTH,
    TAKE_TEXT, /* interned; a value that is no string as it is written */
    TAKE_RAW,  /* interned as it is written */
};

struct key {
    str text;
    enum take take;
    enum attr attr; /* 0 where it goes into none */
};

/* Never NULL: a key that says nothing has TAKE_NOTHING. */
const struct key *kineto_event_key(str text);
const struct key *kineto_args_key(str text);

#endif
