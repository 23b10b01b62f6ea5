/// The scripts with which shells ask this program what may stand at the cursor.
enum CompletionScript {
    private static let option = "--generate-completion-script"

    /// The script for bash, zsh or fish, if it is asked for; for the user's own shell if none is named.
    static func asked(by arguments: [String]) -> String? {
        guard let first = arguments.first, first.hasPrefix(option) else { return nil }
        let named =
            first.hasPrefix(option + "=") ? String(first.dropFirst(option.count + 1)) : arguments.dropFirst().first
        return switch named ?? Environment.variable("SHELL")?.split(separator: "/").last.map(String.init) {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    private static let bash = #"""
        # Completion of matterctl for bash. The program itself says what may stand at the cursor.
        _matterctl() {
            local program=$1 lines
            type -t -- "$program" > /dev/null || program=matterctl
            mapfile -t lines < <("$program" ---complete bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2> /dev/null)
            if [[ ${lines[0]} == files ]]; then
                compopt -o default
                COMPREPLY=()
            else
                compopt -o nospace
                COMPREPLY=("${lines[@]:1}")
            fi
        }
        complete -o nosort -F _matterctl matterctl
        """#

    private static let zsh = #"""
        #compdef matterctl
        # Completion of matterctl for zsh. The program itself says what may stand at the cursor.
        _matterctl() {
            local program=$words[1] line word
            local -a lines final final_notes open open_notes
            (( $+commands[$program] )) || [[ -x $program ]] || program=matterctl
            lines=("${(@f)$("$program" ---complete zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}")
            if [[ $lines[1] == files ]]; then
                _files
                return
            fi
            for line in "${(@)lines[2,-1]}"; do
                word=${line%%$'\t'*}
                line="$word  -- ${line#*$'\t'}"
                if [[ $word == *[/=@] ]]; then
                    open+=("$word")
                    open_notes+=("${line%  -- }")
                else
                    final+=("$word")
                    final_notes+=("${line%  -- }")
                fi
            done
            (( $#open )) && compadd -U -l -S '' -d open_notes -a open
            (( $#final )) && compadd -U -l -d final_notes -a final
        }
        if [[ $funcstack[1] == _matterctl ]]; then
            _matterctl "$@"
        else
            compdef _matterctl matterctl
        fi
        """#

    private static let fish = #"""
        # Completion of matterctl for fish. The program itself says what may stand at the cursor.
        function __matterctl_complete
            set -l words (commandline -opc)
            set -l word (commandline -ct)
            # A quote that is still open is none of the word.
            set word (string unescape -- $word; or string unescape -- $word"'"; or string unescape -- $word'"'; or echo $word)
            set -l program $words[1]
            type -q $program; or set program matterctl
            set -l lines ($program ---complete fish $words[2..] "$word[1]" 2> /dev/null)
            if test "$lines[1]" = files
                __fish_complete_path "$word[1]"
            else
                printf '%s\n' $lines[2..]
            end
        end
        complete -c matterctl -f -a '(__matterctl_complete)'
        """#
}
