// SPDX-License-Identifier: Apache-2.0

/// The first byte of each term in Erlang's external format.
///
/// https://www.erlang.org/doc/apps/erts/erl_ext_dist
///
/// They are computed properties, so that other modules can inline them as constants.
@usableFromInline
enum TermTag {
    /// Stands before a term that travels alone.
    @inlinable static var version: UInt8 { 131 }
    @inlinable static var compressed: UInt8 { 80 }

    @inlinable static var smallInteger: UInt8 { 97 }
    @inlinable static var integer: UInt8 { 98 }
    @inlinable static var smallBig: UInt8 { 110 }
    @inlinable static var largeBig: UInt8 { 111 }
    @inlinable static var float: UInt8 { 70 }
    @inlinable static var smallAtom: UInt8 { 119 }
    @inlinable static var atom: UInt8 { 118 }
    @inlinable static var binary: UInt8 { 109 }
    @inlinable static var bits: UInt8 { 77 }
    @inlinable static var emptyList: UInt8 { 106 }
    @inlinable static var string: UInt8 { 107 }
    @inlinable static var list: UInt8 { 108 }
    @inlinable static var smallTuple: UInt8 { 104 }
    @inlinable static var largeTuple: UInt8 { 105 }
    @inlinable static var map: UInt8 { 116 }
    @inlinable static var pid: UInt8 { 88 }
    @inlinable static var port: UInt8 { 120 }
    @inlinable static var reference: UInt8 { 90 }
    @inlinable static var export: UInt8 { 113 }
    @inlinable static var function: UInt8 { 112 }

    // Only older nodes write these.
    @inlinable static var floatText: UInt8 { 99 }
    @inlinable static var smallLatinAtom: UInt8 { 115 }
    @inlinable static var latinAtom: UInt8 { 100 }
    @inlinable static var oldPID: UInt8 { 103 }
    @inlinable static var oldPort: UInt8 { 102 }
    @inlinable static var port32: UInt8 { 89 }
    @inlinable static var oldReference: UInt8 { 101 }
    @inlinable static var reference8: UInt8 { 114 }
}
