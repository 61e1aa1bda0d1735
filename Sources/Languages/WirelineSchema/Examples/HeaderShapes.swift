// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Headers of a message's packets that differ in their fields, and show both outcomes of each condition's tests.
struct HeaderShapes {
    let headers: [PacketHeader]
    private let presences: [[Bool]]
    private let isAlwaysThere: [Bool]

    /// The limits of combinations of numbers to try, and of headers.
    private static let combinationLimit = 4096
    private static let headerLimit = 32

    /// - Parameter context: The context in which the packets are sent.
    init(of description: ProtocolDescription, message: Int, in context: PacketContext) {
        let layout = description.layout.layout(in: context)
        // Presences are by the description's fields; the sender's packets may have only some of them.
        let positions = description.layout.fields.map { field in layout.fields.firstIndex { $0.name == field.name } }
        isAlwaysThere = positions.map { $0.map { layout.fields[$0].condition == nil } ?? false }
        guard layout.hasConditions else {
            (headers, presences) = ([PacketHeader()], [isAlwaysThere])
            return
        }
        let message = description.messages[message]
        let fixed = description.fixedHeader(of: message) ?? PacketHeader()
        var found: [(PacketHeader, [Bool])] = []
        var seen: Set<[Bool]> = []
        Self.forEachHeader(of: layout, except: fixed.fields.map(\.name)) { header in
            var whole = header
            for (name, value) in fixed.fields { whole[value: name] = value }
            guard found.count < Self.headerLimit, let presence = try? layout.presence(id: message.id, header: whole)
            else { return }
            let absent = layout.fields.indices.filter { !presence[$0] }
            guard absent.allSatisfy({ header[value: layout.fields[$0].name] == nil }) else { return }
            guard seen.insert(presence + Self.outcomes(layout, whole)).inserted else { return }
            found.append((header, positions.map { $0.map { presence[$0] } ?? false }))
        }
        headers = found.map(\.0)
        presences = found.map(\.1)
    }

    func header(with field: Int) -> PacketHeader? {
        isAlwaysThere[field] ? PacketHeader() : zip(headers, presences).first { $0.1[field] }?.0
    }

    /// Returns a header whose packets lack one of the layout's fields; nil if there is none.
    func header(without field: Int) -> PacketHeader? { zip(headers, presences).first { !$0.1[field] }?.0 }

    /// Returns which tests of all conditions hold, for operands that the caller sets.
    private static func outcomes(_ layout: PacketLayout, _ header: PacketHeader) -> [Bool] {
        layout.fields.flatMap { field -> [Bool] in
            (field.condition?.tests ?? []).map { test in
                guard case .field(let name) = test.operand else { return false }
                let number = header[name] ?? layout.fields.first { $0.name == name }?.role.usualNumber ?? 0
                return test.comparison.map { $0.holds(number, test.number) } ?? (number != 0)
            }
        }
    }

    private static func forEachHeader(
        of layout: PacketLayout, except fixed: [String], _ body: (PacketHeader) -> Void
    ) {
        let operands = layout.operands.filter {
            layout.fields[$0].isSettable && !fixed.contains(layout.fields[$0].name)
        }
        // The writer chooses the value of an `@fit` field later.
        let candidates = operands.map { index -> [Int128?] in
            if let values = layout.fields[index].fittingValues { return values }
            // Not set, or one of the numbers. The compiler makes a constant of a literal `[nil]` that ends before the
            // padding of its element, and copies that, too (Swift 6.3.1).
            return CollectionOfOne(nil) + numbers(of: layout.fields[index], in: layout).map { $0 }
        }
        var places = Array(repeating: 0, count: operands.count)
        for _ in 0..<combinationLimit {
            var header = PacketHeader()
            for (operand, (numbers, place)) in zip(operands, zip(candidates, places)) {
                header[layout.fields[operand].name] = numbers[place]
            }
            body(header)
            guard let digit = places.indices.first(where: { places[$0] + 1 < candidates[$0].count }) else { return }
            places[digit] += 1
            for lower in 0..<digit { places[lower] = 0 }
        }
    }

    /// Returns the numbers around those that conditions compare a field with, except its default.
    private static func numbers(of field: PacketField, in layout: PacketLayout) -> [Int128] {
        var numbers: [Int128] = [0, 1]
        for test in layout.fields.flatMap({ $0.condition?.tests ?? [] }) where test.operand == .field(field.name) {
            switch test.comparison {
            case nil: break
            case .sharesBit: numbers += [test.number, test.number & -test.number]
            default: numbers += [test.number, test.number - 1, test.number + 1]
            }
        }
        var seen: Set<Int128> = [field.role.usualNumber]
        return numbers.filter { field.range.contains($0) && seen.insert($0).inserted }
    }
}

extension PacketField.Role {
    fileprivate var usualNumber: Int128 { if case .value(let value) = self { value.number } else { 0 } }
}
