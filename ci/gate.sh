#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The gate of a merge request: lint, and the difference of two recordings. Reports go into a folder, with the text of a comment.
#
#   gate.sh     all it takes is in the environment:
#
#   STEPTIME_PATHS      what to lint, words of the shell; default: .
#   STEPTIME_FAIL_ON    note, warning, error or never; default: warning
#   STEPTIME_KNOWN      a file of 'lint --write-baseline': what it lists does not count
#   STEPTIME_BEFORE     a trace, a sketch ('summary --save') or a folder of ranks; none: no difference is told
#   STEPTIME_AFTER      the same of this change
#   STEPTIME_FAIL_OVER  how much slower a step may be; default: 5%
#   STEPTIME_FAIL_UNSURE  1: say no where the difference cannot tell, too; default: pass, and the comment says so
#   STEPTIME_OUT        the folder; default: steptime-report
#
# Exit status: 0 passed, 1 the gate says no, else what steptime ended with: nothing was judged.
set -u

program=${STEPTIME:-steptime}
out=${STEPTIME_OUT:-steptime-report}
known=${STEPTIME_KNOWN:-}
case ${STEPTIME_FAIL_UNSURE:-} in '' | 0 | false) unsure= ;; *) unsure=1 ;; esac
worst=0

# Of several ends the gravest: what could not be judged stands above a no.
ended() {
    [ "$1" -gt "$worst" ] && worst=$1
    return 0
}

lint() {
    # shellcheck disable=SC2086 # paths are words
    "$program" lint ${known:+--baseline "$known"} "$@" ${STEPTIME_PATHS:-.}
}

mkdir -p "$out" || exit 4
rm -f "$out/lint.md" "$out/diff.md" "$out/steptime.sarif"
lint --fail-on never --format sarif -o "$out/steptime.sarif"
ended $?
lint --fail-on never --format markdown -o "$out/lint.md"
ended $?
[ -n "${GITHUB_ACTIONS:-}" ] && format=github || format=term
lint --fail-on "${STEPTIME_FAIL_ON:-warning}" --format $format
ended $?

if [ -n "${STEPTIME_BEFORE:-}" ] && [ -n "${STEPTIME_AFTER:-}" ]; then
    "$program" diff --fail-over "${STEPTIME_FAIL_OVER:-5%}" ${unsure:+--fail-unsure} --format markdown -o "$out/diff.md" "$STEPTIME_BEFORE" "$STEPTIME_AFTER"
    ended $?
    cat "$out/diff.md" 2>/dev/null
elif [ -n "${STEPTIME_BEFORE:-}${STEPTIME_AFTER:-}" ]; then
    echo "steptime gate: a difference takes two recordings: STEPTIME_BEFORE and STEPTIME_AFTER" >&2
    ended 2
fi

case $worst in
0)
    word='passed'
    grep -qs 'The gate cannot tell' "$out/diff.md" && word='passed, but cannot tell whether the step got slower'
    ;;
1) word='says no' ;;
*) word="could not judge (exit status $worst): see the log" ;;
esac
{
    echo "**steptime** $word"
    for part in diff lint; do
        [ -s "$out/$part.md" ] && echo && cat "$out/$part.md"
    done
} >"$out/comment.md"
[ -n "${GITHUB_STEP_SUMMARY:-}" ] && cat "$out/comment.md" >>"$GITHUB_STEP_SUMMARY"
exit $worst
