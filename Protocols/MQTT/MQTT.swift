// SPDX-License-Identifier: Apache-2.0

// MQTT 3.1.1 (OASIS, 2014). The messages are generated from mqtt.wire when this target is built.
