/**
 * The completion script for bash. Ours: that of the library evaluates what was typed, wants the bash-completion package, and
 * offers no files. Words reach the command as arguments, and its answer is never expanded.
 */
export const BASH_COMPLETION: string = `# bash completion for holdfast
_holdfast() {
  local line directive=0 answer
  COMPREPLY=()
  answer="$(holdfast complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" || return 0
  while IFS= read -r line; do
    case "$line" in
      :*) directive="\${line#:}" ;;
      ?*) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done <<< "$answer"
  # 4: nothing but these. Otherwise bash goes on with the names of files.
  if [ "$directive" = 4 ] && type compopt >/dev/null 2>&1; then compopt +o default +o bashdefault; fi
}
complete -o bashdefault -o default -F _holdfast holdfast`;
