// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

extension ProtocolDescription {
    /// Returns the protocol with the packets that a sender sends while all states are 0. Its layout has no conditions
    /// about the context.
    ///
    /// A protocol whose packets do not depend on the context returns itself.
    package func sent(by sender: Sender) -> ProtocolDescription { sent(in: PacketContext(from: sender)) }

    /// Returns the protocol with the packets in one context. Its layout has no conditions about the context.
    ///
    /// A protocol whose packets do not depend on the context returns itself.
    package func sent(in context: PacketContext) -> ProtocolDescription {
        layout.dependsOnContext ? with(layout: layout.layout(in: context)) : self
    }

    /// The protocol with each of the layout's plain layouts, in their order.
    ///
    /// A back end makes the code for headers once for each of them.
    package var plainVariants: [ProtocolDescription] {
        layout.dependsOnContext ? layout.plainLayouts.map(with(layout:)) : [self]
    }

    package func with(layout kept: PacketLayout) -> ProtocolDescription {
        var positions: [Int: Int] = [:]
        for (position, field) in kept.fields.enumerated() {
            if let index = packetField(named: field.name) { positions[index] = position }
        }
        var result = self
        result.layout = kept
        result.packetFields = packetFields.enumerated().filter { positions[$0.offset] != nil }.map(\.element)
        for index in messages.indices {
            result.messages[index].headerValues = messages[index].headerValues.compactMap { value in
                positions[value.field].map { HeaderValue(field: $0, value: value.value) }
            }
        }
        return result
    }
}
