# bash completion for __PROGRAM__: asks the program (`__complete`), then follows its directive.

__start___PROGRAM__() {
    local line word cur value text reply directive name longest=0 room
    local tab=$'\t' colon=""
    local -a words=() names=() texts=()
    COMPREPLY=()

    # Only what stands before the cursor counts. COMP_WORDS is of no use: it is broken at '=' and ':'.
    line=${COMP_LINE:0:COMP_POINT}
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    cur=${words[${#words[@]} - 1]}
    # A file to redirect to or from.
    if [[ $cur == *[\<\>]* || ${words[${#words[@]} - 2]} == *[\<\>] ]]; then
        compopt -o default 2>/dev/null
        return
    fi

    if [[ $line == *[\;\&\|\<\>\`]* || $line == *'$('* ]]; then
        # Completing a line must not run any part of it.
        reply=$("${words[0]}" __complete "${words[@]:1}" 2>/dev/null) || return
    else
        # The shell reads quotes, variables and ~ as it will when the line is entered. A quote may still be open.
        [[ -n $cur ]] || line+="''"
        line="${words[0]} __complete ${line#*"${words[0]}"}"
        reply=$(eval "$line" 2>/dev/null || eval "$line'" 2>/dev/null || eval "$line\"" 2>/dev/null) || return
    fi
    directive=${reply##*:}
    reply=${reply%:*}
    [[ $directive =~ ^[0-9]+$ ]] || return
    (( directive & 1 )) && return

    value=$cur
    [[ $cur == -*=* ]] && value=${cur#*=}
    value=${value#[\"\']}
    # bash replaces only what stands behind the last colon.
    [[ $value == *:* && $COMP_WORDBREAKS == *:* ]] && colon=${value%"${value##*:}"}

    if (( directive & 24 )); then
        compopt -o filenames 2>/dev/null
        while IFS= read -r name; do
            if [[ -d $name ]]; then COMPREPLY+=("$name"); continue; fi
            (( directive & 16 )) && continue
            while IFS= read -r word; do
                [[ -n $word && $name == *".$word" ]] && COMPREPLY+=("$name")
            done <<<"$reply"
        done < <(compgen -f -- "$value")
        return
    fi

    while IFS= read -r word; do
        name=${word%%"$tab"*}
        [[ -n $name && $name == "$value"* ]] || continue
        text=""
        [[ $word == *"$tab"* ]] && text=${word#*"$tab"}
        name=${name#"$colon"}
        names+=("$name")
        texts+=("$text")
        (( ${#name} > longest )) && longest=${#name}
    done <<<"$reply"

    (( directive & 2 )) && compopt -o nospace 2>/dev/null
    (( directive & 32 )) && compopt -o nosort 2>/dev/null
    if (( directive & 4 )); then compopt +o default 2>/dev/null; fi
    # What a candidate is for is shown in a list only: a menu (37, 42) inserts the candidates as they are.
    room=$(( ${COLUMNS:-80} - longest - 4 ))
    for (( word = 0; word < ${#names[@]}; word++ )); do
        name=${names[word]}
        text=${texts[word]}
        if (( ${#names[@]} > 1 && room > 8 )) && [[ -n $text && $COMP_TYPE != 37 && $COMP_TYPE != 42 ]]; then
            (( ${#text} > room )) && text="${text:0:room - 3}..."
            printf -v name "%-${longest}s  (%s)" "$name" "$text"
        fi
        COMPREPLY+=("$name")
    done
    return 0
}

complete -o default -F __start___PROGRAM__ __PROGRAM__
