// SPDX-License-Identifier: Apache-2.0

/// Limits on the memory that a client can make the server use.
package struct LanguageServerLimits: Sendable {
    /// The largest message, in bytes (default 16 MiB, enough for a schema of 100,000 messages). A longer one is
    /// answered with an error.
    package var messageByteCount = 16 << 20
    /// The largest total size of open documents, in bytes (default 64 MiB). A document above the limit is not opened.
    package var openByteCount = 64 << 20
    /// The largest number of entries in a list of results (default 10,000). Further entries are left out.
    package var resultCount = 10_000

    package init() {}
}
