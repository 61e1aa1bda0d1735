// SPDX-License-Identifier: Apache-2.0

/// The identity of a task among those that have not ended.
///
/// An `UnsafeCurrentTask` could do this, too. But its size is unknown at compile time, so copying and comparing one
/// takes hundreds of instructions. That is too much for every wait of a connection.
package struct TaskIdentity: Equatable {
    private let bits: UInt

    /// The running task; nil outside of a task.
    package static var current: TaskIdentity? {
        unsafe withUnsafeCurrentTask { task in
            guard unsafe MemoryLayout<UnsafeCurrentTask?>.size == MemoryLayout<UInt>.size else { return nil }
            // SAFETY: the sizes are equal, and the bits are only compared: those of a task are its address, else 0.
            let bits = unsafe unsafeBitCast(task, to: UInt.self)
            return bits == 0 ? nil : TaskIdentity(bits: bits)
        }
    }
}
