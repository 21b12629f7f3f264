/**
 * The scripts that make a shell complete. Each hands the words before the one that is completed to
 * `mlcli completions complete`, which prints what may follow, a line each, with a description after a
 * tab; takes what begins as typed, options only after a dash; and leaves files to the shell where
 * there is nothing.
 *
 * A value may be the name of a stranger's file: it is inserted quoted, and never expanded.
 */

/** Works in bash 3.2, which macOS has; there `compgen -W` would run `$(...)` of a value. */
const BASH = `_mlcli() {
  local cur=\${COMP_WORDS[COMP_CWORD]} word quoted last=-1
  local -a before=()
  COMPREPLY=()
  # Bash takes --output=json for three words.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $last -ge 0 && ($word == [=:]* || \${before[last]} == *[=:]) ]]; then
      before[last]+=$word
    else
      before[++last]=$word
    fi
  done
  if [[ $last -ge 0 ]]; then before[last]=\${before[last]%=}; fi
  if [[ $cur == = ]]; then cur=; fi
  while IFS=$'\\t' read -r word _; do
    if [[ $word == -* && $cur != -* ]]; then continue; fi
    printf -v quoted '%q' "$word"
    if [[ $word == "$cur"* || $quoted == "$cur"* ]]; then COMPREPLY+=("$quoted"); fi
  done < <(mlcli completions complete -- \${before[@]+"\${before[@]}"} 2> /dev/null)
}
complete -F _mlcli -o bashdefault -o default mlcli
`;

/** compadd would take a value that begins with a dash for an option. */
const ZSH = `#compdef mlcli
_mlcli() {
  local line tab=$'\\t'
  local -a lines found shown
  lines=("\${(@f)$(mlcli completions complete -- "\${(@Q)words[2,CURRENT-1]}" 2> /dev/null)}")
  for line in $lines; do
    if [[ $line == -* && $PREFIX != -* ]]; then continue; fi
    found+=("\${line%%$tab*}")
    shown+=("\${line/$tab/  -- }")
  done
  if (( $#found )); then compadd -l -d shown -- "\${found[@]}"; else _files; fi
}
compdef _mlcli mlcli
`;

const FISH = `function __mlcli_complete
  set -l before (commandline -opc)
  set -e before[1]
  set -g __mlcli_found (mlcli completions complete -- $before 2> /dev/null)
  if not string match -q -- '-*' (commandline -ct)
    set __mlcli_found (string match -v -- '-*' $__mlcli_found)
  end
  test (count $__mlcli_found) -gt 0
end
complete -c mlcli -f -n __mlcli_complete -a '$__mlcli_found'
`;

/** Windows PowerShell 5.1 hands over no empty words; there are none before the one completed. */
const POWERSHELL = `Register-ArgumentCompleter -Native -CommandName mlcli -ScriptBlock {
  param($typed, $line, $cursor)
  $before = @($line.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { "$_".Trim("'", '"') })
  $typed = $typed.Trim("'", '"')
  mlcli completions complete -- @before 2>$null | ForEach-Object {
    $word, $description = $_ -split "\`t", 2
    if (-not $word.StartsWith($typed) -or ($word[0] -eq '-' -and $typed -eq '')) { return }
    $quoted = [Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($word)
    $text = if ($word -match '^[\\w./:-]+$') { $word } else { "'$quoted'" }
    if (-not $description) { $description = $word }
    [Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $description)
  }
}
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL } as const;
