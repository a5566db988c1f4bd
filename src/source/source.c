/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of a room that is not built yet: nothing is known. Goes as the real ones come. */
#include "source/context.h"
#include "source/explain.h"
#include "source/flow.h"
#include "source/name.h"
#include "source/summary.h"
#include "source/value.h"

const struct value value_unknown = {.detail = SYNTAX_NONE};

struct project *project_new(const struct project_source *sources, uint32_t count, const struct project_options *options)
{
    return NULL;
}
void project_free(struct project *project)
{
}
uint32_t project_files(const struct project *project)
{
    return 0;
}
const struct project_file *project_file(const struct project *project, uint32_t file)
{
    return NULL;
}
const struct syntax *project_tree(const struct project *project, uint32_t file)
{
    return NULL;
}
uint32_t project_functions(const struct project *project)
{
    return 0;
}
const struct function *project_function(const struct project *project, uint32_t function)
{
    return NULL;
}
uint32_t project_classes(const struct project *project)
{
    return 0;
}
const struct class_info *project_class(const struct project *project, uint32_t class_id)
{
    return NULL;
}
uint32_t project_function_at(const struct project *project, struct site site)
{
    return 0;
}
uint32_t project_method(const struct project *project, uint32_t class_id, str name)
{
    return SYNTAX_NONE;
}
uint32_t project_parameter(const struct project *project, uint32_t function, uint32_t k)
{
    return SYNTAX_NONE;
}
bool project_uses_device(const struct project *project)
{
    return false;
}
str name_of(const struct project *project, struct site expression)
{
    return S("");
}
bool name_is(const struct project *project, struct site expression, const char *qualified)
{
    return false;
}
bool name_under(const struct project *project, struct site expression, const char *prefix)
{
    return false;
}
uint32_t name_target(const struct project *project, struct site call)
{
    return SYNTAX_NONE;
}
uint32_t name_class(const struct project *project, struct site call)
{
    return SYNTAX_NONE;
}
uint32_t name_argument(const struct project *project, struct site call, uint32_t k)
{
    return SYNTAX_NONE;
}
const struct site *name_callers(const struct project *project, uint32_t function, uint32_t *count)
{
    *count = 0;
    return NULL;
}
const struct value *value_at(const struct project *project, struct site expression)
{
    return &value_unknown;
}
bool value_is_number(const struct value *value)
{
    return false;
}
bool value_is_container(const struct value *value)
{
    return false;
}
const struct value *value_item(const struct value *value)
{
    return &value_unknown;
}
const struct value *value_item_at(const struct value *value, uint32_t i)
{
    return &value_unknown;
}
struct move_info value_move(const struct project *project, struct site call)
{
    return (struct move_info){.what = SYNTAX_NONE};
}
str value_words(struct arena *arena, const struct project *project, const struct value *value)
{
    return S("");
}
uint32_t flow_definitions(const struct project *project, struct site use, const struct definition **found,
                          uint32_t room)
{
    return 0;
}
const struct definition *flow_definition(const struct project *project, struct site use)
{
    return NULL;
}
const struct definition *flow_bound(const struct project *project, struct site name)
{
    return NULL;
}
uint32_t flow_uses(const struct project *project, uint32_t file, const struct definition *definition, uint32_t *uses,
                   uint32_t room)
{
    return 0;
}
bool flow_escapes(const struct project *project, uint32_t file, const struct definition *definition)
{
    return true;
}
uint32_t flow_fate(const struct project *project, struct site expression)
{
    return FATE_OTHER;
}
bool flow_invariant(const struct project *project, struct site expression, uint32_t loop)
{
    return false;
}
bool flow_pure(const struct project *project, struct site expression)
{
    return false;
}
bool flow_changes(const struct project *project, struct site expression, uint32_t within)
{
    return true;
}
uint32_t attribute_bindings(const struct project *project, uint32_t class_id, str name, struct site *found,
                            uint32_t room)
{
    return 0;
}
struct context context_of(const struct project *project, struct site site)
{
    return (struct context){.loop = SYNTAX_NONE, .step_loop = SYNTAX_NONE};
}
enum loop_kind context_loop(const struct project *project, struct site loop)
{
    return LOOP_OTHER;
}
bool context_trains(const struct project *project, uint32_t function)
{
    return false;
}
str context_words(struct arena *arena, const struct context *context)
{
    return S("");
}
const struct summary *summary_of(const struct project *project, uint32_t function)
{
    static const struct summary unknown = {.result = &value_unknown, .effects = EFFECT_UNKNOWN};
    return &unknown;
}
str explain_file(struct arena *arena, const struct project *project, uint32_t file)
{
    return S("");
}
str explain_site(struct arena *arena, const struct project *project, struct site site)
{
    return S("");
}
