import { createHash, randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { ClientConfig } from "../../../src/client/config/client-config.js";
import { createRestClient } from "../../../src/client/rest/create-rest-client.js";
import type { RestClient } from "../../../src/client/rest/rest-client.js";
import { type RemoteCommandStreams, runRemoteCommand } from "../../../src/client/streaming/remote-command.js";
import { isRemoteCommandExit } from "../../../src/machinery/wire/streams/remote-command.js";
import { eventually } from "../../helpers/eventually.js";
import { readText } from "../../machinery/wire/streams/read-all.js";
import { clientConfig } from "./client-config.js";
import { type ServedCommand, type StreamingServer, streamingServer } from "./streaming-server.js";

const clientOf = ({ url }: Pick<StreamingServer, "url">, own: Partial<ClientConfig> = {}): RestClient =>
  createRestClient({ ...clientConfig(url), ...own });

const EXEC = "/api/v1/namespaces/default/pods/web/exec";

interface Session extends Partial<RemoteCommandStreams> {
  readonly webSockets: boolean;
  readonly signal?: AbortSignal;
}

/** Runs a command, and gives what it wrote and how it ended. */
async function session(rest: RestClient, { webSockets, signal, ...streams }: Session) {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  const keep = (list: Uint8Array[]) => (chunk: Uint8Array) => {
    list.push(chunk);
    return Promise.resolve();
  };
  const query = `?command=x${streams.stdin ? "&stdin=true" : ""}&stdout=true${streams.tty ? "&tty=true" : "&stderr=true"}`;
  const ended = await runRemoteCommand(
    rest,
    { path: EXEC + query, method: "POST" },
    { tty: false, stdout: keep(out), stderr: keep(err), ...streams },
    { webSockets, signal },
  ).then(
    () => undefined,
    (error: Error) => error,
  );
  return { out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString(), ended };
}

async function* chunks(...texts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const ways = [
  { way: "a WebSocket", webSockets: true },
  { way: "SPDY", webSockets: false },
];

describe.each(ways)("a remote command over $way", ({ webSockets }) => {
  test("writes both outputs and ends with the program's exit code", async () => {
    await using server = await streamingServer({
      command: async ({ stdout, stderr }) => {
        await stdout.write(Buffer.from("out"));
        await stderr.write(Buffer.from("err"));
        return 0;
      },
    });
    expect(await session(clientOf(server), { webSockets })).toEqual({ out: "out", err: "err", ended: undefined });
  });

  test.each([1, 42, 255])("rejects with the exit code %i of the program, after its output", async (code) => {
    await using server = await streamingServer({
      command: async ({ stdout }) => {
        await stdout.write(Buffer.from("before"));
        return code;
      },
    });
    const { out, ended } = await session(clientOf(server), { webSockets });
    expect(out).toBe("before");
    expect(isRemoteCommandExit(ended) && ended.code).toBe(code);
    expect(ended?.message).toBe(`command terminated with exit code ${code}`);
  });

  test("closes the program's stdin when the caller's input ends", async () => {
    await using server = await streamingServer({
      command: async ({ stdin, stdout }) => {
        const text = await readText(stdin);
        await stdout.write(Buffer.from(text.toUpperCase()));
        return 0;
      },
    });
    expect((await session(clientOf(server), { webSockets, stdin: chunks("a", "b", "c") })).out).toBe("ABC");
  });

  test("ends with the program, even when its input has not ended", async () => {
    let left = false;
    const endless: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: () => {
          left = true;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
    await using server = await streamingServer({ command: async () => 3 });
    const { ended } = await session(clientOf(server), { webSockets, stdin: endless });
    expect(ended?.message).toBe("command terminated with exit code 3");
    expect(left).toBe(true);
  });

  test("sends the terminal's sizes to the program", async () => {
    const seen: string[] = [];
    await using server = await streamingServer({
      command: async ({ resize, stdout }) => {
        for await (const chunk of resize) {
          seen.push(Buffer.from(chunk).toString());
          if (seen.join("").includes('"Width":132')) break;
        }
        await stdout.write(Buffer.from("sized"));
        return 0;
      },
    });
    const sizes = (async function* () {
      yield { width: 80, height: 24 };
      yield { width: 132, height: 50 };
      await new Promise(() => {});
    })();
    const { out } = await session(clientOf(server), { webSockets, tty: true, sizes, stdin: chunks() });
    expect(out).toBe("sized");
    expect(seen.join("")).toBe('{"Width":80,"Height":24}\n{"Width":132,"Height":50}\n');
  });

  test("fails with an error when the connection breaks", async () => {
    let out = "";
    let receive = (): void => {};
    const received = new Promise<void>((resolve) => (receive = resolve));
    await using server = await streamingServer({
      command: async ({ stdout, cut }) => {
        await stdout.write(Buffer.from("half"));
        await received;
        cut();
        return undefined;
      },
    });
    const { ended } = await session(clientOf(server), {
      webSockets,
      stdout: async (chunk) => {
        out += Buffer.from(chunk).toString();
        if (out === "half") receive();
      },
    });
    expect(out).toBe("half");
    expect(ended?.message).toBe(
      webSockets
        ? "error reading from error stream: next reader: websocket: close 1006 (abnormal closure): unexpected EOF"
        : "error reading from error stream: unexpected EOF",
    );
  });

  test("ends at once when the signal aborts, and leaves no connection", async () => {
    await using server = await streamingServer({ command: () => new Promise(() => {}) });
    const controller = new AbortController();
    const running = session(clientOf(server), { webSockets, signal: controller.signal });
    await eventually(async () => expect(server.open.size).toBe(1));
    controller.abort(new Error("interrupted"));
    expect((await running).ended?.message).toBe("interrupted");
    await eventually(async () => expect(server.open.size).toBe(0));
  });

  test("rejects with the error that the writer of its output throws", async () => {
    await using server = await streamingServer({
      command: async ({ stdout }) => {
        for (;;) await stdout.write(Buffer.alloc(1000));
      },
    });
    const stdout = (): Promise<void> => Promise.reject(new Error("write: broken pipe"));
    expect((await session(clientOf(server), { webSockets, stdout })).ended?.message).toBe("write: broken pipe");
    await eventually(async () => expect(server.open.size).toBe(0));
  });

  test("makes the program wait for a slow writer of its output", async () => {
    let written = 0;
    await using server = await streamingServer({
      command: async ({ stdout }) => {
        for (; written < 60_000_000; written += 100_000) await stdout.write(Buffer.alloc(100_000));
        return 0;
      },
    });
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    let read = 0;
    const running = session(clientOf(server), {
      webSockets,
      stdout: async (chunk) => {
        await gate;
        read += chunk.length;
      },
    });
    await eventually(async () => {
      const before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect([written > 0, written]).toEqual([true, before]);
    });
    expect(written).toBeLessThan(30_000_000);
    release();
    expect((await running).ended).toBeUndefined();
    expect(read).toBe(60_000_000);
  });

  test("carries 100 MB each way unchanged", async () => {
    const block = randomBytes(1_000_003);
    const hash = createHash("sha256");
    await using server = await streamingServer({
      command: async ({ stdin, stdout }) => {
        for await (const chunk of stdin) await stdout.write(chunk);
        return 0;
      },
    });
    const stdin = (async function* () {
      for (let count = 0; count < 100; count++) yield block;
    })();
    const stdout = async (chunk: Uint8Array): Promise<void> => void hash.update(chunk);
    const { ended } = await session(clientOf(server), { webSockets, stdin, stdout });
    const expected = createHash("sha256");
    for (let count = 0; count < 100; count++) expected.update(block);
    expect([ended, hash.digest("hex")]).toEqual([undefined, expected.digest("hex")]);
  });

  test("rejects with the text that the server sends on the error stream", async () => {
    const rows = [
      [
        '{"metadata":{},"status":"Failure","message":"no such container","reason":"InternalError","code":500}',
        "no such container",
      ],
      [
        "no status",
        `error stream protocol error: invalid character 'o' in literal null (expecting 'u') in "no status"`,
      ],
      ['{"status":"Failure","reason":"NonZeroExitCode"}', "error stream protocol error: details must be set"],
      [
        '{"status":"Failure","reason":"NonZeroExitCode","details":{}}',
        "error stream protocol error: no ExitCode cause given",
      ],
      [
        '{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"x"}]}}',
        'error stream protocol error: invalid exit code value "x"',
      ],
      ["{}", "error stream protocol error: unknown error"],
      ["", undefined],
    ] as const;
    for (const [sent, expected] of rows) {
      await using server = await streamingServer({
        command: async ({ error, stdout, stderr }) => {
          await Promise.all([stdout.end(), stderr.end()]);
          await error.write(Buffer.from(sent));
          await error.end();
          return undefined;
        },
      });
      expect((await session(clientOf(server), { webSockets })).ended?.message).toBe(expected);
    }
  });
});

/** The whole answer to an upgrade. */
const http = (status: string, body: string, type = "text/plain"): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const isWebSocket = ({ headers }: { headers: { upgrade?: string | undefined } }): boolean =>
  headers.upgrade === "websocket";

describe("the client's choice between WebSocket and SPDY for a remote command", () => {
  const hello = async ({ stdout }: ServedCommand): Promise<number> => {
    await stdout.write(Buffer.from("hello"));
    return 0;
  };

  test("tries a WebSocket with protocol 5 by GET first", async () => {
    await using server = await streamingServer({ command: hello });
    await session(clientOf(server), { webSockets: true });
    expect(server.requests).toEqual([`GET ${EXEC}?command=x&stdout=true&stderr=true websocket v5.channel.k8s.io`]);
  });

  test.each([
    ["an error", http("400 Bad Request", "no")],
    ["a redirect", "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"],
    ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\n\r\n"],
    ["a chunked error", "HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nno!\r\n0\r\n\r\n"],
    ["200", http("200 OK", "hello")],
  ])("uses SPDY when the answer to the WebSocket is %s", async (_, answer) => {
    await using server = await streamingServer({
      command: hello,
      refuse: (request) => (isWebSocket(request) ? answer : undefined),
    });
    expect(await session(clientOf(server), { webSockets: true })).toMatchObject({ out: "hello", ended: undefined });
    expect(server.requests[1]).toBe(
      `POST ${EXEC}?command=x&stdout=true&stderr=true SPDY/3.1 v5.channel.k8s.io, v4.channel.k8s.io, v3.channel.k8s.io, v2.channel.k8s.io, channel.k8s.io`,
    );
  });

  const status =
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"container x is not valid for pod web","reason":"BadRequest","code":400}';
  test.each([
    [
      "the message of a Status",
      http("400 Bad Request", status, "application/json"),
      "unable to upgrade connection: container x is not valid for pod web",
    ],
    ["the message of any object", http("400 Bad Request", '{"message":"m"}'), "unable to upgrade connection: m"],
    ["the text of an object without one", http("400 Bad Request", '{"a":1}'), 'unable to upgrade connection: {"a":1}'],
    ["the text of the refusal", http("403 Forbidden", "not you\n"), "unable to upgrade connection: not you"],
    [
      "a word for no text",
      http("500 Internal Server Error", ""),
      "unable to upgrade connection: empty server response",
    ],
  ])("rejects with %s when the server refuses SPDY too", async (_, answer, message) => {
    await using server = await streamingServer({ refuse: () => answer });
    expect((await session(clientOf(server), { webSockets: true })).ended?.message).toBe(message);
  });

  test.each([
    [true, "read: connection reset by peer|unexpected EOF"],
    [
      false,
      'error sending request: Post "http://127.0.0.1:.*/exec\\?command=x&stdout=true&stderr=true": (.*unexpected EOF)',
    ],
  ])(
    "does not take a server that hangs up for a refusal of WebSockets (WebSockets: %s)",
    async (webSockets, message) => {
      await using server = await streamingServer({ refuse: () => "" });
      expect((await session(clientOf(server), { webSockets })).ended?.message).toMatch(
        new RegExp(`^(.*)(${message})$`),
      );
      expect(server.requests).toHaveLength(1);
    },
  );

  test("does not take a server that is away for a refusal of WebSockets", async () => {
    const rest = clientOf({ url: "http://127.0.0.1:1" });
    const refused = "dial tcp 127.0.0.1:1: connect: connection refused";
    expect((await session(rest, { webSockets: true })).ended?.message).toBe(refused);
    expect((await session(rest, { webSockets: false })).ended?.message).toBe(
      `error sending request: Post "http://127.0.0.1:1${EXEC}?command=x&stdout=true&stderr=true": ${refused}`,
    );
  });
});

describe("the request of a remote command", () => {
  test.each(ways)("over $way has the client's path, credentials, impersonation and headers", async ({ webSockets }) => {
    await using server = await streamingServer({ command: async () => 0 });
    const rest = createRestClient(
      {
        ...clientConfig(`${server.url}/prefix/`),
        auth: { token: "secret", impersonate: { user: "eve", groups: ["a", "b"], extra: {} } },
      },
      { headers: { "kubectl-command": "kubectl exec" } },
    );
    await session(rest, { webSockets });
    expect(server.requests[0]).toContain(` /prefix${EXEC}?`);
    expect(server.headers[0]).toMatchObject({
      authorization: "Bearer secret",
      "impersonate-user": "eve",
      "impersonate-group": "a, b",
      "user-agent": "kubets-test",
      "kubectl-command": "kubectl exec",
    });
  });
});

test("the client refuses a protocol that it did not offer, and names those that it did", async () => {
  const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n";
  await using server = await streamingServer({ refuse: () => `${head}X-Stream-Protocol-Version: v9\r\n\r\n` });
  expect((await session(clientOf(server), { webSockets: false })).ended?.message).toMatch(
    /^unable to negotiate protocol: client supports "v5\.channel\.k8s\.io", .*, server returned "v9"$/,
  );
});

test.each(ways)("an error about a reset connection over $way names both addresses", async ({ webSockets }) => {
  const raw = (socket: Socket): void => void setTimeout(() => socket.resetAndDestroy(), 50);
  await using server = await streamingServer({ raw });
  const address = new URL(server.url).host;
  expect((await session(clientOf(server), { webSockets })).ended?.message).toMatch(
    new RegExp(`read tcp 127\\.0\\.0\\.1:\\d+->${address}: read: connection reset by peer$`),
  );
});

describe("a server that does not speak the protocol of remote commands", () => {
  const said = "error reading from error stream: ";
  test.each<[string, boolean, string, string]>([
    ["sends text", true, "8101 31", `${said}unexpected message type: 1`],
    ["masks its frames", true, "8282 00000000 0161", `${said}next reader: websocket: bad MASK`],
    [
      "breaks off in a frame",
      true,
      "8205 0161",
      `${said}read message: websocket: close 1006 (abnormal closure): unexpected EOF`,
    ],
    ["goes away", true, "8802 03e9", `${said}next reader: websocket: close 1001 (going away)`],
    ["goes with a code that there is not", true, "8802 03e7", `${said}next reader: websocket: bad close code 999`],
    ["goes without a code", true, "8800", `${said}next reader: websocket: close 1005 (no status)`],
    ["writes other channels", true, "8202 0061 8202 0961 8202 ff61 8802 03e8", ""],
    ["writes a channel without data", true, "8201 01 8802 03e8", ""],
    ["sends a message without a channel", true, "8200 8802 03e8", `${said}read stream id: EOF`],
    [
      "sends a frame of 100 MB of another channel",
      true,
      "827f 0000000005f5e100 09",
      `${said}read message: websocket: close 1006 (abnormal closure): unexpected EOF`,
    ],
    ["speaks HTTP", false, Buffer.from("HTTP/1.1 200 OK\r\n\r\n").toString("hex"), "unexpected EOF"],
    ["says nothing", false, "", "unexpected EOF"],
    ["resets each stream", false, "80030003 00000008 00000001 00000003", "Stream reset"],
    ["goes away", false, "80030007 00000008 00000000 00000000", "the connection is closed"],
  ])("ends the command with an error when it %s (WebSocket: %s)", async (_, webSockets, hex, message) => {
    const raw = (socket: Socket): void => void socket.resume().end(Buffer.from(hex.replaceAll(" ", ""), "hex"));
    await using server = await streamingServer({ raw });
    const { ended } = await session(clientOf(server), { webSockets });
    expect(ended?.message ?? "").toBe(message);
    await eventually(async () => expect(server.open.size).toBe(0));
  });
});
