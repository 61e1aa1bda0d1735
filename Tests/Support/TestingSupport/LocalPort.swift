// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Ports of 127.0.0.1 at which programs listen that tests have started.
enum LocalPort {
    /// - Returns: Whether the program listens; false if it has ended.
    static func waitUntilListening(_ process: Process, _ port: UInt16) -> Bool {
        while process.isRunning {
            if isListening(at: port) { return true }
            usleep(20_000)
        }
        return false
    }

    /// Whether a process accepts connections.
    static func isListening(at port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
