// SPDX-License-Identifier: Apache-2.0

import WirelineTLS
import WirelineTransport

extension ServerTLS {
    /// From now on, reads the certificates and keys again at each SIGHUP, and prints one line about it.
    func reloadOnHangUp(_ log: ConnectionLog) throws(CommandError) {
        do throws(TransportError) {
            try HangUpSignal.watch {
                do throws(TLSError) {
                    try reload()
                    log.answer("SIGHUP: new connections use what was loaded from \(files.joined(separator: ", "))")
                } catch {
                    log.refuse("SIGHUP: the old certificates stay: \(error)")
                }
            }
        } catch {
            throw .failure("cannot wait for SIGHUP: \(error)")
        }
    }
}
