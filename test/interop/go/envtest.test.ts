import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesMissing, kubernetesProgram } from "../../helpers/kubernetes-1.20.js";
import { realEtcd, realTool } from "../../helpers/real-tools.js";
import { PATIENCE } from "../../helpers/patience.js";

const { operatorSuite } = (await import("../../helpers/build-foreign-clients.mjs" as string)) as {
  operatorSuite: () => { readonly folder: string; readonly program: string } | { readonly missing: string };
};
const suite = operatorSuite();
const root = resolve(import.meta.dirname, "../../..");
const [etcd, kubectl] = [realEtcd(), realTool("kubectl")];
const missing = "missing" in suite ? suite.missing : undefined;
const realMissing = missing ?? kubernetesMissing ?? etcd.missing ?? kubectl.missing;
for (const [what, why] of [
  ["the operator's suite", missing],
  ["the operator's suite on kube-apiserver 1.20", realMissing],
]) {
  if (why !== undefined) process.stdout.write(`${what} is skipped: ${why}\n`);
}

/** Of built-in kinds, and of the control plane itself. */
const TESTS = [
  "SystemNamespacesAndTheServiceOfTheAPIAreThere",
  "NoControllersRun",
  "UsersThatAreAddedAreWhoTheyAre",
  "ACertificateOfAnotherCAIsRefused",
  "KubectlReadsAndWrites",
  "TheKubeconfigReachesTheServer",
  "TokensOfServiceAccountsAreSignedAndAccepted",
  "AWriteOfAnOldVersionIsAConflict",
  "AFinalizerKeepsAnObjectUntilItIsRemoved",
  "AFieldIndexOfTheCacheFollowsTheServer",
  "OneOfTwoManagersLeadsAndTheOtherFollowsWhenItEnds",
  "AServerSideApplyOfAnotherManagerConflicts",
  "AControlPlaneThatIsStoppedStartsAgain",
  "ControlPlanesThatStartAtOnceAreApart",
];

/** Of the operator's own kind. */
const SHOPS = [
  "the CRD is established and listed",
  "the schema refuses what it does not allow",
  "defaults come from the schema and from the webhook",
  "the validating webhook refuses a creation, an update, a deletion",
  "both versions are served, and webhooks see the one they match",
  "a Shop gets a Deployment that it owns, and its status",
  "the generation counts changes of the spec alone",
  "the scale subresource reads and writes counters",
  "a deleted Shop is there until the operator has closed its line",
  "Shops are found by the index of their owners",
  "server-side apply owns fields of a Shop",
  "a watch of unstructured Shops sees what a typed client writes",
];

/** Until this server serves custom resources and calls webhooks. */
const ownShops = ["extensions", "admission/webhook"].every((folder) => existsSync(join(root, "src/server", folder)));

interface Run {
  readonly outcomes: ReadonlyMap<string, string>;
  readonly output: string;
}

/** Runs the suite with the programs of a folder; outcomes are "PASS", "FAIL" and "SKIP", by the tests' names. */
function runSuite(assets: string, flags: readonly string[], atOnce: number): Promise<Run> {
  if ("missing" in suite) throw new Error(suite.missing);
  const env = { PATH: process.env["PATH"], KUBEBUILDER_ASSETS: assets, AT_ONCE: String(atOnce), TMPDIR: tmpdir() };
  const options = { cwd: suite.folder, env: { ...env, HOME: assets }, maxBuffer: 2 ** 26, timeout: 2 * PATIENCE };
  return new Promise((done) => {
    execFile(suite.program, ["-test.v", ...flags], options, (_error, stdout, stderr) => {
      const lines = stdout.matchAll(/^ *--- (PASS|FAIL|SKIP): Test(\S+)/gm);
      const outcomes = new Map([...lines].map(([, outcome = "", name = ""]) => [name.replaceAll("_", " "), outcome]));
      done({ outcomes, output: `${stdout}${stderr}` });
    });
  });
}

function describeSuite(title: string, tests: readonly string[], start: () => Promise<Run>): void {
  describe(title, () => {
    let run: Run;
    beforeAll(async () => {
      run = await start();
    });
    test.each(tests)("%s", (name) => expect(run.outcomes.get(name), run.output).toBe("PASS"));
    test("has the tests that are listed here, and no others", () => {
      expect([...run.outcomes.keys()].filter((name) => !tests.includes(name))).toEqual([]);
    });
  });
}

const shops = ["Shops", ...SHOPS.map((name) => `Shops/${name}`)];
const skip = (...names: readonly string[]): string[] => [`-test.skip=${["TestStartTime", ...names].join("|")}`];

describe.skipIf(missing !== undefined)("a Go operator's test suite on envtest", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kubets-envtest-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describeSuite("with kubets, ten control planes at once", ownShops ? [...TESTS, ...shops] : TESTS, async () =>
    runSuite(await kubetsAssets(folder), skip(...(ownShops ? [] : ["TestShops"])), 10),
  );

  describe.skipIf(realMissing !== undefined)("with the real programs, for comparison", () => {
    describeSuite("with kube-apiserver 1.20 and etcd", [...TESTS, ...shops], () => {
      symlinkSync(kubernetesProgram, join(folder, "kube-apiserver"));
      symlinkSync(etcd.path, join(folder, "etcd"));
      symlinkSync(kubectl.path, join(folder, "kubectl"));
      return runSuite(folder, skip(), 2);
    });
  });
});

function kubetsAssets(home: string): Promise<string> {
  const command = [join(root, "bin/kubets.js"), "envtest", "--print=path"];
  const env = { PATH: process.env["PATH"], HOME: home, KUBETS_HOME: join(home, "kubets") };
  return new Promise((done, fail) => {
    execFile(process.execPath, command, { env }, (error, stdout) => (error ? fail(error) : done(stdout.trim())));
  });
}
