/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rewrites. Each takes a match of its rule and adds the edits of its site as
 * one group, or adds nothing and returns false: it refuses rather than guesses.
 * doc/fixes.md tells when each applies and why it keeps the losses.
 */
#ifndef RULES_FIX_H
#define RULES_FIX_H

#include "rules/ask/rule.h"
#include "source/values/value.h"

bool fix_create_then_move(const struct check *check, const struct match *match, struct edits *edits);
/* Copies of a loop over the parts of a batch: those of pinned memory need not wait. */
bool fix_many_small_uploads(const struct check *check, const struct match *match, struct edits *edits);
bool fix_can_unblock(const struct check *check, uint32_t call);
bool fix_blocking_copy(const struct check *check, const struct match *match, struct edits *edits);
bool fix_oversized_upload(const struct check *check, const struct match *match, struct edits *edits);
bool fix_synchronous_loader(const struct check *check, const struct match *match, struct edits *edits);

bool fix_scalar_read_back(const struct check *check, const struct match *match, struct edits *edits);
bool fix_dead_read_back(const struct check *check, const struct match *match, struct edits *edits);
bool fix_echo_read_back(const struct check *check, const struct match *match, struct edits *edits);
bool fix_scattered_read_backs(const struct check *check, const struct match *match, struct edits *edits);

bool fix_device_round_trip(const struct check *check, const struct match *match, struct edits *edits);
/* Places among distinct values, a part of it. */
bool fix_look_up(const struct check *check, const struct match *match, struct edits *edits);
bool fix_preparation(const struct check *check, const struct match *match, struct edits *edits);
bool fix_repeated_preparation(const struct check *check, const struct match *match, struct edits *edits);

bool fix_element_access(const struct check *check, const struct match *match, struct edits *edits);
bool fix_per_sample_stack(const struct check *check, const struct match *match, struct edits *edits);
bool fix_growing_cat(const struct check *check, const struct match *match, struct edits *edits);
/* Arrays that workers hand over, and a batch as wide as its longest row. */
bool fix_worker_lists(const struct check *check, const struct match *match, struct edits *edits);
bool fix_padding(const struct check *check, const struct match *match, struct edits *edits);
bool fix_tensor_from_list(const struct check *check, const struct match *match, struct edits *edits);
bool fix_repeated_upload(const struct check *check, const struct match *match, struct edits *edits);
/* The kind of rewrite that there is for a match of ST501: it is tried. */
enum fix_kind fix_kind_of_repeated_upload(const struct check *check, const struct match *match);
bool fix_into_buffer(const struct check *check, const struct match *match, struct edits *edits);
bool fix_host_index(const struct check *check, const struct match *match, struct edits *edits);

/* Of a floating type; or of an unknown one with gradients, which only floats have. */
bool is_floating(const struct value *value);

#endif
