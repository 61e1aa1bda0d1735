// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A path for a Unix domain socket in a folder of its own, which is removed with this object.
public final class SocketPath: Sendable {
    private let folder: URL
    /// The path. It is short, whatever the machine's folder for temporary files is called.
    public let path: String

    public init() throws {
        folder = URL(filePath: "/tmp/wireline-" + UUID().uuidString.prefix(13))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        path = folder.appending(path: "socket").path()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Whether there is a file at the path.
    public var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// The permissions of the file.
    public func permissions() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// Writes a plain file to the path.
    public func writeFile() throws { try Data("text".utf8).write(to: URL(filePath: path)) }
}
