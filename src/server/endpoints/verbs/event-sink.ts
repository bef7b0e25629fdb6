import type { ApiRequest } from "../../request/api-request.js";
import { respondHead } from "../../request/respond.js";
import type { ResponseFormat } from "../negotiation/response-format.js";

const NEWLINE = 0x0a;

/** Where the events of a watch go. */
export interface EventSink {
  /** Lines of JSON, whole ones. Resolves when more may be written: await it. Rejects when the client is gone. */
  write(lines: Uint8Array): Promise<void>;
  /** Ends the stream as one that is complete. */
  end(): Promise<void>;
}

/** Begins the answer: as a WebSocket when the client asks for one, else as a body without an end that is known. */
export async function eventSink(request: ApiRequest, format: ResponseFormat): Promise<EventSink> {
  const { webSocket } = request.exchange;
  if (webSocket === undefined) {
    const writer = respondHead(request, 200, { "content-type": format.mediaType });
    return {
      write: (lines) => writer.write(lines),
      end: () => writer.end(),
    };
  }
  const connection = await webSocket.accept(webSocket.subprotocols[0]);
  return {
    async write(lines) {
      for (let start = 0, end = 0; start < lines.length; start = end) {
        // No JSON has a newline inside.
        end = lines.indexOf(NEWLINE, start) + 1;
        await connection.send(lines.subarray(start, end), "text");
      }
    },
    end: () => connection.close(),
  };
}
