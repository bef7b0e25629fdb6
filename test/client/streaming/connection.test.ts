import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import type { ClientConfig } from "../../../src/client/config/client-config.js";
import { createRestClient } from "../../../src/client/rest/create-rest-client.js";
import { runRemoteCommand } from "../../../src/client/streaming/remote-command.js";
import { authority } from "../transport/certificates.js";
import { clientConfig } from "./client-config.js";
import { type StreamingServer, streamingServer } from "./streaming-server.js";

const ca = await authority("streams");
const bytes = (pem: string): Uint8Array => Buffer.from(pem);

const hello = (): Promise<StreamingServer> =>
  streamingServer({
    command: async ({ stdout }) => {
      await stdout.write(Buffer.from("hello"));
      return 0;
    },
  });

const portOf = ({ url }: StreamingServer): number => Number(new URL(url).port);

async function run(config: ClientConfig, webSockets: boolean): Promise<string> {
  let text = "";
  const stdout = (chunk: Uint8Array): Promise<void> => {
    text += Buffer.from(chunk).toString();
    return Promise.resolve();
  };
  await runRemoteCommand(
    createRestClient(config),
    { path: "/exec?stdout=true", method: "POST" },
    { stdout, tty: false },
    { webSockets },
  );
  return text;
}

/** TLS before a server. `seen` gets the subjects of the clients' certificates. */
async function secure(port: number, seen: string[] = []): Promise<{ port: number; close(): void }> {
  const { cert, key } = await ca.issue([{ type: "ip", value: "127.0.0.1" }]);
  const options = { cert, key, ca: ca.pem, requestCert: true, rejectUnauthorized: false };
  const server = createTlsServer(options, (near: TLSSocket) => {
    seen.push(String(near.getPeerCertificate().subject?.CN));
    join(near, connect(port, "127.0.0.1"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

function join(near: Socket, far: Socket): void {
  near.on("error", () => far.destroy()).on("close", () => far.destroy());
  far.on("error", () => near.destroy()).on("close", () => near.destroy());
  near.pipe(far).pipe(near);
}

/** An HTTP proxy; `asked` gets what it was asked to connect to. */
async function proxy(asked: string[], answer = "200 Connection established"): Promise<{ port: number; close(): void }> {
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on("connect", (request, socket: Socket) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
    socket.write(`HTTP/1.1 ${answer}\r\n\r\n`);
    const [host, port] = String(request.url).split(":");
    if (answer.startsWith("200")) join(socket, connect(Number(port), host));
    else socket.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

describe.each([true, false])("an upgraded connection (WebSockets: %s)", (webSockets) => {
  test("verifies the server and presents the client's certificate", async () => {
    await using server = await hello();
    const seen: string[] = [];
    const tls = await secure(portOf(server), seen);
    const { cert, key } = await ca.issue([]);
    const config = clientConfig(`https://127.0.0.1:${tls.port}`);
    const trusting = { ...config, tls: { insecureSkipVerify: false, caData: bytes(ca.pem) } };
    expect(
      await run({ ...trusting, tls: { ...trusting.tls, certData: bytes(cert), keyData: bytes(key) } }, webSockets),
    ).toBe("hello");
    expect(seen).toEqual(["leaf"]);
    await expect(run(config, webSockets)).rejects.toThrow("x509: certificate signed by unknown authority");
    tls.close();
  });

  test.each(["http", "https"])("to an %s server is opened by CONNECT at an HTTP proxy", async (scheme) => {
    await using server = await hello();
    const tls = await secure(portOf(server));
    const asked: string[] = [];
    const between = await proxy(asked);
    const port = scheme === "http" ? portOf(server) : tls.port;
    const config = {
      ...clientConfig(`${scheme}://127.0.0.1:${port}`),
      tls: { insecureSkipVerify: false, ...(scheme === "https" && { caData: bytes(ca.pem) }) },
      proxyUrl: `http://u:p@127.0.0.1:${between.port}`,
    };
    expect(await run(config, webSockets)).toBe("hello");
    expect(asked).toEqual([`127.0.0.1:${port} Basic dTpw`]);
    tls.close();
    between.close();
  });

  test("reports the answer of a proxy that refuses to connect", async () => {
    const between = await proxy([], "407 Proxy Authentication Required");
    const config = { ...clientConfig("http://127.0.0.1:1"), proxyUrl: `http://127.0.0.1:${between.port}` };
    await expect(run(config, webSockets)).rejects.toThrow("Proxy Authentication Required");
    between.close();
  });
});
