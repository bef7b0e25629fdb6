import { expect, test } from "vitest";
import { json, startFaultyServer } from "./faulty-server.js";
import { describeBesideKubectl, type Outcome, sideBySide } from "./side-by-side.js";
import { hex, message, type Upgrade, webSocket } from "./web-socket-answers.js";

const POD = json({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "default" },
  spec: { containers: [{ name: "c", image: "i" }] },
  status: { phase: "Running" },
});

/**
 * What client-go logs beside the error that the command ends with: both outputs broke, in an order of chance, or a message was for no
 * stream. kubets says the error alone.
 */
const LOGGED =
  /^E<KLOG> (?:v2|websocket)\.go:\d+\] "(?:Copying std(?:out|err) failed|Unknown stream, discarding message)" .*\n/gm;

/** A line against a server whose answers to upgrades are wrong: what comes of it is kubectl's. */
async function same(line: string, upgrade: Upgrade, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const { real, ours } = await sideBySide(line, { peer: () => startFaultyServer([POD], { upgrade }), env });
  expect(ours).toEqual({ ...real, stderr: real.stderr.replace(LOGGED, "") });
  return real;
}

const SPDY = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false", KUBECTL_PORT_FORWARD_WEBSOCKETS: "false" };

const SUCCESS = message(3, '{"metadata":{},"status":"Success"}');
const CLOSE = hex("8802 03e8");
const text =
  (status: string, body: string): Upgrade =>
  (_, socket) =>
    void socket.end(
      `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nContent-Type: text/plain\r\n\r\n${body}`,
    );

describeBesideKubectl("kubets exec prints what kubectl prints when a WebSocket of a faulty server", () => {
  test.each<[string, Upgrade]>([
    ["ends before a frame", webSocket([])],
    ["is reset", webSocket(message(1, "out\n"), undefined, "reset")],
    ["ends in the head of a frame", webSocket([message(1, "out\n"), hex("82")])],
    ["ends in the middle of a frame", webSocket([message(1, "out\n"), hex("8205 0161")])],
    ["has frames of wrong channels", webSocket([message(0, "in"), message(9, "x"), message(255, "x"), SUCCESS, CLOSE])],
    ["has messages without a channel and without data", webSocket([hex("8200"), hex("8201 01"), SUCCESS, CLOSE])],
    ["has text", webSocket([hex("8102 3161"), SUCCESS, CLOSE])],
    ["has a status that is no JSON", webSocket([message(1, "out\n"), message(3, "no status"), CLOSE])],
    ["has a status that is JSON of something else", webSocket([message(3, "[1]"), CLOSE])],
    ["has half a status", webSocket([message(3, '{"status":"Fail'), CLOSE])],
    ["has no status", webSocket([message(1, "out\n"), CLOSE])],
    ["goes away after the status", webSocket([message(1, "out\n"), SUCCESS, hex("8802 03e9")])],
    ["ends after the status without closing", webSocket([message(1, "out\n"), SUCCESS])],
    ["has a masked frame", webSocket(hex("8282 00000000 0161"))],
    ["has a frame with reserved bits", webSocket(hex("f202 0161"))],
    ["has an unknown kind of frame", webSocket(hex("8302 0161"))],
    ["has a ping that is too long", webSocket(hex("897e 00ff"))],
    ["has a rest without a beginning", webSocket(hex("8002 0161"))],
    ["has a close frame of one byte", webSocket(hex("8801 03"))],
    ["has a close frame with a code that there is not", webSocket(hex("8802 03e7"))],
    ["speaks a protocol that was not offered", webSocket([], "v4.channel.k8s.io")],
  ])("%s", async (_what, upgrade) => {
    await same("kubectl exec a -- ls", upgrade);
  });

  test("has ten thousand frames of one byte", async () => {
    const frames = Array.from({ length: 10_000 }, (_, index) => message(1, String(index % 10)));
    const { code, stdout } = await same("kubectl exec a -- ls", webSocket([Buffer.concat(frames), SUCCESS, CLOSE]));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "0123456789".repeat(1000) });
  });

  test("has a frame of 100 MB", async () => {
    const frame = message(1, Buffer.alloc(100_000_000, "x"));
    const line = "set -o pipefail; kubectl exec a -- ls | sha256sum";
    expect((await same(line, webSocket([frame, SUCCESS, CLOSE]))).code).toBe(0);
  });

  test("has more output than its reader takes", async () => {
    const endless = webSocket([message(1, Buffer.alloc(20_000_000, "x"))], undefined, "stay");
    const { code, stdout } = await same("set -o pipefail; kubectl exec a -- yes | head -c 5", endless);
    expect({ code, stdout }).toEqual({ code: 141, stdout: "xxxxx" });
  });

  test("announces a frame of the largest possible length", async () => {
    await same("kubectl exec a -- ls", webSocket(hex("827f 7fffffffffffffff 0161")));
  });
});

describeBesideKubectl("kubets prints what kubectl prints when a server refuses to upgrade a connection, for", () => {
  const status = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: "container c is not ready",
    reason: "BadRequest",
    code: 400,
  });
  const refusals: readonly (readonly [string, Upgrade])[] = [
    ["with a Status", text("400 Bad Request", status)],
    ["with text", text("403 Forbidden", "not you\n")],
    ["with nothing", text("500 Internal Server Error", "")],
    ["with success", text("200 OK", "hello")],
    [
      "by another protocol",
      (_, socket) => void socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\n"),
    ],
    ["with an answer that is not HTTP", (_, socket) => void socket.end("SSH-2.0-OpenSSH_9.2\r\n")],
    ["by hanging up", (_, socket) => void socket.destroy()],
  ];
  const all = ["kubectl exec a -- ls", "kubectl port-forward a :80"];
  const rowsOf = (some: readonly string[], chosen = refusals) =>
    some.flatMap((line) => chosen.map(([how, upgrade]) => [line, how, upgrade] as const));
  const few = ["kubectl attach a", "kubectl cp a:/etc/hosts hosts", "kubectl cp home a:/tmp"];
  test.each([...rowsOf(all), ...rowsOf(few, refusals.slice(0, 2))])("%s: %s", async (line, _how, upgrade) => {
    await same(line, upgrade);
  });
  test.each(rowsOf(all))("%s over SPDY alone: %s", async (line, _how, upgrade) => {
    await same(line, upgrade, SPDY);
  });
});
