import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** Accepts connections and never sends a byte. */
export class SilentListener implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    connected: () => void,
  ) {
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {}).resume();
      socket.once("close", () => this.#sockets.delete(socket));
      connected();
    });
  }

  /** Calls `connected` at each connection. */
  static async open(connected: () => void = () => {}): Promise<SilentListener> {
    const server = createServer();
    const listener = new SilentListener(server, connected);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return listener;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Closes the connections, and the port: it refuses connections from now on. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
