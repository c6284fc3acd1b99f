# Completion of browserhive for fish.
function __browserhive_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l line $words[1]
    for word in $words[2..]
        set line $line\n$word
    end
    set -l answer ($words[1] complete -- $line 2>/dev/null)
    if string match -q ':file*' -- $answer[1]
        set -l prefix (string split -f 2 \t -- $answer[1])
        set -l typed (string sub -s (math (string length -- "$prefix") + 1) -- (commandline -ct))
        for path in (__fish_complete_path "$typed")
            echo -- "$prefix$path"
        end
        return
    end
    printf '%s\n' $answer
end
complete -c browserhive -f -a '(__browserhive_complete)'
