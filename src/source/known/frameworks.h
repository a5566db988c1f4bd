/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What training frameworks promise those who subclass them, as data: which of their methods run how often, where what
 * they are given lies, and which waits the framework makes anyway. A framework is a caller like any other: what it hands
 * to a method is a fact about the parameter, and how often it calls is the pace of the method.
 */
#ifndef SOURCE_FRAMEWORKS_H
#define SOURCE_FRAMEWORKS_H

#include <stdbool.h>

#include "base/str.h"
#include "pace.h"

/* A wait that the framework makes right behind the method: what is read there waits for nothing more. */
enum waited {
    WAITED_NOT,
    WAITED_ALWAYS,
    WAITED_UNLESS_OFF,  /* unless the options of the run set `option` to False */
    WAITED_BY_SHOWN_BAR /* where the class logs something with `option`=True */
};

struct contract {
    const char *methods; /* names that blanks part */
    enum pace pace;
    /* Parameters by name, each with what it is: "inputs:batch model:model". See frameworks_given. */
    const char *given;
    enum waited waited;
    const char *option; /* of `waited` */
    const char *because;
};

enum { FRAMEWORK_TABLES = 3 };

struct framework {
    const char *bases; /* qualified names of classes, blanks between */
    bool is_module;    /* a torch.nn.Module, or what behaves as one */
    bool on_device;    /* it puts models and batches on the device by itself, where there is one */
    bool moves_input;  /* an object that is called moves its arguments there first */
    const char *forward;
    const char *holds; /* attributes of their objects, as `given` of a contract; NULL */
    const struct contract *contracts[FRAMEWORK_TABLES]; /* each ended by one without methods; NULL behind the last */
};

enum given {
    GIVEN_NOTHING, /* the table does not say */
    GIVEN_BATCH,   /* what the loader made, on the device */
    GIVEN_HOST,    /* the same, still on the host */
    GIVEN_TENSOR,  /* a tensor on the device */
    GIVEN_SCALAR,  /* of no dimension */
    GIVEN_PARTS,   /* something that holds tensors on the device */
    GIVEN_MODEL,   /* on the device */
    GIVEN_NUMBERS, /* a dict of Python floats */
};

/* One after the other; NULL behind the last. */
const struct framework *frameworks_at(size_t i);
/* The framework of a class with this base; NULL. Names are canonical (names.c). */
const struct framework *frameworks_find(str base);
/* The method that runs when an object of a module class is called. `framework` may be NULL. */
str frameworks_forward(const struct framework *framework);
/* What it says of a method; NULL. */
const struct contract *frameworks_contract(const struct framework *framework, str method);
enum given frameworks_given(const struct contract *contract, str parameter);
/* What an attribute of an object of the framework is, which may be NULL. */
enum given frameworks_held(const struct framework *framework, str attribute);

#endif
