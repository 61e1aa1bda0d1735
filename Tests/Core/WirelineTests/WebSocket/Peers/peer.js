// SPDX-License-Identifier: Apache-2.0
// A WebSocket peer: Node's `ws`; called as peer.py is.
'use strict';
const fs = require('fs');
const http = require('http');
const https = require('https');
const WebSocket = require('ws');

const limit = 1 << 26;
const sizes = [0, 1, 125, 126, 127, 65535, 65536, 65537, 1000000, 1 << 22];
const [role, kind, ...rest] = process.argv.slice(2);
const perMessageDeflate = kind === 'DEFLATE';

function server([certificate, key]) {
    const listener = certificate
        ? https.createServer({ cert: fs.readFileSync(certificate), key: fs.readFileSync(key) })
        : http.createServer();
    // A busy machine is slow.
    listener.headersTimeout = listener.requestTimeout = 0;
    const server = new WebSocket.Server({ server: listener, perMessageDeflate, maxPayload: limit });
    server.on('connection', (socket) => {
        socket.on('message', (content, isBinary) => socket.send(content, { binary: isBinary }));
        socket.on('error', () => {});
    });
    listener.listen(0, '127.0.0.1', () => console.log(listener.address().port));
    process.stdin.on('end', () => process.exit(0)).resume();
}

async function client([url, authority]) {
    const ca = authority && fs.readFileSync(authority);
    const socket = new WebSocket(url, { ca, perMessageDeflate, maxPayload: limit });
    const [messages, waiting] = [[], []];
    socket.on('message', (content, isBinary) => {
        messages.push({ content, isBinary });
        if (waiting.length) waiting.shift()();
    });
    const next = async () => {
        while (!messages.length) await new Promise((resolve) => waiting.push(resolve));
        return messages.shift();
    };
    const expect = async (content, isBinary) => {
        const message = await next();
        if (message.isBinary !== isBinary || !message.content.equals(content)) throw new Error('something else came back');
    };
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
    if (!socket.extensions !== !perMessageDeflate) throw new Error('compression was not settled');
    for (const size of sizes) {
        const text = 'äx'.repeat(Math.floor(size / 3)) + 'y'.repeat(size % 3);
        socket.send(text);
        await expect(Buffer.from(text), false);
        const content = Buffer.alloc(size);
        for (let i = 0; i < size; i++) content[i] = (i * i) % 251;
        socket.send(content);
        await expect(content, true);
    }
    for (const [part, fin] of [['Gr', false], ['', false], ['ü', false], ['ße', true]]) socket.send(part, { fin });
    await expect(Buffer.from('Grüße'), false);
    await new Promise((resolve) => {
        socket.once('pong', resolve);
        socket.ping('there?');
    });
    for (let number = 0; number < 1000; number++) socket.send(String(number));
    for (let number = 0; number < 1000; number++) await expect(Buffer.from(String(number)), false);
    const code = await new Promise((resolve) => {
        socket.on('close', resolve);
        socket.close(4321, 'genug');
        // By default it would wait only half a minute for the answer.
        clearTimeout(socket._closeTimer);
    });
    if (code !== 4321) throw new Error(`closed with ${code}`);
    console.log('fine');
}

if (role === 'server') server(rest);
else client(rest).catch((error) => {
    console.error(error);
    process.exit(1);
});
