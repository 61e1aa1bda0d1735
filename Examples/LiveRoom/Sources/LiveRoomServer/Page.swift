import Foundation
import Wireline

/// The page for browsers, which speaks the same packets over a WebSocket: the files that `Page/build` makes.
enum Page {
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "json": "application/json",
    ]

    /// Returns the files of a folder by their paths in the address.
    static func files(in folder: String) throws -> [String: WebSocketPage] {
        var pages: [String: WebSocketPage] = [:]
        let files = try FileManager.default.contentsOfDirectory(
            at: URL(filePath: folder), includingPropertiesForKeys: nil)
        for file in files {
            guard let type = types[file.pathExtension] else { continue }
            let name = file.lastPathComponent
            let text = try String(contentsOf: file, encoding: .utf8)
            pages[name == "index.html" ? "/" : "/" + name] = WebSocketPage(text, contentType: type)
        }
        return pages
    }
}
