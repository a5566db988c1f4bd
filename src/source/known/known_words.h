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
    WORDS_KEEPS_PLACE,         /* methods of a tensor that give another on the same device */
    WORDS_TRAIN,               /* methods of which one call is a step of training */
    WORDS_SHOW_OUTPUT,         /* classes that read what an engine gives in each step, by qualified names */
    WORDS_GRADIENTS,           /* functions that give gradients, by qualified names */
    WORDS_TRAINERS,            /* classes and methods of libraries that train what they are given, by qualified names */
    WORDS_NORM_OF_GRADIENTS,   /* what gives their norm */
    WORDS_STEP,                /* methods that update weights, of an optimizer */
    WORDS_READ_ITEMS,          /* methods that read a tensor as numbers of Python */
    WORDS_MODULE_TENSORS,      /* attributes of a layer that are tensors */
    WORDS_ALWAYS_OF_TENSORS,   /* methods that are taken for those of a tensor even where nothing is known */
    WORDS_CHANGE_AS_STATEMENT, /* methods that change their object, as a statement of their own; see also *_ */
    WORDS_CHANGE_FIRST,        /* functions that change their first argument, as a statement of their own */
    WORDS_MOVE_FIRST,          /* those of them that move what it holds to the device */
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
    WORDS_LIBRARIES,        /* that parts of packages are named after */
    WORDS_HOST_LIBRARIES,   /* packages that make no tensors of tensors */
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
    WORDS_LEARNER,  /* names of what learns */
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
    WORDS_WELL,        /* parts of names of what holds the answer: is_finite */
    WORDS_RANK,
    WORDS_FLAG,       /* what is switched on to see more */
    WORDS_ASIDE,      /* runs that are no training, as a whole word of a name */
    WORDS_EVALUATION, /* functions */
    WORDS_TEST_FUNCTIONS,
    WORDS_TEST_FILES,   /* names of files */
    WORDS_TEST_FOLDERS, /* paths */
    /* what rules ask about calls; with dots whole names */
    WORDS_KEEP_DATA,         /* methods that give the same numbers in another form */
    WORDS_SHARE_ARRAY,       /* functions of NumPy that may give a part of what they are given */
    WORDS_READ_ONLY,         /* functions of Python that keep nothing of what they are given */
    WORDS_READ_ARRAY,        /* methods of arrays and lists that give no part of them */
    WORDS_CHEAP,             /* functions that a dataset may call on what it holds without working for it */
    WORDS_CHEAP_METHODS,     /* the same */
    WORDS_DRAW,              /* methods that give another batch each time */
    WORDS_HAND_ON,           /* functions that give the items of what they are given */
    WORDS_SIZE_OF_DATA,      /* functions and methods that tell how much there is */
    WORDS_NAMED_ITEMS,       /* methods of a dict that give a name each */
    WORDS_JOIN,              /* functions that join tensors */
    WORDS_RAGGED,            /* functions whose result is as long as the data say */
    WORDS_CONVERT,           /* methods that prove an unknown thing a tensor, and give another of it */
    WORDS_HOST_ONLY,         /* functions for data of the host alone */
    WORDS_MODULE_PARTS,      /* methods of a module that give its parts */
    WORDS_COLLECT,           /* methods of a list or set that put something in */
    WORDS_CONVERSIONS,       /* functions that make a number of Python of a tensor */
    WORDS_MOVE_TO_HOST,      /* methods that give the whole tensor on the CPU, where they are told so */
    WORDS_GIVE_PARTS,        /* methods of what holds tensors that give parts of it, or the same in another form */
    WORDS_STACK,             /* functions that make one tensor of many */
    WORDS_CHANGE_CONTAINER,  /* methods that change a list, set or dict by what they are given */
    WORDS_CREATIONS,         /* functions that make tensors and arrays of nothing */
    WORDS_RANDOM_CREATIONS,  /* the same, of random numbers */
    WORDS_TYPES_OF_TENSORS,  /* types that make a tensor of a size, or of data */
    WORDS_WRAP,              /* functions that make a tensor of an array or a list */
    WORDS_WRAP_DATA,         /* the same, of any type */
    WORDS_CASTS,             /* methods of an array that give its numbers in another form */
    WORDS_VIEWS_OF_TENSOR,   /* methods that give the same memory under another shape */
    WORDS_VIEWS_OF_DICT,     /* methods that only a dict has */
    WORDS_MAKE_OF_LIST,      /* functions that make a tensor of a list */
    WORDS_MAKE_OF_CONSTANTS, /* the same, on a device */
    WORDS_COMPARE_ELEMENTS,  /* functions of Python that ask each element */
    WORDS_SIZED_BY_DATA,     /* functions whose result is as large as the data say */
    WORDS_TAKE_SIZES,        /* functions that are told how much to make */
    WORDS_WAIT,              /* functions that wait for the device */
    WORDS_WRAP_INDEX,        /* functions that make an integer tensor of an array of integers */
    WORDS_NO_FRAME,          /* what Python calls without a frame of its own */
    WORDS_ASKED_OF_OBJECT,   /* what the interpreter calls for `x in t`, f"{t}", `if t` and their like */
    WORDS_SET_MODE,          /* methods of a module that say what it is used for */
    WORDS_HOST_FUNCTIONS,    /* functions that neither launch work nor wait for it */
    WORDS_HOST_METHODS,      /* the same, methods of lists, texts, writers */
    WORDS_PYTHON_MODULE,     /* modules that come with Python */
    WORDS_KINDS
};

bool known_word(enum words words, str word);

#endif
