/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a manifest that are numbers and texts. */
#ifndef TUNE_MANIFEST_FIELDS_H
#define TUNE_MANIFEST_FIELDS_H

#include "fields.h"

enum { MANIFEST_VERSION = 1 };
#define MANIFEST_FORMAT "steptime tune"

extern const struct field manifest_fields[];        /* of struct manifest */
extern const struct field manifest_option_fields[]; /* of struct tune_options */
extern const struct field manifest_source_fields[]; /* of struct source_file */
extern const struct field manifest_trial_fields[];  /* of struct trial; paths are below the root */
extern const struct field manifest_whole_fields[];  /* of struct tune_result */

#endif
