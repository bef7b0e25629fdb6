// Contexts of embedded clusters that do not serve, and the line that a terminal shows below kubectl's error. No cluster is started for it:
// files say what is known of one, and nothing listens at its address.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { runCli } from "../helpers/run-cli.js";
import { newAuthority } from "../helpers/tls-peer.js";

const now = Date.now();
const clock = { now: () => now };
const [authority, another] = [newAuthority().certificate, newAuthority().certificate];

/** Where nothing listens: the port is a privileged one that no program has. */
const CLOSED = "https://127.0.0.1:1";
const LATER = "https://127.0.0.1:2";
const refused = (host = "127.0.0.1:1"): string =>
  `The connection to the server ${host} was refused - did you specify the right host or port?`;
/** Above the largest id that Linux gives. */
const NO_PROCESS = 2 ** 22 + 1;

let home: string;
let clusters: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "kubets-hints-"));
  clusters = join(home, ".kubets", "clusters");
});
afterEach(() => rmSync(home, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const entryOf = (name: string, server: string, pem: string) => ({
  name,
  cluster: { server, "certificate-authority-data": Buffer.from(pem).toString("base64") },
});

interface Kubeconfig {
  /** Of the entry kubets-dev. */
  readonly server?: string;
  readonly authority?: string;
  /** Contexts by name, with their clusters. */
  readonly contexts?: Readonly<Record<string, string>>;
  readonly current?: string;
}

const kubeconfig = ({
  server = CLOSED,
  authority: pem = authority,
  contexts = { "kubets-dev": "kubets-dev" },
  current = "kubets-dev",
}: Kubeconfig = {}): void =>
  write(
    ".kube/config",
    JSON.stringify({
      clusters: [entryOf("kubets-dev", server, pem), entryOf("kind", LATER, another)],
      users: [{ name: "me", user: { token: "t" } }],
      contexts: Object.entries(contexts).map(([name, cluster]) => ({ name, context: { cluster, user: "me" } })),
      "current-context": current,
    }),
  );

interface Kept {
  readonly url?: string;
  readonly pid?: number;
  /** Of the server, in the cluster's own kubeconfig. */
  readonly authority?: string;
}

/** What `cluster start dev` leaves in its folder. */
function record({ url = CLOSED, pid = NO_PROCESS, authority: pem = authority }: Kept = {}): void {
  const startedAt = "2026-01-01T00:00:00Z";
  const kept = { name: "dev", storage: "disk", dataDir: join(clusters, "dev/data"), port: 1, url, pid, startedAt };
  write(".kubets/clusters/dev/cluster.json", JSON.stringify(kept));
  write(".kubets/clusters/dev/kubeconfig", JSON.stringify({ clusters: [entryOf("kubets", url, pem)] }));
}

interface Shown {
  readonly piped: string;
  readonly shown: string;
}

/** Stderr in a pipe without its log lines, and what a terminal shows more. Throws where that is not behind it, or stdout is another. */
async function run(line: string, env: Readonly<{ [name: string]: string }> = {}, columns = 80): Promise<Shown> {
  const around = { cwd: home, clock, env: { HOME: home, NO_COLOR: "1", ...env } };
  const piped = await runCli(line.split(" "), around);
  const shown = await runCli(line.split(" "), { ...around, terminal: columns });
  expect([shown.code, shown.stderr.slice(0, piped.stderr.length)]).toEqual([piped.code, piped.stderr]);
  return {
    piped: piped.stderr.replaceAll(/^E\d{4} .*\n/gm, ""),
    shown: shown.stderr.slice(piped.stderr.length).replaceAll(home, "HOME"),
  };
}

const STOPPED = 'Cluster "dev" is stopped; start it with: kubets cluster start dev\n';
const gone = (what: string): string => `There is no cluster "dev" in HOME/.kubets/clusters any more; ${what}\n`;

test.each<readonly [string, () => void, string]>([
  [
    "stopped",
    () => {
      kubeconfig();
      record();
    },
    STOPPED,
  ],
  [
    "stopped, and another process has its id now",
    () => {
      kubeconfig();
      record({ pid: process.pid });
    },
    STOPPED,
  ],
  [
    "stopped, in the context of a user of it",
    () => {
      kubeconfig({
        contexts: { "kubets-dev": "kubets-dev", "jane@kubets-dev": "kubets-dev" },
        current: "jane@kubets-dev",
      });
      record();
    },
    STOPPED,
  ],
  [
    "stopped, and its last start had another port than the kubeconfig says",
    () => {
      kubeconfig();
      record({ url: LATER });
    },
    STOPPED,
  ],
  [
    "at another port than the kubeconfig says",
    () => {
      kubeconfig();
      record({ url: `${LATER}/`, pid: process.pid });
    },
    `The cluster has another address now; write it to the kubeconfig with: kubectl config set-cluster kubets-dev --server=${LATER}\n`,
  ],
  ["deleted, with no other context", () => kubeconfig(), gone("start one with: kubets cluster start dev")],
  [
    "deleted, with another context",
    () => kubeconfig({ contexts: { "kubets-dev": "kubets-dev", kind: "kind" } }),
    gone("choose another context with: kubectl config use-context kind"),
  ],
  [
    "deleted, with many contexts, some of which a shell does not take as they are",
    () => {
      const names = ["a", "b$(id)", "c\u001b[31m", "d e", "-f", "f", "g", "h", "i"];
      kubeconfig({
        contexts: { "kubets-dev": "kubets-dev", ...Object.fromEntries(names.map((name) => [name, "kind"])) },
      });
    },
    gone("choose another context with: kubectl config use-context a (there are a, 'b$(id)', 'd e', f, ...)"),
  ],
  [
    "with a record that is no JSON",
    () => {
      kubeconfig();
      write(".kubets/clusters/dev/cluster.json", "{");
    },
    "HOME/.kubets/clusters/dev/cluster.json is damaged; remove the cluster with: kubets cluster delete dev\n",
  ],
  ...["null", "[]", "{}", '{"url":1,"pid":1}', '{"url":"no url","pid":1}', '{"url":"http://a","pid":-1}'].map(
    (text): [string, () => void, string] => [
      `with the record ${text}`,
      () => {
        kubeconfig();
        write(".kubets/clusters/dev/cluster.json", text);
      },
      "HOME/.kubets/clusters/dev/cluster.json is damaged; remove the cluster with: kubets cluster delete dev\n",
    ],
  ),
  [
    "another one than the stopped one of its name",
    () => {
      kubeconfig();
      record({ authority: another });
    },
    'The context is of another cluster "dev" than the one in HOME/.kubets/clusters; start it with: kubets cluster start dev\n',
  ],
  [
    "another one than the one of its name that runs",
    () => {
      kubeconfig();
      record({ authority: another, pid: process.pid });
    },
    'The context is of another cluster "dev" than the one in HOME/.kubets/clusters; use that one with: --kubeconfig=HOME/.kubets/clusters/dev/kubeconfig\n',
  ],
  [
    "not named by any context, which others are",
    () => kubeconfig({ contexts: { kind: "kind" }, current: "" }),
    "No context is in use; choose another context with: kubectl config use-context kind\n",
  ],
  ["not there, nor a kubeconfig", () => {}, "No context is in use; start one with: kubets cluster start\n"],
  [
    "not ours: an entry that cluster start did not write",
    () => kubeconfig({ contexts: { kind: "kind" }, current: "kind" }),
    "",
  ],
])("on a terminal, a refused connection gets a hint about a cluster that is %s", async (_title, arrange, hint) => {
  arrange();
  const { piped, shown } = await run("get pods");
  expect(piped).toMatch(/^The connection to the server (127\.0\.0\.1:[12]|localhost:8080) was refused - .*\?\n$/);
  expect(shown).toBe(hint);
});

test.each([
  ["apply", "apply -f map.yaml"],
  ["version", "version"],
  ["cluster-info", "cluster-info"],
  ["on a terminal of 20 columns", "get pods"],
])("on a terminal, %s against a stopped cluster hints at starting it", async (_title, line) => {
  kubeconfig();
  record();
  write("map.yaml", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}');
  expect((await run(line, {}, 20)).shown).toBe(STOPPED);
});

test("KUBETS_HOME sets the folder in which hints look for clusters", async () => {
  kubeconfig();
  record();
  expect((await run("get pods", { KUBETS_HOME: join(home, "none") })).shown).toBe(
    'There is no cluster "dev" in HOME/none/clusters any more; start one with: kubets cluster start dev\n',
  );
});

test("a refused download or --server gets no hint about our clusters", async () => {
  kubeconfig({ server: LATER });
  record({ url: LATER });
  expect((await run(`apply -f ${CLOSED}/a.yaml`)).shown).toBe("");
  expect((await run(`get pods --server=${CLOSED}`)).shown).toBe("");
});

test.each<readonly [string, () => void, string]>([
  ["deleted", () => {}, gone("choose another context with: kubectl config use-context kind")],
  [
    "damaged",
    () => write(".kubets/clusters/dev/cluster.json", "{"),
    "HOME/.kubets/clusters/dev/cluster.json is damaged; remove the cluster with: kubets cluster delete dev\n",
  ],
  ["there", record, 'Cluster "dev" is there, but not its context; "kubets cluster start dev" writes it.\n'],
])("a current context without an entry gets a hint about its cluster, which is %s", async (_title, arrange, hint) => {
  kubeconfig({ contexts: { kind: "kind" } });
  arrange();
  const { piped, shown } = await run("get pods");
  expect(piped).toBe("Error in configuration: context was not found for specified context: kubets-dev\n");
  expect(shown).toBe(hint);
});

test("the text of a hint is the same with and without colours", async () => {
  kubeconfig();
  record();
  const around = { cwd: home, clock, env: { HOME: home }, terminal: true };
  const { stderr } = await runCli(["get", "pods"], around);
  expect(stderr.endsWith(`${refused()}\n${STOPPED}`)).toBe(true);
});

describe("a hint when another server answers at the port of our cluster", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ controllers: false, scheduler: false });
  });
  afterAll(() => cluster.close());

  test.each([
    [
      "stopped",
      NO_PROCESS,
      'Cluster "dev" is stopped, and another server has its port; start it with: kubets cluster start dev\n',
    ],
    ["there", process.pid, ""],
  ])("the cluster's process is %s", async (_title, pid, hint) => {
    kubeconfig({ server: cluster.url });
    record({ url: cluster.url, pid });
    const { piped, shown } = await run("get pods");
    expect(piped).toMatch(/^Unable to connect to the server: .*certificate signed by unknown authority.*\n$/);
    expect(shown).toBe(hint);
  });
});
