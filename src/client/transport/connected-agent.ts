import { Agent as HttpAgent, type RequestOptions } from "node:http";
import type { Duplex } from "node:stream";

/** An agent for node:http that uses one connection, which was opened for it. */
export class ConnectedAgent extends HttpAgent {
  constructor(private readonly connecting: Promise<Duplex>) {
    super({ keepAlive: false });
  }

  override createConnection(
    _options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.connecting.then(
      (socket) => callback?.(null, socket),
      // Node's types ask for a stream after an error too.
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
  }
}
