import type { ApiRequest } from "../../request/api-request.js";
import { respondHead } from "../../request/respond.js";
import type { StreamSerializer } from "../serializers/serializer.js";

/** Where the events of a watch go. */
export interface EventSink {
  /** Whole frames. Resolves when more may be written: await it. Rejects when the client is gone. */
  write(frames: Uint8Array): Promise<void>;
  /** Ends the stream as one that is complete. */
  end(): Promise<void>;
}

/** Begins the answer: as a WebSocket when the client asks for one, else as a body without an end that is known. */
export async function eventSink(request: ApiRequest, serializer: StreamSerializer): Promise<EventSink> {
  const { webSocket } = request.exchange;
  if (webSocket === undefined) {
    const writer = respondHead(request, 200, { "content-type": serializer.contentType });
    return {
      write: (frames) => writer.write(frames),
      end: () => writer.end(),
    };
  }
  const connection = await webSocket.accept(webSocket.subprotocols[0]);
  return {
    async write(frames) {
      for (const message of serializer.messages(frames)) await connection.send(message, serializer.messageType);
    },
    end: () => connection.close(),
  };
}
