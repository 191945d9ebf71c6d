# complete.bash SCRIPT LINE...: what bash offers at the end of each line, with the completion of a
# script. Prints `LINE|word word` for each. Bash sets these variables before it calls the function.
source "$1"
for line in "${@:2}"; do
  COMP_LINE=$line
  COMP_POINT=${#line}
  read -ra COMP_WORDS <<< "$line"
  [[ $line == *' ' ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=(left over)
  "$(complete -p "${COMP_WORDS[0]}" | sed "s/.*-F \([^ ]*\).*/\1/")"
  echo "$line|$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -sd ' ')"
done
