// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Messages that no packet can carry, because of the conditions of ID fields and lengths.
extension Checker {
    /// Refuses an ID if no packet has enough ID fields for it together.
    func refuseImpossibleID(of message: MessageDescription, at span: SourceSpan) {
        let layout = description.layout
        guard layout.dependsOnContext else { return refuseImpossibleID(of: message, in: [layout], at: span) }
        for sender in Sender.allCases where message.senders.contains(sender) {
            let fitting = layouts(of: message, from: sender)
            guard !fitting.isEmpty else {
                let layouts = layout.wholeLayouts(from: sender)
                let most = layouts.map(\.maximumMessageID).max() ?? 0
                reporter.error(
                    "no packet from a \(sender.rawValue) can have the ID \(message.id)", at: span,
                    help: layouts.contains(where: \.hasMessageID)
                        ? "IDs from a \(sender.rawValue) go from 0 to \(most)"
                        : "packets from a \(sender.rawValue) have no ID field, and so the ID 0")
                return
            }
            refuseImpossibleID(of: message, in: fitting, from: sender, at: span)
        }
    }

    /// Returns the layouts of a sender's packets, in all states, that can have the message's ID.
    private func layouts(of message: MessageDescription, from sender: Sender) -> [PacketLayout] {
        description.layout.wholeLayouts(from: sender).filter { $0.maximumMessageID >= message.id }
    }

    /// - Parameters:
    ///   - layouts: The layouts of the sender's packets in all states.
    ///   - sender: The sender; nil if it does not matter.
    private func refuseImpossibleID(
        of message: MessageDescription, in layouts: [PacketLayout], from sender: Sender? = nil, at span: SourceSpan
    ) {
        let isPossible = layouts.contains { layout in
            layout.conditionalIDs.isEmpty || hasHeader(of: message, layout, deciding: [\.isMessageID]) { _ in true }
        }
        guard !isPossible else { return }
        var subject = "no packet"
        if let sender { subject += " from a \(sender.rawValue)" }
        if !message.headerValues.isEmpty { subject += " with these header fields" }
        let names = layouts.flatMap(\.conditionalIDs)
        let distinct = names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
        reporter.error(
            "\(subject) can have the ID \(message.id)", at: span,
            help: "wherever it fits, the condition of \(Self.list(distinct)) asks for other ID fields")
    }

    /// Refuses a message whose packets have no length, or none that can count its bytes.
    ///
    /// - Parameter byteCount: The minimum size of its fields.
    func refuseImpossibleLength(of message: MessageDescription, _ byteCount: Int, at span: SourceSpan) {
        guard byteCount > 0, description.layout.framing == nil else { return }
        guard description.layout.dependsOnContext else {
            return refuseImpossibleLength(of: message, byteCount, in: [description.layout], at: span)
        }
        for sender in Sender.allCases where message.senders.contains(sender) {
            let layouts = layouts(of: message, from: sender)
            refuseImpossibleLength(of: message, byteCount, in: layouts, from: sender, at: span)
        }
    }

    private func refuseImpossibleLength(
        of message: MessageDescription, _ byteCount: Int, in layouts: [PacketLayout], from sender: Sender? = nil,
        at span: SourceSpan
    ) {
        let limit = description.options.maximumPacketByteCount
        func isPossible(_ byteCount: Int) -> Bool {
            layouts.contains { layout in
                hasHeader(of: message, layout, deciding: [\.isMessageID, \.isLength]) {
                    layout.canHold(payloadByteCount: byteCount, id: message.id, header: $0, limit: limit)
                }
            }
        }
        // A compressed payload has fewer bytes.
        guard !isPossible(description.layout.hasContent ? 1 : byteCount) else { return }
        // If no packet can have its ID, another error says so.
        guard isPossible(0) else { return }
        let packets = "its packets" + (sender.map { " from a \($0.rawValue)" } ?? "")
        let hasLength = isPossible(1)
        reporter.error(
            "\(message.name.quoted) takes at least \(byteCount) byte\(byteCount == 1 ? "" : "s"), but "
                + (hasLength ? "no length of \(packets) can count them" : "\(packets) have no length"), at: span,
            help: hasLength ? "make the length wider" : "give them one: a packet without a length ends after its header"
        )
    }

    /// Returns whether a message can have a header that passes a test, in packets of one layout.
    ///
    /// - Parameter deciding: The roles of the fields whose conditions matter.
    private func hasHeader(
        of message: MessageDescription, _ layout: PacketLayout, deciding: [KeyPath<PacketField.Role, Bool>],
        _ test: (PacketHeader) -> Bool
    ) -> Bool {
        let fixed = description.fixedHeader(of: message) ?? PacketHeader()
        guard let search = HeaderSearch(layout, fixed: fixed, deciding: deciding) else { return true }
        return search.contains { header in
            guard let presence = try? layout.presence(id: message.id, header: header) else { return false }
            var header = header
            for (field, isThere) in zip(layout.fields, presence) where !isThere && fixed[field.name] == nil {
                header[value: field.name] = nil
            }
            return test(header)
        }
    }
}

extension PacketField.Role {
    fileprivate var isMessageID: Bool { self == .messageID }
}

extension PacketLayout {
    fileprivate var conditionalIDs: [String] {
        fields.filter { $0.role == .messageID && $0.condition != nil }.map(\.name)
    }
}

/// Headers that differ in the presence of ID fields or lengths: one for each outcome of the conditions.
private struct HeaderSearch {
    private let fixed: PacketHeader
    /// The settable fields that decide the outcomes, with the numbers to try.
    private var choices: [(name: String, numbers: [Int128])] = []

    /// The limits of the headers to try, and of the numbers of one field that are all tried.
    private static let headerLimit = 4096
    private static let rangeLimit: Int128 = 256

    /// Nil if there are too many headers.
    init?(_ layout: PacketLayout, fixed: PacketHeader, deciding: [KeyPath<PacketField.Role, Bool>]) {
        self.fixed = fixed
        let deciding = Self.deciding(layout) { role in deciding.contains { role[keyPath: $0] } }
        let tests = deciding.flatMap { $0.condition?.tests ?? [] }
        var headerCount = 1
        for field in deciding where fixed[field.name] == nil {
            switch field.role {
            case .value, .fitting, .sequence: break
            case .length, .contentLength, .messageID, .constant, .padding, .checksum: continue
            }
            let own = tests.filter { $0.operand == .field(field.name) }.map { ($0.comparison, $0.number) }
            guard let numbers = Self.numbers(of: field, own) else { return nil }
            headerCount *= max(1, numbers.count)
            guard headerCount <= Self.headerLimit else { return nil }
            choices.append((field.name, numbers))
        }
    }

    func contains(_ test: (PacketHeader) -> Bool) -> Bool { contains(fixed, choices[...], test) }

    private func contains(
        _ header: PacketHeader, _ rest: ArraySlice<(name: String, numbers: [Int128])>, _ test: (PacketHeader) -> Bool
    ) -> Bool {
        guard let choice = rest.first else { return test(header) }
        return choice.numbers.contains { number in
            var header = header
            header[choice.name] = number
            return contains(header, rest.dropFirst(), test)
        }
    }

    /// Returns the fields of some roles, and those that their conditions depend on, directly or through other fields.
    private static func deciding(_ layout: PacketLayout, _ isWanted: (PacketField.Role) -> Bool) -> [PacketField] {
        var names = Set(layout.fields.filter { isWanted($0.role) }.map(\.name))
        // A condition refers only to fields before its own.
        for field in layout.fields.reversed() where names.contains(field.name) {
            for case .field(let name) in field.condition?.operands ?? [] { names.insert(name) }
        }
        return layout.fields.filter { names.contains($0.name) }
    }

    /// Returns a number for each outcome of the tests of a field; nil if there are too many.
    private static func numbers(
        of field: PacketField, _ tests: [(comparison: WireCondition.Comparison?, number: Int128)]
    ) -> [Int128]? {
        let range = field.range
        guard !tests.contains(where: { $0.comparison == .sharesBit }) else {
            return range.upperBound - range.lowerBound < rangeLimit ? Array(range) : nil
        }
        let edges = tests.flatMap { [$0.number - 1, $0.number, $0.number + 1] }
        let numbers = Set([0, range.lowerBound, range.upperBound] + edges)
        return numbers.filter(range.contains).sorted()
    }
}
