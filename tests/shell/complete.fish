# complete.fish SCRIPT LINE...: what fish offers at the end of each line, with the completions of a
# script. Prints `LINE|word word` for each.
source $argv[1]
for line in $argv[2..-1]
    set words (complete -C $line | cut -f1 | LC_ALL=C sort)
    echo "$line|$words"
end
