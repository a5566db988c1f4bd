/* SPDX-License-Identifier: Apache-2.0 */
/* ST3xx: the way of the data leaves the device for no need, or its preparation holds up the training thread. */
#include "words.h"

const struct rule_words words_device_round_trip = {
    .brief = "data goes from the device to the host and back within a step",
    .why = "The host waits for the device, works while the device has nothing to do, and then the device waits for the "
           "upload: the whole detour is a gap in the device's work.",
    .bad = "k = np.bincount(z.argmax(1).cpu().numpy(), minlength=n)\n"
           "k = torch.as_tensor(k).to(z.device)\n",
    .good = "k = torch.bincount(z.detach().argmax(1), minlength=n)\n",
    .unsafe_when =
        "The detour cuts autograd: a rewrite in torch needs .detach() to train the same. NumPy differs in "
        "details (float64 by default, std with ddof=0, stable sorting). Some algorithms have no counterpart.",
    .source = "NVIDIA, Writing sync-free code (docs.nvidia.com/dl-cuda-graph)",
};

const struct rule_words words_preparation_on_training_thread = {
    .brief = "batches are prepared in Python on the training thread",
    .why =
        "While the thread that launches kernels builds graphs, pads or samples in Python, the device has nothing to do. "
        "In the two pipelines of the PAEF paper this was up to 87 % of training time.",
    .bad = "for rows in batches:\n"
           "    features = build_graph(data, rows)\n"
           "    loss = step(features)\n",
    .good = "loader = DataLoader(data, collate_fn=build_graph, num_workers=4, persistent_workers=True)\n"
            "for features in loader:\n"
            "    loss = step(features)\n",
    .unsafe_when =
        "The preparation changes shared state, uses the device (workers are forked), or draws random numbers: "
        "workers have their own streams. What is handed to workers must pickle where they are spawned.",
    .source = "Singh et al., Performance Antipatterns Eliminator Framework, EuroMLSys 2023; PyTorch tuning guide",
};

const struct rule_words words_repeated_preparation = {
    .brief = "the same preparation is done again each step or epoch",
    .why =
        "What a pure function makes of a sample is the same in every epoch. Computing it again takes host time in which "
        "the device waits.",
    .bad = "for epoch in range(epochs):\n"
           "    for session in sessions:\n"
           "        nodes = np.unique(session)\n",
    .good = "nodes_of = [np.unique(session) for session in sessions]\n"
            "for epoch in range(epochs):\n"
            "    for nodes in nodes_of:\n"
            "        ...\n",
    .unsafe_when = "It is random (augmentation), the data changes between epochs, or the results do not fit in memory.",
    .source = "Singh et al., EuroMLSys 2023",
};

const struct rule_words words_module_ping_pong = {
    .brief = "a model moves between device and host inside a loop",
    .why = "All parameters cross the bus both ways, one copy a tensor, each with a wait.",
    .bad = "for batch in loader:\n"
           "    encoder.cuda()\n"
           "    z = encoder(batch)\n"
           "    encoder.cpu()\n",
    .good = "encoder.cuda()\n"
            "for batch in loader:\n"
            "    z = encoder(batch)\n",
    .unsafe_when =
        "The model does not fit beside the other one: then the move is the point, and pinned buffers on a side "
        "stream are the rewrite. An optimizer made before a move may hold other parameters.",
    .source = "PyTorch documentation of torch.optim (move the module before constructing optimizers)",
};
