// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// C's functions under names that the methods of SystemCall leave free. A qualified name would be another one for each
// C library.

@unsafe
func systemSend(_ descriptor: Int32, _ memory: UnsafeRawPointer, _ byteCount: Int, _ flags: Int32) -> Int {
    unsafe send(descriptor, memory, byteCount, flags)
}

func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

@unsafe
func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ byteCount: socklen_t) -> Int32 {
    unsafe bind(descriptor, address, byteCount)
}

func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

@unsafe
func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ byteCount: socklen_t) -> Int32 {
    unsafe connect(descriptor, address, byteCount)
}
