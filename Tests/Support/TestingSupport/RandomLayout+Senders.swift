// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

extension PacketLayout {
    /// A random layout of which some fields depend on the sender.
    public static func randomBySender(using random: inout SeededGenerator) -> PacketLayout {
        while true {
            let plain = PacketLayout.random(using: &random)
            let fields = plain.fields.enumerated().map { index, field in
                guard plain.packedPlace(ofField: index) == nil, field.role != .padding,
                    Int.random(in: 0...2, using: &random) == 0
                else { return field }
                var field = field
                field.condition = field.condition.withRandomContext(using: &random)
                return field
            }
            let (header, trailer) = (fields[..<plain.header.count], fields[plain.header.count...])
            if let layout = try? PacketLayout(header: Array(header), trailer: Array(trailer)), layout.dependsOnContext {
                return layout
            }
        }
    }

    /// A layout whose packets carry what they depend on: the number of the sender, and a 0, in two bytes before them.
    ///
    /// Conditions about numbers of the header are another way to the same packets.
    public func statingContext() throws(CodecError) -> PacketLayout {
        let context = [PacketField(Self.senderName, .integer(.uint8, .bigEndian)), PacketField("zero", .boolean)]
        return try PacketLayout(header: context + header.map(stating), trailer: trailer.map(stating))
    }

    /// The name of the field with the number of the sender.
    public static let senderName = "who"

    private func stating(_ field: PacketField) -> PacketField {
        var field = field
        field.condition = field.condition?.mapOperands { operand in
            switch operand {
            case .sender: .field(Self.senderName)
            case .nested: .field("zero")
            case .field, .header, .state: operand
            }
        }
        if case .length(.packet, let constant) = field.role { field.role = .length(of: .packet, plus: constant - 2) }
        return field
    }
}

extension WireCondition? {
    /// The condition with a test of the packet's sender, or of whether it is nested.
    fileprivate func withRandomContext(using random: inout SeededGenerator) -> WireCondition {
        let comparison: WireCondition.Comparison = Bool.random(using: &random) ? .equal : .unequal
        let isOfSender = Int.random(in: 0...4, using: &random) > 0
        let test: WireCondition =
            isOfSender
            ? .compares(.sender, comparison, Int128.random(in: 0...1, using: &random))
            : Bool.random(using: &random) ? .not(.isSet(.nested)) : .isSet(.nested)
        guard let self else { return test }
        let conditions: [WireCondition] = [.and(test, self), .or(self, test), .and(.not(self), test)]
        return conditions.randomElement(using: &random) ?? test
    }
}
