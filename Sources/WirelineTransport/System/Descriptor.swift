// SPDX-License-Identifier: Apache-2.0

/// Owns a file descriptor: it is closed exactly once, when its owner says so or forgets it.
struct Descriptor: ~Copyable {
    /// The number, for system calls; it may not be kept.
    let number: Int32

    /// Takes over a descriptor that nobody else will close.
    init(owning number: Int32) {
        self.number = number
    }

    consuming func close() {}

    deinit {
        SystemCall.close(number)
    }
}
