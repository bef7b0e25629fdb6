import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../helpers/eventually.js";
import { type ExampleProgram, examplePath, startExample } from "../helpers/example-program.js";
import { realTool } from "../helpers/real-tools.js";
import type { RealKubectl } from "../helpers/run-real-kubectl.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`the example of Wardle is skipped: ${kubectl.missing}\n`);

const flunder = (name: string, version: string, spec: object) =>
  JSON.stringify({ apiVersion: `wardle.example.com/${version}`, kind: "Flunder", metadata: { name }, spec });

test("the source of the example server Wardle has at most 120 lines", () => {
  expect(readFileSync(examplePath("wardle/server.mjs"), "utf8").split("\n").length).toBeLessThanOrEqual(120);
});

const startWardle = (): Promise<ExampleProgram> => startExample("wardle/server.mjs", ["-v=1"]);

describe("the example server Wardle at its end", () => {
  /** Sends half of a flunder; `rest` sends the other half and resolves with the status of the answer. */
  async function halfSent(url: string): Promise<{ rest: () => Promise<number | undefined> }> {
    const body = flunder("last", "v1beta1", {});
    const headers = {
      "content-type": "application/json",
      "content-length": String(body.length),
      expect: "100-continue",
    };
    const path = "/apis/wardle.example.com/v1beta1/namespaces/default/flunders";
    const half = request(`${url}${path}`, { method: "POST", headers }).on("error", () => {});
    half.flushHeaders();
    // The server has begun to handle the request.
    await once(half, "continue");
    half.write(body.slice(0, 10));
    return {
      async rest() {
        const answered = once(half, "response");
        half.end(body.slice(10));
        const [{ statusCode }] = (await answered) as [IncomingMessage];
        return statusCode;
      },
    };
  }

  const stops = (url: string) => eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(500));

  test.each(["SIGINT", "SIGTERM"] as const)(
    "A-RUN-05, T13: on %s fails /readyz at once, answers the current request, and exits with 0",
    async (signal) => {
      const { program, url } = await startWardle();
      const ended = once(program, "exit");
      const { rest } = await halfSent(url);
      program.kill(signal);
      await stops(url);
      expect([await rest(), await ended]).toEqual([201, [0, null]]);
    },
  );

  test("A-RUN-05, T13: ends at once with code 1 on a second signal", async () => {
    const { program, url } = await startWardle();
    const ended = once(program, "exit");
    await halfSent(url);
    program.kill("SIGTERM");
    await stops(url);
    program.kill("SIGINT");
    expect(await ended).toEqual([1, null]);
  });
});

describe.skipIf(kubectl.missing !== undefined)("the example server Wardle (START-2), used with kubectl", () => {
  let wardle: ExampleProgram;
  let real: RealKubectl;

  beforeAll(async () => {
    wardle = await startWardle();
    real = await wardle.kubectl();
  });

  afterAll(async () => {
    expect(await wardle.end()).toEqual([0, null]);
    await real[Symbol.asyncDispose]();
  });

  test("logs the value of each flag at -v=1 (START-3), and has none that names a main server (B-GOAL-03, B-SA-01)", () => {
    const flags = wardle.log.filter((line) => line.includes("FLAG: "));
    expect(flags.some((line) => line.includes('--etcd-prefix="/registry"'))).toBe(true);
    expect(flags.filter((line) => line.includes("kubeconfig"))).toEqual([]);
  });

  test("A-CFG-03, B-CFG-01, B-CFG-05: has its own title, and version 1.0", async () => {
    const json = async (path: string): Promise<unknown> => JSON.parse(await real.ok(["get", "--raw", path]));
    expect(await json("/version")).toMatchObject({ major: "1", minor: "0", gitVersion: "v1.0.0" });
    expect(await json("/openapi/v2")).toMatchObject({ info: { title: "Wardle", version: "v1.0.0" } });
  });

  test("converts flunders between its versions, both ways", async () => {
    await real.run("create -f -", flunder("one", "v1alpha1", { reference: "pond", referenceType: "Fischer" }));
    const spec = (resource: string) => real.ok(["get", resource, "one", "-o", "jsonpath={.spec}"]);
    expect(await spec("flunders.v1beta1.wardle.example.com")).toBe(
      '{"fischerReference":"pond","referenceType":"Fischer"}',
    );
    expect(await spec("flunders.v1alpha1.wardle.example.com")).toBe('{"reference":"pond","referenceType":"Fischer"}');
  });

  test("B-ADM-03: refuses names that a fischer forbids, and a flunder with two references", async () => {
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

  test("has a status subresource", async () => {
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
