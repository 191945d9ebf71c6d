#!/usr/bin/env bash
# comment.sh: writes the file $TABLE into a comment on pull request $NUMBER, or into the one that an
# earlier run wrote under the same $TITLE. A failure is only a warning: the token of a pull request from
# a fork may not write, and the exit code has the verdict.
set -euo pipefail
warn() {
  echo "::warning title=strata check::$1"
  exit 0
}
command -v gh > /dev/null || warn "no comment was written: gh is not installed"

export MARKER="<!-- strata check: $TITLE -->"
body=$(mktemp "${RUNNER_TEMP:-/tmp}/comment.XXXXXX")
{ echo "$MARKER"; head -c 60000 "$TABLE"; } > "$body"  # GitHub takes 65,536 characters

comments=repos/$GITHUB_REPOSITORY/issues/comments
here=repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments
ours='.[] | select(.body | startswith(env.MARKER)) | .id'
ids=$(gh api --paginate "$here" --jq "$ours") || warn "no comment was written: none can be read"
if [ -n "$ids" ]; then
  gh api --silent --method PATCH "$comments/${ids%%$'\n'*}" --field "body=@$body" ||
    warn "the comment was not updated: the token needs pull-requests: write"
else
  gh api --silent --method POST "$here" --field "body=@$body" ||
    warn "no comment was written: the token needs pull-requests: write"
fi
