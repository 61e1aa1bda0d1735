import Wireline

/// The page for browsers. It speaks the same packets over a WebSocket.
let page = WebSocketPage(
    #"""
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Live room</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 1rem; color-scheme: light dark; }
      #log { height: 60vh; overflow-y: auto; border: 1px solid #8888; padding: .5rem; }
      form { display: flex; gap: .5rem; margin-top: .5rem; }
      input { flex: 1; }
    </style>
    <h1>Live room</h1>
    <div id="log" role="log"></div>
    <form id="say"><input id="text" maxlength="500" aria-label="Message" autocomplete="off">
      <button>Send</button><button type="button" id="rose">Rose</button></form>
    <script>
      // Each packet: uint32 length of all, uint16 ID, uint32 sequence, then the fields. Numbers are big-endian.
      const utf8 = new TextEncoder();
      function packet(id, sequence, write) {
        const view = new DataView(new ArrayBuffer(4096));
        let at = 10;
        const out = {
          u8: v => view.setUint8(at++, v),
          u32: v => { view.setUint32(at, v); at += 4; },
          text: s => {
            const bytes = utf8.encode(s);
            view.setUint16(at, bytes.length);
            new Uint8Array(view.buffer).set(bytes, at + 2);
            at += 2 + bytes.length;
          },
        };
        if (write) write(out);
        view.setUint32(0, at); view.setUint16(4, id); view.setUint32(6, sequence);
        return view.buffer.slice(0, at);
      }
      function reader(view, start) {
        let at = start;
        const read = {
          u8: () => view.getUint8(at++),
          u16: () => { at += 2; return view.getUint16(at - 2); },
          u32: () => { at += 4; return view.getUint32(at - 4); },
          u64: () => { at += 8; return view.getBigUint64(at - 8); },
          text: () => {
            const count = read.u16();
            at += count;
            return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at - count, count));
          },
          user: () => ({ id: read.u64(), name: read.text() }),
        };
        return read;
      }

      const log = document.getElementById('log'), gifts = { 1: 'rose', 2: 'rocket' };
      function show(text) {
        const line = document.createElement('div');
        line.textContent = text;  // never as HTML: other people wrote it
        log.append(line);
        log.scrollTop = log.scrollHeight;
      }
      const name = decodeURIComponent(location.hash.slice(1)) || prompt('Your name') || 'guest';
      const socket = new WebSocket(`ws://${location.host}/room`);
      socket.binaryType = 'arraybuffer';
      let received = new Uint8Array(0);  // a message may hold several packets, or a part of one
      socket.onopen = () => socket.send(packet(1, 1, out => { out.text(name); out.text('let-me-in'); }));
      socket.onclose = () => show('disconnected');
      socket.onmessage = event => {
        const bytes = new Uint8Array(received.length + event.data.byteLength);
        bytes.set(received); bytes.set(new Uint8Array(event.data), received.length);
        let at = 0;
        while (bytes.length - at >= 4) {
          const length = new DataView(bytes.buffer, at).getUint32(0);
          if (bytes.length - at < length) break;
          const view = new DataView(bytes.buffer, at, length);
          handle(view.getUint16(4), reader(view, 10));
          at += length;
        }
        received = bytes.slice(at);
      };
      function handle(id, read) {
        switch (id) {
          case 2:
            if (read.u8() !== 0) return show('the server refuses this name');
            return socket.send(packet(3, 2, out => out.u32(1)));
          case 4: {
            const room = read.u32(), users = Array.from({ length: read.u16() }, () => read.user().name);
            return show(`room ${room}: ${users.join(', ')}`);
          }
          case 6: return show(`${read.user().name}: ${read.text()}`);
          case 8: return show(`${read.user().name} sends ${gifts[read.u8()] ?? 'a gift'} × ${read.u8()}`);
          case 9: return show(`${read.user().name} enters`);
          case 10: return show(`${read.user().name} leaves`);
          case 12: return show('the server says goodbye');
        }
      }
      setInterval(() => { if (socket.readyState === 1) socket.send(packet(13, 3)); }, 30000);
      document.getElementById('say').onsubmit = event => {
        event.preventDefault();
        const text = document.getElementById('text');
        if (text.value) socket.send(packet(5, 0, out => out.text(text.value)));
        text.value = '';
      };
      document.getElementById('rose').onclick = () => socket.send(packet(7, 0, out => { out.u8(1); out.u8(1); }));
    </script>
    </html>
    """#, contentType: "text/html; charset=utf-8")
