# fish completion for __PROGRAM__: asks the program (`__complete`), then follows its directive.

function ____PROGRAM___complete
    # Only what stands before the cursor counts. No part of the line is run.
    set -l words (commandline -xpc 2>/dev/null)
    or set words (commandline -opc)
    set -l last (commandline -ct)
    # A quote that is still open cannot be undone: what stands behind it counts.
    set -l plain (string unescape -- $last)
    test (count $plain) -eq 1; or set plain (string replace -r '^["\']' '' -- $last)
    set -l reply ($words[1] __complete $words[2..-1] $plain 2>/dev/null)
    set -l directive (string replace -r '^:' '' -- $reply[-1])
    string match -qr '^[0-9]+$' -- $directive; or return
    test (math "bitand($directive, 1)") -ne 0; and return

    # The value of a flag stands behind its name.
    set -l flag (string match -r -- '^-[^=]*=' $last)
    set -l value (string replace -r -- '^-[^=]*=' '' $last)
    set -e reply[-1]
    if test (math "bitand($directive, 8)") -ne 0
        for file in (__fish_complete_path $value)
            set -l name (string split -f 1 \t -- $file)
            set -l ending (string replace -r '.*\.' '' -- $name)
            if string match -q '*/' -- $name; or contains -- $ending $reply
                echo -- "$flag$file"
            end
        end
    else if test (math "bitand($directive, 16)") -ne 0
        for folder in (__fish_complete_directories $value '')
            echo -- "$flag$folder"
        end
    else if test (count $reply) -gt 0
        for candidate in $reply
            echo -- "$flag$candidate"
        end
    else if test (math "bitand($directive, 4)") -eq 0
        for file in (__fish_complete_path $value)
            echo -- "$flag$file"
        end
    end
end

complete -c __PROGRAM__ -e
complete -c __PROGRAM__ -f -a '(____PROGRAM___complete)'
