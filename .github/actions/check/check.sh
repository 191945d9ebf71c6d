#!/usr/bin/env bash
# check.sh: runs `strata check` on each line of $MODELS. Writes the tables as Markdown into the summary
# of the job and into a file, and says in $GITHUB_OUTPUT where that is and which exit code was the
# highest. Exits with 0, so that the next step can report.
set -euo pipefail
strata=${STRATA:-strata}
folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/strata-check.XXXXXX")
tables=$folder/tables.md
code=0

# annotate TEXT: an error in the form that GitHub reads, in which a line break is %0A.
annotate() {
  local text=${1//'%'/%25}
  text=${text//$'\r'/%0D}
  echo "::error title=strata check::${text//$'\n'/%0A}"
}

read -d "" -ra options <<< "${OPTIONS:-}" || true
[ -z "${BASELINE:-}" ] || options+=(--baseline "$BASELINE")

printf '### %s\n' "${TITLE:-Model budgets}" > "$tables"
count=0
while read -r model; do
  [ -n "$model" ] || continue
  count=$((count + 1))
  table=$folder/$count.md
  found=0
  "$strata" check "$model" --budget "$BUDGET" "${options[@]}" --github --format md -o "$table" \
    2> "$folder/errors" || found=$?
  cat "$folder/errors" >&2
  if [ $found != 0 ] && [ $found != 3 ]; then
    annotate "$(tail -n 5 "$folder/errors")"
    printf '\n%s could not be checked; the log says why.\n' "\`$model\`" >> "$tables"
  elif [ -s "$table" ]; then
    { echo; cat "$table"; } >> "$tables"
  fi
  [ $found -le $code ] || code=$found
done <<< "${MODELS:-}"
if [ $count = 0 ]; then
  annotate "model: no model is named"
  code=2
fi

cat "$tables"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$tables" >> "$GITHUB_STEP_SUMMARY"
[ -z "${GITHUB_OUTPUT:-}" ] || printf 'exit-code=%s\ntable=%s\n' "$code" "$tables" >> "$GITHUB_OUTPUT"
