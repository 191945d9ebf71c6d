#!/usr/bin/env bash
# website/gallery.sh STRATA FOLDER: writes real pages into FOLDER, pictures of them where there is a Chromium, and
# the page that lists them.
set -euo pipefail
strata=$1 to=$2
mkdir -p "$to"
cd "$to"
chromium=$(command -v chromium || true)
{
  echo "# Gallery"
  echo
  echo "Each of these is the one file that a command wrote. It opens without a network, and sorts, filters, draws and exports."
  echo
  echo '<div class="gallery" markdown="0">'
} >index.md

# page NAME TITLE WORD...: one command, its page and a picture of it.
page() {
  local name=$1 title=$2
  shift 2
  "$strata" "$@" --format html -o "$name.html" >/dev/null
  if [ -n "$chromium" ]; then
    # Its profile is a folder of its own, and nothing is left of it.
    profile=$(mktemp -d)
    timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$profile" \
      --window-size=1280,800 --screenshot="$PWD/$name.png" "file://$PWD/$name.html" >/dev/null 2>&1 || true
    rm -rf "$profile"
  fi
  local picture=
  [ ! -s "$name.png" ] || picture="<img src=\"$name.png\" alt=\"\" loading=\"lazy\">"
  echo "<a href=\"$name.html\">$picture<span><b>$title</b><br><code>strata $*</code></span></a>" >>index.md
}
page mobilenet_v2 "Where the work of MobileNetV2 is" stat zoo:mobilenet_v2
page resnet50_h100 "ResNet-50 on an H100 that is not here" predict zoo:resnet50 --on h100
page resnets "ResNet-18 beside ResNet-50" diff zoo:resnet18 zoo:resnet50
page llama "Does Llama 3 fit, and how fast is it?" llm zoo:llama-3-8b
page cuts "Where to split VGG-16 between two devices" payload zoo:vgg16 --cuts
page zoo "Every built-in network" zoo table
echo '</div>' >>index.md
