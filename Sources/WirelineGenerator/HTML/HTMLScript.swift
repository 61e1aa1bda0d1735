// SPDX-License-Identifier: Apache-2.0

/// The page's search.
enum HTMLScript {
    /// The hash that the page's content policy allows: the SHA-256 of the script element's text, in Base64.
    static let digest = "sha256-BHgX3UCapoeUuqOXMI7ybAtKI4Ott3x7lepj+5NXs3A="

    static let text = RuntimeFile.pageSearch.text("script") + "\n"
}
