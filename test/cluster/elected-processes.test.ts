import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:https";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LeadershipEvent } from "../../src/cluster/index.js";
import { buildWriter } from "../durability/writer-process.js";
import { etcdMissing, type EtcdServer, startEtcd, tellEtcdMissing } from "../helpers/etcd.js";
import { eventually } from "../helpers/eventually.js";

// Servers in processes of their own, one of which is stopped by SIGSTOP or killed while it leads.

tellEtcdMissing("leaders that are killed or stopped");

const PROGRAMS = ["kube-system/kube-controller-manager", "kube-system/kube-scheduler"];
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

interface Ready {
  readonly url: string;
  readonly token: string;
  readonly caCertificate: string;
}

interface ServerProcess {
  readonly child: ChildProcess;
  readonly lines: readonly (LeadershipEvent | Ready)[];
  call(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
}

let etcd: EtcdServer;
let built: Awaited<ReturnType<typeof buildWriter>>;
const children: ChildProcess[] = [];

beforeAll(async () => {
  if (etcdMissing !== undefined) return;
  [built, etcd] = await Promise.all([buildWriter("elected-server", "test/cluster"), startEtcd()]);
});
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  await built?.remove();
  await etcd?.dispose();
});

async function start(name: string): Promise<ServerProcess> {
  const child = spawn(process.execPath, [built.script, etcd.endpoint, name], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const lines: (LeadershipEvent | Ready)[] = [];
  createInterface({ input: child.stdout }).on("line", (line) =>
    lines.push(JSON.parse(line) as LeadershipEvent | Ready),
  );
  const ready = await eventually(() => {
    const found = lines.find((line): line is Ready => "url" in line);
    if (found === undefined) throw new Error(`server ${name} is not ready`);
    return found;
  });
  return {
    child,
    lines,
    call: (method, path, body) =>
      new Promise((resolve, reject) => {
        const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
        const headers = { authorization: `Bearer ${ready.token}`, "content-type": type };
        const outgoing = request(`${ready.url}${path}`, { ca: ready.caCertificate, agent: false, method, headers });
        outgoing.on("error", reject).on("response", (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (more: string) => (text += more));
          answer.on("error", reject).on("end", () => {
            if ((answer.statusCode ?? 0) < 300) resolve(JSON.parse(text) as Record<string, unknown>);
            else reject(new Error(text));
          });
        });
        outgoing.end(body && JSON.stringify(body));
      }),
  };
}

/** The programs that a server led last, by its lines from the given one on. */
function leads({ lines }: ServerProcess, from = 0): string[] {
  const leading = new Set<string>();
  for (const line of lines.slice(from)) {
    if ("url" in line) continue;
    if (line.type === "began") leading.add(line.lease);
    if (line.type === "ended") leading.delete(line.lease);
  }
  return [...leading].toSorted();
}

async function scaled(server: ServerProcess, replicas: number): Promise<void> {
  await server.call("PATCH", `${DEPLOYMENTS}/web`, { spec: { replicas } });
  await eventually(async () => {
    const { status } = (await server.call("GET", `${DEPLOYMENTS}/web`)) as { status: { updatedReplicas?: number } };
    expect(status.updatedReplicas).toBe(replicas);
  });
}

// Windows has no SIGSTOP.
describe.skipIf(etcdMissing !== undefined || process.platform === "win32")("a leading server process", () => {
  test("that was stopped by SIGSTOP sends nothing once it continues; another leads after one was killed", async () => {
    const one = await start("one");
    expect(leads(one)).toEqual(PROGRAMS);
    const two = await start("two");
    const labels = { app: "web" };
    await one.call("POST", DEPLOYMENTS, {
      metadata: { name: "web" },
      spec: {
        replicas: 3,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await scaled(two, 4);

    one.child.kill("SIGSTOP");
    const [stoppedAt, before] = [one.lines.length, two.lines.length];
    await eventually(() => expect(leads(two, before)).toEqual(PROGRAMS));
    // What the stopped process has not seen yet is what it would react to.
    await scaled(two, 6);
    const continuedAt = Math.max(stoppedAt, one.lines.length);
    one.child.kill("SIGCONT");
    await eventually(() => {
      const ended = one.lines.slice(continuedAt).filter((line) => "type" in line && line.type === "ended");
      expect(ended).toHaveLength(2);
    });
    await eventually(() => {
      const waits = one.lines.slice(continuedAt).filter((line) => "type" in line && line.type === "waiting");
      expect(waits.length).toBeGreaterThanOrEqual(2);
    });
    await scaled(two, 5);
    const first = one.lines.findIndex((line, index) => index >= continuedAt && "type" in line && line.type === "began");
    const since = one.lines.slice(continuedAt, first === -1 ? undefined : first);
    expect(since.filter((line) => "type" in line && line.type === "request")).toEqual([]);

    const led = one.lines.length;
    two.child.kill("SIGKILL");
    await once(two.child, "exit");
    const three = await start("three");
    await eventually(() => {
      expect([...leads(one, led), ...leads(three)].toSorted()).toEqual(PROGRAMS);
    });
    await scaled(three, 7);
  });
});
