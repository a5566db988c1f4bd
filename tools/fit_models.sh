#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fits all families of kernel models again, from the public measurements beside the checkout:
#
#   tools/fit_models.sh [PROGRAM [FOLDER]]    PROGRAM is build/steptime, FOLDER data/models
#
# Half of what bench/gpu measured of other GPUs (bench/gpu/measured) is fitted with them, and bench/recurrent/fit.csv.
#
# The same tables give the same files: 'git diff data/models' shows nothing. Only rows for training are read.
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/steptime}
folder=${2:-data/models}
measured=${STEPTIME_SHARED:-../shared}/data/prediction
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

set -- "$measured"/kernels/train_*.csv.gz "$measured"/llm/gemm_fp8_train.csv.gz
python3 bench/gpu/measured_rows.py fit "$scratch" > /dev/null
set -- "$@" "$scratch"/*_fit.csv
if [ -f bench/collectives.py ]; then
    python3 bench/collectives.py "$measured/llm/collectives.tar.xz" "$scratch/collectives.csv"
    set -- "$@" "$scratch/collectives.csv"
fi
if [ -f bench/serving.py ]; then
    python3 bench/serving.py products "$measured/serving" "$scratch/products.csv" --rows 700
    set -- "$@" "$scratch/products.csv"
    python3 bench/serving.py collectives "$measured/serving" "$scratch/queued_collectives.csv"
    set -- "$@" "$scratch/queued_collectives.csv"
    for table in experts quantize prefill encoder decode latent power; do
        rows=1000
        [ $table = experts ] || [ $table = quantize ] || [ $table = power ] && rows=700
        [ $table = prefill ] && rows=2500
        python3 bench/serving.py $table "$measured/serving" "$scratch/$table.csv" --rows $rows
        set -- "$@" "$scratch/$table.csv"
    done
fi
set -- "$@" bench/recurrent/fit.csv
"$program" model fit "$@" --into "$folder"

# Iterations on many GPUs: their tables name no device.
"$program" model fit --family iteration --hw A100-SXM4-80GB "$measured"/llm/vtrain_single.csv \
    "$measured"/llm/vtrain_multi.csv --into "$folder"
