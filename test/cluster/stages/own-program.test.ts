import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { recommendedOptions } from "../../../src/cluster/stages/recommended-options.js";
import { type ServerProgram, serverCommand } from "../../../src/cluster/stages/server-command.js";
import { openEtcdKv } from "../../../src/server/storage/etcd/etcd-kv.js";
import { forbidden } from "../../../src/machinery/errors/status-error.js";
import { etcdMissing, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { freePorts } from "../../helpers/free-ports.js";
import { COLLECTION, GROUP, widgets } from "../../server/api-registry/widgets.js";

tellEtcdMissing("the storage of an own program");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-own-program-"));
});
afterAll(() => rm(folder, { recursive: true }));

const program = (rest: Partial<ServerProgram> = {}): ServerProgram => ({
  name: "pizza-apiserver",
  description: "Launch a custom API server",
  version: "v1.0.0",
  options: {
    resources: [widgets],
    admission: {
      plugins: [
        {
          plugin: {
            name: "BanWidget",
            validate({ name, resource }) {
              throw forbidden(resource, name, "no widgets are sold here");
            },
          },
        },
      ],
    },
  },
  ...rest,
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program; `act` is called when it serves, and ends it. */
async function run(
  what: ServerProgram,
  args: readonly string[],
  act: () => Promise<unknown> = async () => {},
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  let [out, err] = ["", ""];
  const stop = new AbortController();
  let acted: Promise<unknown> | undefined;
  const code = await serverCommand(what).run(args, {
    clock: systemClock,
    cwd: folder,
    env,
    signal: stop.signal,
    out: (text) => void (out += text),
    err(text) {
      err += text;
      if (text.includes("Serving ")) acted ??= act().finally(() => stop.abort());
    },
  });
  await acted;
  return { code, out, err };
}

describe("the program of an API server that a user writes", () => {
  test("keeps its author's HTTP/2 options unless a flag changes them", async () => {
    const alone: Partial<ServerProgram> = { options: { resources: [widgets], http2: { disabled: true } } };
    const protocolOf = async (...flags: string[]): Promise<string | false | null> => {
      const [port = 0] = await freePorts(1);
      let spoken: string | false | null = null;
      await run(program(alone), [`--secure-port=${port}`, ...flags], async () => {
        spoken = await new Promise((resolve, reject) => {
          const socket = connect({
            host: "127.0.0.1",
            port,
            rejectUnauthorized: false,
            ALPNProtocols: ["h2", "http/1.1"],
          });
          socket.once("error", reject).once("secureConnect", () => {
            resolve(socket.alpnProtocol);
            socket.destroy();
          });
        });
      });
      return spoken;
    };
    expect(await protocolOf()).toBe("http/1.1");
    expect(await protocolOf("--disable-http2-serving=false")).toBe("h2");
  });

  test("A-RUN-04, B-OPT-01: prints its description and flags in its help, and all errors of its flags at once", async () => {
    const { code, out } = await run(program(), ["--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Launch a custom API server\n\nUsage:\n {2}pizza-apiserver \[flags\]\n/);
    for (const flag of ["secure-port", "etcd-servers", "admission-control-config-file"]) expect(out).toContain(flag);
    const wrong = await run(program(), [
      "--goaway-chance=1",
      "--enable-admission-plugins=Nonsense",
      "--secure-port=-1",
    ]);
    expect([wrong.code, wrong.out]).toEqual([1, ""]);
    for (const fault of ["--goaway-chance can not be", "Nonsense", "port is -1"]) expect(wrong.err).toContain(fault);
    expect(wrong.err.match(/command failed/g)).toHaveLength(1);
  });

  test("A-RUN-01, A-OPT-03, C-CHAIN-08: logs its version, can be extended before it runs, and listens on the port of its flags", async () => {
    const [own = 0, port = 0] = await freePorts(2);
    const acts: string[] = [];
    const extended = program({
      options: { resources: [widgets], port: own },
      extend(server) {
        acts.push(`extend ${server.name}`);
        server.addPostStartHook({ name: "late", run: () => void acts.push("hook") });
      },
    });
    const { code, err } = await run(extended, [`--http-port=${port}`], async () => {
      acts.push(`${(await fetch(`http://127.0.0.1:${port}/healthz/poststarthook/late`)).status}`);
      await expect(fetch(`https://127.0.0.1:${own}`)).rejects.toThrow();
    });
    expect([code, acts]).toEqual([0, ["extend pizza-apiserver", "hook", "200"]]);
    expect(err.indexOf("Version: v1.0.0")).toBeLessThan(err.indexOf(`Serving insecurely on 127.0.0.1:${port}`));
  });

  test.each([
    ["runs the plugins of its options", [], 403],
    ["leaves out those that a flag disables", ["--disable-admission-plugins=BanWidget"], 201],
  ])("A-ADM-11: %s", async (_, args, status) => {
    const [port = 0] = await freePorts(1);
    const seen: number[] = [];
    await run(program(), [`--http-port=${port}`, ...args], async () => {
      const body = JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: "Widget", metadata: { name: "one" } });
      const headers = { "content-type": "application/json" };
      seen.push((await fetch(`http://127.0.0.1:${port}${COLLECTION}`, { method: "POST", headers, body })).status);
    });
    expect(seen).toEqual([status]);
  });

  test.skipIf(etcdMissing !== undefined)(
    "B-OPT-03: stores objects under its prefix in etcd, as JSON of the storage version, whatever version the client sent",
    async () => {
      const etcd = await startEtcd();
      const [port = 0] = await freePorts(1);
      const recommended = recommendedOptions("/registry/wardle.example.com");
      Object.assign(recommended, { authentication: undefined, authorization: undefined, coreApi: undefined });
      const collection = COLLECTION.replace("/v1/", "/v1beta1/");
      const args = [`--http-port=${port}`, `--etcd-servers=${etcd.endpoint}`];
      const stored = program({ options: { resources: [widgets] }, recommended });
      await run(stored, args, async () => {
        const body = JSON.stringify({ kind: "Widget", metadata: { name: "one" }, spec: { width: 3 } });
        const headers = { "content-type": "application/json" };
        await fetch(`http://127.0.0.1:${port}${collection}`, { method: "POST", headers, body });
      });
      const kv = await openEtcdKv({ endpoints: [etcd.endpoint] });
      const { kv: found } = await kv.get(`/registry/wardle.example.com/${GROUP}/widgets/default/one`);
      await kv.close();
      await etcd.dispose();
      expect(JSON.parse(Buffer.from(found?.value ?? []).toString())).toMatchObject({
        apiVersion: `${GROUP}/v1`,
        kind: "Widget",
        spec: { size: 3 },
      });
    },
  );

  // Windows has neither systemd nor programs that begin with #!.
  test.skipIf(process.platform === "win32")(
    "B-RUN-03, C-RUN-01: opens its port, runs its hooks, and only then tells systemd that it is ready",
    async () => {
      const [port = 0] = await freePorts(1);
      const told = join(folder, "told");
      const notify = join(folder, "systemd-notify");
      await writeFile(notify, `#!/bin/sh\necho "$1" >> ${told}\n`);
      await chmod(notify, 0o755);
      const note = (text: string) => writeFile(told, `${text}\n`, { flag: "a" });
      const hooks = {
        postStart: [
          {
            name: "note",
            run: async () => note(`hook: /livez ${(await fetch(`http://127.0.0.1:${port}/livez`)).status}`),
          },
        ],
        preShutdown: [{ name: "note", run: () => note("stop") }],
      };
      const { code, err } = await run(program({ options: { hooks } }), [`--http-port=${port}`], undefined, {
        PATH: `${folder}:/usr/bin:/bin`,
        NOTIFY_SOCKET: "/nowhere",
      });
      expect([code, err.match(/^[EW].*/gm)]).toEqual([0, null]);
      const lines = (await readFile(told, "utf8")).trimEnd().split("\n");
      expect(lines.slice(0, 2)).toEqual(["hook: /livez 200", "READY=1"]);
      // The stop is told while the server stops.
      expect(lines.slice(2).toSorted()).toEqual(["STOPPING=1", "stop"]);
    },
  );
});
