// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

#if NIOSSL
    internal import NIOSSL

    typealias NIOTLSContext = NIOSSLContext

    extension OwnServer {
        /// Whether the servers of NIO speak TLS.
        static let nioSpeaksTLS = true
    }

    extension ServerIdentity {
        var nioContext: NIOTLSContext {
            get throws {
                let chain = try NIOSSLCertificate.fromPEMFile(certificate)
                let key = NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
                return try NIOSSLContext(
                    configuration: .makeServerConfiguration(
                        certificateChain: chain.map { .certificate($0) }, privateKey: key))
            }
        }
    }

    extension ChannelPipeline.SynchronousOperations {
        /// TLS in front of everything else, if there is any.
        func addTLS(_ context: NIOTLSContext?) throws {
            if let context { try addHandler(NIOSSLServerHandler(context: context)) }
        }
    }
#else
    internal import BenchmarkSupport

    typealias NIOTLSContext = Never

    extension OwnServer {
        /// Whether the servers of NIO speak TLS.
        static let nioSpeaksTLS = false
    }

    extension ServerIdentity {
        var nioContext: NIOTLSContext {
            get throws { throw BadUsage(description: "this was built without the trait NIOSSL") }
        }
    }

    extension ChannelPipeline.SynchronousOperations {
        func addTLS(_ context: NIOTLSContext?) throws {}
    }
#endif
