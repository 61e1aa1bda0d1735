// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The words that continue a command line: as the tool finds them, and as real shells insert them.
struct CompletionTests {
    private func words(_ line: String, in workspace: Workspace) throws -> [String] {
        let outcome = try workspace.shell("wire completions words -- \(line)")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        return outcome.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }

    @Test(
        arguments: [
            ("che", ["check"]), ("websocket c", ["cases", "connect"]), ("help websocket e", ["echo"]),
            ("help deco", ["decode"]), ("check --fo", ["--format"]), ("check --format ''", ["text", "json", "github"]),
            ("check --format=j", ["--format=json"]), ("generate html --o", ["--out"]), ("generate m", ["markdown"]),
            ("--v", ["--version"]), ("check --v", []), ("check --nothing=", []), ("check -- --f", [":folders"]),
            ("check Protocols/Scene ''", []), ("decode --capture ''", [":files"]),
            ("generate swift --out ''", [":folders"]),
            ("format a.wire ''", [":files"]), ("check ''", ["Scene", ":folders"]),
            ("--protocol ''", ["Scene", ":folders"]), ("--protocol=S", ["--protocol=Scene", ":folders"]),
            ("encode ''", ["Cs_20001", "Sc_20001"]), ("encode --protocol Scene S", ["Sc_20001"]),
            ("encode --protocol Nothing ''", []), ("call localhost:1 Cs_20001 '{}' S", ["Sc_20001"]),
            ("call localhost:1 --expect C", ["Cs_20001"]), ("completions f", ["fish"]),
        ] as [(String, [String])])
    func `a line is continued with the words that fit`(_ line: String, _ expected: [String]) throws {
        #expect(try words(line, in: Workspace()) == expected)
    }

    private static let game = """
        enum Phase : uint8 { login = 0; play = 2; }
        packet {
            state Phase phase;
            // Whether packets are marked.
            state bit marked;
            @length(packet) uint16 size;
            layer aes_cbc(session, start);
            @id uint8 id;
        }
        @id(1) @from(client) message Enter {}

        """

    @Test(
        arguments: [
            ("decode --state ''", ["phase=", "marked="]), ("decode --state ph", ["phase="]),
            ("decode --state phase=", ["phase=login", "phase=play"]),
            ("decode --state=phase=p", ["--state=phase=play"]),
            ("decode --state marked=t", ["marked=true"]), ("decode --state other=", []),
            (
                "decode --key ''",
                [
                    "session=", "start=", "client.session=", "server.session=", "client.start=", "server.start=",
                ]
            ),
            ("decode --key client.se", ["client.session="]), ("decode --key session=", ["session=@"]),
            ("decode --key session=@s", ["session=@secret/"]),
            ("decode --key session=@secret/", ["session=@secret/key"]), ("decode --key session=00", []),
        ] as [(String, [String])])
    func `states and keys are continued with their names and values`(_ line: String, _ expected: [String]) throws {
        let workspace = try Workspace(["Protocols/Game/Game.wire": Self.game, "secret/key": "k", "secret/.hidden": ""])
        #expect(try words(line, in: workspace) == expected)
    }

    @Test func `all commands and all their options are offered, with their help`() throws {
        let workspace = try Workspace()
        let help = try workspace.wire("--help").output
        let commands = try words("''", in: workspace)
        for line in help.split(separator: "\n").drop(while: { $0 != "commands:" }).dropFirst() {
            guard line.hasPrefix("    ") else { break }
            #expect(commands.contains { line.hasPrefix("    " + $0) }, "\(line)")
        }
        let outcome = try workspace.wire("completions", "words", "--", "decode", "--hex")
        #expect(outcome.output.hasPrefix("--hex\t"))
        #expect(try workspace.wire("decode", "--help").output.contains(outcome.output.dropFirst("--hex\t".count)))
    }

    @Test func `the messages of a protocol with errors are not offered`() throws {
        #expect(try words("encode ''", in: Workspace(["Protocols/P/a.wire": "nonsense"])) == [])
    }

    // MARK: Shells

    /// Lines, and what a shell makes of them when the Tab key is pressed.
    static let lines = [
        ("wire che", "wire check"), ("wire websocket ec", "wire websocket echo"),
        ("wire check --fo", "wire check --format"), ("wire check --format=j", "wire check --format=json"),
        ("wire call localhost:9001 --protocol Scene Cs", "wire call localhost:9001 --protocol Scene Cs_20001"),
        ("wire decode --capture Protocols/Scene/Sc", "wire decode --capture Protocols/Scene/Scene.wire"),
        ("wire decode --protocol Game --state ph", "wire decode --protocol Game --state phase="),
        ("wire decode --protocol Game --state phase=p", "wire decode --protocol Game --state phase=play"),
        ("wire decode --protocol Game --key client.se", "wire decode --protocol Game --key client.session="),
    ]

    private func results(of script: String, in shell: String) throws -> [String] {
        let workspace = try Workspace([
            "Protocols/Scene/Scene.wire": sceneSchema, "Protocols/Game/Game.wire": Self.game,
        ])
        try workspace.write(script, to: "try")
        let words = Self.lines.map { "'\($0.0)'" }.joined(separator: " ")
        let outcome = try workspace.shell("\(shell) ./try \(words)")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: Peers.isWanted("bash")))
    func `bash completes lines`() throws {
        // Readline splits words at these characters, and replaces the last word.
        let script = #"""
            source <(wire completions bash)
            for line; do
                COMP_LINE=$line COMP_POINT=${#line} COMP_WORDS=() word=
                for ((place = 0; place < ${#line}; place++)); do
                    case ${line:place:1} in
                        ' ') [[ ! $word ]] || COMP_WORDS+=("$word"); word= ;;
                        [:=]) [[ ! $word ]] || COMP_WORDS+=("$word"); COMP_WORDS+=("${line:place:1}"); word= ;;
                        *) word+=${line:place:1} ;;
                    esac
                done
                COMP_WORDS+=("$word") COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _wire
                echo "${line%"$word"}${COMPREPLY[*]}"
            done
            """#
        #expect(try results(of: script, in: "bash") == Self.lines.map(\.1))
    }

    @Test(.enabled(if: Peers.isWanted("zsh")))
    func `zsh completes lines`() throws {
        // An interactive shell gets the line, a Tab, and then prints the line instead of running it.
        let script = #"""
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell 'autoload -Uz compinit; compinit -D -u; source <(wire completions zsh); echo READY$((6*7))'
            zpty -r shell output '*READY42*'
            for line; do
                zpty -w -n shell "$line"$'\t\x01''print -r -- $((6*7)): '$'\n'
                zpty -r shell output $'*\n42: *\n*'
                output=${output##*$'\n'42: }
                print -r -- ${${${output%%$'\n'*}%$'\r'}%% #}
            done
            zpty -d shell
            """#
        #expect(try results(of: "setopt extendedglob\n" + script, in: "zsh -f") == Self.lines.map(\.1))
    }

    @Test(.enabled(if: Peers.isWanted("fish")))
    func `fish completes lines`() throws {
        let script = #"""
            source (wire completions fish | psub)
            for line in $argv
                set word (string split ' ' -- $line)[-1]
                set found (complete -C "$line" | string split -f 1 \t)
                echo (string sub -e -(string length -- $word) -- $line)"$found"
            end
            """#
        #expect(try results(of: script, in: "fish -N") == Self.lines.map(\.1))
    }
}
