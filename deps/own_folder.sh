# For scripts that fetch or make something. They replace only folders that they made themselves,
# which hold this marker; what somebody else put under the same name stays.
own_marker=.made-by-strata

# make_own FOLDER...: makes folders, and marks them.
make_own() {
  mkdir -p "$@"
  for folder in "$@"; do touch "$folder/$own_marker"; done
}

# remove_own FOLDER...: removes folders that are marked, and fails for others.
remove_own() {
  for folder in "$@"; do
    [ -e "$folder" ] || [ -L "$folder" ] || continue
    if [ -L "$folder" ] || [ ! -f "$folder/$own_marker" ]; then
      echo "$folder was not made by this script; move it away first" >&2
      exit 1
    fi
    rm -rf "$folder"
  done
}
