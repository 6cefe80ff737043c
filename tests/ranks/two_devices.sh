#!/bin/sh
# What several devices of this machine are worth, in one call: a sum and a scan, shared by one rank and by as many as are
# named, and of an array that grows with them. Needs a2 built with MPI, mpirun, and so many devices; with fewer, ranks
# share one, and the times say nothing.
#
# usage: two_devices.sh [A2] [RANKS]
set -eu
a2=${1:-build/a2}
ranks=${2:-2}
for length in 2^27 2^30; do
    echo "strong, $length elements"
    mpirun -n "$ranks" "$a2" bench reduce/subgroup scan/lookback -n "$length" -r 20 --scaling strong
done
echo "weak, 2^30 elements for each rank"
mpirun -n "$ranks" "$a2" bench reduce/subgroup scan/lookback -n 2^30 -r 20 --scaling weak
echo "right, up to the last element"
mpirun -n "$ranks" "$a2" run reduce/subgroup scan/lookback scan/work-efficient -n 2^30 -r 5
