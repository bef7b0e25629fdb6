#compdef __PROGRAM__
# zsh completion for __PROGRAM__: asks the program (`__complete`), then follows its directive.

___PROGRAM__() {
    local word line reply directive tab=$'\t'
    local -a given lines entries order space match mbegin mend

    # Only what stands before the cursor counts. Words are read without running any part of the line: quotes go, a
    # word that is a variable or begins with ~/ is expanded.
    for word in "${(@)words[1,CURRENT-1]}" "$PREFIX"; do
        word=${(Q)word}
        if [[ $word =~ '^[$][{]?([A-Za-z_][A-Za-z0-9_]*)[}]?$' ]]; then
            word=${(P)match[1]}
        elif [[ $word == '~/'* ]]; then
            word=$HOME/${word#'~/'}
        fi
        given+=("$word")
    done
    reply=$("${given[1]}" __complete "${(@)given[2,-1]}" 2>/dev/null)
    lines=("${(@f)reply}")
    directive=${lines[-1]#:}
    lines=("${(@)lines[1,-2]}")
    [[ $directive == <-> ]] || directive=0
    (( directive & 1 )) && return 1

    # The value of a flag stands behind its name.
    [[ $PREFIX == -*=* ]] && compset -P 1 '*='

    if (( directive & 8 )); then
        _files -g "*.(${(j:|:)lines})"
        return
    fi
    if (( directive & 16 )); then
        _files -/
        return
    fi
    for line in "${(@)lines}"; do
        word=${line%%$tab*}
        [[ -z $word || $word == *[[:cntrl:]]* ]] && continue
        # A colon separates a name from what it is for. zsh quotes the name when it inserts it.
        word=${word//\\/\\\\}
        word=${word//:/\\:}
        [[ $line == *$tab* ]] && word+=:${${line#*$tab}//[[:cntrl:]]/ }
        entries+=("$word")
    done
    (( directive & 2 )) && space=(-S '')
    (( directive & 32 )) && order=(-V)
    if (( ${#entries} )); then
        _describe $order -t completions completion entries "${(@)space}" && return
    fi
    (( directive & 4 )) || _files
}

if [[ ${funcstack[1]} == ___PROGRAM__ ]]; then
    # compinit found this file and called it.
    ___PROGRAM__ "$@"
elif (( $+functions[compdef] )); then
    compdef ___PROGRAM__ __PROGRAM__
else
    print -u2 "__PROGRAM__: completion needs compinit: run 'autoload -Uz compinit && compinit' first"
fi
