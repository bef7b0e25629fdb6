#compdef __PROGRAM__
# zsh completion for __PROGRAM__: asks the program (`__complete`), then follows its directive.

___PROGRAM__() {
    local request line reply directive prefix tab=$'\t'
    local -a lines entries options

    # Only what stands before the cursor counts.
    words=("${=words[1,CURRENT]}")
    request="${words[1]} __complete ${words[2,-1]}"
    [[ -z ${words[-1]} || ${LBUFFER[-1]} == ' ' ]] && request+=" ''"
    reply=$(eval "$request" 2>/dev/null)
    lines=("${(@f)reply}")
    directive=${lines[-1]#:}
    lines=("${(@)lines[1,-2]}")
    [[ $directive == <-> ]] || directive=0
    (( directive & 1 )) && return

    [[ ${words[-1]} == -*=* ]] && prefix="-P ${words[-1]%%=*}="
    for line in $lines; do
        [[ -z $line ]] && continue
        # The separator of _describe is a colon, so colons of the candidate are escaped.
        line=${line//:/\\:}
        entries+=("${line/$tab/:}")
    done

    if (( directive & 8 )); then
        _arguments "*:file:_files -g '*.(${(j:|:)lines})'"
        return
    fi
    if (( directive & 16 )); then
        _files -/
        return
    fi
    (( directive & 2 )) && options+=(-S '')
    (( directive & 32 )) && options+=(-V)
    if (( ${#entries} )); then
        _describe -V -t completions completions entries ${=prefix} $options && return
    fi
    (( directive & 4 )) || _arguments '*:file:_files'
}

# Evaluated as a script rather than found by compinit.
if [[ ${funcstack[1]} == ___PROGRAM__ ]]; then
    ___PROGRAM__ "$@"
else
    compdef ___PROGRAM__ __PROGRAM__
fi
