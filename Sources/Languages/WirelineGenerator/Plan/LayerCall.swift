// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The runtime function that opens or seals a layer, and its arguments beside the bytes and the layer's number.
struct LayerCall {
    enum Operand {
        case key(String)
        /// The bytes of a header field, by its position.
        case field(Int)
        /// The start of a keystream: none of its bytes were used before.
        case unused
    }

    /// `openZlib`, `xorKey`, `sealCBC`; `openOwn` or `sealOwn` for a layer that the program supplies.
    let function: String
    /// The name of the program's layer, whose function also takes the header; nil for other layers.
    let own: String?
    let operands: [Operand]

    /// - Parameter names: The layers that a program supplies in the language.
    fileprivate init(
        _ kind: LayerKind, isSealing: Bool, ofProgram names: [String], _ description: ProtocolDescription
    ) {
        func operand(_ vector: LayerKind.Vector) -> Operand {
            switch vector {
            case .key(let name): .key(name)
            case .field(let name): .field(description.packetField(named: name) ?? 0)
            }
        }
        let verb = isSealing ? "seal" : "open"
        own = names.contains(kind.name) ? kind.name : nil
        guard own == nil else {
            (function, operands) = (verb + "Own", [])
            return
        }
        (function, operands) =
            switch kind {
            case .zlib: (verb + "Zlib", [])
            case .deflate: (verb + "Deflate", [])
            case .gzip: (verb + "Gzip", [])
            case .brotli, .custom: preconditionFailure("the program gives the layer \(kind.name)")
            case .xor(let key): ("xorKey", [.key(key)])
            case .rc4(let key): ("rc4", [.key(key)])
            case .aesCTR(let key, .key(let vector)): ("aesCTRLasting", [.key(key), .key(vector)])
            case .aesCTR(let key, let vector): ("aesCTR", [.key(key), operand(vector), .unused])
            case .aesCBC(let key, let vector): (verb + "CBC", [.key(key), operand(vector)])
            }
    }
}

extension GeneratorModel {
    /// Returns the call that opens or seals each of the layers.
    ///
    /// - Parameter names: The layers that a program supplies in the language.
    func layerCalls(_ layers: LayerPlan, isSealing: Bool, ofProgram names: [String]) -> [LayerCall] {
        layers.kinds.map { LayerCall($0, isSealing: isSealing, ofProgram: names, description) }
    }
}
