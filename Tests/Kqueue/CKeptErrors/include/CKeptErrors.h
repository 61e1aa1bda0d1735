// SPDX-License-Identifier: Apache-2.0

// It has nothing to be called by: it stands in the place of getsockopt(2).
