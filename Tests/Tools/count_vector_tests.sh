#!/bin/sh
# Says how many tests of the shared vectors ran; fails if one was skipped, or if there were too few.
#
#     count_vector_tests.sh LOG     LOG: what the tests wrote to $MATTERCTL_VECTOR_LOG
#
# With MATTERCTL_WITHOUT_SHARED=1 it only says so.
set -eu
least=63
planned=$(sed -n 's/^planned //p' "$1" | sort -u)
ran=$(sed -n 's/^ran //p' "$1" | sort -u)
count() { printf '%s' "${1:+$1
}" | wc -l; }
echo "vector tests: $(count "$ran") of $(count "$planned") ran"
[ "${MATTERCTL_WITHOUT_SHARED:-}" != 1 ] || exit 0
if [ "$planned" != "$ran" ]; then
    echo "error: vector tests were skipped; MATTERCTL_SHARED names the folder that has them (default: ../shared)" >&2
    exit 1
fi
if [ "$(count "$ran")" -lt "$least" ]; then
    echo "error: $(count "$ran") vector tests ran, and there are at least $least" >&2
    exit 1
fi
