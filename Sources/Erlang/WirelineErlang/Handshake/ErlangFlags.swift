// SPDX-License-Identifier: Apache-2.0

/// Features of a node. A connection uses the features that both ends have.
///
/// https://www.erlang.org/doc/apps/erts/erl_dist_protocol
package struct ErlangFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A visible node. We are hidden, so that no node connects us to the whole cluster.
    package static let published = Self(rawValue: 0x1)
    package static let extendedReferences = Self(rawValue: 0x4)
    package static let monitors = Self(rawValue: 0x8)
    package static let functions = Self(rawValue: 0x10)
    package static let monitorsByName = Self(rawValue: 0x20)
    package static let newFunctions = Self(rawValue: 0x80)
    package static let extendedIdentifiers = Self(rawValue: 0x100)
    package static let exports = Self(rawValue: 0x200)
    package static let bits = Self(rawValue: 0x400)
    package static let newFloats = Self(rawValue: 0x800)
    package static let atomCache = Self(rawValue: 0x2000)
    package static let smallAtoms = Self(rawValue: 0x4000)
    package static let utf8Atoms = Self(rawValue: 0x1_0000)
    package static let maps = Self(rawValue: 0x2_0000)
    package static let bigCreations = Self(rawValue: 0x4_0000)
    /// Messages carry their sender.
    package static let senders = Self(rawValue: 0x8_0000)
    package static let bigTraceLabels = Self(rawValue: 0x10_0000)
    /// The reason of an exit follows its control message, as a message does.
    package static let exitPayloads = Self(rawValue: 0x40_0000)
    package static let fragments = Self(rawValue: 0x80_0000)
    /// Version 6 of the handshake.
    package static let handshake6 = Self(rawValue: 0x100_0000)
    package static let unlinkIDs = Self(rawValue: 0x200_0000)
    /// Stands for all that OTP 25 requires. The document gives bit 36; OTP uses bit 26.
    package static let mandatory25 = Self(rawValue: 0x400_0000)
    package static let spawn = Self(rawValue: 0x1_0000_0000)
    package static let version4 = Self(rawValue: 0x4_0000_0000)
    package static let aliases = Self(rawValue: 0x8_0000_0000)

    package static let required25 = Self([
        .extendedReferences, .functions, .newFunctions, .extendedIdentifiers, .exports, .bits, .newFloats, .utf8Atoms,
        .maps, .bigCreations, .handshake6,
    ])

    /// OTP 26 requires these, and so do we.
    package static let required: Self = required25.union([.unlinkIDs, .version4])

    /// We decline the atom cache, because it saves bytes but no time. We decline spawn requests, so that a caller gets
    /// `notsup` at once. And we lack the features of visible nodes.
    package static let ours: Self = required.union([
        .mandatory25, .monitors, .monitorsByName, .smallAtoms, .senders, .bigTraceLabels, .exitPayloads, .fragments,
        .aliases,
    ])

    /// Adds the flags that ``mandatory25`` implies.
    var expanded: Self { contains(.mandatory25) ? union(.required25) : self }
}
