// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

extension PacketLayout {
    /// The states of random layouts.
    public static let randomStates = [
        PacketState("phase", .uint8), PacketState("mark", .uint64), PacketState("level", .int16),
    ]

    /// A random layout of which some fields depend on states, and some on the sender too.
    public static func randomInStates(using random: inout SeededGenerator) -> PacketLayout {
        while true {
            let plain = PacketLayout.random(using: &random)
            let fields = plain.fields.enumerated().map { index, field in
                guard plain.packedPlace(ofField: index) == nil, field.role != .padding,
                    Int.random(in: 0...2, using: &random) == 0
                else { return field }
                var field = field
                let test = WireCondition.ofRandomState(using: &random)
                field.condition =
                    field.condition.map { Bool.random(using: &random) ? .and(test, $0) : .or($0, test) } ?? test
                return field
            }
            let (header, trailer) = (fields[..<plain.header.count], fields[plain.header.count...])
            let layout = try? PacketLayout(
                states: randomStates, header: Array(header), trailer: Array(trailer))
            if let layout, layout.dependsOnContext { return layout }
        }
    }

    /// Random states, often at the numbers that conditions test.
    public func randomStates(using random: inout SeededGenerator) -> PacketStates {
        var result = PacketStates()
        for state in states {
            let tested = fields.flatMap { $0.condition?.tests ?? [] }.filter { $0.operand == .state(state.name) }
            let numbers = tested.flatMap { [$0.number - 1, $0.number, $0.number + 1] }
            let any = Int128.random(in: state.format.range, using: &random)
            let chosen = Bool.random(using: &random) ? numbers.randomElement(using: &random) ?? any : any
            if state.format.range.contains(chosen) { result[state.name] = chosen }
        }
        return result
    }

    /// A layout whose packets carry the sender and the states before them, in ``statedByteCount`` bytes.
    ///
    /// Conditions about numbers of the header are another way to the same packets.
    public func statingStates() throws(CodecError) -> PacketLayout {
        let stated =
            [PacketField(Self.senderName, .integer(.uint8, .bigEndian))]
            + states.map { PacketField("state-" + $0.name, .integer($0.format, .bigEndian)) }
        func stating(_ field: PacketField) -> PacketField {
            var field = field
            field.condition = field.condition?.mapOperands { operand in
                switch operand {
                case .sender: .field(Self.senderName)
                case .state(let name): .field("state-" + name)
                case .nested, .field, .header: operand
                }
            }
            if case .length(.packet, let constant) = field.role {
                field.role = .length(of: .packet, plus: constant - Self.statedByteCount)
            }
            return field
        }
        return try PacketLayout(header: stated + header.map(stating), trailer: trailer.map(stating))
    }

    /// The bytes of the stated sender and states.
    public static let statedByteCount = 1 + 1 + 8 + 2
}

extension WireCondition {
    fileprivate static func ofRandomState(using random: inout SeededGenerator) -> WireCondition {
        switch Int.random(in: 0...5, using: &random) {
        case 0: return .compares(.sender, .equal, Int128.random(in: 0...1, using: &random))
        case 1: return .isSet(.state("phase"))
        case 2: return .compares(.state("mark"), .sharesBit, [1, 6, 1 << 63].randomElement(using: &random)!)
        case 3: return .not(.compares(.state("level"), .less, [-3, 0, 4].randomElement(using: &random)!))
        default:
            let comparison = Comparison.allCases.randomElement(using: &random)!
            return .compares(.state("phase"), comparison, [1, 2, 5].randomElement(using: &random)!)
        }
    }
}
