// SPDX-License-Identifier: Apache-2.0

/// Shows the progress of long work on a line of standard error, if that is a terminal.
struct ProgressLine {
    private let title: String
    private let isShown: Bool
    private var lastShown = ContinuousClock.now

    init(of title: String) {
        self.title = TextStyle.harmless(title)
        isShown = System.isTerminal(System.Descriptor.standardError)
    }

    /// Like ``show(_:)``, but at most every 200 ms, for work in many short steps.
    mutating func showSometimes(_ part: Double) {
        let now = ContinuousClock.now
        guard isShown, now - lastShown > .milliseconds(200) else { return }
        lastShown = now
        show(part)
    }

    /// - Parameter part: The completed part, from 0 to 1.
    func show(_ part: Double) {
        write("\r\u{1B}[K\(title): \(Int(part * 100)) %")
    }

    func clear() { write("\r\u{1B}[K") }

    private func write(_ text: String) {
        guard isShown else { return }
        // If standard error is closed, the text is lost.
        try? System.write(System.Descriptor.standardError, Array(text.utf8))
    }
}
