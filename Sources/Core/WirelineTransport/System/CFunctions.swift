// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// C functions under names that differ from the methods of SystemCall. A qualified name would depend on the C library.

@unsafe
func systemSend(_ descriptor: Int32, _ memory: UnsafeRawPointer, _ byteCount: Int, _ flags: Int32) -> Int {
    // SAFETY: by this function's contract the memory has `byteCount` bytes.
    unsafe send(descriptor, memory, byteCount, flags)
}

func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

@unsafe
func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ byteCount: socklen_t) -> Int32 {
    // SAFETY: by this function's contract the address has `byteCount` bytes.
    unsafe bind(descriptor, address, byteCount)
}

func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

@unsafe
func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ byteCount: socklen_t) -> Int32 {
    // SAFETY: by this function's contract the address has `byteCount` bytes.
    unsafe connect(descriptor, address, byteCount)
}
