// SPDX-License-Identifier: Apache-2.0

import Foundation
import WirelineWebSocket

/// Compresses what a peer sends: zlib, with nothing of the code that is tested.
final class PeerDeflater {
    private let stream: ZlibStream
    private let takesContextOver: Bool
    private let deflate = zlib("deflate", as: (@convention(c) (UnsafeMutableRawPointer, CInt) -> CInt).self)
    private let reset = zlib("deflateReset", as: (@convention(c) (UnsafeMutableRawPointer) -> CInt).self)

    init(_ terms: DeflateTerms, of role: WebSocketRole) {
        typealias Beginning =
            @convention(c) (
                UnsafeMutableRawPointer, CInt, CInt, CInt, CInt, CInt, UnsafePointer<CChar>?, CInt
            ) -> CInt
        let begin = zlib("deflateInit2_", as: Beginning.self)
        takesContextOver = terms.takesContextOver(role)
        // The usual level, method, memory and strategy, and no header.
        stream = ZlibStream(endedBy: "deflateEnd") { begin($0, 6, 8, CInt(-terms.windowBits(of: role)), 8, 0, $1, $2) }
    }

    /// A message as it leaves, without what all of them end with (RFC 7692 §7.2.1). It must not be empty.
    func compress(_ message: [UInt8]) -> [UInt8] {
        if !takesContextOver { precondition(reset(stream.pointer) == 0) }
        let room = [UInt8](repeating: 0, count: message.count + 1_024)
        var compressed = stream.run(message, room: room) { deflate($0, 2) } ?? []
        precondition(compressed.suffix(4) == [0, 0, 0xFF, 0xFF], "zlib has not come to an end")
        compressed.removeLast(4)
        return compressed
    }
}

/// Decompresses what a peer gets, and refuses what looks back further than was agreed on.
final class PeerInflater {
    private let stream: ZlibStream
    private let takesContextOver: Bool
    private let inflate = zlib("inflate", as: (@convention(c) (UnsafeMutableRawPointer, CInt) -> CInt).self)
    private let reset = zlib("inflateReset", as: (@convention(c) (UnsafeMutableRawPointer) -> CInt).self)
    /// zlib looks back into the room, too, however small its window is: so there is little of it.
    private static let room = [UInt8](repeating: 0, count: 256)

    /// - Parameter role: Which side has compressed it.
    init(_ terms: DeflateTerms, of role: WebSocketRole) {
        typealias Beginning = @convention(c) (UnsafeMutableRawPointer, CInt, UnsafePointer<CChar>?, CInt) -> CInt
        let begin = zlib("inflateInit2_", as: Beginning.self)
        takesContextOver = terms.takesContextOver(role)
        stream = ZlibStream(endedBy: "inflateEnd") { begin($0, CInt(-terms.windowBits(of: role)), $1, $2) }
    }

    /// A message as it was; nil where it is damaged, or looks back too far.
    func decompress(_ message: [UInt8]) -> [UInt8]? {
        if !takesContextOver { precondition(reset(stream.pointer) == 0) }
        return stream.run(message + [0, 0, 0xFF, 0xFF], room: Self.room) { inflate($0, 2) }
    }
}

/// A stream of zlib's.
private final class ZlibStream {
    /// `z_stream` of zlib.h.
    private struct State {
        var nextInput: UnsafePointer<UInt8>?
        var inputByteCount: CUnsignedInt = 0
        var totalInput: CUnsignedLong = 0
        var nextOutput: UnsafeMutablePointer<UInt8>?
        var outputByteCount: CUnsignedInt = 0
        var totalOutput: CUnsignedLong = 0
        var (message, state, allocate, free, context) = (0, 0, 0, 0, 0)
        var dataType: CInt = 0
        var (check, reserved): (CUnsignedLong, CUnsignedLong) = (0, 0)
    }

    private let state: UnsafeMutablePointer<State>
    private let end: @convention(c) (UnsafeMutableRawPointer) -> CInt
    var pointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(state) }

    init(endedBy end: String, _ begin: (UnsafeMutableRawPointer, UnsafePointer<CChar>?, CInt) -> CInt) {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        self.end = zlib(end, as: (@convention(c) (UnsafeMutableRawPointer) -> CInt).self)
        let version = zlib("zlibVersion", as: (@convention(c) () -> UnsafePointer<CChar>?).self)()
        precondition(begin(state, version, CInt(MemoryLayout<State>.size)) == 0, "zlib refuses a stream")
    }

    deinit {
        _ = end(state)
        state.deallocate()
    }

    /// What comes out when this goes in; nil where zlib refuses it.
    func run(_ input: [UInt8], room: [UInt8], _ step: (UnsafeMutableRawPointer) -> CInt) -> [UInt8]? {
        var (output, room) = ([UInt8](), room)
        return input.withUnsafeBufferPointer { input -> [UInt8]? in
            room.withUnsafeMutableBufferPointer { room -> [UInt8]? in
                (state.pointee.nextInput, state.pointee.inputByteCount) = (input.baseAddress, CUnsignedInt(input.count))
                repeat {
                    (state.pointee.nextOutput, state.pointee.outputByteCount) = (
                        room.baseAddress, CUnsignedInt(room.count)
                    )
                    // -5: nothing was left to be done when the room had just been enough.
                    guard [0, -5].contains(step(state)) else { return nil }
                    let byteCount = room.count - Int(state.pointee.outputByteCount)
                    output.append(contentsOf: UnsafeBufferPointer(rebasing: room.prefix(byteCount)))
                } while state.pointee.outputByteCount == 0
                return output
            }
        }
    }
}

/// A function of zlib's.
private func zlib<Function>(_ name: String, as type: Function.Type) -> Function {
    guard let library = dlopen("libz.so.1", RTLD_NOW) ?? dlopen("libz.dylib", RTLD_NOW),
        let function = dlsym(library, name)
    else { preconditionFailure("there is no zlib: install zlib1g") }
    return unsafeBitCast(function, to: type)
}
