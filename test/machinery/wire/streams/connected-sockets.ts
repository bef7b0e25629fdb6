import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SocketPair extends AsyncDisposable {
  readonly client: Socket;
  readonly server: Socket;
}

/** Both ends of a TCP connection on the loopback interface. A client that is not half-open ends when the server does. */
export async function connectedSockets({ halfOpen = false } = {}): Promise<SocketPair> {
  const listener = createServer({ allowHalfOpen: true });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const client = connect({
    allowHalfOpen: halfOpen,
    port: (listener.address() as AddressInfo).port,
    host: "127.0.0.1",
    noDelay: true,
  });
  const [[server]] = (await Promise.all([once(listener, "connection"), once(client, "connect")])) as [
    [Socket],
    unknown,
  ];
  for (const socket of [client, server]) socket.on("error", () => {});
  return {
    client,
    server,
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      server.destroy();
      listener.close();
      await once(listener, "close");
    },
  };
}
