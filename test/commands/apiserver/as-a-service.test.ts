import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEtcdKv } from "../../../src/server/storage/etcd/etcd-kv.js";
import { call } from "../../helpers/api-caller.js";
import {
  type ApiserverFolder,
  makeApiserverFolder,
  neededFlags,
  startApiserver,
} from "../../helpers/apiserver-folder.js";
import { etcdMissing, tellEtcdMissing } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { programIsBuilt } from "../../helpers/program-under-test.js";
import { startProgram } from "../../helpers/started-program.js";

tellEtcdMissing("what etcd holds of kubets apiserver");

let folder: ApiserverFolder;
beforeAll(async () => {
  folder = await makeApiserverFolder();
});
afterAll(() => folder.dispose());

/** Node has no datagram sockets of Unix: python has them. */
const LISTENER = `
import socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
while True:
    print(listener.recv(1000).decode(), flush=True)
`;

const hasSystemd = spawnSync("systemd-notify", ["--version"]).status === 0;
const hasPython = spawnSync("python3", ["--version"]).status === 0;
const missing = !hasSystemd ? "systemd-notify" : !hasPython ? "python3" : programIsBuilt ? undefined : "dist";
if (missing !== undefined)
  process.stdout.write(`telling systemd of the API server is skipped: there is no ${missing}\n`);

describe.skipIf(missing !== undefined)("SIG-3: kubets apiserver as a systemd service", () => {
  const begin = async (socket: string) => {
    const [port] = await freePorts(1);
    return startProgram(["apiserver", ...neededFlags(folder), `--secure-port=${port}`], folder.path, {
      NOTIFY_SOCKET: socket,
    });
  };

  test("tells systemd when it serves and when it stops", async () => {
    const socket = join(folder.path, "notify");
    const listener = spawn("python3", ["-c", LISTENER, socket], { stdio: ["ignore", "pipe", "inherit"] });
    let told = "";
    listener.stdout.setEncoding("utf8").on("data", (text: string) => (told += text));
    await eventually(() => expect(existsSync(socket)).toBe(true));
    await using server = await begin(socket);
    await eventually(() => expect(told).toContain("READY=1"));
    expect(server.log()).toContain("Serving securely");
    expect(await server.stop()).toBe(0);
    await eventually(() => expect(told).toContain("STOPPING=1"));
    const ended = once(listener, "exit");
    listener.kill();
    await ended;
  });

  test("logs a notify socket on which nobody listens, and serves", async () => {
    await using server = await begin(join(folder.path, "nobody"));
    await eventually(() =>
      expect(server.log()).toMatch(/^E.*Unable to send systemd daemon successful start message.*systemd-notify/m),
    );
    expect(await server.stop()).toBe(0);
  });
});

describe.skipIf(etcdMissing !== undefined)("COD-10: the values that kubets apiserver stores in etcd", () => {
  test.each([
    ["protobuf, by default", [], "k8s\0"],
    ["JSON, with --storage-media-type=application/json", ["--storage-media-type=application/json"], '{"ki'],
  ])("are %s", async (_what, flags, prefix) => {
    const root = `/stored-as-${prefix.length}${flags.length}`;
    const server = await startApiserver(folder, [...neededFlags(folder), ...flags, `--etcd-prefix=${root}`]);
    const path = "/api/v1/namespaces/default/configmaps";
    expect((await call(server.admin, "POST", path, { metadata: { name: "stored" } })).status).toBe(201);
    const kv = await openEtcdKv({ endpoints: [folder.etcd], root: "", prefix: root });
    const { items } = await kv.list("/configmaps/default/");
    expect(items.map(({ value }) => Buffer.from(value).toString("latin1").slice(0, 4))).toEqual([prefix]);
    await kv.close();
    await server.stop();
  });
});
