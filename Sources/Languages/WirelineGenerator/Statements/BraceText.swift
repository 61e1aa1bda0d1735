// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

enum BraceText {
    static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    " + $0 }
            .joined(separator: "\n")
    }

    /// Returns a function; without lines its body is empty.
    static func function(_ head: String, _ lines: [String]) -> String {
        lines.isEmpty ? head + " {}" : "\(head) {\n\(indented(lines.joined(separator: "\n")))\n}"
    }

    /// Returns the methods of a class that some calls need, without a newline at the end.
    static func called(_ methods: String, by calls: Set<String>) -> String {
        String(Self.methods(methods).text(for: calls).dropLast())
    }

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
    func messages(from sender: Sender) -> [Int] { messages.indices.filter { messages[$0].senders.contains(sender) } }

    /// Returns a message's name, its ID, its sender and its replies.
    ///
    /// - Parameter spelled: Returns the name of a message as the language's comments show it (default: unchanged).
    func facts(of message: MessageDescription, spelled: (String) -> String = \.self) -> String {
        let sides =
            message.senders.count == 2 ? "both sides" : message.senders.contains(.client) ? "the client" : "the server"
        let id = layout.hasMessageID ? ", ID \(message.id)" : ""
        let replies = message.replies.map(spelled).joined(separator: " or ")
        return "\(spelled(message.name))\(id), sent by \(sides)\(replies.isEmpty ? "" : ", answered by \(replies)")."
    }
}
