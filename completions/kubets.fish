# fish completion for __PROGRAM__: asks the program (`__complete`), then follows its directive.

function ____PROGRAM___reply
    set -l words (commandline -opc)
    set -l last (string escape -- (commandline -ct))
    test -z "$last"; and set last "''"
    eval "$words[1] __complete $words[2..-1] $last" 2>/dev/null
end

function ____PROGRAM___ask
    set -g ____PROGRAM___candidates
    set -l reply (____PROGRAM___reply)
    test (count $reply) -eq 0; and return 1
    set -l directive (string replace -r '^:' '' -- $reply[-1])
    string match -qr '^[0-9]+$' -- $directive; or return 1
    test (math "bitand($directive, 1)") -ne 0; and return 1
    # Files: fish's own completion does it, extensions included or not.
    test (math "bitand($directive, 24)") -ne 0; and return 1
    test (count $reply) -gt 1; and set -g ____PROGRAM___candidates $reply[1..-2]
    if test (count $____PROGRAM___candidates) -eq 0
        test (math "bitand($directive, 4)") -ne 0
        return
    end
    set -l flag (string match -r -- '^-.*=' (commandline -ct))
    if test -n "$flag"
        set -g ____PROGRAM___candidates $flag$____PROGRAM___candidates
    end
    return 0
end

complete -c __PROGRAM__ -e
complete -c __PROGRAM__ -n 'not ____PROGRAM___ask'
complete -k -c __PROGRAM__ -n ____PROGRAM___ask -f -a '$____PROGRAM___candidates'
