// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// The changes between two versions of a schema, in three formats.
struct ChangeReport {
    let old: String
    let new: String
    let changes: [SchemaChange]
    /// Whether changes that affect only code or JSON also count as incompatible.
    let isStrict: Bool

    /// The number of bytes to show of a longer packet.
    private static let shownByteCount = 48
    /// The number of bytes to show of a longer field in a packet.
    private static let shownFieldByteCount = 16
    /// The number of characters to show of a longer value.
    private static let shownTextCount = 160
    /// The largest number of a packet's bytes in JSON. It is larger than in text, but bounds the size of the output.
    private static let listedByteCount = 4096

    var isGood: Bool {
        !changes.contains { $0.effect == .wire || isStrict && $0.effect == .code }
    }

    // MARK: Text

    func printText(_ console: Console) throws(CommandError) {
        let style = TextStyle(of: System.Descriptor.standardOutput)
        for change in changes { try console.print(styled: text(of: change, style)) }
        try console.print(summary)
    }

    private func text(of change: SchemaChange, _ style: TextStyle) -> String {
        let place = [change.newLocation, change.oldLocation].compactMap(\.self).first.map { text($0) + ": " } ?? ""
        let word =
            switch change.effect {
            case .wire: style.error("breaks:")
            case .code: style.warning("code:")
            case .none: style.faint("fine:")
            }
        let sentence = "\(change.subject) \(change.summary) [\(change.rule.rawValue)]"
        var lines = [style.strong(TextStyle.harmless(place)) + word + " " + TextStyle.harmless(sentence)]
        if change.newLocation != nil, let location = change.oldLocation {
            lines.append("  it was in " + TextStyle.harmless(text(location)))
        }
        if change.messages.count > 1 || change.messages.first.map({ !change.subject.hasPrefix($0) }) ?? false {
            lines.append("  in " + change.messages.joined(separator: ", "))
        }
        for failure in change.failures { lines += self.lines(of: failure) }
        if change.effect != .none, let alternative = change.rule.alternative {
            lines.append(style.help("  help:") + " " + alternative)
        }
        return lines.joined(separator: "\n")
    }

    private func lines(of failure: SchemaChange.Failure) -> [String] {
        let writer = failure.reader.peer.rawValue
        let hex = Hexadecimal.text(of: Array(failure.packet.prefix(Self.shownByteCount)))
        let rest = failure.packet.count > Self.shownByteCount ? "… (\(failure.packet.count) bytes)" : ""
        let outcome =
            switch failure.outcome {
            case .refused(let error): "refuse it: \(error)"
            case .misread(let message, let fields, _): "read \(message) \(shortened(fields))"
            case .unknownMessage: "have no message of its ID"
            }
        var lines = [
            "  \(writer) \(failure.sender)s send \(failure.message) \(shortened(failure.sent))",
            "      as \(hex)\(rest)\(keys(of: failure))",
            "      and \(failure.reader) \(failure.sender.peer)s \(outcome)",
        ]
        if case .misread(_, _, let difference?) = failure.outcome, !difference.path.isEmpty {
            lines.append("      " + text(of: difference, in: failure.content))
        }
        return lines.map { TextStyle.harmless($0) }
    }

    /// Returns the keys of the example packet's layers, as options of `wire decode`.
    private func keys(of failure: SchemaChange.Failure) -> String {
        guard !failure.keys.isEmpty else { return "" }
        let texts = failure.keyTexts.map { "\(Option.key.name) \($0.name)=\($0.digits)" }
        return ", sealed with " + texts.joined(separator: " ")
    }

    /// Returns the difference between two decoded values. In a long packet, only this text shows it.
    private func text(of difference: SchemaChange.Difference, in packet: [UInt8]) -> String {
        var place = ""
        if let range = difference.range {
            let hex = Hexadecimal.text(of: Array(packet[range].prefix(Self.shownFieldByteCount)))
            let last = range.count > 1 ? "…\(range.upperBound - 1)" : ""
            let rest = range.count > Self.shownFieldByteCount ? "…" : ""
            place = " at \(range.lowerBound)\(last) (\(hex)\(rest))"
        }
        let sent = difference.sent.map(shortened) ?? "nothing"
        let read = difference.read.map(shortened) ?? "nothing"
        return "\(difference.path)\(place): sent \(sent), read \(read)"
    }

    private func shortened(_ value: JSONValue) -> String {
        // A character rarely has more bytes than this.
        let text = value.description(upTo: 64 * Self.shownTextCount)
        return text.count > Self.shownTextCount ? text.prefix(Self.shownTextCount) + "…" : text
    }

    private func text(_ location: SourceLocation) -> String { "\(location.file):\(location.line):\(location.column)" }

    private var summary: String {
        guard !changes.isEmpty else { return "\(old) and \(new): the same" }
        let parts = SchemaChange.Effect.allCases.compactMap { effect -> String? in
            let count = changes.count { $0.effect == effect }
            guard count > 0 else { return nil }
            switch effect {
            case .wire: return "\(count) \(count == 1 ? "breaks" : "break") packets"
            case .code: return "\(count) \(count == 1 ? "changes" : "change") code or JSON"
            case .none: return "\(count) \(count == 1 ? "breaks" : "break") nothing"
            }
        }
        let count = changes.count
        return "\(old) and \(new): \(count) \(count == 1 ? "change" : "changes"): " + parts.joined(separator: ", ")
    }

    // MARK: JSON

    /// The report as one object. It is printed on one line.
    var json: JSONValue {
        [
            "old": .string(old), "new": .string(new), "compatible": .boolean(isGood),
            "changes": .array(changes.map(json)),
        ]
    }

    private func json(_ change: SchemaChange) -> JSONValue {
        [
            "effect": .string(change.effect.rawValue),
            "rule": .string(change.rule.rawValue),
            "subject": .string(change.subject),
            "summary": .string(change.summary),
            "old": json(change.oldLocation),
            "new": json(change.newLocation),
            "messages": .array(change.messages.map { .string($0) }),
            "failures": .array(change.failures.map(json)),
            "alternative": change.effect == .none ? .null : change.rule.alternative.map { .string($0) } ?? .null,
        ]
    }

    private func json(_ location: SourceLocation?) -> JSONValue {
        guard let location else { return .null }
        return [
            "file": .string(location.file), "line": .integer(Int128(location.line)),
            "column": .integer(Int128(location.column)),
        ]
    }

    private func json(_ failure: SchemaChange.Failure) -> JSONValue {
        let isShort = failure.packet.count <= Self.listedByteCount
        var outcome: [JSONValue.Member] = []
        switch failure.outcome {
        case .refused(let error):
            outcome = [.init("outcome", "refused"), .init("error", .string("\(error)")), .init("read", .null)]
        case .misread(let message, let fields, let difference):
            let range = difference?.range
            outcome = [
                .init("outcome", "misread"), .init("error", .null), .init("message", .string(message)),
                .init("field", .string(difference?.path ?? "")),
                .init("offset", range.map { .integer(Int128($0.lowerBound)) } ?? .null),
                .init("byteCount", range.map { .integer(Int128($0.count)) } ?? .null),
                .init("read", isShort ? fields : .null),
            ]
        case .unknownMessage:
            outcome = [.init("outcome", "unknown"), .init("error", .null), .init("read", .null)]
        }
        var members: [JSONValue.Member] = [
            .init("reader", .string(failure.reader.rawValue)), .init("sender", .string(failure.sender.rawValue)),
            .init("message", .string(failure.message)), .init("sent", isShort ? failure.sent : .null),
            .init("packet", .string(Hexadecimal.text(of: Array(failure.packet.prefix(Self.listedByteCount))))),
            .init("byteCount", .integer(Int128(failure.packet.count))),
        ]
        if !failure.keys.isEmpty {
            let keys = failure.keyTexts.map { JSONValue.Member($0.name, .string($0.digits)) }
            members.append(.init("keys", .object(keys)))
        }
        return .object(members + [.init("reading", .object(outcome))])
    }

    // MARK: GitHub

    func printForGitHub(_ console: Console) throws(CommandError) {
        for change in changes {
            let severity: String =
                switch change.effect {
                case .wire: "error"
                case .code: "warning"
                case .none: "notice"
                }
            var lines = ["\(change.subject) \(change.summary) [\(change.rule.rawValue)]"]
            for failure in change.failures { lines += self.lines(of: failure) }
            if change.effect != .none, let alternative = change.rule.alternative {
                lines.append("help: " + alternative)
            }
            try console.print(
                WorkflowCommand(severity, at: change.newLocation, lines.joined(separator: "\n")).text)
        }
        try console.print(summary)
    }
}

extension SchemaChange.Failure {
    /// The keys in hexadecimal, sorted by name.
    fileprivate var keyTexts: [(name: String, digits: String)] {
        keys.sorted { $0.key < $1.key }.map { ($0.key, Hexadecimal.text(of: $0.value)) }
    }
}
