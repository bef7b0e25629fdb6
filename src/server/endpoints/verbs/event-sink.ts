import type { ApiRequest } from "../../request/api-request.js";
import { respondHead } from "../../request/respond.js";
import type { ResponseFormat } from "../negotiation/response-format.js";

/** Where the events of a watch go. */
export interface EventSink {
  /** Each a line of JSON. Resolves when more may be written: await it. Rejects when the client is gone. */
  write(lines: readonly Uint8Array[]): Promise<void>;
  /** Ends the stream as one that is complete. */
  end(): Promise<void>;
}

/** Begins the answer: as a WebSocket when the client asks for one, else as a body without an end that is known. */
export async function eventSink(request: ApiRequest, format: ResponseFormat): Promise<EventSink> {
  const { webSocket } = request.exchange;
  if (webSocket === undefined) {
    const writer = respondHead(request, 200, { "content-type": format.mediaType });
    return {
      write: (lines) => writer.write(lines.length === 1 && lines[0] !== undefined ? lines[0] : Buffer.concat(lines)),
      end: () => writer.end(),
    };
  }
  const connection = await webSocket.accept(webSocket.subprotocols[0]);
  return {
    async write(lines) {
      for (const line of lines) await connection.send(line, "text");
    },
    end: () => connection.close(),
  };
}
