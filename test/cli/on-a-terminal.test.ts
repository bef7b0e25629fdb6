import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { displayWidth, withoutCodes } from "../../src/printers/colours/display-width.js";
import { type ClusterSession, clusterSession } from "../helpers/cluster-session.js";
import { eventually } from "../helpers/eventually.js";
import { type FakeKubelet, startFakeKubelet } from "../helpers/fake-kubelet.js";
import { FixedClock } from "../helpers/fixed-clock.js";
import { type CliResult, type CliSurroundings, type RunningCli, runCli, startCli } from "../helpers/run-cli.js";

const ESCAPE = "\u001b";
const clock = new FixedClock(Date.UTC(2026, 0, 1, 12));
const MEGABYTE = 1024 * 1024;

const LOG = Buffer.concat([
  Buffer.from("E0102 15:04:05.000000       1 main.go:12] lost\n"),
  Buffer.from('{"level":"warn","msg":"caf\u00e9"}\n'),
  // Not UTF-8, and sequences of the program's own.
  Buffer.from([0x45, 0x52, 0x52, 0x4f, 0x52, 0x20, 0xff, 0xfe, 0x0a]),
  Buffer.from(`${ESCAPE}[32mINFO${ESCAPE}[0m mine\n`),
  Buffer.from(`{"level":"error",${'"key":"value",'.repeat(MEGABYTE / 14)}"end":1}\n`),
  Buffer.from("plain"),
]);

let session: ClusterSession;
let kubelet: FakeKubelet;
/** Of a command whose output goes to a pipe. */
let inPipe: CliSurroundings;

beforeAll(async () => {
  kubelet = await startFakeKubelet({ talking: LOG });
  session = await clusterSession({ clock });
  inPipe = { ...surroundings({}), terminal: false };
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
  };
  await create({ apiVersion: "v1", kind: "Node", metadata: { name: "one" } });
  await session.kubectl(["patch", "node", "one", "--subresource=status", "-p", JSON.stringify({ status })]);
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
  await kubelet.close();
});

async function create(object: object): Promise<void> {
  expect((await session.kubectl("create -f -", JSON.stringify(object))).stderr).toBe("");
}

const pod = (name: string, { container = "web", labels = {} } = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels },
  spec: { nodeName: "one", containers: [{ name: container, image: "web:1" }] },
});

interface Terminal {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const surroundings = ({ columns = 80, env = {} }: Terminal): CliSurroundings => ({
  env: { HOME: session.folder, KUBECONFIG: `${session.folder}/kubeconfig`, NO_COLOR: "1", ...env },
  cwd: session.folder,
  clock,
  terminal: columns,
});

const onTerminal = (argv: string, terminal: Terminal = {}): Promise<CliResult> =>
  runCli(argv.split(" "), surroundings(terminal));
const startOnTerminal = (argv: string, terminal: Terminal = {}): RunningCli =>
  startCli(argv.split(" "), surroundings(terminal));

const linesOf = (text: string): readonly string[] => text.split("\n").slice(0, -1);

describe("a table on a terminal", () => {
  const labels = { "app.kubernetes.io/name": "checkout", "app.kubernetes.io/part-of": "shop", team: "payments" };
  const NAMES = ["checkout-5d78c9869d-x7k2p", "web"];

  beforeAll(async () => {
    for (const name of NAMES) await create(pod(name, { labels }));
  });

  test.each([
    "get pods -o wide --show-labels",
    "get pods -o wide --show-labels --no-headers",
    "get pods -o custom-columns=POD:.metadata.name,LABELS:.metadata.labels,UID:.metadata.uid",
    "api-resources -o wide",
    "explain pods --search=hostname --offline",
    "get pods,nodes --show-labels",
  ])("of %s is cut to the terminal's width, and whole in a pipe", async (argv) => {
    const { stdout } = await onTerminal(argv);
    const first = (line: string): string => line.split(/\s+/)[0] ?? "";
    // A name that is wider than the terminal stays whole.
    for (const line of linesOf(stdout)) {
      expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(80, first(line).length + 2));
    }
    expect(stdout).toContain("…");
    const piped = await session.kubectl(argv);
    expect(piped.stdout).not.toContain("…");
    expect(linesOf(stdout).map(first)).toEqual(linesOf(piped.stdout).map(first));
    const whole = await onTerminal(`${argv} --fit=false`);
    expect(whole.stdout).toBe(piped.stdout);
  });

  test("fits 20 columns, is whole when the width is unknown, and ends with ... without UTF-8", async () => {
    const narrow = await onTerminal("get pods", { columns: 20 });
    expect(linesOf(narrow.stdout)).toEqual(["NAME …", "checkout-5d78c9869d-x7k2p …", "web …"]);
    const piped = await session.kubectl("get pods --show-labels");
    expect((await onTerminal("get pods --show-labels", { columns: 0 })).stdout).toBe(piped.stdout);
    for (const env of [{ LANG: "C" }, { LANG: "en_US.UTF-8", LC_ALL: "POSIX" }]) {
      const { stdout } = await onTerminal("get pods --show-labels", { env });
      expect(stdout).toMatch(/^checkout\S+ .*\.\.\.$/m);
      expect(stdout).not.toContain("…");
    }
    expect((await onTerminal("get pods --show-labels", { env: { LANG: "de_DE.utf8" } })).stdout).toContain("…");
  });

  test("is not cut when the user's kuberc sets --fit=false", async () => {
    const options = [{ name: "fit", default: "false" }];
    await session.write({
      kuberc: JSON.stringify({
        apiVersion: "kubectl.config.k8s.io/v1beta1",
        kind: "Preference",
        defaults: [{ command: "get", options }],
      }),
    });
    const env = { KUBERC: `${session.folder}/kuberc` };
    const { stdout, stderr } = await onTerminal("get pods --show-labels", { env });
    const piped = await session.kubectl("get pods --show-labels");
    expect({ stdout, stderr }).toEqual({ stdout: piped.stdout, stderr: "" });
    expect((await onTerminal("get pods --show-labels --fit", { env })).stdout).toContain("…");
  });
});

describe("the command events --watch", () => {
  const event = (name: string, about: string, minute: number, type: string): object => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: "default" },
    involvedObject: { kind: "Pod", name: about, namespace: "default" },
    lastTimestamp: new Date(Date.UTC(2026, 0, 1, 11, minute)).toISOString().replace(".000", ""),
    type,
    reason: "Seen",
    message: `MARK ${name}`,
  });

  test("prints existing events as one table, the oldest first, and later rows in the same columns", async () => {
    await create(event("a", "w", 50, "Normal"));
    await create(event("b", "a-pod-of-a-long-name", 40, "Warning"));
    session.requests();
    const running = startOnTerminal("events --watch", { columns: 160 });
    await eventually(() => expect(running.stdout()).toContain("MARK a\n"));
    await eventually(async () => expect(session.requests().some((line) => line.includes("watch=true"))).toBe(true));
    for (const [name, about] of [
      ["c", "x"],
      ["d", "a-pod-of-an-even-longer-name-than-the-one-before"],
      ["e", "y"],
    ] as const) {
      await create(event(name, about, 55, "Normal"));
      await eventually(() => expect(running.stdout()).toContain(`MARK ${name}\n`));
    }
    const { stdout } = await running.interrupt();
    const [headings = "", ...rows] = linesOf(stdout);
    const starts = rows.map((row) => row.indexOf("MARK"));
    expect(rows.map((row) => row.at(-1)).join("")).toBe("bacde");
    expect(starts[0]).toBe(headings.indexOf("MESSAGE"));
    expect(starts.slice(0, 3)).toEqual([starts[0], starts[0], starts[0]]);
    expect(starts[4]).toBe(starts[3]);
  });

  test("prints the rows in a pipe in the order in which the watch sends them", async () => {
    const running = startCli(["events", "--watch"], inPipe);
    session.requests();
    await eventually(() => expect(running.stdout()).toContain("MARK b\n"));
    const { stdout } = await running.interrupt();
    expect(
      linesOf(stdout)
        .slice(1, 3)
        .map((row) => row.at(-1))
        .join(""),
    ).toBe("ab");
    expect(session.requests().every((line) => line.includes("watch=true"))).toBe(true);
  });
});

describe("the command rollout status", () => {
  const setStatus = async (name: string, status: object): Promise<void> => {
    const patch = JSON.stringify({ status });
    const line = ["patch", "deployment", name, "--subresource=status", "--type=merge", "-p", patch];
    expect((await session.kubectl(line)).stderr).toBe("");
  };
  const WAITING = (ready: number): string =>
    `Waiting for deployment "web" rollout to finish: ${ready} of 2 updated replicas are available...\n`;

  test("redraws one line on a terminal and leaves the last state; in a pipe it prints a line for each state", async () => {
    await session.kubectl("create deployment web --image=web --replicas=2");
    await setStatus("web", { observedGeneration: 1, replicas: 2, updatedReplicas: 2 });
    const piped = startCli(["rollout", "status", "deployment/web"], inPipe);
    const shown = startOnTerminal("rollout status deployment/web");
    await eventually(() => expect(shown.stderr()).toContain("deployments/web: 0 of 2 updated replicas are available"));
    await eventually(() => expect(piped.stdout()).toBe(WAITING(0)));
    expect(shown.stdout()).toBe("");
    await setStatus("web", { readyReplicas: 1, availableReplicas: 1 });
    await eventually(() => expect(shown.stderr()).toContain("deployments/web: 1 of 2 updated replicas are available"));
    await eventually(() => expect(piped.stdout()).toBe(WAITING(0) + WAITING(1)));
    await setStatus("web", { readyReplicas: 2, availableReplicas: 2 });
    const done = 'deployment "web" successfully rolled out\n';
    await eventually(() => expect(shown.stdout()).toBe(done));
    await eventually(() => expect(piped.stdout()).toBe(WAITING(0) + WAITING(1) + done));
  });

  test("leaves the last state above the error when it fails", async () => {
    await session.kubectl("create deployment late --image=web --replicas=2");
    await setStatus("late", { observedGeneration: 1, replicas: 2, updatedReplicas: 2 });
    const { code, stdout, stderr } = await onTerminal("rollout status deployment/late --timeout=200ms");
    expect(stdout).toBe(WAITING(0).replace("web", "late"));
    expect(stderr.endsWith("error: timed out waiting for the condition\n")).toBe(true);
    expect(code).toBe(1);
  });
});

describe("colours", () => {
  const inColour = { NO_COLOR: "" };

  test.each([
    [
      "explain pods.spec.containers.ports --offline --recursive",
      "\u001b[36mhostIP\u001b[39m\t\u001b[33m<string>\u001b[39m",
    ],
    ["explain pods.spec --offline", "\u001b[33m<[]Container>\u001b[39m \u001b[1m-required-\u001b[22m"],
    ["explain deployments --example --offline", "\u001b[36mkind\u001b[39m: Deployment"],
    ["explain --search=affinity pods --offline", "\u001b[1mFIELD\u001b[22m"],
    ["get --help", "\u001b[36m-o, --output\u001b[39m=\u001b[33m''\u001b[39m:"],
    ["help create", "\u001b[36mconfigmap\u001b[39m     "],
    ["help get", "\u001b[1mExamples:\u001b[22m\n  \u001b[90m# "],
    ["options", "\u001b[36m-n, --namespace\u001b[39m="],
    ["--help", "\u001b[36mget\u001b[39m  "],
  ])("mark %s on a terminal only, and without them the bytes are the same as in a pipe", async (argv, painted) => {
    // No line of help is folded on a terminal of fewer than 80 columns, and no table is cut on one that does not know its width.
    const shown = await onTerminal(argv, { columns: 0, env: inColour });
    expect(shown.stdout).toContain(painted);
    const piped = await session.kubectl(argv);
    expect(withoutCodes(shown.stdout)).toBe(piped.stdout);
    expect(piped.stdout).not.toContain(ESCAPE);
  });

  test("are left out with NO_COLOR and --color=never, and written into a pipe with --color=always", async () => {
    const piped = await session.kubectl("get --help");
    expect(piped.stdout).not.toContain(ESCAPE);
    expect((await onTerminal("get --help", { columns: 0 })).stdout).toBe(piped.stdout);
    expect((await onTerminal("get --help --color=never", { columns: 0, env: inColour })).stdout).toBe(piped.stdout);
    const painted = await session.kubectl("get --help --color=always");
    expect(painted.stdout).toContain("\u001b[1mUsage:\u001b[22m");
    expect(withoutCodes(painted.stdout)).toBe(piped.stdout);
  });

  test("mark the help of a command group", async () => {
    const { stdout, stderr } = await onTerminal("kuberc", { env: inColour });
    expect(stdout + stderr).toContain("\u001b[1mUsage:\u001b[22m");
  });

  test("mark levels and keys of logs without other changes, and only the beginning of a line of a megabyte", async () => {
    await create(pod("talking", { container: "talking" }));
    const shown = await onTerminal("logs talking", { env: inColour });
    const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
    const cyan = (text: string): string => `\u001b[36m${text}\u001b[39m`;
    expect(shown.stdout).toContain(`${red("E0102")} 15:04:05.000000       1 main.go:12] lost\n`);
    expect(shown.stdout).toContain(`{${cyan('"level"')}:\u001b[33m"warn"\u001b[39m,${cyan('"msg"')}:"café"}\n`);
    expect(shown.stdout).toContain(`${red("ERROR")} \ufffd\ufffd\n`);
    expect(shown.stdout).toContain(`\n${ESCAPE}[32mINFO${ESCAPE}[0m mine\n`);
    expect(shown.stdout.split(`\u001b[36m`).length).toBeLessThan((16 * 1024) / 14 + 10);
    const own = `${ESCAPE}[32mINFO${ESCAPE}[0m`;
    expect(withoutCodes(shown.stdout)).toBe(LOG.toString("utf8").replace(own, "INFO"));
    expect((await onTerminal("logs talking")).stdout).toBe(LOG.toString("utf8"));
    expect((await session.kubectl("logs talking")).stdout).toBe(LOG.toString("utf8"));
  });
});

describe("the command debug", () => {
  test("prints on a terminal one line about the new container, the changes too with -v, and nothing in a pipe or with -q", async () => {
    await create(pod("broken"));
    const line = "debug broken --image=busybox -c dbg";
    expect((await onTerminal(line)).stderr).toBe(
      "pod/broken gets the ephemeral container dbg, image busybox, profile general (-v=1 shows all changes)\n",
    );
    const verbose = await onTerminal(`${line}2 -v=1`);
    expect(verbose.stderr).toContain("\nChanges of pod/broken:\n  spec:\n    ephemeralContainers:\n");
    expect((await onTerminal("debug broken --copy-to=copied --image=busybox -c more")).stderr).toBe(
      "pod/copied is a copy of pod/broken with the container more, image busybox, profile general (-v=1 shows all changes)\n",
    );
    expect((await onTerminal("debug broken --copy-to=other --set-image=*=busybox")).stderr).toBe(
      "pod/other is a copy of pod/broken with other images (-v=1 shows all changes)\n",
    );
    expect((await onTerminal(`${line}3 -q`)).stderr).toBe("");
    expect((await session.kubectl(`${line}4`)).stderr).toBe("");
  });
});
