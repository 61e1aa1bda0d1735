// SPDX-License-Identifier: Apache-2.0

/// What a client may cost a language server.
package struct LanguageServerLimits: Sendable {
    /// The most bytes of a message, 16 MiB by default: a schema of 100,000 messages. Longer ones are answered with an
    /// error.
    package var messageByteCount = 16 << 20
    /// The most bytes of all open documents together, 64 MiB by default. A document beyond them is not opened.
    package var openByteCount = 64 << 20
    /// The most places and names in a list of results, 10,000 by default.
    package var resultCount = 10_000

    package init() {}
}
