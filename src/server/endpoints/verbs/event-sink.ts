import type { ApiRequest } from "../../request/api-request.js";
import { respondHead } from "../../request/respond.js";
import type { StreamSerializer } from "../serializers/serializer.js";

/** The destination of the events of a watch. */
export interface EventSink {
  /** Writes whole frames. Resolves when more may be written. Rejects when the client has left. */
  write(frames: Uint8Array): Promise<void>;
  /** Ends the stream in good order. */
  end(): Promise<void>;
}

/** Begins the answer: a WebSocket when the client asks for one, else a body of unknown length. */
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
