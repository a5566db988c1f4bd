# SPDX-License-Identifier: Apache-2.0
"""For run.py: batches of the shapes that --batch-shape says, for scripts whose data is absent. Every DataLoader hands them out;
datasets that find no data when they are made are made all the same.

It lies as steptime_dry_data.py beside the sitecustomize.py that run.py is. Shapes are `8x3x224x224:float32,8:int64`, or with
names `input_ids=8x2048:int64,labels=8x2048:int64`, which come as a dictionary.
"""
import functools

from steptime_dry_plan import BATCH, SHAPES, count, place, tell

MANY = 1000000  # samples of data that is absent


def shapes_of(torch):
    """[(name, sizes, type)]"""
    found = []
    for word in SHAPES.split(","):
        name, _, rest = word.rpartition("=")
        sizes, _, kind = rest.partition(":")
        sizes = [int(size) for size in sizes.split("x")]
        if BATCH:
            sizes[0] = BATCH
        found.append((name, sizes, getattr(torch, kind or "float32")))
    return found


class Data:
    def __init__(self, torch, batch):
        """batch: hears what is handed out."""
        self.torch, self.batch = torch, batch
        self.shapes = shapes_of(torch)
        self.own = int(SHAPES.split(",", maxsplit=1)[0].rpartition("=")[2].partition(":")[0].partition("x")[0])
        self.told = False

    def one(self):
        made = [(name, self.torch.zeros(sizes, dtype=kind)) for name, sizes, kind in self.shapes]
        if made[0][0]:
            return dict(made)
        return [tensor for _, tensor in made] if len(made) > 1 else made[0][1]

    def tell(self):
        if not self.told:
            tell("shaped", place())
        self.told = True

    def batches(self, loader):
        self.tell()
        for _ in range(len(loader)):
            if BATCH:
                self.batch.began()
            batch = self.one()
            self.batch.see_loaded(batch, self.own if BATCH else 0)
            yield batch

    # ---- loaders ----

    def stand_in(self):
        class Absent(self.torch.utils.data.Dataset):
            def __len__(self):
                return MANY

            def __getitem__(self, index):
                raise IndexError("data of --batch-shape")
        return Absent()

    def take(self, given):
        """Arguments of a DataLoader, by name."""
        try:
            long_enough = len(given["dataset"]) > 0
        except Exception:  # pylint: disable=broad-except
            long_enough = isinstance(given["dataset"], self.torch.utils.data.IterableDataset)
        if not long_enough:
            given["dataset"] = self.stand_in()
        count("skipped", "loading data: batches are those of --batch-shape")
        if BATCH:
            tell("rebatched", place(), str(BATCH))

    def watch(self):
        loaders = self.torch.utils.data.DataLoader
        length = loaders.__len__

        def length_or_many(loader):
            try:
                return max(length(loader), 1)
            except Exception:  # pylint: disable=broad-except
                return MANY
        loaders.__len__ = length_or_many
        loaders.__iter__ = lambda loader: self.batches(loader)
        self.forgive_datasets()

    # ---- datasets that find nothing ----

    def forgive_datasets(self):
        Dataset = self.torch.utils.data.Dataset

        def watch_class(cls, **named):
            super(Dataset, cls).__init_subclass__(**named)
            if "__init__" in cls.__dict__:
                cls.__init__ = forgiving(cls.__init__)
        Dataset.__init_subclass__ = classmethod(watch_class)


def forgiving(make):
    @functools.wraps(make)
    def wrapper(dataset, *arguments, **named):
        try:
            make(dataset, *arguments, **named)
        except (OSError, RuntimeError, ImportError) as problem:
            count("skipped", f"data of {type(dataset).__name__}: {type(problem).__name__}")
    return wrapper
