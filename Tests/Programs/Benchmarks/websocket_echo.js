// SPDX-License-Identifier: Apache-2.0
// The contract of CNetwork.h as one who writes JavaScript would: Node's `ws`.
'use strict';
const WebSocket = require('ws');

const server = new WebSocket.Server({ host: '127.0.0.1', port: 0, maxPayload: 16 << 20 });
server.on('connection', (socket) => {
    socket.on('message', (content, isBinary) => socket.send(content, { binary: isBinary }));
    socket.on('error', () => {});
});
server.on('listening', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
