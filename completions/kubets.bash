# bash completion for __PROGRAM__: asks the program (`__complete`), then follows its directive.

__start___PROGRAM__() {
    local cur prev words cword line directive reply item value
    local -a candidates=()
    COMPREPLY=()
    if declare -F _init_completion >/dev/null 2>&1; then
        _init_completion -n =: || return
    else
        cur=${COMP_WORDS[COMP_CWORD]}
        words=("${COMP_WORDS[@]}")
        cword=$COMP_CWORD
    fi
    words=("${words[@]:0:$((cword + 1))}")

    local request="${words[0]} __completeNoDesc"
    for item in "${words[@]:1}"; do request+=" $item"; done
    # A line that ends in a space completes a new, empty word.
    [[ -z $cur ]] && request+=" ''"
    reply=$(eval "$request" 2>/dev/null) || return
    directive=${reply##*:}
    reply=${reply%:*}
    [[ $directive =~ ^[0-9]+$ ]] || directive=0
    (( directive & 1 )) && return

    if [[ $cur == -*=* ]]; then value=${cur#*=}; else value=$cur; fi
    while IFS= read -r line; do
        [[ -n $line ]] && candidates+=("$line")
    done <<<"$reply"

    if (( directive & 8 )); then
        local pattern
        pattern=$(IFS='|'; printf '%s' "${candidates[*]}")
        if declare -F _filedir >/dev/null 2>&1; then _filedir "@($pattern)"; else COMPREPLY=($(compgen -f -- "$value")); fi
        return
    fi
    if (( directive & 16 )); then
        if declare -F _filedir >/dev/null 2>&1; then _filedir -d; else COMPREPLY=($(compgen -d -- "$value")); fi
        return
    fi
    for item in "${candidates[@]}"; do
        [[ $item == "$value"* ]] && COMPREPLY+=("$(printf '%q' "$item")")
    done
    (( directive & 2 )) && compopt -o nospace 2>/dev/null
    (( directive & 32 )) && compopt -o nosort 2>/dev/null
    if (( directive & 4 )); then compopt +o default 2>/dev/null; else compopt -o default 2>/dev/null; fi
    # bash breaks words at colons: what stands before one must not be repeated.
    declare -F __ltrim_colon_completions >/dev/null 2>&1 && __ltrim_colon_completions "$cur"
    return 0
}

complete -o default -F __start___PROGRAM__ __PROGRAM__
