// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The checkout that these tests belong to.
public enum Checkout {
    /// The folder that holds `Package.swift`.
    public static let root: URL = {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
        {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    /// A file or folder, by its path below the root.
    public static func url(_ path: String) -> URL { root.appending(path: path) }
}
