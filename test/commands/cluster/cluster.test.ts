import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  linkProgramsWithoutNode,
  programIsBuilt,
  programUnderTest,
  testsExecutable,
} from "../../helpers/program-under-test.js";

const [program = "", ...programWords] = programUnderTest;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Each test has a home of its own, so that its clusters, kubeconfig and caches are its own too. */
describe.skipIf(!programIsBuilt)("kubets cluster", () => {
  let outside: string;
  let path: string | undefined;
  let home: string;
  beforeAll(() => {
    outside = mkdtempSync(join(tmpdir(), "kubets-cluster-path-"));
    path = testsExecutable ? linkProgramsWithoutNode(outside) : process.env.PATH;
  });
  afterAll(() => rmSync(outside, { recursive: true, force: true }));
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "kubets-cluster-test-"));
  });
  afterEach(async () => {
    for (const line of (await kubets("cluster", "list")).stdout.split("\n").slice(1)) {
      const name = line.split(" ")[0] ?? "";
      if (name !== "") await kubets("cluster", "delete", name);
    }
    rmSync(home, { recursive: true, force: true });
  });

  const environment = (): NodeJS.ProcessEnv => ({ PATH: path, HOME: home, TMPDIR: home });

  function kubets(...args: string[]): Promise<Outcome> {
    return new Promise((done) => {
      execFile(program, [...programWords, ...args], { env: environment(), cwd: home }, (error, stdout, stderr) => {
        done({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, stdout, stderr });
      });
    });
  }
  const leftovers = (): string[] => readdirSync(home).filter((name) => name.startsWith("kubets-run-"));

  test("warns about a data folder that other users may enter, and keeps its mode", async () => {
    const data = join(home, "data");
    mkdirSync(data);
    chmodSync(data, 0o755);
    const { code, stderr } = await kubets("cluster", "start", "open", "--detach", `--data-dir=${data}`);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `Warning: the folder ${data} is open to other users (its mode is 755); close it with: chmod 700 ${data}\n`,
    });
    const modes = [".", ...readdirSync(data)].map((name) => (statSync(join(data, name)).mode & 0o777).toString(8));
    expect(new Set(modes)).toEqual(new Set(["755", "600"]));
  });

  test("writes envtest's programs so that no other user can replace them, with any umask", async () => {
    const sh = (command: string): Promise<string> =>
      new Promise((done, fail) => {
        const script = `umask 0; ${command} && exec "$@" envtest -p path`;
        execFile("sh", ["-c", script, "sh", ...programUnderTest], { env: environment(), cwd: home }, (error, stdout) =>
          error === null ? done(stdout.trim()) : fail(error),
        );
      });
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    const folder = await sh(":");
    const programs = ["etcd", "kube-apiserver", "kubectl"].map((name) => join(folder, name));
    const expected = ["755", "755", "755", "755", "700", "755", "755"];
    const paths = (): string[] => [
      ...programs,
      folder,
      join(folder, "compiled"),
      dirname(folder),
      dirname(dirname(folder)),
    ];
    expect(paths().map(modeOf)).toEqual(expected);
    // What an earlier version left open is closed.
    await sh(`chmod 777 '${folder}' '${folder}'/*`);
    expect(paths().map(modeOf)).toEqual(expected);
  });

  describe("cluster run", () => {
    test("gives the command a cluster and kubets on its PATH, and removes everything afterwards", async () => {
      const outcome = await kubets("cluster", "run", "--", "sh", "-c", "kubets get ns -o name && echo $KUBECONFIG");
      expect(outcome).toMatchObject({ code: 0, stderr: "" });
      const lines = outcome.stdout.trim().split("\n");
      expect(lines.slice(0, 4)).toEqual([
        "namespace/default",
        "namespace/kube-node-lease",
        "namespace/kube-public",
        "namespace/kube-system",
      ]);
      expect(existsSync(lines[4] ?? home)).toBe(false);
      expect(existsSync(join(home, ".kube"))).toBe(false);
      expect(leftovers()).toEqual([]);
    });

    test.each([
      ["the command's own code", ["sh", "-c", "exit 7"], 7, ""],
      ["128 and the signal when one ended it", ["sh", "-c", "kill -TERM $$"], 143, ""],
      [
        "127 for a command that is not there",
        ["no-such-command-here"],
        127,
        'error: cannot run "no-such-command-here": no such command\n',
      ],
      [
        "126 for one that cannot be executed",
        ["./plain.txt"],
        126,
        'error: cannot run "./plain.txt": permission denied\n',
      ],
    ])("exits with %s", async (_title, command, code, stderr) => {
      writeFileSync(join(home, "plain.txt"), "");
      expect(await kubets("cluster", "run", "--", ...command)).toEqual({ code, stdout: "", stderr });
      expect(leftovers()).toEqual([]);
    });

    test("keeps objects on disk while it runs, when the user asks for it", async () => {
      const script = "kubets get ns default -o name && ls $(dirname $KUBECONFIG)/data | wc -l";
      const { code, stdout, stderr } = await kubets("cluster", "run", "--storage=disk", "--", "sh", "-c", script);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(Number(stdout.trim().split("\n")[1])).toBeGreaterThan(0);
    });

    test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
      "passes %s on to the command and waits until the command ends",
      async (signal) => {
        const script = `trap 'echo got it; exit 3' INT TERM HUP; echo ready; while :; do sleep 0.05; done`;
        const child = spawn(program, [...programWords, "cluster", "run", "--", "sh", "-c", script], {
          env: environment(),
          stdio: ["ignore", "pipe", "inherit"],
        });
        await output(child, /ready/);
        child.kill(signal);
        const [text, code] = await Promise.all([
          output(child, /got it/),
          new Promise((done) => child.on("exit", done)),
        ]);
        expect([text.trim(), code]).toEqual(["got it", 3]);
        expect(leftovers()).toEqual([]);
      },
    );

    test("serves the versions that --runtime-config names", async () => {
      const on = ["--runtime-config=api/beta=true,networking.k8s.io/v1beta1=false"];
      const { stdout } = await kubets("cluster", "run", ...on, "--", "kubets", "api-versions");
      expect(stdout).toContain("\nresource.k8s.io/v1beta1\n");
      expect(stdout).not.toContain("networking.k8s.io/v1beta1");
    });

    test("refuses an API version that does not exist", async () => {
      const { code, stderr } = await kubets("cluster", "run", "--runtime-config=beta", "--", "true");
      expect([code, stderr.split("\n")[0]]).toEqual([
        1,
        'error: invalid value "beta" for --runtime-config: use group/version=true|false, or api/all, api/ga, api/beta or api/alpha',
      ]);
    });

    test("runs the controllers that --controllers names", async () => {
      const some = ["--controllers=*,-serviceaccount-controller"];
      const outcome = await kubets("cluster", "run", ...some, "--", "kubets", "get", "sa,cm", "-o", "name");
      expect(outcome).toMatchObject({ code: 0, stdout: "configmap/kube-root-ca.crt\n" });
    });

    test("completes the names that --controllers takes", async () => {
      const { stdout } = await kubets("__complete", "cluster", "run", "--controllers=*,-garbage-");
      expect(stdout).toBe("*,-garbage-collector-controller\n:6\n");
    });

    test("warns that --leader-elect has no effect with storage in memory, where there is no Lease", async () => {
      const flags = ["--storage=memory", "--leader-elect", "--scheduler=false"];
      const { code, stdout, stderr } = await kubets(
        "cluster",
        "run",
        ...flags,
        "--",
        "kubets",
        "get",
        "leases",
        "-n",
        "kube-system",
        "-o",
        "name",
      );
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).toBe(`Warning: leader election has no effect: storage "memory" belongs to one server\n`);
    });

    test.each(["run", "start"])("refuses, as `cluster %s`, an unknown controller", async (command) => {
      const { code, stderr } = await kubets("cluster", command, "--controllers=*,-nope", "--", "true");
      expect([code, stderr.split("\n")[0]]).toEqual([1, 'error: "nope" is not in the list of known controllers']);
      expect([leftovers(), existsSync(join(home, ".kubets"))]).toEqual([[], false]);
    });

    const restricted =
      "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults: {enforce: restricted}\n";
    const configured =
      "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: [{name: PodSecurity, path: security.yaml}]\n";

    test("runs and configures the admission plugins that its flags name", async () => {
      writeFileSync(join(home, "security.yaml"), restricted);
      writeFileSync(join(home, "admission.yaml"), configured);
      const file = "--admission-control-config-file=admission.yaml";
      const run = (...args: string[]) => kubets("cluster", "run", ...args, "--", "kubets", "run", "p", "--image=i");
      const refused =
        'Error from server (Forbidden): pods "p" is forbidden: violates PodSecurity "restricted:latest": ';
      expect((await run(file)).stderr.slice(0, refused.length)).toBe(refused);
      expect(await run(file, "--disable-admission-plugins=PodSecurity")).toMatchObject({ code: 0, stderr: "" });
      expect(
        (await run("--enable-admission-plugins=AlwaysDeny", "--disable-admission-plugins=ServiceAccount", "--nodes=0"))
          .stderr,
      ).toContain('pods "p" is forbidden: admission control is denying all modifications');
    });

    test.each(["run", "start"])(
      "prints, as `cluster %s`, an admission error, and leaves nothing behind",
      async (command) => {
        writeFileSync(join(home, "admission.yaml"), configured);
        const refusal = async (flag: string) => {
          const { code, stderr } = await kubets("cluster", command, flag, ...(command === "run" ? ["--", "true"] : []));
          return [code, stderr];
        };
        expect(await refusal("--enable-admission-plugins=Nope")).toEqual([
          1,
          'error: enable-admission-plugins plugin "Nope" is unknown\n',
        ]);
        const [file, named] = [join(home, "admission.yaml"), join(home, "security.yaml")];
        expect(await refusal("--admission-control-config-file=admission.yaml")).toEqual([
          1,
          `error: failed to apply admission: Couldn't open admission plugin configuration ${named}: open ${named}: no such file or directory (plugin "PodSecurity" of "${file}")\n`,
        ]);
        expect([leftovers(), (await kubets("cluster", "list")).stdout.includes("default")]).toEqual([[], false]);
      },
    );

    test("fails with --wait when a pod of the command is not ready, and names it", async () => {
      const run = (...args: string[]) => kubets("cluster", "run", "--wait", ...args);
      const create = ["kubets", "run", "web", "--image=busybox"];
      expect(await run("--", ...create, "--command", "--", "sleep", "1000")).toMatchObject({ code: 0, stderr: "" });
      const tape = `--overrides={"spec":{"nodeSelector":{"disk":"tape"}}}`;
      const { code, stdout, stderr } = await run("--timeout=0", "--", ...create, tape);
      expect([code, stdout]).toEqual([1, "pod/web created\n"]);
      expect(stderr).toMatch(
        /^pod\/web in namespace default: [A-Z].*\nerror: the cluster is not ready: 0 of 1 pods ready\n$/,
      );
      expect(leftovers()).toEqual([]);
    });

    test("warns that --timeout has no effect without --wait", async () => {
      const { code, stderr } = await kubets("cluster", "run", "--timeout=1s", "--", "true");
      expect([code, stderr]).toEqual([0, "Warning: --timeout has no effect without --wait\n"]);
    });

    test("refuses an empty command", async () => {
      const { code, stderr } = await kubets("cluster", "run");
      expect([code, stderr.split("\n")[0]]).toEqual([
        1,
        "error: no command to run: give it after --, as in: kubets cluster run -- npm test",
      ]);
    });
  });

  describe("cluster start, stop, status, list and delete", () => {
    test("start a background cluster with the admission plugins of the flags, for that start only", async () => {
      const flags = ["--enable-admission-plugins=AlwaysDeny", "--disable-admission-plugins=Priority,PodSecurity"];
      expect((await kubets("cluster", "start", "dev", "--detach", ...flags)).stderr).toContain(
        "admission control is denying all modifications",
      );
      expect(await kubets("cluster", "start", "dev", "--detach", flags[1] ?? "")).toMatchObject({
        code: 0,
        stderr: "",
      });
      const labelled = await kubets("label", "namespace", "default", "pod-security.kubernetes.io/enforce=high");
      expect(labelled).toMatchObject({ code: 0, stderr: "" });
      await kubets("cluster", "stop", "dev");
      expect(await kubets("cluster", "start", "dev", "--detach")).toMatchObject({ code: 0, stderr: "" });
      expect((await kubets("label", "namespace", "default", "pod-security.kubernetes.io/warn=high")).code).toBe(1);
    });

    test("keep objects, address and context over a restart, until the cluster is deleted", async () => {
      writeFileSync(join(home, "cm.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\n");
      const started = await kubets("cluster", "start", "dev", "--detach", "--controllers=", "--nodes=2");
      expect(started).toMatchObject({ code: 0, stderr: "" });
      const url = /ready at (https:\S+)/.exec(started.stdout)?.[1];
      expect((await kubets("config", "current-context")).stdout).toBe("kubets-dev\n");
      expect(await kubets("create", "-f", "cm.yaml")).toMatchObject({ stdout: "configmap/kept created\n" });
      expect((await kubets("get", "sa,cm", "-o", "name")).stdout).toBe("configmap/kept\n");
      const status = await kubets("cluster", "status", "dev", "-v=6");
      expect(status.stdout).toMatch(/^State: +Running$/m);
      expect(status.stderr).toMatch(
        /^(I.* round_trippers\.go:632\] "Response" verb="GET" url="https:\S+" status="200 OK" milliseconds=\d+\n){5}$/,
      );
      expect(status.stdout).toMatch(/^Nodes: +2\/2 ready\nPods: +0\/0 ready\n$/m);

      expect(await kubets("cluster", "stop", "dev")).toEqual({
        code: 0,
        stdout: 'cluster "dev" stopped\n',
        stderr: "",
      });
      expect(await kubets("cluster", "status", "dev")).toMatchObject({ code: 1 });
      expect((await kubets("cluster", "list")).stdout).toMatch(/^dev +Stopped/m);

      expect((await kubets("cluster", "start", "dev", "--detach")).stdout).toContain(`ready at ${url}\n`);
      // --controllers was for the first start only, --nodes was not.
      expect((await kubets("get", "nodes", "-o", "name")).stdout).toBe("node/node-1\nnode/node-2\n");
      expect((await kubets("get", "sa,cm", "-o", "name")).stdout).toBe(
        "serviceaccount/default\nconfigmap/kept\nconfigmap/kube-root-ca.crt\n",
      );

      expect(await kubets("cluster", "delete", "dev")).toMatchObject({ code: 0, stderr: "" });
      expect((await kubets("config", "get-contexts", "-o", "name")).stdout).toBe("");
      expect((await kubets("config", "current-context")).code).toBe(1);
      expect(readdirSync(join(home, ".kubets", "clusters"))).toEqual([]);
    });

    test("act on the only cluster when no name is given; of several, `status` shows the current one and the others refuse", async () => {
      const commands = ["status", "stop", "check", "delete"];
      const each = (): Promise<readonly Outcome[]> =>
        Promise.all(commands.map((command) => kubets("cluster", command)));
      const refused = (message: string): Outcome => ({ code: 1, stdout: "", stderr: `error: ${message}\n` });
      expect(await each()).toEqual(
        commands.map(() => refused("there is no cluster; make one with: kubets cluster start")),
      );

      await kubets("cluster", "start", "dev", "--storage=memory", "--detach");
      expect(await kubets("cluster", "status")).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Name: +dev$/m) as string,
      });
      await kubets("cluster", "start", "--storage=memory", "--detach");
      const [shown, ...others] = await each();
      expect(shown).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Name: +default$[^]*^Others: +dev$/m) as string,
      });
      expect(others).toEqual(
        commands
          .slice(1)
          .map((command) =>
            refused(
              `there are 2 clusters: default, dev; name the one you mean, as in: kubets cluster ${command} default`,
            ),
          ),
      );
      expect((await kubets("cluster", "list")).stdout).toMatch(/^default +Running .*\ndev +Running /m);

      await kubets("cluster", "delete", "default");
      expect(await kubets("cluster", "stop")).toEqual({ code: 0, stdout: 'cluster "dev" stopped\n', stderr: "" });
      expect(await kubets("cluster", "delete")).toEqual({ code: 0, stdout: 'cluster "dev" deleted\n', stderr: "" });
    });

    test("wait with start --wait until the nodes are ready, fail for a stored pod that is not, and show in status what is wrong", async () => {
      expect((await kubets("cluster", "start", "dev", "--nodes=2", "--detach", "--wait")).stdout).toContain(
        "is ready at",
      );
      await kubets("run", "huge", "--image=example.org/x", `--overrides={"spec":{"nodeSelector":{"disk":"tape"}}}`);
      await kubets("wait", "pod/huge", "--for=condition=PodScheduled=False", "--timeout=30s");
      const status = await kubets("cluster", "status");
      expect(status.code).toBe(0);
      expect(status.stdout).toMatch(/^Nodes: +2\/2 ready\nPods: +0\/1 ready\n\nNAMESPACE +OBJECT +REASON +MESSAGE\n/m);
      expect(status.stdout).toMatch(/^default +pod\/huge +Unschedulable +0\/2 nodes are available: /m);

      // Started again it has kept a pod that is not ready. In the background it goes on.
      await kubets("cluster", "stop", "dev");
      const failed = await kubets("cluster", "start", "dev", "--detach", "--wait", "--timeout=0");
      expect([failed.code, failed.stdout]).toEqual([1, ""]);
      expect(failed.stderr).toMatch(
        /^pod\/huge in namespace default: Unschedulable: 0\/2 nodes .*\nerror: cluster "dev" is not ready: 0 of 1 pods ready\n$/,
      );
      expect(await kubets("cluster", "status")).toMatchObject({ code: 0 });
      await kubets("cluster", "stop", "dev");

      const child = spawn(program, [...programWords, "cluster", "start", "dev", "--detach", "--wait", "-v=6"], {
        env: environment(),
        stdio: ["ignore", "inherit", "pipe"],
      });
      const ended = new Promise((done) => child.once("exit", done));
      let stderr = "";
      child.stderr.on("data", (chunk: Buffer) => {
        stderr += chunk.toString();
        if (/\/api\/v1\/pods/.test(stderr)) child.kill("SIGINT");
      });
      expect(await ended).toBe(130);
      expect(stderr).toMatch(/\nerror: cluster "dev" runs, and was not waited for: SIGINT\n$/);
      expect(await kubets("cluster", "status")).toMatchObject({ code: 0 });
    });

    test("do not change other entries of the kubeconfig", async () => {
      await kubets("config", "set-context", "mine", "--namespace=team", "--cluster=c", "--user=u");
      await kubets("cluster", "start", "--storage=memory", "--detach");
      expect((await kubets("config", "get-contexts", "-o", "name")).stdout).toBe("kubets-default\nmine\n");
      await kubets("cluster", "delete");
      expect(readFileSync(join(home, ".kube", "config"), "utf8")).not.toContain("kubets-default");
      expect((await kubets("config", "get-contexts", "-o", "name")).stdout).toBe("mine\n");
    });

    test("serve in the foreground until a signal stops them", async () => {
      const child = spawn(program, [...programWords, "cluster", "start", "fore", "--storage=memory"], {
        env: environment(),
        stdio: ["ignore", "pipe", "inherit"],
      });
      await output(child, /is now current/);
      expect(await kubets("get", "ns", "default", "-o", "name")).toMatchObject({ stdout: "namespace/default\n" });
      child.kill("SIGTERM");
      const [text, code] = await Promise.all([output(child, /stopped/), new Promise((done) => child.on("exit", done))]);
      expect([text, code]).toEqual(['cluster "fore" stopped\n', 0]);
    });
  });

  describe("kubets cluster reports in one line, and leaves nothing half-done, for", () => {
    test.each([
      ["an invalid name", ["start", "Not_A_Name"], /^error: invalid cluster name "Not_A_Name": use lower-case/],
      ["a port that is none", ["start", "--port=70000"], /^error: invalid port 70000: use 1 to 65535/],
      [
        "a storage that is none",
        ["start", "--storage=tape"],
        /^error: invalid value "tape" for --storage: use memory, disk, etcd or a URL/,
      ],
      [
        "a form of stored objects that is none",
        ["start", "--storage-media-type=protobuf"],
        /^error: invalid value "protobuf" for --storage-media-type: use application\/json or application\/vnd\.kubernetes\.protobuf/,
      ],
      [
        "a limit of objects below 0",
        ["start", "--max-object-bytes=-1"],
        /^error: invalid value -1 for --max-object-bytes: use a number of bytes, or 0 for no limit/,
      ],
      ["etcd without an address", ["start", "--storage=etcd"], /^error: --storage=etcd needs --etcd-servers/],
      [
        "an address of etcd without etcd",
        ["start", "--etcd-servers=http://127.0.0.1:2379"],
        /^error: --etcd-servers needs --storage=etcd/,
      ],
      [
        "a time to wait below 0",
        ["start", "--wait", "--timeout=-1s"],
        /^error: invalid value for --timeout: use a duration such as 5m, or 0 to look once/,
      ],
      [
        "a time to wait that is none",
        ["start", "--wait", "--timeout=abc"],
        /^error: invalid argument "abc" for "--timeout" flag: time: invalid duration "abc"/,
      ],
      ["two names", ["stop", "a", "b"], /^error: give at most one cluster name/],
      [
        "a cluster that is not there",
        ["stop", "ghost"],
        /^error: there is no cluster named "ghost"; list the clusters with: kubets cluster list/,
      ],
      ["deleting one that is not there", ["delete", "ghost"], /^error: there is no cluster named "ghost"/],
      [
        "a data folder with other things in it",
        ["start", "--data-dir=."],
        /^error: the folder \S+ is not empty and holds no kubets data/,
      ],
    ])("%s", async (_title, args, message) => {
      writeFileSync(join(home, "file"), "");
      const { code, stdout, stderr } = await kubets("cluster", ...args);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(message);
      expect(existsSync(join(home, ".kube", "config"))).toBe(false);
      expect((await kubets("cluster", "list")).stdout).toBe("");
      expect(readdirSync(home)).not.toContain(".kubets");
    });

    test("a damaged record, which hides no other cluster and can be deleted", async () => {
      await kubets("cluster", "start", "good", "--storage=memory", "--detach");
      await kubets("cluster", "start", "bad", "--storage=memory", "--detach");
      await kubets("cluster", "stop", "bad");
      writeFileSync(join(home, ".kubets/clusters/bad/cluster.json"), "{");
      for (const command of ["start", "status", "stop"]) {
        const { code, stderr } = await kubets("cluster", command, "bad");
        expect([code, stderr]).toEqual([
          1,
          `error: ${home}/.kubets/clusters/bad/cluster.json is damaged; remove it with: kubets cluster delete bad\n`,
        ]);
      }
      expect((await kubets("cluster", "list")).stdout).toMatch(/^bad +Damaged .*\ngood +Running /m);
      expect(await kubets("cluster", "delete", "bad")).toMatchObject({ code: 0, stdout: 'cluster "bad" deleted\n' });
      expect((await kubets("config", "get-contexts", "-o", "name")).stdout).toBe("kubets-good\n");
    });

    test("a damaged database, which it leaves as it is", async () => {
      await kubets("cluster", "start", "hurt", "--detach");
      await kubets("cluster", "stop", "hurt");
      const database = join(home, ".kubets/clusters/hurt/data/data.db");
      const damaged = readFileSync(database);
      damaged.fill(0xa5, 5000, 9000);
      writeFileSync(database, damaged);
      const { code, stdout, stderr } = await kubets("cluster", "start", "hurt", "--detach");
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(
        /^error: data directory \S+ is damaged .* was left as it is: restore it from a copy or remove it\n$/,
      );
      expect(readFileSync(database).equals(damaged)).toBe(true);
    });

    test("a port that is already in use", async () => {
      const taken = createServer().listen(0, "127.0.0.1");
      await new Promise((done) => taken.once("listening", done));
      const { port } = taken.address() as { port: number };
      try {
        for (const detach of [[], ["--detach"]]) {
          const { code, stderr } = await kubets("cluster", "start", `--port=${port}`, ...detach);
          expect([code, stderr]).toEqual([
            1,
            `error: port ${port} is already in use; choose another with --port, or leave it out for a free one\n`,
          ]);
        }
        expect(readdirSync(join(home, ".kubets", "clusters"))).toEqual([]);
      } finally {
        taken.close();
      }
    });

    test("a cluster that already runs, and a data folder of another cluster", async () => {
      await kubets("cluster", "start", "one", "--detach");
      const again = await kubets("cluster", "start", "one");
      expect(again.stderr).toMatch(
        /^error: cluster "one" is already running at https:\S+ \(process \d+\); stop it with: kubets cluster stop one\n$/,
      );
      const data = join(home, ".kubets/clusters/one/data");
      const other = await kubets("cluster", "start", "two", `--data-dir=${data}`);
      expect([other.code, other.stdout]).toEqual([1, ""]);
      expect(other.stderr).toMatch(/^error: .*in use.*\n$/);
      expect((await kubets("config", "current-context")).stdout).toBe("kubets-one\n");
    });
  });
});

/** Resolves with what the child printed since the last call, once it matches. */
function output(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((done, fail) => {
    let text = "";
    const onData = (chunk: Buffer): void => {
      text += chunk.toString();
      if (!pattern.test(text)) return;
      child.stdout?.off("data", onData);
      done(text);
    };
    child.stdout?.on("data", onData);
    child.once("exit", () => fail(new Error(`the command ended; it printed: ${text}`)));
  });
}
