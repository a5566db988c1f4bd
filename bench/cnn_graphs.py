# SPDX-License-Identifier: Apache-2.0
"""Execution graphs of a training step of ResNet50 and Inception-V3, from the published architectures (He et al. 2015; Szegedy et
al. 2015; layers as torchvision has them), with the operators that PyTorch of 2021 records: forward, backward, SGD.

ResNet50 on 224 x 224, Inception-V3 on 299 x 299, 1000 classes, as the program runs them that they were measured with (convnet-benchmark-py
of the authors, benchmark.py): without Inception's second classifier, its branch put off; and in three parts, each timed from an idle
device to its own end: forward; clearing gradients, loss and backward; the optimizer.
"""
import math


class Graph:
    """Nodes of an execution graph of schema 1.0.0: names, parents, shapes."""

    def __init__(self):
        self.nodes, self.tape = [], []
        self.process = self.node("[pytorch|profiler|execution_graph|process]", None)
        self.thread = self.node("[pytorch|profiler|execution_graph|thread]", self.process)

    def node(self, name, parent, *arguments, gives=()):
        """Arguments: shapes of tensors as tuples, numbers, lists of numbers, None."""
        number = len(self.nodes) + 1
        tensors = [isinstance(one, tuple) for one in arguments]
        self.nodes.append({
            "name": name, "id": number, "rf_id": number, "parent": parent or number, "fw_parent": 0,
            "scope": 7 if name.startswith(("module", "[")) else 0, "tid": 1, "fw_tid": 0,
            "op_schema": name + "()" if name.startswith("aten::") else "",
            "inputs": [self.tensor(one) if is_tensor else "<None>" if one is None else one
                       for one, is_tensor in zip(arguments, tensors)],
            "input_shapes": [list(one) if is_tensor else [[]] * len(one) if isinstance(one, list) else []
                             for one, is_tensor in zip(arguments, tensors)],
            "input_types": [self.type_of(one) for one in arguments],
            "outputs": [self.tensor(one) for one in gives], "output_shapes": [list(one) for one in gives],
            "output_types": ["Tensor(float)" for _ in gives]})
        return number

    @staticmethod
    def tensor(shape):
        return [1, 1, 0, math.prod(shape), 4, "cuda:0"]

    @staticmethod
    def type_of(one):
        if isinstance(one, list):
            return f"GenericList[{','.join('Int' for _ in one)}]"
        return {tuple: "Tensor(float)", bool: "Bool", int: "Int", type(None): "None"}[type(one)]

    def forward(self, name, *arguments, gives=()):
        return self.node(name, self.region, *arguments, gives=gives)

    def begin(self, region):
        self.region = self.node(region, self.thread)

    # ---- layers: each takes the shape that comes in and gives the one that leaves ----

    def convolution(self, shape, out, kernel, stride=1, padding=0):
        high, wide = (kernel, kernel) if isinstance(kernel, int) else kernel
        above, beside = (padding, padding) if isinstance(padding, int) else padding
        batch, channels, rows, columns = shape
        weight = (out, channels, high, wide)
        result = (batch, out, (rows + 2 * above - high) // stride + 1, (columns + 2 * beside - wide) // stride + 1)
        how = ([stride, stride], [above, beside], [1, 1])
        self.forward("aten::conv2d", shape, weight, None, *how, 1, gives=[result])
        self.tape.append(("ConvolutionBackward0", "aten::convolution_backward",
                          (result, shape, weight, [0], *how, False, [0, 0], 1, [True, True, False]), [weight]))
        return result

    def normalised(self, shape):
        per_channel = (shape[1],)
        self.forward("aten::add", (1,), (1,), gives=[(1,)])  # batches seen
        self.forward("aten::batch_norm", shape, *[per_channel] * 4, gives=[shape])
        self.tape.append(("CudnnBatchNormBackward0", "aten::cudnn_batch_norm_backward",
                          (shape, shape, *[per_channel] * 5), [per_channel, per_channel]))
        return shape

    def rectified(self, shape):
        self.forward("aten::relu_", shape, gives=[shape])
        self.tape.append(("ReluBackward0", "aten::threshold_backward", (shape, shape), []))
        return shape

    def block(self, shape, *layer, **how):
        return self.rectified(self.normalised(self.convolution(shape, *layer, **how)))

    def most(self, shape, kernel=3, stride=2, padding=0):
        result = self.window(shape, kernel, stride, padding)
        self.forward("aten::max_pool2d", shape, gives=[result])
        self.tape.append(("MaxPool2DWithIndicesBackward0", "aten::max_pool2d_with_indices_backward",
                          (result, shape), []))
        return result

    def mean(self, shape, kernel, stride=1, padding=0):
        result = self.window(shape, kernel, stride, padding)
        self.forward("aten::avg_pool2d", shape, gives=[result])
        self.tape.append(("AvgPool2DBackward0", "aten::avg_pool2d_backward", (result, shape), []))
        return result

    def window(self, shape, kernel, stride, padding):
        return (*shape[:2], *((size + 2 * padding - kernel) // stride + 1 for size in shape[2:]))

    def parted(self, shape, ways):
        """What goes several ways: its gradients are added up on their way back."""
        for _ in range(ways - 1):
            self.tape.append(("AddBackward0", "aten::add", (shape, shape, 1), []))

    def added(self, shape):
        self.forward("aten::add_", shape, shape)
        return shape

    def joined(self, shapes):
        result = (shapes[0][0], sum(shape[1] for shape in shapes), *shapes[0][2:])
        self.forward("aten::cat", *shapes, gives=[result])
        self.tape.append(("CatBackward0", None, shapes, []))
        return result

    def classified(self, shape, classes=1000):
        batch, channels = shape[:2]
        self.mean(shape, shape[2])
        self.forward("aten::linear", (batch, channels), (classes, channels), (classes,))
        self.tape.append(("AddmmBackward0", "aten::mm", ((batch, classes), (classes, channels)),
                          [(classes, channels), (classes,)]))

    # ---- the rest of a step ----

    def loss(self, batch, classes=1000):
        scores = (batch, classes)
        self.node("aten::_log_softmax", self.forward("aten::cross_entropy_loss", scores, (batch,)), scores, 1, False)
        self.tape.append(("LogSoftmaxBackward0", "aten::_log_softmax_backward_data", (scores, scores), []))
        self.tape.append(("NllLossBackward0", "aten::zero_", (scores,), []))

    def backward(self):
        for name, operator, shapes, weights in reversed(self.tape):
            around = self.node("autograd::engine::evaluate_function: " + name, self.region)
            inner = self.node(name, around, shapes[0])
            if operator:
                self.node(operator, inner, *shapes)
            if name == "AddmmBackward0":
                (batch, classes), (_, channels) = shapes
                self.node("aten::mm", inner, (classes, batch), (batch, channels))
            for part in () if operator else shapes:
                self.node("aten::narrow", inner, part)
            for weight in weights:
                holder = self.node("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", self.region)
                adder = self.node("torch::autograd::AccumulateGrad", holder, weight)
                self.node("aten::add_", adder, weight, weight)

    def updated(self, parameters):
        optimizer = self.node("Optimizer.step#SGD.step", self.thread)
        for weight in parameters:
            self.node("aten::add_", optimizer, weight, weight)

    def cleared(self, parameters):
        zeroing = self.node("Optimizer.zero_grad#SGD.zero_grad", self.thread)
        for weight in parameters:
            self.node("aten::zero_", zeroing, weight)


# ---- ResNet50 ----

def bottleneck(graph, shape, width, stride, projects):
    graph.parted(shape, 2)
    inner = graph.block(shape, width, 1)
    inner = graph.block(inner, width, 3, stride, 1)
    inner = graph.normalised(graph.convolution(inner, 4 * width, 1))
    if projects:
        graph.normalised(graph.convolution(shape, 4 * width, 1, stride))
    return graph.rectified(graph.added(inner))


def resnet50(graph, batch):
    shape = graph.most(graph.block((batch, 3, 224, 224), 64, 7, 2, 3), padding=1)
    for stage, (width, count) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for i in range(count):
            shape = bottleneck(graph, shape, width, 2 if stage and not i else 1, not i)
    graph.classified(shape)


# ---- Inception-V3 ----

def inception_a(graph, shape, pooled):
    graph.parted(shape, 4)
    return graph.joined([graph.block(shape, 64, 1), graph.block(graph.block(shape, 48, 1), 64, 5, padding=2),
                         graph.block(graph.block(graph.block(shape, 64, 1), 96, 3, padding=1), 96, 3, padding=1),
                         graph.block(graph.mean(shape, 3, 1, 1), pooled, 1)])


def inception_b(graph, shape):
    graph.parted(shape, 3)
    return graph.joined([graph.block(shape, 384, 3, 2),
                         graph.block(graph.block(graph.block(shape, 64, 1), 96, 3, padding=1), 96, 3, 2),
                         graph.most(shape)])


def along(graph, shape, *layers):
    """Convolutions of 7 along rows and columns in turn."""
    for i, (width, across) in enumerate(layers):
        shape = graph.block(shape, width, (1, 7) if across else (7, 1), padding=(0, 3) if across else (3, 0))
    return shape


def inception_c(graph, shape, width):
    graph.parted(shape, 4)
    return graph.joined([
        graph.block(shape, 192, 1),
        along(graph, graph.block(shape, width, 1), (width, True), (192, False)),
        along(graph, graph.block(shape, width, 1), (width, False), (width, True), (width, False), (192, True)),
        graph.block(graph.mean(shape, 3, 1, 1), 192, 1)])


def inception_d(graph, shape):
    graph.parted(shape, 3)
    return graph.joined([graph.block(graph.block(shape, 192, 1), 320, 3, 2),
                         graph.block(along(graph, graph.block(shape, 192, 1), (192, True), (192, False)), 192, 3, 2),
                         graph.most(shape)])


def split(graph, shape):
    graph.parted(shape, 2)
    return graph.joined([graph.block(shape, 384, (1, 3), padding=(0, 1)), graph.block(shape, 384, (3, 1), padding=(1, 0))])


def inception_e(graph, shape):
    graph.parted(shape, 4)
    return graph.joined([graph.block(shape, 320, 1), split(graph, graph.block(shape, 384, 1)),
                         split(graph, graph.block(graph.block(shape, 448, 1), 384, 3, padding=1)),
                         graph.block(graph.mean(shape, 3, 1, 1), 192, 1)])


def inception_v3(graph, batch):
    shape = graph.block((batch, 3, 299, 299), 32, 3, 2)
    shape = graph.most(graph.block(graph.block(shape, 32, 3), 64, 3, padding=1))
    shape = graph.most(graph.block(graph.block(shape, 80, 1), 192, 3))
    for pooled in (32, 64, 64):
        shape = inception_a(graph, shape, pooled)
    shape = inception_b(graph, shape)
    for width in (128, 160, 160, 192):
        shape = inception_c(graph, shape, width)
    shape = inception_d(graph, shape)
    for _ in range(2):
        shape = inception_e(graph, shape)
    graph.classified(shape)


NETWORKS = {"ResNet50": resnet50, "Inception-V3": inception_v3}


def document(graph):
    return {"schema": "1.0.0", "pid": 1, "time": "", "start_ts": 0, "nodes": graph.nodes, "finish_ts": 1}


def parameters_of(tape):
    """In the order in which their gradients come."""
    return [weight for *_, weights in reversed(tape) for weight in weights]


def parts(model, batch):
    """Forward; backward; update: a graph each."""
    forward, backward, update = Graph(), Graph(), Graph()
    forward.begin("module::Forward")
    NETWORKS[model](forward, batch)
    weights = parameters_of(forward.tape)
    backward.cleared(weights)
    backward.begin("module::Backward")
    backward.tape = forward.tape
    backward.loss(batch)
    backward.backward()
    update.updated(weights)
    return [document(part) for part in (forward, backward, update)]
