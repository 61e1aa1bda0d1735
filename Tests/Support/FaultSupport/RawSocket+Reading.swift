// SPDX-License-Identifier: Apache-2.0

extension RawSocket {
    /// All bytes until the end.
    public func rest() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try receive()
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    /// The bytes up to the end of an HTTP head, and the bytes after it.
    public func head() throws -> (head: String, rest: [UInt8]) {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                return (String(decoding: bytes[..<end.upperBound], as: UTF8.self), Array(bytes[end.upperBound...]))
            }
            let more = try receive()
            guard !more.isEmpty else { return (String(decoding: bytes, as: UTF8.self), []) }
            bytes += more
        }
    }
}
