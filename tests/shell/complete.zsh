# complete.zsh FOLDER LINE...: what an interactive zsh offers at the end of each line, with the
# completion functions of a folder. Prints `LINE|word word` for each.
#
# zsh runs in a pseudo terminal. Its compadd writes down what matches instead of showing it.
zmodload zsh/zpty
seen=$(mktemp -d)
cat > $seen/init.zsh <<END
  PS1= fpath=($1 \$fpath)
  autoload -Uz compinit && compinit -u -D
  compadd() {
    if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "\$@"; return; fi
    local -a hits
    builtin compadd -O hits "\$@"
    print -rl -- \$hits >> $seen/hits
    (( \$#hits > 0 ))
  }
  next() { print the:end; BUFFER=; zle accept-line }
  zle -N next
  bindkey '^I' complete-word '^X' next
  print the:end
END
wait_for_end() {
  local line
  while zpty -r shell line; do [[ $line == *the:end* ]] && return; done
}
zpty shell zsh -f -i
zpty -w shell "source $seen/init.zsh"
wait_for_end
for wanted in "${@[2,-1]}"; do
  : > $seen/hits
  zpty -n -w shell "$wanted"$'\t\x18'
  wait_for_end
  hits=(${(uof)"$(<$seen/hits)"})
  print -r -- "$wanted|$hits"
done
zpty -d shell
rm -r $seen
