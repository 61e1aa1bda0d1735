// SPDX-License-Identifier: Apache-2.0

/// A state of a protocol's connections, with the type of its values: `.started`, `.phase`.
///
/// Generated code has one for each `state` of a schema:
///
///     try await client.setState(.started, to: true)
///     let phase = try await client.state(.phase)
public struct ConnectionState<Definition: PacketProtocol, Value: ConnectionStateValue>: Sendable {
    /// The name in the schema.
    public let name: String

    /// Makes a state with this name in the schema.
    public init(_ name: String) { self.name = name }
}

/// A value that a state of a connection can have: an integer, `Bool`, or an enum or flags of the schema.
public protocol ConnectionStateValue: Sendable {
    /// Makes the value of its number, which the state can hold.
    init(stateNumber: Int128)

    /// Its number, which ``PacketContext`` has.
    var stateNumber: Int128 { get }
}

extension ConnectionStateValue where Self: RawRepresentable, RawValue: FixedWidthInteger {
    public init(stateNumber: Int128) {
        // Enums and flags of a packet's states keep every number.
        guard let value = Self(rawValue: RawValue(truncatingIfNeeded: stateNumber)) else {
            preconditionFailure("a state of an enum that does not keep all numbers")
        }
        self = value
    }

    public var stateNumber: Int128 { Int128(rawValue) }
}

extension ConnectionStateValue where Self: FixedWidthInteger {
    public init(stateNumber: Int128) { self.init(truncatingIfNeeded: stateNumber) }

    public var stateNumber: Int128 { Int128(self) }
}

extension Bool: ConnectionStateValue {
    public init(stateNumber: Int128) { self = stateNumber != 0 }

    public var stateNumber: Int128 { self ? 1 : 0 }
}

extension UInt8: ConnectionStateValue {}
extension UInt16: ConnectionStateValue {}
extension UInt32: ConnectionStateValue {}
extension UInt64: ConnectionStateValue {}
extension Int8: ConnectionStateValue {}
extension Int16: ConnectionStateValue {}
extension Int32: ConnectionStateValue {}
extension Int64: ConnectionStateValue {}
