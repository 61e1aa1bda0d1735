// SPDX-License-Identifier: Apache-2.0

extension PacketConnection: MessageSource {
    func add(_ reader: Inbox<ReceivedPacket>, of id: UInt64) {
        guard !reader.hasEnded else { return }
        let wasWanted = wantsBytes
        let requests = requests ?? RequestQueue(layout: layout)
        self.requests = requests
        if inputWait.isClaimed { requests.wasRead = true }
        requests.add(reader, of: id)
        isRouting = !requests.isIdle
        if batchHandler == nil { answerRequests() }
        guard stream.isOpen else { return }
        if !wasWanted, wantsBytes { beginWaiting() }
        readIfWanted()
    }

    func remove(_ reader: Inbox<ReceivedPacket>, of id: UInt64) {
        guard let requests else { return reader.finish(.success(nil)) }
        let wasWanted = wantsBytes
        requests.readers.remove(reader, of: id)
        isRouting = !requests.isIdle
        if wasWanted { stopUnlessWanted() }
    }
}
