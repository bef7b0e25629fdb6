import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { acceptKey } from "../../src/machinery/wire/web-socket/handshake.js";

/** What a faulty server makes of a request for another protocol. */
export type Upgrade = (request: IncomingMessage, socket: Socket) => void;

/** The answer that a client hopes for, and then bytes. `subprotocol` is the client's own unless it is another. */
export const webSocket =
  (bytes: Uint8Array | readonly Uint8Array[], subprotocol?: string, last: "end" | "reset" | "stay" = "end"): Upgrade =>
  ({ headers }, socket) => {
    const own = String(headers["sec-websocket-protocol"]).split(", ")[0] ?? "";
    const lines = [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${acceptKey(String(headers["sec-websocket-key"]))}`,
      `Sec-WebSocket-Protocol: ${subprotocol ?? own}`,
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    for (const one of [bytes].flat()) socket.write(one as Uint8Array);
    if (last === "end") socket.end();
    if (last === "reset") setTimeout(() => socket.resetAndDestroy(), 100);
  };

export const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

/** A binary message of a channel, as a server sends it. */
export function message(channel: number, data: string | Uint8Array): Buffer {
  const payload = Buffer.concat([Buffer.of(channel), Buffer.from(data as string)]);
  const head = Buffer.alloc(payload.length < 126 ? 2 : 10);
  head[0] = 0x82;
  head[1] = payload.length < 126 ? payload.length : 127;
  if (payload.length >= 126) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}
