// SPDX-License-Identifier: Apache-2.0

import WirelineTLS
import WirelineTransport

extension ServerTLS {
    /// Reads the files again at each SIGHUP from now on, and says so in one line.
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
