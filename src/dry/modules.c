/* SPDX-License-Identifier: Apache-2.0 */
#include "modules.h"

#include "base/str.h"
#include "child/folder.h"

extern const char dry_run_py[], dry_plan_py[], dry_values_py[], dry_device_py[], dry_words_py[], dry_quiet_py[],
    dry_memory_py[], dry_places_py[], dry_storages_py[], dry_shapes_py[], dry_files_py[], dry_calls_py[],
    dry_batch_py[], dry_data_py[], dry_streams_py[], dry_ranks_py[], dry_job_py[], dry_known_py[], dry_waits_py[],
    dry_operators_py[], dry_pins_py[], dry_lines_py[], dry_lone_py[], dry_elements_py[], dry_processes_py[],
    dry_strides_py[], dry_attention_py[], dry_end_py[], dry_lack_py[], dry_real_py[], dry_weights_py[], dry_loader_py[],
    dry_recurrent_py[], dry_packed_py[], dry_recurrent_real_py[], dry_direct_py[];
extern const size_t dry_run_py_bytes, dry_plan_py_bytes, dry_values_py_bytes, dry_device_py_bytes, dry_words_py_bytes,
    dry_quiet_py_bytes, dry_memory_py_bytes, dry_places_py_bytes, dry_storages_py_bytes, dry_shapes_py_bytes,
    dry_files_py_bytes, dry_calls_py_bytes, dry_batch_py_bytes, dry_data_py_bytes, dry_streams_py_bytes,
    dry_ranks_py_bytes, dry_job_py_bytes, dry_known_py_bytes, dry_waits_py_bytes, dry_operators_py_bytes,
    dry_pins_py_bytes, dry_lines_py_bytes, dry_lone_py_bytes, dry_elements_py_bytes, dry_processes_py_bytes,
    dry_strides_py_bytes, dry_attention_py_bytes, dry_end_py_bytes, dry_lack_py_bytes, dry_real_py_bytes,
    dry_weights_py_bytes, dry_loader_py_bytes, dry_recurrent_py_bytes, dry_packed_py_bytes, dry_recurrent_real_py_bytes,
    dry_direct_py_bytes;

static const struct module {
    const char *name; /* the script may have modules of its own: ours are told by this */
    const char *text;
    const size_t *bytes;
} imported[] = {
    {"steptime_dry_plan.py", dry_plan_py, &dry_plan_py_bytes},
    {"steptime_dry_values.py", dry_values_py, &dry_values_py_bytes},
    {"steptime_dry_device.py", dry_device_py, &dry_device_py_bytes},
    {"steptime_dry_words.py", dry_words_py, &dry_words_py_bytes},
    {"steptime_dry_quiet.py", dry_quiet_py, &dry_quiet_py_bytes},
    {"steptime_dry_memory.py", dry_memory_py, &dry_memory_py_bytes},
    {"steptime_dry_places.py", dry_places_py, &dry_places_py_bytes},
    {"steptime_dry_files.py", dry_files_py, &dry_files_py_bytes},
    {"steptime_dry_shapes.py", dry_shapes_py, &dry_shapes_py_bytes},
    {"steptime_dry_calls.py", dry_calls_py, &dry_calls_py_bytes},
    {"steptime_dry_data.py", dry_data_py, &dry_data_py_bytes},
    {"steptime_dry_batch.py", dry_batch_py, &dry_batch_py_bytes},
    {"steptime_dry_streams.py", dry_streams_py, &dry_streams_py_bytes},
    {"steptime_dry_ranks.py", dry_ranks_py, &dry_ranks_py_bytes},
    {"steptime_dry_job.py", dry_job_py, &dry_job_py_bytes},
    {"steptime_dry_known.py", dry_known_py, &dry_known_py_bytes},
    {"steptime_dry_storages.py", dry_storages_py, &dry_storages_py_bytes},
    {"steptime_dry_waits.py", dry_waits_py, &dry_waits_py_bytes},
    {"steptime_dry_operators.py", dry_operators_py, &dry_operators_py_bytes},
    {"steptime_dry_pins.py", dry_pins_py, &dry_pins_py_bytes},
    {"steptime_dry_lines.py", dry_lines_py, &dry_lines_py_bytes},
    {"steptime_dry_lone.py", dry_lone_py, &dry_lone_py_bytes},
    {"steptime_dry_elements.py", dry_elements_py, &dry_elements_py_bytes},
    {"steptime_dry_processes.py", dry_processes_py, &dry_processes_py_bytes},
    {"steptime_dry_strides.py", dry_strides_py, &dry_strides_py_bytes},
    {"steptime_dry_attention.py", dry_attention_py, &dry_attention_py_bytes},
    {"steptime_dry_recurrent.py", dry_recurrent_py, &dry_recurrent_py_bytes},
    {"steptime_dry_packed.py", dry_packed_py, &dry_packed_py_bytes},
    {"steptime_dry_recurrent_real.py", dry_recurrent_real_py, &dry_recurrent_real_py_bytes},
    {"steptime_dry_end.py", dry_end_py, &dry_end_py_bytes},
    {"steptime_dry_lack.py", dry_lack_py, &dry_lack_py_bytes},
    {"steptime_dry_real.py", dry_real_py, &dry_real_py_bytes},
    {"steptime_dry_weights.py", dry_weights_py, &dry_weights_py_bytes},
    {"steptime_dry_loader.py", dry_loader_py, &dry_loader_py_bytes},
    {"steptime_dry_direct.py", dry_direct_py, &dry_direct_py_bytes},
};

const char *dry_folder(struct arena *arena, struct steptime_error *err)
{
    const char *const folder = folder_make((str){dry_run_py, dry_run_py_bytes}, arena, err);
    for (size_t i = 0; folder && i < sizeof imported / sizeof *imported; i++)
        if (!folder_add(folder, imported[i].name, (str){imported[i].text, *imported[i].bytes}, arena, err)) {
            folder_remove(folder);
            return NULL;
        }
    return folder;
}
