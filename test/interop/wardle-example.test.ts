import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePorts } from "../helpers/free-ports.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const example = join(import.meta.dirname, "../../examples/wardle/server.mjs");
const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`the example of Wardle is skipped: ${kubectl.missing}\n`);

const flunder = (name: string, version: string, spec: object) =>
  JSON.stringify({ apiVersion: `wardle.example.com/${version}`, kind: "Flunder", metadata: { name }, spec });

test("Wardle takes at most 120 lines", () => {
  expect(readFileSync(example, "utf8").split("\n").length).toBeLessThanOrEqual(120);
});

describe.skipIf(kubectl.missing !== undefined)("Wardle as a program (START-2), asked by the real kubectl", () => {
  let program: ChildProcess;
  let real: RealKubectl;
  const log: string[] = [];

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    program = spawn(process.execPath, [example, `--http-port=${port}`, "-v=1"], {
      stdio: ["ignore", "inherit", "pipe"],
    });
    if (program.stderr === null) throw new Error("no log");
    const lines = createInterface(program.stderr);
    await new Promise<void>((resolve, reject) => {
      lines.on("line", (line) => {
        log.push(line);
        if (line.includes(`Serving insecurely on 127.0.0.1:${port}`)) resolve();
      });
      program.once("exit", (code) => reject(new Error(`Wardle ended with ${code}: ${log.join("\n")}`)));
    });
    const server = `http://127.0.0.1:${port}`;
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "wardle", cluster: { server } }],
      contexts: [{ name: "wardle", context: { cluster: "wardle", user: "" } }],
      "current-context": "wardle",
    };
    real = await realKubectl({ kubeconfig: () => JSON.stringify(config) });
  });

  afterAll(async () => {
    const ended = once(program, "exit");
    program.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    await real[Symbol.asyncDispose]();
  });

  test("logs the value of each flag at -v=1 (START-3)", () => {
    expect(log.some((line) => line.includes('FLAG: --etcd-prefix="/registry"'))).toBe(true);
  });

  test("converts flunders between its versions, both ways", async () => {
    await real.run("create -f -", flunder("one", "v1alpha1", { reference: "pond", referenceType: "Fischer" }));
    const spec = (resource: string) => real.ok(["get", resource, "one", "-o", "jsonpath={.spec}"]);
    expect(await spec("flunders.v1beta1.wardle.example.com")).toBe(
      '{"fischerReference":"pond","referenceType":"Fischer"}',
    );
    expect(await spec("flunders.v1alpha1.wardle.example.com")).toBe('{"reference":"pond","referenceType":"Fischer"}');
  });

  test("refuses the names that a fischer forbids, and a flunder with two references", async () => {
    const fischer = { apiVersion: "wardle.example.com/v1alpha1", kind: "Fischer", metadata: { name: "f" } };
    await real.run("create -f -", JSON.stringify({ ...fischer, disallowedFlunders: ["bad"] }));
    const banned = await real.run("create -f -", flunder("bad", "v1beta1", {}));
    expect(banned.stderr).toContain(
      'flunders.wardle.example.com "bad" is forbidden: this name may not be used, please change the resource name',
    );
    const two = await real.run(
      "create -f -",
      flunder("two", "v1beta1", { flunderReference: "a", fischerReference: "b" }),
    );
    expect(two.stderr).toContain("cannot be set with flunderReference at the same time");
  });

  test("has a status of its own", async () => {
    await real.run("create -f -", flunder("fed", "v1beta1", { flunderReference: "a" }));
    const patch = [
      "patch",
      "flunder",
      "fed",
      "--subresource=status",
      "--type=merge",
      "-p",
      '{"status":{"phase":"Fed"}}',
    ];
    expect(await real.ok(patch)).toBe("flunder.wardle.example.com/fed patched\n");
    expect(await real.ok(["get", "fl", "fed", "-o", "jsonpath={.status.phase}"])).toBe("Fed");
  });
});
