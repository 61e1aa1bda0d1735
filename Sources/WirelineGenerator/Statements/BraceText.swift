// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The texts of functions and classes in languages with braces.
enum BraceText {
    /// Returns a text whose lines stand four columns to the right.
    static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    " + $0 }
            .joined(separator: "\n")
    }

    /// Returns a function; without lines it is empty.
    static func function(_ head: String, _ lines: [String]) -> String {
        lines.isEmpty ? head + " {}" : "\(head) {\n\(indented(lines.joined(separator: "\n")))\n}"
    }

    /// Returns the methods of a class that some calls need, without a newline at the end.
    static func called(_ methods: String, by calls: Set<String>) -> String {
        String(Self.methods(methods).text(for: calls).dropLast())
    }

    /// Whether a class has no members.
    static func isEmptyClass(_ text: String) -> Bool { text.split(separator: "\n").count == 2 }

    private static func methods(_ text: String) -> RuntimeText {
        RuntimeText(
            text, lineComment: "//", hasKeys: false, hasMembers: true, isFunction: { _ in true },
            name: { line in
                guard let first = line.first, !" /[".contains(first), let end = line.firstIndex(of: "(") else {
                    return nil
                }
                return line[..<end].split(separator: " ").last.map { String($0.prefix { $0 != "<" }) }
            })
    }
}

extension ProtocolDescription {
    /// Returns the indices of the messages that one side sends.
    func messages(from sender: Sender) -> [Int] { messages.indices.filter { messages[$0].senders.contains(sender) } }

    /// Returns what a message is called, its ID, who sends it and what answers it.
    ///
    /// - Parameter spelled: How the language shows the name of a message in text (default: as it is).
    func facts(of message: MessageDescription, spelled: (String) -> String = \.self) -> String {
        let sides =
            message.senders.count == 2 ? "both sides" : message.senders.contains(.client) ? "the client" : "the server"
        let id = layout.hasMessageID ? ", ID \(message.id)" : ""
        let replies = message.replies.map(spelled).joined(separator: " or ")
        return "\(spelled(message.name))\(id), sent by \(sides)\(replies.isEmpty ? "" : ", answered by \(replies)")."
    }
}
