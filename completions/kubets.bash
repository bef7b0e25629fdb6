# bash completion for __PROGRAM__: asks the program (`__complete`), then follows its directive.

# Reads `line` as the shell will when it is entered. Sets
#   words      the words without their quotes, a last one that is empty included
#   quote      the quote that is still open at the end
#   kept       what the last word holds before the part that readline replaces, without quotes
#   command    how long the first word is, as it was typed
#   redirects  1 where the last word is a file to redirect to or from
#   runs       1 where the shell would run something, or expand more than a variable
# Fails where the end of the line cannot be quoted safely.
____PROGRAM___read_line() {
    local char next word="" inside=0 operator=0 at
    words=() quote="" kept="" command="" redirects=0 runs=0
    local variable='^\$([A-Za-z_][A-Za-z0-9_]*|[{][A-Za-z_][A-Za-z0-9_]*[}])'
    for (( at = 0; at < ${#line}; at++ )); do
        char=${line:at:1}
        if [[ $quote == "'" ]]; then
            if [[ $char == "'" ]]; then quote="" kept=$word; else word+=$char; fi
            continue
        fi
        if [[ $char == "\\" ]]; then
            next=${line:++at:1}
            [[ -n $next ]] || return 1
            [[ $quote == '"' && $next != [\$\`\"\\] ]] && word+=$char
            word+=$next inside=1 operator=0
            continue
        fi
        [[ $char == '`' ]] && runs=1
        if [[ $char == '$' ]]; then
            # The shell and readline disagree where $'it\'s' ends.
            [[ -z $quote && ${line:at + 1:1} == "'" ]] && return 1
            [[ ${line:at} =~ $variable ]] || runs=1
        fi
        if [[ -n $quote ]]; then
            if [[ $char == "$quote" ]]; then quote="" kept=$word; else word+=$char; fi
            continue
        fi
        case $char in
        " " | $'\t' | $'\n')
            [[ $char == $'\n' ]] && runs=1
            (( inside )) || continue
            words+=("$word")
            : "${command:=$at}"
            redirects=$operator inside=0 operator=0 word="" kept=""
            continue
            ;;
        \" | "'") quote=$char inside=1 operator=0 kept=$word ;;
        "<" | ">") word+=$char inside=1 runs=1 redirects=1 operator=1 kept=$word ;;
        *)
            [[ $char == [\;\&\|\(\)] ]] && runs=1
            # readline leaves an @ in what it replaces.
            [[ $char == @ && $COMP_WORDBREAKS == *@* ]] && kept=$word
            word+=$char inside=1 operator=0
            [[ $char != [@\$] && $COMP_WORDBREAKS == *"$char"* ]] && kept=$word
            ;;
        esac
    done
    words+=("$word")
    : "${command:=${#line}}"
}

# Sets `quoted` to what stands for a text at the end of the line. Fails where nothing does: a quote inside of the same quotes
# would end them, and ! is history in double quotes.
____PROGRAM___quote() {
    quoted=$1
    case $quote in
    "'") [[ $1 != *"'"* ]] ;;
    '"')
        [[ $1 != *[\"!]* ]] || return
        quoted=${quoted//\\/\\\\}
        quoted=${quoted//\$/\\\$}
        quoted=${quoted//\`/\\\`}
        ;;
    *) if [[ $1 == *[\ \!\"\#\$\&\'\(\)\*\;\<\>\?\[\\\]\^\`\{\|\}\~]* ]]; then printf -v quoted %q "$1"; fi ;;
    esac
}

__start___PROGRAM__() {
    local line word value flag="" text reply directive name quoted quote kept command redirects runs longest=0 room
    local tab=$'\t'
    local -a words=() names=() texts=()
    COMPREPLY=()

    # Only what stands before the cursor counts. COMP_WORDS is of no use: it is broken at '=' and ':'.
    line=${COMP_LINE:0:COMP_POINT}
    ____PROGRAM___read_line || return
    if (( redirects )); then
        compopt -o default 2>/dev/null
        return
    fi

    value=${words[${#words[@]} - 1]}
    if (( runs )); then
        # Completing a line must not run any part of it.
        reply=$("${words[0]}" __complete "${words[@]:1}" 2>/dev/null) || return
    else
        # The shell reads variables, ~ and aliases as it will when the line is entered.
        [[ -n $value || -n $quote ]] || line+="''"
        reply=$(eval "${line:0:command} __complete${line:command}$quote" 2>/dev/null) || return
    fi
    directive=${reply##*:}
    reply=${reply%:*}
    [[ $directive =~ ^[0-9]+$ ]] || return
    (( directive & 1 )) && return

    # The value of a flag stands behind its name.
    if [[ $value == -*=* ]]; then
        flag=${value%%=*}=
        value=${value#*=}
    fi

    if (( directive & 24 )); then
        # readline quotes the names of files.
        compopt -o filenames 2>/dev/null
        while IFS= read -r name; do
            text=$flag$name
            if [[ -d $name ]]; then COMPREPLY+=("${text#"$kept"}"); continue; fi
            (( directive & 16 )) && continue
            while IFS= read -r word; do
                [[ -n $word && $name == *".$word" ]] && COMPREPLY+=("${text#"$kept"}")
            done <<<"$reply"
        done < <(compgen -f -- "$value")
        return
    fi

    while IFS= read -r word; do
        name=${word%%"$tab"*}
        [[ -n $name && $name == "$value"* && $name != *[[:cntrl:]]* ]] || continue
        text=""
        [[ $word == *"$tab"* ]] && text=${word#*"$tab"}
        name=$flag$name
        ____PROGRAM___quote "${name#"$kept"}" || continue
        names+=("$quoted")
        texts+=("${text//[[:cntrl:]]/ }")
        (( ${#quoted} > longest )) && longest=${#quoted}
    done <<<"$reply"

    (( directive & 2 )) && compopt -o nospace 2>/dev/null
    (( directive & 32 )) && compopt -o nosort 2>/dev/null
    if (( directive & 4 )); then compopt +o default 2>/dev/null; fi
    # What a candidate is for is shown in a list only: a menu (37, 42) inserts the candidates as they are, and readline
    # inserts what all of them begin with, so that one name must differ from another.
    room=0
    [[ $COMP_TYPE == 37 || $COMP_TYPE == 42 ]] || for name in "${names[@]}"; do
        [[ $name == "${names[0]}" ]] && continue
        room=$(( ${COLUMNS:-80} - longest - 4 ))
        break
    done
    for (( word = 0; word < ${#names[@]}; word++ )); do
        name=${names[word]}
        text=${texts[word]}
        if (( room > 8 )) && [[ -n $text ]]; then
            (( ${#text} > room )) && text="${text:0:room - 3}..."
            printf -v name "%-${longest}s  (%s)" "$name" "$text"
        fi
        COMPREPLY+=("$name")
    done
    return 0
}

complete -o default -F __start___PROGRAM__ __PROGRAM__
