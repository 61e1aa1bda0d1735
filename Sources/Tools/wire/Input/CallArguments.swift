// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// The messages that the arguments of `wire call` name.
enum CallArguments {
    /// The messages of the arguments. The list is empty if the call only listens.
    case messages([Message])
    case lines

    struct Message {
        let name: String
        fileprivate(set) var json: String?
    }

    private static let standardInput = "-"

    /// Parses the arguments after the endpoint. An argument that begins with a brace is the JSON of the message before
    /// it.
    ///
    /// - Parameter listens: Whether a call without a message is allowed, because it listens.
    init(_ arguments: Arguments, listens: Bool) throws(CommandError) {
        let words = arguments.words.dropFirst()
        guard let first = words.first else {
            guard System.isTerminal(System.Descriptor.standardInput) else {
                self = .lines
                return
            }
            guard listens else {
                throw .usage("MESSAGE is missing", hint: "without it, lines come from a pipe or a file, or with `-`")
            }
            self = .messages([])
            return
        }
        if words.count == 1, first == Self.standardInput {
            self = .lines
            return
        }
        self = .messages(try Self.messages(words))
    }

    private static func messages(_ words: ArraySlice<String>) throws(CommandError) -> [Message] {
        var messages: [Message] = []
        for word in words {
            guard word == standardInput || isJSON(word) else {
                messages.append(Message(name: word))
                continue
            }
            let what = word == standardInput ? "`-`" : "JSON"
            guard let last = messages.last else { throw .usage("\(what) has no MESSAGE before it") }
            guard last.json == nil else { throw .usage("\(last.name) has JSON twice") }
            messages[messages.count - 1].json = word
        }
        if messages.count > 1, let message = messages.first(where: { $0.json == standardInput }) {
            throw .usage(
                "\(message.name): standard input is the JSON of one MESSAGE alone",
                hint: "without any MESSAGE, lines of standard input are sent")
        }
        return messages
    }

    private static func isJSON(_ word: String) -> Bool { word.first { !$0.isWhitespace } == "{" }

    var isOneMessage: Bool {
        if case .messages(let messages) = self { messages.count == 1 } else { false }
    }
}

extension CallArguments.Message {
    /// Returns the given JSON, or an empty object.
    ///
    /// - Parameter isAlone: Whether this is the only message. Then missing JSON is read from standard input, unless the
    ///   message has no fields.
    func json(isAlone: Bool, _ translator: PacketTranslator) throws(CommandError) -> [UInt8] {
        let needsNone =
            !isAlone || translator.description.message(named: name)?.fields.contains(where: \.hasValue) == false
        if json == nil, needsNone { return Array("{}".utf8) }
        return try StandardInput.text(unlessGiven: json)
    }
}
