// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The page's search.
enum HTMLScript {
    /// The hash that the page's content policy allows: the SHA-256 of the script element's text, in Base64.
    static let digest = "sha256-\(Base64.encode(SHA256.hash(of: Array("\n\(text)".utf8))))"

    static let text = RuntimeFile.pageSearch.text("script") + "\n"
}
