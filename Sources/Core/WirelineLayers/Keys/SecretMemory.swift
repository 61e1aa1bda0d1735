// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Memory for a key, or for data made of one. It is wiped when it is released.
///
/// This does not reach the bytes from which a key was set: their owner may keep them, and Swift may have copied them.
/// Nor does it reach registers and the stack.
@safe
final class SecretMemory {
    let bytes: UnsafeMutableRawBufferPointer

    /// The memory is not filled.
    init(byteCount: Int) {
        // SAFETY: the memory is this object's own until `deinit`. The caller fills it before it is read.
        unsafe bytes = .allocate(byteCount: byteCount, alignment: 16)
    }

    convenience init(copying source: RawSpan) {
        self.init(byteCount: source.byteCount)
        // SAFETY: both sides have as many bytes, and do not overlap.
        unsafe source.withUnsafeBytes { source in unsafe bytes.copyMemory(from: source) }
    }

    deinit {
        // SAFETY: the memory is not used later.
        unsafe wipe(bytes)
        unsafe bytes.deallocate()
    }

    var rawSpan: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: the memory lives as long as this object, and was filled before this is asked for.
            unsafe _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes)), borrowing: self)
        }
    }
}

extension SecretMemory: CustomStringConvertible, CustomReflectable {
    var description: String { HiddenValue.text }

    var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
