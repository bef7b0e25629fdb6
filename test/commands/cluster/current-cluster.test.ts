// Which context is the current one after a cluster is deleted, and which of several clusters `status` shows. Clusters are started and
// closed in this process; the commands then find them stopped.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { serveNamedCluster } from "../../../src/cluster/named/index.js";
import { runCli } from "../../helpers/run-cli.js";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "kubets-current-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const kubets = (...argv: readonly string[]) =>
  runCli(argv, { cwd: home, env: { HOME: home, NO_COLOR: "1" }, program: "kubets" });

const current = async (): Promise<string> => (await kubets("config", "current-context")).stdout.trim();
const use = (context: string) => kubets("config", "use-context", context);
const addContext = (name: string, cluster = "elsewhere") =>
  kubets("config", "set-context", name, `--cluster=${cluster}`, "--user=me");

/** A start, and its stop. */
async function start(name: string): Promise<void> {
  const { close } = await serveNamedCluster({
    name,
    storage: { storage: "memory" },
    server: { controllers: [], scheduler: false, nodes: 0 },
    port: 0,
    dataDir: "",
    downgrade: false,
    env: { HOME: home },
    cwd: home,
    clock: systemClock,
    signal: new AbortController().signal,
    warn: () => {},
    say: () => {},
    reportError: () => {},
  });
  await close();
}

const kubeconfig = (): string => join(home, ".kube", "config");
const deleted = (name: string, restored?: string): string =>
  `cluster "${name}" deleted\n${restored === undefined ? "" : `context "${restored}" is current again in ${kubeconfig()}\n`}`;

test("cluster delete restores the context that was current before the start, also after a second start and the start of another cluster", async () => {
  await addContext("kind");
  await use("kind");
  await start("one");
  await start("two");
  await start("one");
  await start("one");
  expect(await current()).toBe("kubets-one");
  expect(await kubets("cluster", "delete", "one")).toEqual({
    code: 0,
    stdout: deleted("one", "kubets-two"),
    stderr: "",
  });
  expect((await kubets("cluster", "delete", "two")).stdout).toBe(deleted("two", "kind"));
  expect(await current()).toBe("kind");
});

test("cluster delete after the cluster of the previous context is gone restores the context from before that cluster", async () => {
  await addContext("kind");
  await use("kind");
  await start("one");
  await start("two");
  expect((await kubets("cluster", "delete", "one")).stdout).toBe(deleted("one"));
  expect(await current()).toBe("kubets-two");
  expect((await kubets("cluster", "delete", "two")).stdout).toBe(deleted("two", "kind"));
});

test.each<readonly [string, () => Promise<unknown>, string, string | undefined]>([
  ["another context is in use", () => use("other"), "other", undefined],
  ["the context before is gone", () => kubets("config", "delete-context", "kind"), "", undefined],
  [
    "a user of the cluster is in use",
    async () => {
      await addContext("jane@kubets-dev", "kubets-dev");
      await use("jane@kubets-dev");
    },
    "kind",
    "kind",
  ],
  [
    "its record is of an earlier version",
    async () => {
      const file = join(home, ".kubets/clusters/dev/cluster.json");
      const { formerContexts: _, ...record } = JSON.parse(readFileSync(file, "utf8")) as { formerContexts: unknown };
      writeFileSync(file, JSON.stringify(record));
    },
    "",
    undefined,
  ],
  [
    "its record is damaged",
    async () => writeFileSync(join(home, ".kubets/clusters/dev/cluster.json"), '{"formerContexts":["kind"]}'),
    "",
    undefined,
  ],
])("cluster delete while %s", async (_title, arrange, context, restored) => {
  await addContext("kind");
  await addContext("other");
  await use("kind");
  await start("dev");
  await arrange();
  expect((await kubets("cluster", "delete", "dev")).stdout).toBe(deleted("dev", restored));
  expect(await current()).toBe(context);
});

test("cluster delete removes the contexts of the cluster's users and their keys, and no others", async () => {
  await start("dev");
  const credentials = (user: string) => kubets("config", "set-credentials", user, "--token=secret");
  const context = (name: string, cluster: string, user: string) =>
    kubets("config", "set-context", name, `--cluster=${cluster}`, `--user=${user}`);
  for (const user of ["jane@kubets-dev", "kim@kubets-dev", "jim@kubets-dev", "me"]) await credentials(user);
  await context("jane@kubets-dev", "kubets-dev", "jane@kubets-dev");
  await context("kim@kubets-dev", "kubets-dev", "kim@kubets-dev");
  await context("kims", "elsewhere", "kim@kubets-dev");
  await context("jim@kubets-dev", "elsewhere", "jim@kubets-dev");
  await context("mine", "kubets-dev", "me");
  await use("jane@kubets-dev");
  expect((await kubets("cluster", "delete", "dev")).stdout).toBe(deleted("dev"));
  const names = async (what: string): Promise<string> => (await kubets("config", what, "-o", "name")).stdout;
  expect(await names("get-contexts")).toBe("jim@kubets-dev\nkims\nmine\n");
  expect((await kubets("config", "get-users")).stdout).toBe("NAME\njim@kubets-dev\nkim@kubets-dev\nme\n");
  expect(await current()).toBe("");
});

test("cluster delete leaves no current context when there was none before the start", async () => {
  await start("dev");
  expect((await kubets("cluster", "delete", "dev")).stdout).toBe(deleted("dev"));
  expect(await current()).toBe("");
});

/** The record of a cluster that is stopped. */
function record(name: string): void {
  const folder = join(home, ".kubets/clusters", name);
  mkdirSync(folder, { recursive: true });
  const place = { dataDir: join(folder, "data"), port: 1, url: "https://127.0.0.1:1" };
  const startedAt = "2026-01-01T00:00:00Z";
  writeFileSync(
    join(folder, "cluster.json"),
    JSON.stringify({ name, storage: "disk", ...place, pid: 2 ** 22 + 1, startedAt }),
  );
}

test.each([
  ["of the current context", [], "kubets-two", "two", "one, three"],
  ["of a user's context", [], "jane@kubets-two", "two", "one, three"],
  ["of --context", ["--context=kubets-three"], "kubets-two", "three", "one, two"],
  ["that is named", ["one"], "kubets-two", "one", undefined],
])(
  "cluster status without a name shows of several clusters the one %s",
  async (_title, words, context, shown, others) => {
    for (const name of ["one", "two", "three"]) {
      record(name);
      await addContext(`kubets-${name}`, `kubets-${name}`);
    }
    await addContext("jane@kubets-two", "kubets-two");
    await use(context);
    const { code, stdout, stderr } = await kubets("cluster", "status", ...words);
    expect([code, stderr]).toEqual([1, ""]);
    expect(/^Name: +(.*)$/m.exec(stdout)?.[1]).toBe(shown);
    expect(/^Others: +(.*)$/m.exec(stdout)?.[1]).toBe(others);
  },
);

test.each([
  ["no context is in use", () => Promise.resolve()],
  ["the current context is of no embedded cluster", () => use("kind")],
  ["the current context's cluster is deleted", () => use("kubets-gone")],
  ["the kubeconfig cannot be read", async () => writeFileSync(kubeconfig(), "{")],
])("cluster status without a name chooses none of several clusters when %s", async (_title, arrange) => {
  record("one");
  record("two");
  await addContext("kind");
  await addContext("kubets-gone", "kubets-gone");
  await arrange();
  expect(await kubets("cluster", "status")).toEqual({
    code: 1,
    stdout: "",
    stderr: "error: there are 2 clusters: one, two; name the one you mean, as in: kubets cluster status one\n",
  });
});

test.each(["stop", "check", "delete"])(
  "cluster %s without a name chooses none of several clusters, whichever context is current",
  async (command) => {
    record("one");
    record("two");
    await addContext("kubets-two", "kubets-two");
    await use("kubets-two");
    expect(await kubets("cluster", command)).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: there are 2 clusters: one, two; name the one you mean, as in: kubets cluster ${command} one\n`,
    });
  },
);

test.each([
  ["status", "twoo"],
  ["delete", "twoo"],
])("cluster %s with the name of no cluster suggests a similar name on a terminal", async (command, name) => {
  record("one");
  record("two");
  const said = `error: there is no cluster named "${name}"; list the clusters with: kubets cluster list\n`;
  expect((await kubets("cluster", command, name)).stderr).toBe(said);
  const around = { cwd: home, env: { HOME: home, NO_COLOR: "1" }, terminal: true };
  expect((await runCli(["cluster", command, name], around)).stderr).toBe(`${said}Did you mean "two"?\n`);
});
