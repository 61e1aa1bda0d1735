// SPDX-License-Identifier: Apache-2.0

// PostgreSQL's frontend/backend protocol. The messages are generated from postgresql.wire when this target is built.
