// SPDX-License-Identifier: Apache-2.0

/// Owns a file descriptor: closes it exactly once, explicitly or in `deinit`.
struct Descriptor: ~Copyable {
    /// The number for system calls; it must not be stored.
    let number: Int32

    /// Takes over a descriptor; no other code may close it.
    init(owning number: Int32) {
        self.number = number
    }

    consuming func close() {}

    deinit {
        SystemCall.close(number)
    }
}
