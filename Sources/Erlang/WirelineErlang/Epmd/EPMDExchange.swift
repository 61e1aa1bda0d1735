// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A request to epmd, the program on each host that knows the ports of its nodes.
///
/// https://www.erlang.org/doc/apps/erts/erl_dist_protocol, "EPMD Protocol". Each request has its own connection, on
/// port 4369.
package enum EPMDRequest: Equatable, Sendable {
    /// Registers a hidden node. The connection must stay open as long as the node lives: epmd removes the name at its
    /// end.
    case register(name: String, port: UInt16)
    case port(name: String)
    case names

    /// The highest and the lowest version of the handshake that we support.
    private static let (highestVersion, lowestVersion): (UInt16, UInt16) = (6, 5)

    var bytes: [UInt8] {
        let content: [UInt8] =
            switch self {
            case .register(let name, let port):
                [120] + Self.bytes(port) + [EPMDNodeKind.hidden.rawValue, 0] + Self.bytes(Self.highestVersion)
                    + Self.bytes(Self.lowestVersion) + Self.bytes(UInt16(name.utf8.count)) + name.utf8 + [0, 0]
            case .port(let name): [122] + name.utf8
            case .names: [110]
            }
        return Self.bytes(UInt16(content.count)) + content
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
}

package enum EPMDAnswer: Equatable, Sendable {
    case registered(creation: UInt32)
    case nameTaken
    case port(UInt16, EPMDNodeKind)
    case unknownName
    /// The nodes of the host. A name is the part before the `@`.
    case names([EPMDName])
}

/// A visible node connects to whole clusters, a hidden one does not.
package enum EPMDNodeKind: UInt8, Sendable {
    case hidden = 72
    case visible = 77
}

package struct EPMDName: Equatable, Sendable {
    package let name: String
    package let port: UInt16
}

package struct EPMDExchange {
    /// The most bytes of an answer. The list of a host with 1,000 nodes with long names has half as many.
    package static let answerLimit = 512 << 10

    private enum State {
        case waiting
        case answered(EPMDAnswer)
        case failed(ErlangError)
    }

    private let request: EPMDRequest
    private var input: [UInt8] = []
    private var state = State.waiting

    /// - Parameter request: The request; a name must have 1 to 255 bytes.
    package init(_ request: EPMDRequest) {
        switch request {
        case .register(let name, _), .port(let name):
            precondition(1...255 ~= name.utf8.count, "a name of \(name.utf8.count) bytes")
        case .names: break
        }
        self.request = request
    }

    package var output: [UInt8] { request.bytes }

    /// - Returns: The answer, once it is complete.
    /// - Throws: ``ErlangError/invalidAnswer(_:)``, again at each later call.
    package mutating func receive(_ bytes: RawSpan) throws(ErlangError) -> EPMDAnswer? {
        try advance { exchange throws(ErlangError) in
            if case .answered = exchange.state { throw .invalidAnswer(.trailingBytes) }
            exchange.input += [UInt8](copying: bytes)
            guard exchange.input.count <= Self.answerLimit else {
                throw .invalidAnswer(.tooLong(limit: Self.answerLimit))
            }
            // Only the end of the connection ends the list of names.
            return exchange.request == .names ? nil : try exchange.readAnswer()
        }
    }

    /// The connection has ended. If a registration was answered before, epmd has now removed the name.
    ///
    /// - Returns: The answer, if it ends with the connection; nil if it was complete before.
    /// - Throws: ``EPMDFault/truncated``.
    package mutating func endOfInput() throws(ErlangError) -> EPMDAnswer? {
        try advance { exchange throws(ErlangError) in
            if case .answered = exchange.state { return nil }
            guard exchange.request == .names, exchange.input.count >= 4 else { throw .invalidAnswer(.truncated) }
            return .names(try Self.names(in: exchange.input[4...]))
        }
    }

    private mutating func advance(
        _ step: (inout Self) throws(ErlangError) -> EPMDAnswer?
    ) throws(ErlangError) -> EPMDAnswer? {
        if case .failed(let error) = state { throw error }
        do throws(ErlangError) {
            let answer = try step(&self)
            if let answer { state = .answered(answer) }
            return answer
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Reads an answer with a known length; nil if it is not complete.
    private func readAnswer() throws(ErlangError) -> EPMDAnswer? {
        guard let tag = input.first else { return nil }
        switch (request, tag) {
        case (.register, 118): return try registration(creationByteCount: 4)
        // This is the answer of epmd before OTP 23.
        case (.register, 121): return try registration(creationByteCount: 2)
        case (.port, 119): return try port()
        default: throw .invalidAnswer(.tag(tag))
        }
    }

    private func registration(creationByteCount: Int) throws(ErlangError) -> EPMDAnswer? {
        guard input.count >= 2 + creationByteCount else { return nil }
        guard input.count == 2 + creationByteCount else { throw .invalidAnswer(.trailingBytes) }
        return input[1] == 0 ? .registered(creation: input[2...].reduce(0) { $0 << 8 | UInt32($1) }) : .nameTaken
    }

    /// The port, the kind, the protocol, two versions, the name and extra data. The last two have a 16-bit length
    /// before
    /// them.
    private func port() throws(ErlangError) -> EPMDAnswer? {
        guard input.count >= 2 else { return nil }
        guard input[1] == 0 else {
            guard input.count == 2 else { throw .invalidAnswer(.trailingBytes) }
            return .unknownName
        }
        guard let nameByteCount = number(at: 10), let otherByteCount = number(at: 12 + nameByteCount) else {
            return nil
        }
        let byteCount = 14 + nameByteCount + otherByteCount
        guard input.count >= byteCount else { return nil }
        guard input.count == byteCount else { throw .invalidAnswer(.trailingBytes) }
        guard let port = number(at: 2), port > 0 else { throw .invalidAnswer(.port) }
        return .port(UInt16(port), EPMDNodeKind(rawValue: input[4]) ?? .hidden)
    }

    /// A 16-bit number; nil if it has not arrived.
    private func number(at offset: Int) -> Int? {
        offset + 2 <= input.count ? Int(input[offset]) << 8 | Int(input[offset + 1]) : nil
    }

    /// Reads lines such as `name game1 at port 37743`.
    private static func names(in bytes: ArraySlice<UInt8>) throws(ErlangError) -> [EPMDName] {
        var names: [EPMDName] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 5, words[0] == "name", words[2] == "at", words[3] == "port",
                let port = UInt16(words[4])
            else { throw .invalidAnswer(.line) }
            names.append(EPMDName(name: String(words[1]), port: port))
        }
        return names
    }
}
