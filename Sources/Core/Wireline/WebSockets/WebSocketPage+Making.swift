// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

extension WebSocketPage {
    /// Makes the page for one request. The answer has status 500 if the program fails, and 503 if it takes too long or
    /// the task is cancelled.
    func made(on loop: EventLoop) async -> WebSocketPage {
        guard let maker else { return self }
        let result: Result<WebSocketPage, any Error>
        do throws(TransportError) {
            result = try await Attempt<Result<WebSocketPage, any Error>>.run(on: loop, timeout: maker.timeout) {
                attempt in
                // The attempt awaits it. If it ignores its cancellation, no task awaits it.
                let making = Task(executorPreference: loop) {
                    let page: Result<WebSocketPage, any Error>
                    do { page = .success(try await maker.make()) } catch { page = .failure(error) }
                    loop.execute { attempt.finish(.success(page)) }
                }
                attempt.cleanUp = { making.cancel() }
            }
        } catch {
            return WebSocketPage("the page was not made in time\n", status: 503)
        }
        guard case .success(let page) = result, page.maker == nil
        else { return WebSocketPage("the page cannot be made\n", status: 500) }
        return page
    }
}
