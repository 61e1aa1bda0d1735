// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A socket on loopback, as the system has it.
enum RawConnection {
    static func connect(to port: UInt16) throws -> Int32 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard number >= 0, status == 0 else {
            throw DelayFailure(description: "cannot connect: \(String(cString: strerror(errno)))")
        }
        var on: Int32 = 1
        setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return number
    }
}

/// The client that sends little, and measures how long each answer takes.
final class Victim {
    enum Question {
        /// A packet, which comes back.
        case echo
        /// The same, on a new connection each time.
        case firstEcho
        /// Whether an operator's HTTP client finds the server healthy, on a new connection each time.
        case health
    }

    private var number: Int32
    private let port: UInt16
    private let question: Question
    private var packet: [UInt8]

    /// - Parameter packet: What it says and gets back (default: a `Cs_20001`), with a new number each time.
    init(port: UInt16, asking question: Question = .echo, saying packet: [UInt8] = Payloads.packet) throws {
        self.port = port
        self.question = question
        self.packet = packet
        number = try Self.connect(to: port)
    }

    private static func connect(to port: UInt16) throws -> Int32 {
        let number = try RawConnection.connect(to: port)
        // It fails loudly and not never.
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return number
    }

    deinit { close(number) }

    /// How long each answer took, in seconds.
    func delays(for seconds: Double) throws -> [Double] {
        var delays: [Double] = []
        let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
        while DispatchTime.now().uptimeNanoseconds < end {
            packet[Payloads.lineOffset] &+= 1
            let start = DispatchTime.now().uptimeNanoseconds
            if question != .echo {
                close(number)
                number = try Self.connect(to: port)
            }
            let bytes = question == .health ? Payloads.healthRequest : packet
            guard send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
                throw DelayFailure(description: "the server takes nothing of the client that sends little")
            }
            try expect(question == .health ? Array("HTTP/1.1 200 ".utf8) : packet)
            delays.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
            usleep(.random(in: 500...3_000))
        }
        return delays
    }

    private func expect(_ answer: [UInt8]) throws {
        var received = [UInt8](repeating: 0, count: answer.count)
        var count = 0
        while count < answer.count {
            let more = received.withUnsafeMutableBytes {
                recv(number, $0.baseAddress! + count, answer.count - count, 0)
            }
            guard more > 0 else { throw DelayFailure(description: "no answer comes back") }
            count += more
        }
        guard received == answer else { throw DelayFailure(description: "the answer is another one") }
    }
}
