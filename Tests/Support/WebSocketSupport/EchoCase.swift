// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// What a peer sends to a side that echoes, and what it must get back: a case of the Autobahn suite, by its number there.
public protocol EchoCase: CustomStringConvertible, Sendable {
    /// Its number, and what tells it from others of the same number.
    var name: String { get }
    /// What both sides agree on about compression; nil: there is none.
    var terms: DeflateTerms? { get }
    /// What the peer sends, in the pieces in which it leaves.
    ///
    /// - Parameter peer: Which side the peer is.
    func pieces(from peer: WebSocketRole) -> [[UInt8]]
    /// What is wrong with what the peer gets; nil: nothing.
    func fault(in frames: [Frame], to peer: WebSocketRole) -> String?
}

extension EchoCase {
    public var description: String { name }

    /// What is wrong with the bytes that the peer gets; nil: nothing.
    public func fault(in bytes: [UInt8], to peer: WebSocketRole) -> String? {
        let frames = Frame.frames(bytes, areMasked: peer == .server)
        guard let frames else { return "what came back are no frames" }
        return fault(in: frames, to: peer)
    }
}

/// All cases.
public let echoCases: [any EchoCase] = ConformanceCase.all + MessageCase.all

extension [Frame] {
    /// The frames as a peer sends them.
    public func bytes(from peer: WebSocketRole) -> [UInt8] {
        reduce(into: []) { $0 += $1.bytes(maskedWith: peer == .client ? [0x37, 0xFA, 0x21, 0x3D] : nil) }
    }
}
