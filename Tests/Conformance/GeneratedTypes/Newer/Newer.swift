// SPDX-License-Identifier: Apache-2.0

// A later release of the protocol in `Older`: all that could be appended has been.
