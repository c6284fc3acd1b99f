#compdef browserhive
# Completion of browserhive for zsh.
_browserhive() {
  local answer entry
  local -a candidates
  answer=$(${~words[1]} complete -- "${(pj:\n:)words[1,CURRENT]}" 2>/dev/null) || return 1
  if [[ $answer == :file* ]]; then
    [[ -n ${answer#*$'\t'} ]] && compset -P '*='
    _files
    return
  fi
  for entry in "${(@f)answer}"; do
    [[ -n $entry ]] && candidates+=("${${entry%%$'\t'*}//:/\\:}:${entry#*$'\t'}")
  done
  _describe browserhive candidates
}
compdef _browserhive browserhive
