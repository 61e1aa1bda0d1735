// SPDX-License-Identifier: Apache-2.0

/// The completion scripts of the shells. Each script runs this tool to get the words.
enum ShellScript: String, CaseIterable {
    case bash, zsh, fish

    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        case .fish: Self.fishText
        }
    }

    private static let bashText = #"""
        # Completion of wire for bash.
        _wire() {
            local line=$COMP_LINE index word value kind= words=()
            # Bash splits words at colons and equals signs, too; they are joined again.
            for ((index = 0; index <= COMP_CWORD; index++)); do
                word=${COMP_WORDS[index]}
                if ((index > 0)) && [[ $line != [[:space:]]* ]]; then
                    words[${#words[@]} - 1]+=$word
                else
                    words+=("$word")
                fi
                line=${line#"${line%%[![:space:]]*}"}
                line=${line#"$word"}
            done
            COMPREPLY=()
            while IFS=$'\t' read -r value _; do
                case $value in
                    :files) kind=-f ;;
                    :folders) kind=-d ;;
                    *) COMPREPLY+=("$value") ;;
                esac
            done < <(wire completions words -- "${words[@]:1}" 2> /dev/null)
            # Bash replaces only what follows the last colon or equals sign.
            local typed=${COMP_WORDS[COMP_CWORD]} whole=${words[${#words[@]} - 1]}
            [[ $typed != [=:@] ]] || typed=
            local before=${whole%"$typed"}
            COMPREPLY=("${COMPREPLY[@]#"$before"}")
            # A value follows, without a space.
            [[ ${COMPREPLY[0]-} != *[=@/] ]] || compopt -o nospace 2> /dev/null
            if [[ $kind ]]; then
                compopt -o filenames 2> /dev/null
                while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen "$kind" -- "$typed")
            fi
        }
        complete -F _wire wire
        """#

    private static let zshText = #"""
        #compdef wire
        # Completion of wire for zsh.
        _wire() {
            local line kind
            local -a names shown open shownopen
            for line in ${(f)"$(wire completions words -- "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)"}; do
                case $line in
                    (:files) kind=files ;;
                    (:folders) kind=folders ;;
                    (*)
                        if [[ ${line%%$'\t'*} == *[=@/] ]]; then
                            # A value follows, without a space.
                            open+=("${line%%$'\t'*}")
                            shownopen+=("${line/$'\t'/  }")
                        else
                            names+=("${line%%$'\t'*}")
                            shown+=("${line/$'\t'/  }")
                        fi
                        ;;
                esac
            done
            (($#names)) && compadd -l -d shown -a names
            (($#open)) && compadd -S '' -l -d shownopen -a open
            [[ $PREFIX == --*=* ]] && compset -P '*='
            case $kind in
                (files) _files ;;
                (folders) _files -/ ;;
            esac
        }
        if [[ $funcstack[1] == _wire ]]; then _wire "$@"; else compdef _wire wire; fi
        """#

    private static let fishText = #"""
        # Completion of wire for fish.
        function __wire_words
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            for line in (wire completions words -- $words[2..-1] "$current" 2> /dev/null)
                switch $line
                    case :files
                        __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
                    case :folders
                        __fish_complete_directories (string replace -r '^--[^=]*=' '' -- "$current")
                    case '*'
                        echo $line
                end
            end
        end
        complete -c wire -f -a '(__wire_words)'
        """#
}
