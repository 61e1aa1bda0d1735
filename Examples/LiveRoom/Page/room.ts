// The page of the live room: a client over a WebSocket. `wire generate typescript` has written the packets.
import {
  EnterRoom, Gift, Login, LoginResult, PacketSplitter, Ping, Say, SendGift, ServerPacket, encode, fromServer,
} from "./live_room_protocol.js";

const log = document.getElementById("log")!;
const field = document.getElementById("text") as HTMLInputElement;
const name = decodeURIComponent(location.hash.slice(1)) || prompt("Your name") || "guest";
// The servers, or their gateways. They hold the same rooms, so any of them will do.
const servers: string[] = await (await fetch("servers.json")).json();
let attempts = 0;
let socket = connect();

function show(line: string) {
  const element = document.createElement("div");
  element.textContent = line;  // never as HTML: other people wrote it
  log.append(element);
  log.scrollTop = log.scrollHeight;
}

function connect(): WebSocket {
  const socket = new WebSocket(new URL(servers[attempts++ % servers.length]!, location.href.replace(/^http/, "ws")));
  // A message may hold several packets, or a part of one.
  const splitter = new PacketSplitter(fromServer);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => socket.send(encode(Login, { name, token: "let-me-in" }, { sequence: 1 }));
  socket.onmessage = event => {
    splitter.push(new Uint8Array(event.data));
    for (let packet = splitter.next(); packet; packet = splitter.next()) receive(packet, socket);
  };
  socket.onclose = () => {
    show("disconnected");
    setTimeout(reconnect, 1000);
  };
  return socket;
}

function reconnect() { socket = connect(); }

function receive(packet: ServerPacket, socket: WebSocket) {
  switch (packet.name) {
    case "Welcome":
      if (packet.message.result !== LoginResult.welcome) return show("the server refuses this name");
      return socket.send(encode(EnterRoom, { room: 1 }, { sequence: 2 }));
    case "RoomEntered":
      return show(`room ${packet.message.room}: ${packet.message.users.map(user => user.name).join(", ")}`);
    case "Said": return show(`${packet.message.user.name}: ${packet.message.text}`);
    case "GiftSent": {
      const gift = packet.message.gift === Gift.rose ? "rose" : packet.message.gift === Gift.rocket ? "rocket" : "a gift";
      return show(`${packet.message.user.name} sends ${gift} × ${packet.message.count}`);
    }
    case "UserEntered": return show(`${packet.message.user.name} enters`);
    case "UserLeft": return show(`${packet.message.user.name} leaves`);
    case "Goodbye":
      // The server drains: it is left before it closes, and another one is connected to.
      show("the server says goodbye");
      return socket.close();
  }
}

function send(packet: Uint8Array) {
  if (socket.readyState === WebSocket.OPEN) socket.send(packet);
}

setInterval(() => send(encode(Ping, {}, { sequence: 3 })), 30000);
document.getElementById("say")!.onsubmit = event => {
  event.preventDefault();
  if (field.value) send(encode(Say, { text: field.value }));
  field.value = "";
};
document.getElementById("rose")!.onclick = () => send(encode(SendGift, { gift: Gift.rose, count: 1 }));
