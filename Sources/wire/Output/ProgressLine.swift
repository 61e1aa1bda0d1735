// SPDX-License-Identifier: Apache-2.0

/// One line on standard error that says how far long work has come; nothing where that is no terminal.
struct ProgressLine {
    private let title: String
    private let isShown: Bool
    private var lastShown = ContinuousClock.now

    init(of title: String) {
        self.title = TextStyle.harmless(title)
        isShown = System.isTerminal(System.Descriptor.standardError)
    }

    /// As ``show(_:)``, for work of which each step takes no time: most are passed over.
    mutating func showSometimes(_ part: Double) {
        let now = ContinuousClock.now
        guard isShown, now - lastShown > .milliseconds(200) else { return }
        lastShown = now
        show(part)
    }

    /// - Parameter part: How much is done, from 0 to 1.
    func show(_ part: Double) {
        write("\r\u{1B}[K\(title): \(Int(part * 100)) %")
    }

    /// Leaves an empty line.
    func clear() { write("\r\u{1B}[K") }

    private func write(_ text: String) {
        guard isShown else { return }
        // When standard error is closed there is nobody left to tell.
        try? System.write(System.Descriptor.standardError, Array(text.utf8))
    }
}
