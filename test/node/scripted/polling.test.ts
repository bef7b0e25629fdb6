import { describe, expect, test } from "vitest";
import type { Pod } from "../../../src/api/types/core/v1.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { turn } from "../../../src/base/async/turns.js";
import type { ContainerSpec } from "../../../src/node/container-runtime.js";
import { ScriptedRuntime } from "../../../src/node/scripted/scripted-runtime.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { scriptedSpec } from "../../helpers/scripted-container.js";

const SERVER = { name: "server", image: "example.com/server", ports: [{ containerPort: 80 }] };

/** Runs a script beside a stand-in that it may poll, for so long by the containers' clock. */
async function beside(script: string, restartPolicy: string, seconds: number) {
  const time = new ManualTime();
  const runtime = new ScriptedRuntime({ standIn: true, clock: time, timers: time, random: systemRandom });
  const container = { name: "script", image: "busybox", command: ["sh", "-c", script] };
  const pod = { metadata: {}, spec: { restartPolicy, containers: [SERVER, container] } } as unknown as Pod;
  const spec = (given: Partial<ContainerSpec>) => ({
    ...scriptedSpec,
    ...given,
    pod: { ...scriptedSpec.pod, object: () => pod },
  });
  await runtime.run(spec(SERVER));
  const started = await runtime.run(spec(container));
  let exitCode: number | undefined;
  void started.exited.then((exit) => (exitCode = exit.exitCode));
  const begin = time.now();
  while (exitCode === undefined && time.now() - begin < seconds * 1000) {
    // Programs that are busy do not wait for time to pass.
    if (time.pending > 0) time.pass(50);
    await turn();
  }
  const log: string[] = [];
  for await (const { line } of runtime.log(started.id, { follow: false, signal: new AbortController().signal }))
    log.push(Buffer.from(line).toString("utf8"));
  await runtime.signal(started.id, "SIGKILL");
  return { exitCode, took: (time.now() - begin) / 1000, log: log.join("") };
}

const POLL = "echo waiting; until curl -s http://localhost | grep -q healthy; do sleep 1; done";

describe("a script that polls a stand-in of a server", () => {
  test("ends with 0 after 30 s in a pod that ends, and prints the reason", async () => {
    const { exitCode, took, log } = await beside(POLL, "Never", 300);
    expect(exitCode).toBe(0);
    expect(took).toBeGreaterThan(30);
    const server =
      'container server of pod default/web stands in for image "example.com/server"; would have run: its entrypoint';
    expect(log).toBe(
      `waiting\nkubets: this container stands in for image "busybox" from here on: curl: 0: ${server}, and still does not give the answer that is waited for\n`,
    );
  });

  test("ends with 0 when it fails because of the answer, and prints that", async () => {
    const script = "curl -s http://localhost | grep version || exit 3";
    const { exitCode, log } = await beside(script, "Never", 60);
    const server =
      'container server of pod default/web stands in for image "example.com/server"; would have run: its entrypoint';
    expect([exitCode, log]).toEqual([
      0,
      `kubets: this container stands in for image "busybox" from here on: sh: 0: ${server}, and its answer is none that the script can go by\n`,
    ]);
  });

  test.each([
    ["it has asked nothing", "exit 3", "Never", 3],
    ["its pod is restarted", "curl -s http://localhost | grep version || exit 3", "Always", 3],
    ["a signal has ended it", "curl -s http://localhost >/dev/null; kill -9 $$", "Never", 137],
  ])("fails when %s", async (_why, script, restartPolicy, code) => {
    expect(await beside(script, restartPolicy, 60)).toMatchObject({ exitCode: code, log: "" });
  });

  test("continues in a pod that does not end", async () => {
    expect(await beside(POLL, "Always", 120)).toMatchObject({ exitCode: undefined, log: "waiting\n" });
  });

  test("continues when it has its answer", async () => {
    const script = "until curl -s http://localhost | grep -q 'stands in'; do sleep 1; done; sleep 60; echo done";
    const { exitCode, took, log } = await beside(script, "Never", 300);
    expect([exitCode, log, took >= 60]).toEqual([0, "done\n", true]);
  });

  test("reaches the stand-in without TLS, because that has no certificate", async () => {
    const script = "curl -s https://localhost:80 | grep -c 'stands in'";
    expect(await beside(script, "Never", 60)).toMatchObject({ exitCode: 0, log: "1\n" });
  });
});
