/* SPDX-License-Identifier: Apache-2.0 */
/* What people are told of each rule: `steptime rules show`, the help in SARIF, doc/rules.md. One file a family. */
#ifndef RULES_WORDS_H
#define RULES_WORDS_H

#include "rules/ask/rule.h"

/* words_st1.c */
extern const struct rule_words words_element_access, words_per_sample_stack, words_growing_cat,
    words_one_sample_evaluation;
/* words_st2.c */
extern const struct rule_words words_tensor_from_list, words_lists_from_workers, words_padded_to_all;
/* words_st3.c */
extern const struct rule_words words_device_round_trip, words_preparation_on_training_thread,
    words_repeated_preparation, words_module_ping_pong;
/* words_st4.c */
extern const struct rule_words words_scalar_read_back, words_data_dependent_branch, words_print_device_tensor,
    words_whole_tensor_read_back, words_dead_read_back, words_dynamic_shape, words_device_scalar_as_size,
    words_echo_read_back, words_scattered_read_backs, words_framework_sync;
/* words_st5.c */
extern const struct rule_words words_repeated_upload, words_many_small_uploads, words_host_index;
/* words_st6.c */
extern const struct rule_words words_create_then_move, words_blocking_copy, words_oversized_upload,
    words_synchronous_loader, words_no_overlap, words_explicit_sync;

#endif
