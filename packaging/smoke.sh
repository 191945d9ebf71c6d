#!/usr/bin/env bash
# packaging/smoke.sh MACHINE TREE: runs the program of TREE, for another machine, under qemu. Everything is tried that
# needs no process of its own and no engine: qemu is called by name, so programs that strata would
# start are not run. The expected numbers are torchvision's.
set -euo pipefail
machine=$1 tree=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strata=("qemu-$machine-static" -L "/usr/$machine-linux-gnu" "$tree/bin/strata")
expect() {
  local said
  said=$("${@:2}" 2>&1) || { echo "smoke: ${*:2} failed: $said" >&2; exit 1; }
  grep -qF "$1" <<<"$said" || { printf 'smoke: %s does not say "%s":\n%s\n' "${*:2}" "$1" "$said" >&2; exit 1; }
  echo "ok: ${*:$((${#strata[@]} + 2))}"
}
expect "strata 0." "${strata[@]}" --version
expect "25.56 M" "${strata[@]}" stat zoo:resnet50 --report root
expect "3,504,872" "${strata[@]}" stat zoo:mobilenet_v2 --report root --exact
"${strata[@]}" zoo export mobilenet_v2 -o "$work/m.onnx" >/dev/null
expect "300,774,272" "${strata[@]}" stat "$work/m.onnx" --report root --exact
"${strata[@]}" stat "$work/m.onnx" --format json -o "$work/m.json"
expect "No findings" "${strata[@]}" lint "$work/m.json"
expect "Params +118.6 %" "${strata[@]}" diff zoo:resnet18 zoo:resnet50
expect "1,280,000" "${strata[@]}" explain zoo:mobilenet_v2 classifier.1
expect "within" "${strata[@]}" check zoo:mobilenet_v2 --budget macs=320M
expect "conv1" "${strata[@]}" predict zoo:resnet50 --on a100
expect "llama-3-8b fits" "${strata[@]}" llm zoo:llama-3-8b
for format in html svg csv md excel; do
  "${strata[@]}" stat zoo:resnet18 --format "$format" -o "$work/out.$format"
  [ -s "$work/out.$format" ] || { echo "smoke: stat --format $format wrote nothing" >&2; exit 1; }
  echo "ok: stat zoo:resnet18 --format $format"
done
