// SPDX-License-Identifier: Apache-2.0

/// Which task it is, among those that have not ended.
///
/// An `UnsafeCurrentTask` could say so, too. But its size is not known when this is compiled, so copying and comparing one
/// takes hundreds of instructions, which is much for every wait of a connection.
package struct TaskIdentity: Equatable {
    private let bits: UInt

    /// The task that is running; nil where none is.
    package static var current: TaskIdentity? {
        unsafe withUnsafeCurrentTask { task in
            guard unsafe MemoryLayout<UnsafeCurrentTask?>.size == MemoryLayout<UInt>.size else { return nil }
            // SAFETY: the sizes are equal, and the bits are only compared: those of a task are its address, else 0.
            let bits = unsafe unsafeBitCast(task, to: UInt.self)
            return bits == 0 ? nil : TaskIdentity(bits: bits)
        }
    }
}
