// SPDX-License-Identifier: Apache-2.0

// The declarations of Darwin that C cannot give Swift: variadic functions, macros with a cast, names of enum constants.
// Apple's own module has them with these types. The bodies do not run.

@_exported import Darwin

public var errno: Int32 {
    get { unsafe __error().pointee }
    set { unsafe __error().pointee = newValue }
}

@unsafe public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { unsafe _NSGetEnviron().pointee! }

@unsafe public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { 0 }
@unsafe public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { 0 }
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { 0 }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { 0 }

public var S_IFMT: mode_t { 0o170000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFSOCK: mode_t { 0o140000 }

public var SIG_IGN: sig_t { unsafe unsafeBitCast(1, to: sig_t.self) }
public var MAP_FAILED: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: -1) }

public var CLOCK_REALTIME: clockid_t { _CLOCK_REALTIME }
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }
