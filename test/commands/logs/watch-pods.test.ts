import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterSession, clusterSession } from "../../helpers/cluster-session.js";
import { eventually } from "../../helpers/eventually.js";
import { type FakeKubelet, startFakeKubelet } from "../../helpers/fake-kubelet.js";
import { type CliResult, startCli } from "../../helpers/run-cli.js";

let session: ClusterSession;
let kubelet: FakeKubelet;

beforeAll(async () => {
  kubelet = await startFakeKubelet();
  session = await clusterSession();
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
  };
  await session.write({ "node.json": JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "one" } }) });
  await session.kubectl("create -f node.json");
  await session.kubectl(["patch", "node", "one", "--subresource=status", "-p", JSON.stringify({ status })]);
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
  await kubelet.close();
});

async function createPod(name: string, app: string, containers: readonly string[] = ["web"]): Promise<void> {
  const spec = { nodeName: "one", containers: containers.map((container) => ({ name: container, image: "web:1" })) };
  await session.write({
    [`${name}.json`]: JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app } }, spec }),
  });
  expect((await session.kubectl(`create -f ${name}.json`)).stderr).toBe("");
}

/** Says that the container of a pod waits to be started again after its nth run. */
async function crashed(name: string, run: number): Promise<void> {
  const terminated = { exitCode: 1, containerID: `test://${name}-web-${run}` };
  await setStatuses(name, [
    { ...statusOf(name, "web", run), state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated } },
  ]);
}

const statusOf = (name: string, container: string, run: number): object => ({
  name: container,
  ready: true,
  restartCount: run,
  image: "web:1",
  imageID: "",
  containerID: `test://${name}-${container}-${run}`,
});

async function setStatuses(name: string, containerStatuses: readonly object[]): Promise<void> {
  const patch = JSON.stringify({ status: { phase: "Running", containerStatuses } });
  const line = ["patch", "pod", name, "--subresource=status", "--type=merge", "-p", patch];
  expect((await session.kubectl(line)).stderr).toBe("");
}

/** Says that the containers of a pod run, for the nth time. */
async function runs(name: string, run: number, containers: readonly string[] = ["web"]): Promise<void> {
  const state = { running: { startedAt: "2026-01-01T00:00:00Z" } };
  const before = (container: string): object => ({
    terminated: { exitCode: 1, containerID: `test://${name}-${container}-${run - 1}` },
  });
  await setStatuses(
    name,
    containers.map((container) => ({
      ...statusOf(name, container, run),
      state,
      ...(run > 0 && { lastState: before(container) }),
    })),
  );
}

/** A command that runs until it is stopped, and the logs it has asked for. */
function follow(argv: string) {
  const env = { HOME: session.folder, KUBECONFIG: `${session.folder}/kubeconfig` };
  const running = startCli(argv.split(" "), { env, cwd: session.folder });
  const all = (): string => running.stdout() + running.stderr();
  const seen: string[] = [];
  const logs = (): readonly string[] => {
    seen.push(...session.requests());
    return seen.flatMap((line) => /pods\/(.*)\/log\?(.*)$/.exec(line)?.slice(1).join(" ") ?? []);
  };
  return {
    asked: (count: number) =>
      eventually(async () => {
        expect(logs()).toHaveLength(count);
        return logs();
      }),
    watched: () =>
      eventually(async () => expect((logs(), seen).some((line) => line.includes("watch=true"))).toBe(true)),
    wrote: (text: string) => eventually(() => expect(all()).toContain(text)),
    /** Stops it once it has written this at least so many times. */
    end: async (written: string, times = 1): Promise<CliResult> => {
      await eventually(() => expect(all().split(written).length).toBeGreaterThan(times));
      return running.interrupt();
    },
  };
}

test("logs --watch-pods follows new pods and restarted containers from their first line", async () => {
  await createPod("a", "w");
  await runs("a", 0);
  session.requests();
  const command = follow("logs -f --watch-pods -l app=w --tail=3");
  await command.asked(1);
  await createPod("b", "w");
  await command.watched();
  await runs("b", 0);
  await command.asked(2);
  // What changes nothing about the containers asks for nothing.
  await session.kubectl("label pod a other=label");
  await runs("a", 1);
  expect(await command.asked(3)).toEqual([
    "a container=web&follow=true&tailLines=3",
    "b container=web&follow=true",
    "a container=web&follow=true",
  ]);
  const { code, stdout, stderr } = await command.end("second line", 3);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout.split("\n").filter((line) => line.includes("second line"))).toEqual([
    "[pod/a/web] second line",
    "[pod/b/web] second line",
    "[pod/a/web] second line",
  ]);
  expect(await command.asked(3)).toHaveLength(3);
});

test("logs --watch-pods of an object follows all containers of its pods, up to --max-log-requests at a time", async () => {
  const metadata = { name: "d" };
  const selector = { matchLabels: { app: "d" } };
  const template = { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "web", image: "web:1" }] } };
  await session.write({
    "d.json": JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { selector, template } }),
  });
  await session.kubectl("create -f d.json");
  await createPod("d-1", "d", ["web", "side"]);
  await runs("d-1", 0, ["web", "side"]);
  session.requests();
  const command = follow("logs -f --watch-pods deployment/d --all-containers --max-log-requests=1 --prefix=false");
  expect(await command.asked(2)).toEqual(["d-1 container=web&follow=true", "d-1 container=side&follow=true"]);
  const { stdout, stderr } = await command.end("\nsecond line\n");
  expect(stderr).toBe(
    "others wait: no more than 1 at a time are followed, use --max-log-requests to increase the limit\n",
  );
  expect(stdout).toContain("\nsecond line\n");
});

test("logs --watch-pods of one pod follows it through restarts, and reports a container that it does not have", async () => {
  await createPod("alone", "alone");
  await runs("alone", 0);
  session.requests();
  const command = follow("logs -f --watch-pods alone");
  await command.asked(1);
  await command.watched();
  await runs("alone", 1);
  await command.asked(2);
  expect((await command.end("second line", 2)).stderr).toBe("");

  const wrong = follow("logs -f --watch-pods alone -c none");
  await wrong.watched();
  expect((await wrong.end("none is not valid")).stderr).toBe("container none is not valid for pod alone out of: web\n");
});

test("logs --watch-pods shows a waiting container's last run at once, and the next run when it starts", async () => {
  await createPod("crash", "crash");
  await crashed("crash", 3);
  session.requests();
  const command = follow("logs -f --watch-pods crash --tail=5");
  expect(await command.asked(1)).toEqual(["crash container=web&previous=true&tailLines=5"]);
  await command.watched();
  await runs("crash", 4);
  expect(await command.asked(2)).toContain("crash container=web&follow=true");
  await crashed("crash", 4);
  await runs("crash", 5);
  expect((await command.asked(3)).slice(2)).toEqual(["crash container=web&follow=true"]);
  expect((await command.end("second line", 3)).stderr).toBe("");
});

test("logs --watch-pods shows a run that began and ended between two updates of the pod, before the current run", async () => {
  await createPod("quick", "quick");
  await runs("quick", 2);
  session.requests();
  const command = follow("logs -f --watch-pods quick");
  expect(await command.asked(1)).toEqual(["quick container=web&follow=true"]);
  await command.watched();
  await runs("quick", 4);
  expect((await command.asked(3)).slice(1)).toEqual([
    "quick container=web&previous=true",
    "quick container=web&follow=true",
  ]);
  expect((await command.end("second line", 3)).stderr).toBe("");
});

test("logs --watch-pods reports a log that was deleted while it waited for its turn", async () => {
  for (const name of ["turn-a", "turn-b"]) {
    await createPod(name, "turn", ["held"]);
    await runs(name, 0, ["held"]);
  }
  session.requests();
  const command = follow("logs -f --watch-pods -l app=turn -c held --max-log-requests=1");
  await command.wrote("[pod/turn-a/held] held\n");
  await command.watched();
  await runs("turn-b", 2, ["held"]);
  await createPod("turn-c", "turn");
  // The command has seen the run that is on when it has seen the pod after it.
  await command.wrote("container held is not valid for pod turn-c");
  kubelet.release();
  const gone = "pod/turn-b: the log of an earlier run of container held is gone\n";
  await command.wrote(gone);
  expect(await command.asked(2)).toEqual([
    "turn-a container=held&follow=true&tailLines=10",
    "turn-b container=held&previous=true",
  ]);
  expect((await command.end(gone)).code).toBe(1);
});

test.each([
  { line: "logs --watch-pods alone", error: "--watch-pods requires --follow" },
  { line: "logs --watch-pods -f -p alone", error: "--watch-pods cannot be used with --previous" },
  { line: "logs --watch-pods -f configmap/kube-root-ca.crt", error: "cannot get the logs from *v1.ConfigMap" },
])("$line is refused", async ({ line, error }) => {
  const { code, stderr } = await session.kubectl(line);
  expect({ code, matches: stderr.includes(error) }).toEqual({ code: 1, matches: true });
});
