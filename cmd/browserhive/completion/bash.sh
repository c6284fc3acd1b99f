# Completion of browserhive for bash.
_browserhive() {
  local line answer text program=${COMP_WORDS[0]/#\~/$HOME}
  printf -v line '%s\n' "${COMP_WORDS[@]:0:COMP_CWORD+1}"
  COMPREPLY=()
  local current=${COMP_WORDS[COMP_CWORD]}
  [[ $current == '=' ]] && current=
  answer=$("$program" complete -- "${line%$'\n'}" 2>/dev/null) || return 0
  if [[ $answer == :file* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return 0
  fi
  while IFS=$'\t' read -r text _; do
    [[ -n $text ]] || continue
    # Bash breaks words at =, so what stands before it is not part of the word to complete.
    [[ $COMP_WORDBREAKS == *=* && $text == --*=* ]] && text=${text#*=}
    COMPREPLY+=("$text")
  done <<<"$answer"
}
complete -F _browserhive browserhive
