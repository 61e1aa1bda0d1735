// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

extension ProtocolDescription {
    /// Returns the protocol with the packets of one sender: its layout has no conditions about the sender.
    ///
    /// A back end makes the parts that read and write headers once for each sender. A protocol whose packets do not
    /// depend on the sender returns itself.
    package func sent(by sender: Sender) -> ProtocolDescription {
        guard layout.dependsOnSender else { return self }
        let kept = layout.layout(from: sender)
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
