/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What words say by themselves, where nothing else is known: names of methods, attributes, parameters and variables,
 * as torch, NumPy and Python have them and as programs call things. Whole qualified names with what they give are in
 * known.h.
 */
#ifndef SOURCE_KNOWN_WORDS_H
#define SOURCE_KNOWN_WORDS_H

#include <stdbool.h>

#include "base/str.h"

enum words {
    /* methods and attributes */
    WORDS_ONLY_TENSORS_HAVE,   /* of what Python programs usually hold */
    WORDS_ONLY_MODULES_HAVE,   /* the same */
    WORDS_PROVE_TENSOR,        /* called on a thing on a device, they prove it a tensor */
    WORDS_OF_MANY_TYPES,       /* methods that libraries and Python have too: on something unknown they say nothing */
    WORDS_TENSOR_PARTS,        /* attributes of a tensor that are tensors on the same device */
    WORDS_TENSOR_ANSWERS,      /* attributes of a tensor that are True or False */
    WORDS_TENSOR_FACTS,        /* attributes that say what a tensor is, not what is in it */
    WORDS_BACKWARD,            /* methods that compute gradients */
    WORDS_STEP,                /* methods that update weights, of an optimizer */
    WORDS_READ_ITEMS,          /* methods that read a tensor as numbers of Python */
    WORDS_MODULE_TENSORS,      /* attributes of a layer that are tensors */
    WORDS_ALWAYS_OF_TENSORS,   /* methods that are taken for those of a tensor even where nothing is known */
    WORDS_CHANGE_AS_STATEMENT, /* methods that change their object, as a statement of their own; see also *_ */
    WORDS_CHANGE,              /* methods that change their object wherever they are called */
    WORDS_MOVE,                /* methods that move a module, and give another tensor */
    WORDS_MOVE_OR_CAST,        /* the same, those that change the type */
    WORDS_MOVE_TO_DEVICE,
    WORDS_PUT_SECOND,    /* methods whose second argument comes into the container */
    WORDS_PUT_ITEMS,     /* methods whose argument's items come into the container */
    WORDS_PUT_IN_LIST,   /* methods of a list that put something in */
    WORDS_TAKE,          /* methods of a container that put nothing in */
    WORDS_STATIC_METHOD, /* decorators */
    WORDS_CLASS_METHOD,
    WORDS_PROPERTY,
    WORDS_RUN_IN_WORKERS, /* parameters whose function runs where data is made */
    /* last parts of classes of torch.nn */
    WORDS_GIVE_STATE,      /* layers that give their output and a state */
    WORDS_GIVE_TWO_STATES, /* and two states */
    /* qualified names */
    WORDS_WITHOUT_GRADIENTS,
    WORDS_END_RUN,
    WORDS_TENSOR_LIBRARIES, /* what their functions give of tensors are tensors */
    WORDS_WRITERS,          /* classes of loggers, by their last part */
    WORDS_ABSTRACT_BASES,   /* bases that say nothing of a class */
    WORDS_MODULE_BASES,
    WORDS_DATASET_BASES,
    WORDS_LIGHTNING_BASES,
    WORDS_OPTIMIZER_STEP,
    WORDS_COMPUTING_LIBRARIES, /* what their functions do to arguments does not depend on methods of that name */
    /* strings and names of variables, by convention */
    WORDS_ACCELERATOR, /* of "cuda", "cuda:0" the part before the colon */
    WORDS_DEVICE,
    WORDS_DEVICE_NUMBER,
    WORDS_LOADER,
    WORDS_CALLED_LOADER, /* things of which nothing else is known, in this order */
    WORDS_CALLED_OPTIMIZER,
    WORDS_CALLED_SCHEDULER,
    WORDS_CALLED_MODEL,
    WORDS_SETTINGS, /* objects whose .device is the run's */
    WORDS_MODEL,
    WORDS_LOSS_FUNCTION,
    WORDS_TRAINING, /* flags that are set while a model trains */
    WORDS_PHASE_TRAINING,
    WORDS_PHASE_OTHER,
    WORDS_TEXT_FIELDS, /* of a batch: text, pictures or files, which no collate function makes tensors of */
    WORDS_COUNT,       /* of rounds */
    WORDS_TIME_TO,     /* methods that say when it is time */
    WORDS_TROUBLE,     /* functions that ask for what is not to happen */
    WORDS_NO_TROUBLE,  /* and that all is well */
    WORDS_RANK,
    WORDS_FLAG,       /* what is switched on to see more */
    WORDS_ASIDE,      /* runs that are no training, as a whole word of a name */
    WORDS_EVALUATION, /* functions */
    WORDS_TEST_FUNCTIONS,
    WORDS_TEST_FILES,   /* names of files */
    WORDS_TEST_FOLDERS, /* paths */
    WORDS_KINDS
};

bool known_word(enum words words, str word);

#endif
