// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// The layers of a connection, both directions, and its keys.
package struct ConnectionLayers: ~Copyable {
    /// One stack for the packets that the client sends, and one for those that the server sends.
    package var ofClient: LayerStack
    package var ofServer: LayerStack

    /// - Parameters:
    ///   - kinds: The layers, the outermost first; at most four.
    ///   - states: Those of the connection's thread (default: the connection's own).
    package init(
        _ kinds: [LayerKind], options: LayerOptions = LayerOptions(), states: CompressionStates = CompressionStates()
    ) {
        ofClient = LayerStack(kinds, from: .client, options: options, states: states)
        ofServer = LayerStack(kinds, from: .server, options: options, states: states)
    }

    /// Sets a key. The keystreams of its layers start anew with the next packet.
    ///
    /// - Parameter sender: The end whose packets use the key; nil for both ends.
    /// - Throws: ``LayerKeyError``; then the earlier keys stay.
    package mutating func setKey(
        _ name: String, _ bytes: RawSpan, for sender: Sender? = nil
    ) throws(LayerKeyError) {
        if sender != .server { try ofClient.setKey(name, bytes) }
        if sender != .client { try ofServer.setKey(name, bytes) }
    }
}
