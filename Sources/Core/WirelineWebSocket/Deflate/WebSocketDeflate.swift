// SPDX-License-Identifier: Apache-2.0

/// The compression that one side wants (permessage-deflate, RFC 7692).
///
/// Compression can leak secrets: an attacker who sees message lengths and can add content beside a secret can guess it.
/// So compression is off unless this is set.
public struct WebSocketDeflate: Equatable, Sendable {
    /// The compression level, from 0 (none) to 9 (default 6, as in zlib).
    public var level = 6
    /// The smallest message that is compressed, in bytes (default 32: shorter ones tend to grow).
    public var minimumByteCount = 32
    /// The window of this side's compression, as a power of two from 8 to 15 (default 15: 32 KiB).
    ///
    /// Compressing takes 2^(bits + 2) bytes and 128 KiB of memory.
    public var windowBits = 15
    /// The window that the peer is asked to use, from 8 to 15 (default 15).
    ///
    /// Decompressing takes 2^bits bytes of memory. A client that does not offer the parameter cannot be asked, and may
    /// use 15. If a peer exceeds its window, the connection fails as soon as data is missing; that depends on how its
    /// bytes were split.
    public var peerWindowBits = 15
    /// Whether this side's messages may refer to earlier ones (default true).
    ///
    /// If false, its memory is released after each message.
    public var takesContextOver = true
    /// Whether the peer's messages may refer to earlier ones (default true).
    public var peerTakesContextOver = true
    /// Whether the connection does without compression if zlib cannot be loaded (default true).
    ///
    /// If false, a missing zlib is ``WebSocketError/deflateUnavailable(reason:)``.
    public var isOptional = true

    /// The defaults.
    public init() {}

    func validate() throws(WebSocketError) {
        guard 0...9 ~= level, 8...15 ~= windowBits, 8...15 ~= peerWindowBits else { throw .invalidDeflate }
    }
}

/// The compression that both sides agreed on (RFC 7692 §7.1).
package struct DeflateAgreement: Equatable, Sendable {
    package var windowBits = 15
    package var peerWindowBits = 15
    package var takesContextOver = true
    package var peerTakesContextOver = true
    /// Known to this side only, like the next property.
    package var level = 6
    package var minimumByteCount = 32
    /// On a server, the connection's part of the memory for all connections.
    var share: CompressionBudget.Share?

    package init() {}

    /// The most memory that zlib keeps for the connection, in bytes: 304 KiB for the largest windows.
    var byteCount: Int {
        (1 << (windowBits + 2)) + (128 << 10) + (1 << peerWindowBits) + (16 << 10)
    }

    /// Makes this side's settings before the peer has answered.
    init(_ deflate: WebSocketDeflate) {
        level = deflate.level
        minimumByteCount = deflate.minimumByteCount
    }
}

/// The parameters of permessage-deflate in an offer or an answer (RFC 7692 §7.1).
struct DeflateParameters: Equatable {
    static let name = "permessage-deflate"

    /// A window size; `client_max_window_bits` without a value means that the server may choose any.
    enum WindowBits: Equatable {
        case anyNumber
        case number(Int)
    }

    var serverTakesContextOver = true
    var clientTakesContextOver = true
    var serverWindowBits: Int?
    var clientWindowBits: WindowBits?

    init() {}

    /// - Returns: nil if a parameter is unknown, repeated, or has an invalid value.
    init?(_ element: ExtensionList.Element) {
        var names: Set<String> = []
        for parameter in element.parameters {
            guard names.insert(parameter.name).inserted else { return nil }
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverTakesContextOver = false
            case ("client_no_context_takeover", nil): clientTakesContextOver = false
            case ("server_max_window_bits", .some(let value)):
                guard let bits = Self.bits(value) else { return nil }
                serverWindowBits = bits
            case ("client_max_window_bits", nil): clientWindowBits = .anyNumber
            case ("client_max_window_bits", .some(let value)):
                guard let bits = Self.bits(value) else { return nil }
                clientWindowBits = .number(bits)
            default: return nil
            }
        }
    }

    private static func bits(_ text: String) -> Int? {
        // Leading zeros are not allowed (RFC 7692 §7.1.2.1).
        (8...15).first { String($0) == text }
    }

    var text: String {
        var text = Self.name
        if !serverTakesContextOver { text += "; server_no_context_takeover" }
        if !clientTakesContextOver { text += "; client_no_context_takeover" }
        if let serverWindowBits { text += "; server_max_window_bits=\(serverWindowBits)" }
        switch clientWindowBits {
        case nil: break
        case .anyNumber: text += "; client_max_window_bits"
        case .number(let bits): text += "; client_max_window_bits=\(bits)"
        }
        return text
    }
}

extension DeflateParameters {
    init(offerOf deflate: WebSocketDeflate) {
        serverTakesContextOver = deflate.peerTakesContextOver
        clientTakesContextOver = deflate.takesContextOver
        serverWindowBits = deflate.peerWindowBits < 15 ? deflate.peerWindowBits : nil
        clientWindowBits = deflate.windowBits < 15 ? .number(deflate.windowBits) : .anyNumber
    }

    /// Returns a client's agreement for the answer to its offer; nil if the answer does not match the offer.
    func agreement(offering deflate: WebSocketDeflate) -> DeflateAgreement? {
        var agreement = DeflateAgreement(deflate)
        agreement.windowBits = deflate.windowBits
        agreement.peerWindowBits = serverWindowBits ?? 15
        agreement.takesContextOver = deflate.takesContextOver && clientTakesContextOver
        agreement.peerTakesContextOver = serverTakesContextOver
        // A server that accepts an offer must keep to it, and say so (RFC 7692 §7.1.1.1, §7.1.2.1).
        guard agreement.peerWindowBits <= deflate.peerWindowBits,
            deflate.peerTakesContextOver || !serverTakesContextOver
        else { return nil }
        switch clientWindowBits {
        case nil: break
        case .anyNumber: return nil
        case .number(let bits):
            guard bits <= deflate.windowBits else { return nil }
            agreement.windowBits = bits
        }
        return agreement
    }

    /// Returns a server's answer to this offer, and the resulting agreement.
    func answer(_ deflate: WebSocketDeflate) -> (DeflateParameters, DeflateAgreement) {
        var answer = DeflateParameters()
        var agreement = DeflateAgreement(deflate)
        agreement.windowBits = min(deflate.windowBits, serverWindowBits ?? 15)
        if serverWindowBits != nil || agreement.windowBits < 15 { answer.serverWindowBits = agreement.windowBits }
        switch clientWindowBits {
        case nil: break
        case .anyNumber: agreement.peerWindowBits = deflate.peerWindowBits
        case .number(let bits): agreement.peerWindowBits = min(bits, deflate.peerWindowBits)
        }
        if agreement.peerWindowBits < 15 { answer.clientWindowBits = .number(agreement.peerWindowBits) }
        agreement.takesContextOver = deflate.takesContextOver && serverTakesContextOver
        agreement.peerTakesContextOver = deflate.peerTakesContextOver && clientTakesContextOver
        answer.serverTakesContextOver = agreement.takesContextOver
        answer.clientTakesContextOver = agreement.peerTakesContextOver
        return (answer, agreement)
    }
}
