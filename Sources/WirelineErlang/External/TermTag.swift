// SPDX-License-Identifier: Apache-2.0

/// The first byte of each term in Erlang's external format.
///
/// https://www.erlang.org/doc/apps/erts/erl_ext_dist
enum TermTag {
    /// Stands before a term that travels alone.
    static let version: UInt8 = 131
    static let compressed: UInt8 = 80

    static let smallInteger: UInt8 = 97
    static let integer: UInt8 = 98
    static let smallBig: UInt8 = 110
    static let largeBig: UInt8 = 111
    static let float: UInt8 = 70
    static let smallAtom: UInt8 = 119
    static let atom: UInt8 = 118
    static let binary: UInt8 = 109
    static let bits: UInt8 = 77
    static let emptyList: UInt8 = 106
    static let string: UInt8 = 107
    static let list: UInt8 = 108
    static let smallTuple: UInt8 = 104
    static let largeTuple: UInt8 = 105
    static let map: UInt8 = 116
    static let pid: UInt8 = 88
    static let port: UInt8 = 120
    static let reference: UInt8 = 90
    static let export: UInt8 = 113
    static let function: UInt8 = 112

    // What only older nodes write.
    static let floatText: UInt8 = 99
    static let smallLatinAtom: UInt8 = 115
    static let latinAtom: UInt8 = 100
    static let oldPID: UInt8 = 103
    static let oldPort: UInt8 = 102
    static let port32: UInt8 = 89
    static let oldReference: UInt8 = 101
    static let reference8: UInt8 = 114
}
