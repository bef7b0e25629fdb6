import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { ByteStream } from "../../../src/machinery/wire/streams/byte-stream.js";
import { spdyConnection } from "../../../src/machinery/wire/spdy/spdy-connection.js";
import { eventually } from "../../helpers/eventually.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { serveKubelet, type ServedKubelet } from "../../helpers/served-kubelet.js";
import { readText } from "../../machinery/wire/streams/read-all.js";

const SPDY = { upgrade: "SPDY/3.1" };
const exec = (command: readonly string[], flags = "output=1&error=1"): string =>
  `/exec/default/web/c?${command.map((word) => `command=${encodeURIComponent(word)}`).join("&")}&${flags}`;

/** Opens the streams of a remote command over SPDY. */
async function spdySession(
  kubelet: ServedKubelet,
  path: string,
  types: readonly string[],
  protocol = "v4.channel.k8s.io",
) {
  const { response, socket } = await kubelet.upgrade(path, { ...SPDY, "x-stream-protocol-version": protocol });
  expect(response.statusCode).toBe(101);
  const connection = spdyConnection(socket, { role: "client" });
  const streams: Record<string, ByteStream> = {};
  for (const streamtype of types) streams[streamtype] = await connection.open({ streamtype });
  return { response, connection, streams };
}

describe("the kubelet API's answers to plain requests", () => {
  const rows = [
    { path: "/healthz", status: 200, body: "ok" },
    { path: "/nope", status: 404, body: "404 page not found\n" },
    {
      path: "/exec/default/web/c?command=ls",
      status: 400,
      body: "you must specify at least 1 of stdin, stdout, stderr",
    },
    { path: "/exec/default/nope/c?command=ls&output=1", status: 404, body: "pod does not exist" },
    { path: "/exec/default/web/nope?command=ls&output=1", status: 500, body: 'container not found ("nope")' },
    { path: "/exec/default/web/waiting?command=ls&output=1", status: 500, body: 'container not found ("waiting")' },
    { path: "/exec/default/web/other-uid/c?command=ls&output=1", status: 500, body: 'container not found ("c")' },
    { path: "/exec/default/web/c?command=ls&output=1", status: 500, body: "Upgrade request required\n" },
    { path: "/attach/default/nope/c?output=1", status: 404, body: "pod does not exist" },
    { path: "/portForward/default/nope", status: 404, body: "pod does not exist" },
    { path: "/containerLogs/default/nope/c", status: 404, body: 'pod "nope" does not exist' },
    { path: "/containerLogs/default/web/nope", status: 404, body: 'container "nope" not found in pod "web"' },
    {
      path: "/containerLogs/default/web/waiting",
      status: 400,
      body: `container "waiting" in pod "web" is waiting to start: image can't be pulled`,
    },
    { path: "/containerLogs/default/web/ended", status: 400, body: 'container "ended" in pod "web" is terminated' },
    {
      path: "/containerLogs/default/web/unknown",
      status: 400,
      body: 'container "unknown" in pod "web" is not available',
    },
    {
      path: "/containerLogs/default/web/c?previous=true",
      status: 400,
      body: 'previous terminated container "c" in pod "web" not found',
    },
    { path: "/containerLogs/default/web/c?tailLines=x", status: 400, body: '{"message": "Unable to decode query."}' },
    { path: "/containerLogs/default/web/c?tailLines=-1", status: 422, body: '{"message": "Invalid request."}' },
    { path: "/%zz", status: 400, body: "400 Bad Request" },
  ];

  test.each(rows)("$path: $status $body", async ({ path, status, body }) => {
    await using kubelet = await serveKubelet();
    expect(await kubelet.get(path)).toEqual({ status, body });
    if (status !== 200 && !body.startsWith("Upgrade") && !path.startsWith("/containerLogs")) {
      const refused = await kubelet.upgrade(path, SPDY);
      expect([refused.response.statusCode, refused.body]).toEqual([
        path === "/nope" ? 404 : status,
        path === "/nope" ? "404: Page Not Found" : body,
      ]);
    }
  });

  test("a client without a certificate of the cluster gets nothing, not even /healthz", async () => {
    await using kubelet = await serveKubelet();
    for (const path of ["/healthz", "/pods", "/nope"]) {
      expect(await kubelet.get(path, { anonymous: true })).toEqual({ status: 401, body: "Unauthorized" });
    }
  });

  test("an unknown stream protocol is refused with a list of the known ones", async () => {
    await using kubelet = await serveKubelet();
    const { response, body } = await kubelet.upgrade(exec(["ls"]), {
      ...SPDY,
      "x-stream-protocol-version": "v9.channel.k8s.io",
    });
    expect(response.statusCode).toBe(403);
    expect(body).toBe(
      "unable to upgrade: unable to negotiate protocol: client supports [v9.channel.k8s.io], server accepts [v4.channel.k8s.io v3.channel.k8s.io v2.channel.k8s.io channel.k8s.io]\n",
    );
  });
});

describe("exec over SPDY on the kubelet API", () => {
  test("has streams for input, output and errors, and the Status on the error stream", async () => {
    await using kubelet = await serveKubelet();
    const path = exec(["sh", "-c", "cat; echo oops >&2; exit 3"], "input=1&output=1&error=1");
    const { response, connection, streams } = await spdySession(kubelet, path, ["error", "stdin", "stdout", "stderr"]);
    expect(response.headers["x-stream-protocol-version"]).toBe("v4.channel.k8s.io");
    await streams["stdin"]?.write(Buffer.from("hello"));
    await streams["stdin"]?.end();
    const [out, err, status] = await Promise.all(
      ["stdout", "stderr", "error"].map((type) => readText(streams[type] as ByteStream)),
    );
    expect([out, err]).toEqual(["hello", "oops\n"]);
    expect(JSON.parse(status ?? "")).toMatchObject({
      status: "Failure",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    });
    await connection.close();
  });

  test("sends a Status for success too, and none before protocol 4", async () => {
    await using kubelet = await serveKubelet();
    for (const [protocol, expected] of [
      ["v4.channel.k8s.io", '{"metadata":{},"status":"Success"}'],
      ["v2.channel.k8s.io", ""],
    ] as const) {
      const { connection, streams } = await spdySession(
        kubelet,
        exec(["true"]),
        ["error", "stdout", "stderr"],
        protocol,
      );
      expect(await readText(streams["error"] as ByteStream)).toBe(expected);
      await connection.close();
    }
  });

  test("answers an internal error for a program that does not exist", async () => {
    await using kubelet = await serveKubelet();
    const { connection, streams } = await spdySession(kubelet, exec(["nope"]), ["error", "stdout", "stderr"]);
    const { code, reason, message } = JSON.parse(await readText(streams["error"] as ByteStream)) as Record<
      string,
      string
    >;
    expect({ code, reason }).toEqual({ code: 500, reason: "InternalError" });
    expect(message).toMatch(
      /^Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "[0-9a-f]+": OCI runtime exec failed: exec failed: unable to start container process: exec: "nope": executable file not found in \$PATH: unknown$/,
    );
    await connection.close();
  });

  test("disconnects a client that does not open its streams within 30 seconds", async () => {
    const time = new ManualTime();
    await using kubelet = await serveKubelet({}, {}, { timers: time });
    const { connection } = await spdySession(kubelet, exec(["true"]), ["error"]);
    time.pass(30_000);
    await connection.closed;
  });

  test("ends the program when the client disconnects", async () => {
    await using kubelet = await serveKubelet();
    const { connection } = await spdySession(kubelet, exec(["sleep", "infinity"]), ["error", "stdout", "stderr"]);
    await eventually(async () => expect((await kubelet.container.sh("ps")).stdout).toContain("sleep infinity"));
    await connection.close();
    await eventually(async () => expect((await kubelet.container.sh("ps")).stdout).not.toContain("sleep infinity"));
  });
});

describe("exec over a WebSocket on the kubelet API", () => {
  const protocols = [
    "v5.channel.k8s.io",
    "v4.channel.k8s.io",
    "v4.base64.channel.k8s.io",
    "channel.k8s.io",
    "base64.channel.k8s.io",
  ];

  test.each(protocols)("with %s has channels for output, errors and the Status", async (protocol) => {
    await using kubelet = await serveKubelet();
    const session = await kubelet.webSocket(exec(["sh", "-c", "echo out; echo err >&2; exit 4"]), [protocol]);
    expect(await session.closed).toBe(1000);
    expect(session.socket.protocol).toBe(protocol);
    expect([session.text(1), session.text(2)]).toEqual(["out\n", "err\n"]);
    const words = "command terminated with non-zero exit code: command terminated with exit code 4";
    if (protocol.startsWith("v"))
      expect(JSON.parse(session.text(3))).toMatchObject({ status: "Failure", message: words });
    else expect(session.text(3)).toBe(words);
  });

  test("with v5 ends the input by channel 255", async () => {
    await using kubelet = await serveKubelet();
    const session = await kubelet.webSocket(exec(["cat"], "input=1&output=1"), ["v5.channel.k8s.io"]);
    session.socket.send(Buffer.from("\0abc"));
    session.socket.send(Buffer.of(255, 0));
    expect(await session.closed).toBe(1000);
    expect(session.text(1)).toBe("abc");
  });

  test("refuses an unknown subprotocol", async () => {
    await using kubelet = await serveKubelet();
    await expect(kubelet.webSocket(exec(["true"]), ["v9.channel.k8s.io"])).rejects.toThrow("403");
  });

  test("with a terminal echoes, has the client's size, and Ctrl-C interrupts", async () => {
    await using kubelet = await serveKubelet();
    const session = await kubelet.webSocket(exec(["sh"], "input=1&output=1&tty=1"), ["v4.channel.k8s.io"]);
    const type = (keys: string): void => session.socket.send(Buffer.from(`\0${keys}`));
    session.socket.send(Buffer.from('\x04{"Width":100,"Height":30}'));
    // The prompt is drawn anew where the size comes after it.
    await eventually(async () => expect(session.text(1)).toMatch(/\/ # $/));
    type("stty size\r");
    await eventually(async () => expect(session.text(1)).toMatch(/\/ # stty size\r\n30 100\r\n\/ # $/));
    session.socket.send(Buffer.from('\x04{"Width":101,"Height":31}'));
    type("stty size\r");
    await eventually(async () => expect(session.text(1)).toMatch(/31 101\r\n\/ # $/));
    type("sleep infinity\r");
    await eventually(async () => expect((await kubelet.container.sh("ps")).stdout).toContain("sleep infinity"));
    type("\x03");
    await eventually(async () => expect(session.text(1)).toMatch(/sleep infinity\r\n\^C\r\n\/ # $/));
    type("echo $?; exit 7\r");
    expect(await session.closed).toBe(1000);
    expect(session.text(1)).toMatch(/130\r\n$/);
    expect(session.text(3)).toContain('"message":"7"');
  });

  test("loses nothing for a slow reader", async () => {
    await using kubelet = await serveKubelet();
    const session = await kubelet.webSocket(exec(["sh", "-c", "head -c 4M /dev/zero"]), ["v4.channel.k8s.io"]);
    session.socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    session.socket.resume();
    await session.closed;
    expect(session.text(1).length).toBe(4 * 1024 * 1024);
    expect(session.text(3)).toContain("Success");
  });
});

describe("a hostile client of the kubelet API", () => {
  const sleeping = exec(["sleep", "infinity"], "input=1&output=1");
  const runs = async (kubelet: ServedKubelet): Promise<boolean> =>
    (await kubelet.container.exec(["ps"])).stdout.includes("sleep");
  const ended = (kubelet: ServedKubelet) => eventually(async () => expect(await runs(kubelet)).toBe(false));

  test.each([
    ["a frame of SPDY/2", Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0])],
    ["zeros", Buffer.alloc(100_000)],
  ])("that sends %s is disconnected, and no program runs", async (_name, garbage) => {
    await using kubelet = await serveKubelet();
    const { socket } = await kubelet.upgrade(sleeping, { ...SPDY, "x-stream-protocol-version": "v4.channel.k8s.io" });
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.resume();
    socket.write(garbage);
    await closed;
    expect(await runs(kubelet)).toBe(false);
  });

  test("may send messages on unknown channels, invalid sizes, and many empty messages", async () => {
    await using kubelet = await serveKubelet();
    const session = await kubelet.webSocket(exec(["cat"], "input=1&output=1&tty=1"), ["v5.channel.k8s.io"]);
    const { socket } = session;
    for (const message of [
      "\x01x",
      "\x03x",
      "\x07x",
      "\x04{",
      "\x04nonsense}",
      '\x04{"Width":-1,"Height":1e9}',
      "\xffx",
      "",
    ])
      socket.send(Buffer.from(message, "latin1"));
    for (let count = 0; count < 10_000; count += 1) socket.send(Buffer.of(0));
    socket.send(Buffer.from("\0end\r\x04"));
    expect(await session.closed).toBe(1000);
    expect(session.text(1)).toBe("end\r\nend\r\n");
  });

  test("that vanishes ends its program", async () => {
    await using kubelet = await serveKubelet();
    const session = await kubelet.webSocket(sleeping, ["v5.channel.k8s.io"]);
    await eventually(async () => expect(await runs(kubelet)).toBe(true));
    session.socket.terminate();
    await ended(kubelet);
  });
});

test("attach on the kubelet API joins the main program, with its further output and its input", async () => {
  await using kubelet = await serveKubelet(
    {},
    { command: ["sh", "-c", "read x; echo got $x; read y; echo bye $y"], stdin: true },
  );
  const session = await kubelet.webSocket("/attach/default/web/c?input=1&output=1&error=1", ["v4.channel.k8s.io"]);
  session.socket.send(Buffer.from("\0one\n"));
  await eventually(async () => expect(session.text(1)).toBe("got one\n"));
  session.socket.send(Buffer.from("\0two\n"));
  expect(await session.closed).toBe(1000);
  expect(session.text(1)).toBe("got one\nbye two\n");
  expect(JSON.parse(session.text(3))).toMatchObject({ status: "Success" });
});

describe("port-forward on the kubelet API", () => {
  const echo = async (connection: ByteStream): Promise<void> => {
    for await (const chunk of connection)
      await connection.write(Buffer.from(Buffer.from(chunk).toString().toUpperCase()));
    await connection.end();
  };

  test("over SPDY has a data stream and an error stream for each connection", async () => {
    await using kubelet = await serveKubelet({ ports: { 80: echo } });
    const { socket, response } = await kubelet.upgrade("/portForward/default/web", {
      ...SPDY,
      "x-stream-protocol-version": "portforward.k8s.io",
    });
    expect(response.statusCode).toBe(101);
    const connection = spdyConnection(socket, { role: "client" });
    const open = async (port: string, requestid: string) => {
      const error = await connection.open({ streamtype: "error", port, requestid });
      return { error, data: await connection.open({ streamtype: "data", port, requestid }) };
    };
    const [one, other] = [await open("80", "0"), await open("81", "1")];
    await one.data.write(Buffer.from("hello"));
    await one.data.end();
    expect(await readText(one.data)).toBe("HELLO");
    expect(await readText(one.error)).toBe("");
    expect(await readText(other.error)).toMatch(
      /^error forwarding port 81 to pod [0-9a-f]{64}, uid : failed to execute portforward in network namespace ".*": failed to connect to localhost:81 inside namespace/,
    );
    await expect(connection.open({ streamtype: "data", port: "0", requestid: "2" })).rejects.toThrow();
    await connection.close();
  });

  test("over a WebSocket takes the ports from the query", async () => {
    await using kubelet = await serveKubelet({ ports: { 80: echo } });
    const session = await kubelet.webSocket("/portForward/default/web?port=80&port=81", ["v4.channel.k8s.io"]);
    session.socket.send(Buffer.from("\0hello"));
    await eventually(async () => expect(session.text(0)).toBe("P\0HELLO"));
    await eventually(async () => expect(session.text(3)).toMatch(/^Q\0error forwarding port 81 to pod/));
    session.socket.close();
    await once(session.socket, "close");
  });

  test("over a WebSocket ends a second after the pod has closed its side, because the client cannot learn of it before", async () => {
    const time = new ManualTime();
    const once80 = async (connection: ByteStream): Promise<void> => {
      await connection.write(Buffer.from("bye"));
      await connection.end();
    };
    await using kubelet = await serveKubelet({ ports: { 80: once80 } }, {}, { timers: time });
    const session = await kubelet.webSocket("/portForward/default/web?port=80", ["v4.channel.k8s.io"]);
    await eventually(async () => expect([session.text(0), time.pending]).toEqual(["P\0bye", 1]));
    time.pass(999);
    expect(time.pending).toBe(1);
    time.pass(1);
    expect(await session.closed).toBe(1000);
    expect([session.text(1), time.pending]).toEqual(["P\0", 0]);
  });

  test.each([
    ["", 'query parameter "port" is required'],
    ["?port=", 'query parameter "port" cannot be empty'],
    ["?port=0", 'port "0" must be > 0'],
    ["?port=x", 'unable to parse "x" as a port: strconv.ParseUint: parsing "x": invalid syntax'],
    ["?port=70000", 'unable to parse "70000" as a port: strconv.ParseUint: parsing "70000": value out of range'],
  ])("over a WebSocket with the query '%s' is refused: %s", async (query) => {
    await using kubelet = await serveKubelet();
    await expect(kubelet.webSocket(`/portForward/default/web${query}`, ["v4.channel.k8s.io"])).rejects.toThrow("400");
  });
});

describe("logs of the kubelet API", () => {
  const script = "echo one; echo two >&2; printf three";
  const logs = async (kubelet: ServedKubelet, query: string): Promise<string> =>
    (await kubelet.get(`/containerLogs/default/web/c${query}`)).body;

  test.each([
    ["", "one\ntwo\nthree"],
    ["?tailLines=1", "three"],
    ["?tailLines=0", ""],
    ["?limitBytes=5", "one\nt"],
    ["?stream=Stderr", "two\n"],
    ["?sinceSeconds=100", "one\ntwo\nthree"],
    ["?sinceTime=2199-01-01T00:00:00Z", ""],
    ["?follow=true", "one\ntwo\nthree"],
  ])("with the query '%s' are %j", async (query, expected) => {
    await using kubelet = await serveKubelet({}, { command: ["sh", "-c", script] });
    await kubelet.container.started.exited;
    expect(await logs(kubelet, query)).toBe(expected);
  });

  test("have times before the lines", async () => {
    await using kubelet = await serveKubelet({}, { command: ["sh", "-c", "echo one"] });
    await kubelet.container.started.exited;
    expect(await logs(kubelet, "?timestamps=true")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z one\n$/);
  });

  test("follow until the container ends", async () => {
    await using kubelet = await serveKubelet({}, { command: ["sh", "-c", "echo one; sleep 0.2; echo two; sleep 0.1"] });
    expect(await logs(kubelet, "?follow=true")).toBe("one\ntwo\n");
  });
});
