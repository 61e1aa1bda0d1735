// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The memory that a value may take compared with its bytes on the wire.
///
/// A peer may send bytes only to exhaust memory. Most values are cheap: a `uint32` has 4 bytes and takes 4. But a field
/// that may be missing takes memory without any bytes, and a list can repeat that thousands of times. So each byte of a
/// packet pays for ``factor`` bytes of memory, and unpaid memory has a limit.
enum MemoryWeight {
    /// The bytes of memory that one byte of a packet pays for.
    static let factor = 128
    /// The most unpaid memory, in bytes: 16 MiB.
    ///
    /// It applies to a message's own fields and lists, and again to all lists inside structs.
    static let limit = 1 << 24
    // The weights are rounded up, so that they hold for generated Swift and, within a small factor, for JSON.
    /// A field: a string without text, an empty list, an optional integer, a member of a JSON object.
    static let field = 16
    static let item = 8
    static let array = 48
}

extension Checker {
    /// Checks the lists of a structure. Their items do not count as other fields of a message.
    ///
    /// A peer divides the bytes of a packet between its lists. So the items of all lists inside structs together take
    /// at most as much as the worst list in the largest packet. Only that list is compared with the limit.
    func checkMemory(ofListsIn fields: [ResolvedField]) {
        for field in fields {
            let items = unpaidItems(of: field, count: .max)
            if items.memory > MemoryWeight.limit { report(field, items, takesMaximum: false) }
        }
    }

    func checkMemory(ofMessage index: Int, _ footprint: Footprint) {
        var sum = footprint.unpaidMemory
        for field in messageFields[index] {
            let items = unpaidItems(of: field, count: field.description.largestCount)
            if items.memory > MemoryWeight.limit { return report(field, items, takesMaximum: true) }
            sum = sum.addedOrMaximum(items.memory)
        }
        guard sum > MemoryWeight.limit else { return }
        let name = declarations.messages[index].syntax.name
        let amount = sum == .max ? "more bytes of memory than can be counted" : "\(sum) bytes of memory"
        reporter.error(
            "a packet of \(name.text.quoted) with few bytes can take \(amount), \(MemoryWeight.limit) are allowed",
            at: name.span, help: "shorten its fixed lists, or put `@max` before its other lists")
    }

    /// Returns the unpaid memory of a list's items when the list is as long as possible.
    private func unpaidItems(of field: ResolvedField, count: Int) -> UnpaidItems {
        guard !field.isFaulty, case .list(let element, _) = field.description.type.content else {
            return UnpaidItems()
        }
        let item = footprint(of: element)
        // Items without bytes are refused elsewhere.
        guard item.size.minimumByteCount > 0 else { return UnpaidItems() }
        let most = description.options.maximumPacketByteCount / item.size.minimumByteCount
        return UnpaidItems(item: item, memory: item.unpaidMemory.multipliedOrMaximum(by: min(most, count)))
    }

    private struct UnpaidItems {
        var item = Footprint()
        var memory = 0
    }

    private func report(_ field: ResolvedField, _ items: UnpaidItems, takesMaximum: Bool) {
        let item = items.item
        let amount = item.memory == .max ? "more bytes of memory than can be counted" : "\(item.memory) bytes of memory"
        let byteCount = item.size.minimumByteCount == 1 ? "1 byte" : "\(item.size.minimumByteCount) bytes"
        let isUnion = if case .list(.union, _) = field.description.type { true } else { false }
        var help =
            isUnion
            ? "make its largest arm smaller"
            : "shorten its lists that may be missing, or give it more fields that are always there"
        let most = MemoryWeight.limit / item.unpaidMemory
        if takesMaximum, most > 0 { help += ", or allow fewer items: `@max(\(most))`" }
        reporter.error(
            "an item of \(field.description.name.quoted) takes \(amount) when it has \(byteCount) in a packet, "
                + "\(MemoryWeight.factor) are allowed for each byte",
            at: field.nameSpan, help: help)
    }
}

extension Footprint {
    /// The memory that no bytes pay for.
    fileprivate var unpaidMemory: Int {
        max(0, memory - size.minimumByteCount.multipliedOrMaximum(by: MemoryWeight.factor))
    }
}

extension FieldDescription {
    fileprivate var largestCount: Int {
        guard case .list(_, .counted(let format, _)) = type else { return maximumCount ?? .max }
        return min(format.maximum, maximumCount ?? .max)
    }
}
