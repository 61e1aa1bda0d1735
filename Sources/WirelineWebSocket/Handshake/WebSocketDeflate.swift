// SPDX-License-Identifier: Apache-2.0

/// How a side wants messages compressed (permessage-deflate, RFC 7692).
///
/// Compression lets those who see the lengths of messages guess what is in them, where they can put something of their own
/// beside a secret in the same connection; so nobody compresses unless this is set.
public struct WebSocketDeflate: Equatable, Sendable {
    /// How hard this side tries, from 0 (not at all) to 9 (default 6, as zlib).
    public var level = 6
    /// Messages of fewer bytes are sent as they are (default 32: shorter ones rather grow).
    public var minimumByteCount = 32
    /// How far back this side looks for what repeats, as a power of two from 8 to 15 (default 15, 32 KiB). It costs this side
    /// 2^(bits + 2) + 128 KiB while it compresses.
    public var windowBits = 15
    /// How far back the other side is asked to look (default 15). It costs this side as many bytes while it decompresses. A
    /// client that cannot be asked (it has not said that it can be) may look further. Who looks further all the same is refused
    /// where what is there is forgotten, and understood where it is not, which depends on how the bytes are cut.
    public var peerWindowBits = 15
    /// Whether this side looks back into earlier messages (default true). Otherwise its memory is given back behind each
    /// message.
    public var takesContextOver = true
    /// Whether the other side may (default true).
    public var peerTakesContextOver = true
    /// Whether the connection does without compression where zlib cannot be loaded (default true); if not, that is
    /// ``WebSocketError/deflateUnavailable(reason:)``.
    public var isOptional = true

    /// The defaults.
    public init() {}

    func validate() throws(WebSocketError) {
        guard 0...9 ~= level, 8...15 ~= windowBits, 8...15 ~= peerWindowBits else { throw .invalidDeflate }
    }
}

/// What both sides have agreed on (RFC 7692 §7.1).
package struct DeflateAgreement: Equatable, Sendable {
    package var windowBits = 15
    package var peerWindowBits = 15
    package var takesContextOver = true
    package var peerTakesContextOver = true
    /// This side's own; the peer knows neither.
    package var level = 6
    package var minimumByteCount = 32

    package init() {}

    /// What a side brings along, before anybody has answered.
    init(_ deflate: WebSocketDeflate) {
        level = deflate.level
        minimumByteCount = deflate.minimumByteCount
    }
}

/// The parameters of permessage-deflate as they stand in an offer or an answer (RFC 7692 §7.1).
struct DeflateParameters: Equatable {
    static let name = "permessage-deflate"

    /// `client_max_window_bits` without a value: the client can be asked.
    enum WindowBits: Equatable {
        case anyNumber
        case number(Int)
    }

    var serverTakesContextOver = true
    var clientTakesContextOver = true
    var serverWindowBits: Int?
    var clientWindowBits: WindowBits?

    init() {}

    /// - Returns: nil where a parameter is unknown, stands there twice, or has a value that it cannot have.
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
        // Without zeros in front (RFC 7692 §7.1.2.1).
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
    /// What a client offers.
    init(offerOf deflate: WebSocketDeflate) {
        serverTakesContextOver = deflate.peerTakesContextOver
        clientTakesContextOver = deflate.takesContextOver
        serverWindowBits = deflate.peerWindowBits < 15 ? deflate.peerWindowBits : nil
        clientWindowBits = deflate.windowBits < 15 ? .number(deflate.windowBits) : .anyNumber
    }

    /// What a client makes of the answer to its offer; nil where the answer does not go with it.
    func agreement(offering deflate: WebSocketDeflate) -> DeflateAgreement? {
        var agreement = DeflateAgreement(deflate)
        agreement.windowBits = deflate.windowBits
        agreement.peerWindowBits = serverWindowBits ?? 15
        agreement.takesContextOver = deflate.takesContextOver && clientTakesContextOver
        agreement.peerTakesContextOver = serverTakesContextOver
        // A server that takes an offer keeps to it, and says so (RFC 7692 §7.1.1.1, §7.1.2.1).
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

    /// What a server answers to this offer, and what then holds.
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
