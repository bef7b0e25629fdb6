import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../helpers/eventually.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const example = join(import.meta.dirname, "../../examples/projects/server.mjs");
const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`the example of projects is skipped: ${kubectl.missing}\n`);

test("the example of projects has at most 60 lines of code", () => {
  expect(readFileSync(example, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});

describe.skipIf(kubectl.missing !== undefined)(
  "A-CAP-03: kubectl on the example in which projects mirror namespaces",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "kubets-projects-"));
    const kubeconfig = join(folder, "projects.kubeconfig");
    let program: ChildProcess;
    let real: RealKubectl;

    beforeAll(async () => {
      program = spawn(process.execPath, [example, kubeconfig], { stdio: ["ignore", "pipe", "inherit"] });
      if (program.stdout === null) throw new Error("no output");
      const [line] = (await once(createInterface(program.stdout), "line")) as [string];
      expect(line).toMatch(/^projects are served at https:\/\/127\.0\.0\.1:\d+$/);
      real = await realKubectl({ kubeconfig: () => readFileSync(kubeconfig, "utf8") });
      for (const name of ["red", "blue"]) await real.ok(`create namespace ${name}`);
      await real.ok("create clusterrole namespace-reader --verb=get --resource=namespaces");
      await real.ok("create rolebinding jane --clusterrole=namespace-reader --user=jane -n red");
      await real.ok("create rolebinding joe --clusterrole=namespace-reader --user=joe -n blue");
    });

    afterAll(async () => {
      const ended = once(program, "exit");
      program.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      await real[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    const names = async (...user: readonly string[]) =>
      (await real.ok([...user, "get", "projects", "-o", "name"]))
        .trim()
        .split("\n")
        .map((line) => line.split("/")[1]);

    test("lists and gets a user's own projects, and all for the administrator", async () => {
      expect(await names("--as=jane")).toEqual(["red"]);
      expect(await names("--as=joe")).toEqual(["blue"]);
      expect(await names()).toEqual(expect.arrayContaining(["blue", "default", "kube-system", "red"]));
      expect(await real.ok("--as=jane get project red -o jsonpath={.kind}/{.status.phase}")).toBe("Project/Active");
      expect((await real.run("--as=jane get project blue")).stderr).toBe(
        'Error from server (NotFound): projects.project.example.com "blue" not found\n',
      );
      expect(await real.ok("get project red -o jsonpath={.metadata.uid}")).toBe(
        await real.ok("get namespace red -o jsonpath={.metadata.uid}"),
      );
    });

    test("shows a user in a watch the changes of own projects only", async () => {
      const watching = real.start("--as=jane get projects --watch -o name");
      try {
        let seen = "";
        watching.stdout?.setEncoding("utf8").on("data", (text: string) => (seen += text));
        await eventually(() => expect(seen).toBe("project.project.example.com/red\n"));
        await real.ok("label namespace blue seen=no");
        await real.ok("label namespace red seen=yes");
        await eventually(() => expect(seen).toBe("project.project.example.com/red\n".repeat(2)));
      } finally {
        const ended = once(watching, "exit");
        watching.kill();
        await ended;
      }
    });

    test("is refused all other verbs", async () => {
      expect(await real.ok("api-resources --api-group=project.example.com -o wide")).toMatch(
        /projects +project\.example\.com\/v1 +false +Project +get,list,watch/,
      );
      expect((await real.run("delete project red")).stderr).toContain("MethodNotAllowed");
    });
  },
);
