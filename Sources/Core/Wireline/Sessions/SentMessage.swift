// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// A message that a session has taken. The session lasts while this is kept.
public struct SentMessage: Sendable {
    private let ticket: DeliveryTicket
    private let driver: any DeliveryDriver
    private let session: any AnyObject & Sendable

    /// - Parameter session: Is kept as long as this value.
    init(_ ticket: DeliveryTicket, in driver: any DeliveryDriver, of session: any AnyObject & Sendable) {
        self.ticket = ticket
        self.driver = driver
        self.session = session
    }

    /// Waits for the message's outcome, and returns it.
    ///
    /// - Throws: ``ConnectionError/cancelled`` if the task is cancelled; the message stays in the session.
    public func outcome() async throws(ConnectionError) -> MessageOutcome {
        let (ticket, loop, wait) = (ticket, driver.loop, WaitTicket())
        let outcome = await loop.visit {
            await withTaskCancellationHandler {
                await withCheckedContinuation { ticket.wait(wait, $0) }
            } onCancel: {
                loop.execute { ticket.stopWaiting(wait) }
            }
        }
        guard let outcome else { throw .cancelled }
        return outcome
    }

    /// Cancels the message: it is not sent any more. It may have been sent already.
    public func cancel() {
        driver.loop.execute { [driver, ticket] in driver.cancel(ticket) }
    }
}

protocol DeliveryDriver: AnyObject, Sendable {
    var loop: EventLoop { get }

    func cancel(_ ticket: DeliveryTicket)
}

extension SessionDriver: DeliveryDriver {}
