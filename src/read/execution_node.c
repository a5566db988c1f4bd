/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One node. Until schema 1.0.1 its fields are members of the node; later most
 * are attributes, a list of {name, type, value}. Both go through one table. A
 * field of another type than it should have counts as not recorded.
 */
#include "base/mem.h"
#include "execution.h"
#include "text/json.h"

enum field {
    FIELD_ID,
    FIELD_NAME,
    FIELD_PARENT,
    FIELD_RECORD,
    FIELD_FORWARD_PARENT,
    FIELD_SEQUENCE,
    FIELD_SCOPE,
    FIELD_THREAD,
    FIELD_FORWARD_THREAD,
    FIELD_SCHEMA,
    FIELD_INPUTS,
    FIELD_INPUT_SHAPES,
    FIELD_INPUT_TYPES,
    FIELD_OUTPUTS,
    FIELD_OUTPUT_SHAPES,
    FIELD_OUTPUT_TYPES,
    FIELD_ATTRIBUTES,
    FIELD_COLLECTIVE,
    FIELD_DTYPE,
    FIELD_IN_ELEMENTS,
    FIELD_OUT_ELEMENTS,
    FIELD_GROUP,
    FIELD_GROUP_SIZE,
    FIELDS,
};

static const struct {
    const char *key;
    enum field field;
} keys[] = {
    {"id", FIELD_ID},
    {"name", FIELD_NAME},
    {"parent", FIELD_PARENT},
    {"ctrl_deps", FIELD_PARENT},
    {"rf_id", FIELD_RECORD},
    {"fw_parent", FIELD_FORWARD_PARENT},
    {"seq_id", FIELD_SEQUENCE},
    {"scope", FIELD_SCOPE},
    {"tid", FIELD_THREAD},
    {"fw_tid", FIELD_FORWARD_THREAD},
    {"op_schema", FIELD_SCHEMA},
    {"inputs", FIELD_INPUTS},
    {"input_shapes", FIELD_INPUT_SHAPES},
    {"input_types", FIELD_INPUT_TYPES},
    {"outputs", FIELD_OUTPUTS},
    {"output_shapes", FIELD_OUTPUT_SHAPES},
    {"output_types", FIELD_OUTPUT_TYPES},
    {"attrs", FIELD_ATTRIBUTES},
    {"collective_name", FIELD_COLLECTIVE},
    {"dtype", FIELD_DTYPE},
    {"in_msg_nelems", FIELD_IN_ELEMENTS},
    {"out_msg_nelems", FIELD_OUT_ELEMENTS},
    {"pg_name", FIELD_GROUP},
    {"pg_size", FIELD_GROUP_SIZE},
};

/* The raw value of each field; "" where absent. */
struct fields {
    str at[FIELDS];
};

static void take(struct fields *fields, str key, str value)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (str_eq(key, str_of(keys[i].key)))
            fields->at[keys[i].field] = value;
}

static bool take_members(struct json *json, struct fields *fields)
{
    str key, value;
    json_enter(json);
    while (json_key(json, &key) && json_raw(json, &value))
        take(fields, key, value);
    return !json->failed;
}

static void take_attribute(struct execution_reading *r, const char *at, struct fields *fields)
{
    struct json json = json_at(at, &r->scratch);
    str key, raw, name = S(""), value = S("");
    json_enter(&json);
    while (json_key(&json, &key) && json_raw(&json, &raw))
        if (str_eq(key, S("value")))
            value = raw;
        else if (str_eq(key, S("name")) && raw.len > 2)
            name = (str){raw.at + 1, raw.len - 2};
    take(fields, name, value);
}

static void take_attributes(struct execution_reading *r, struct fields *fields)
{
    const str list = fields->at[FIELD_ATTRIBUTES];
    if (!list.len || list.at[0] != '[')
        return;
    struct json json = json_at(list.at, &r->scratch);
    json_enter(&json);
    for (str item; json_item(&json) && json_raw(&json, &item);)
        if (item.at[0] == '{')
            take_attribute(r, item.at, fields);
}

/* ---- values ---- */

/* Of a list, as Chakra writes what a node depends on, the first. */
static int64_t integer(const struct fields *fields, enum field field, int64_t otherwise)
{
    str raw = fields->at[field];
    int64_t value;
    if (str_starts(raw, S("["))) {
        raw = str_from(raw, 1);
        size_t len = 0;
        while (len < raw.len && raw.at[len] != ',' && raw.at[len] != ']')
            len++;
        raw.len = len;
    }
    return str_int(str_trim(raw), &value) ? value : otherwise;
}

static str text(struct execution_reading *r, const struct fields *fields, enum field field)
{
    const str raw = fields->at[field];
    struct intern *texts = r->execution->texts;
    if (raw.len < 2 || raw.at[0] != '"')
        return intern_text(texts, 0);
    return intern_text(texts, intern_id(texts, json_decode(&r->scratch, (str){raw.at + 1, raw.len - 2})));
}

static void take_raw(struct raw_arguments *raw, str key, str value)
{
    if (str_eq(key, S("values")))
        raw->values = value;
    else if (str_eq(key, S("shapes")))
        raw->shapes = value;
    else if (str_eq(key, S("types")))
        raw->types = value;
    else if (str_eq(key, S("strides")))
        raw->strides = value;
}

/* Inputs or outputs: an object of the lists, or the list of values with the others beside it. */
static struct execution_arguments arguments(struct execution_reading *r, const struct fields *fields, enum field first)
{
    struct raw_arguments raw = {fields->at[first], fields->at[first + 1], fields->at[first + 2], S("")};
    if (str_starts(raw.values, S("{"))) {
        struct json json = json_at(raw.values.at, &r->scratch);
        raw = (struct raw_arguments){S(""), S(""), S(""), S("")};
        str key, value;
        json_enter(&json);
        while (json_key(&json, &key) && json_raw(&json, &value))
            take_raw(&raw, key, value);
    }
    return execution_arguments(r, &raw);
}

static uint32_t collective(struct execution_reading *r, const struct fields *fields)
{
    if (!fields->at[FIELD_COLLECTIVE].len)
        return EXECUTION_NONE;
    r->collectives = mem_grow(r->collectives, &r->collective_room, r->collective_count + 1, sizeof *r->collectives);
    r->collectives[r->collective_count] = (struct execution_collective){
        .kind = text(r, fields, FIELD_COLLECTIVE),
        .dtype = text(r, fields, FIELD_DTYPE),
        .group = text(r, fields, FIELD_GROUP),
        .in_elements = integer(fields, FIELD_IN_ELEMENTS, -1),
        .out_elements = integer(fields, FIELD_OUT_ELEMENTS, -1),
        .group_size = integer(fields, FIELD_GROUP_SIZE, -1),
    };
    return (uint32_t)r->collective_count++;
}

/* ---- the node ---- */

static void fill(struct execution_reading *r, const struct fields *fields, struct execution_node *node)
{
    node->name = text(r, fields, FIELD_NAME);
    node->schema = text(r, fields, FIELD_SCHEMA);
    node->record = integer(fields, FIELD_RECORD, 0);
    node->sequence = integer(fields, FIELD_SEQUENCE, -1);
    node->forward_parent = integer(fields, FIELD_FORWARD_PARENT, 0);
    node->thread = integer(fields, FIELD_THREAD, 0);
    node->forward_thread = integer(fields, FIELD_FORWARD_THREAD, 0);
    node->scope = integer(fields, FIELD_SCOPE, SCOPE_FUNCTION);
    node->inputs = arguments(r, fields, FIELD_INPUTS);
    node->outputs = arguments(r, fields, FIELD_OUTPUTS);
    node->collective = collective(r, fields);
}

bool execution_node(struct execution_reading *r, const char *at, struct execution_draft *draft, const char **what)
{
    struct fields fields = {0};
    struct json json = json_at(at, &r->scratch);
    *what = "node dropped: it has no id";
    if (!take_members(&json, &fields) || !fields.at[FIELD_ID].len)
        return false;
    take_attributes(r, &fields);
    *what = "node dropped: its id is no number";
    *draft = (struct execution_draft){.node.parent = EXECUTION_NONE};
    if (!str_int(str_trim(fields.at[FIELD_ID]), &draft->node.id))
        return false;
    draft->parent_id = integer(&fields, FIELD_PARENT, draft->node.id);
    draft->named_parent = fields.at[FIELD_PARENT].len;
    fill(r, &fields, &draft->node);
    return true;
}
