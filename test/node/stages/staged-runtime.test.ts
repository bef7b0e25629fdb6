import { describe, expect, test } from "vitest";
import type { Pod } from "../../../src/api/types/core/v1.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import type { ContainerSpec, RuntimeError } from "../../../src/node/container-runtime.js";
import { ScriptedRuntime } from "../../../src/node/scripted/scripted-runtime.js";
import { StagedRuntime } from "../../../src/node/stages/staged-runtime.js";
import { type ContainerStages, STAGES_ANNOTATION, type StagesOf } from "../../../src/node/stages/stages.js";
import { formatTime } from "../../../src/machinery/meta/time.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { settle } from "../../helpers/settle.js";

/** A runtime on a clock that stands still, and the container that its pod's stages make. */
function staged(stages: ContainerStages | string | undefined, given?: StagesOf) {
  const time = new ManualTime();
  const parts = { clock: time, timers: time };
  const reportError = (error: unknown): void => expect.fail(String(error));
  const runtime = new StagedRuntime(new ScriptedRuntime({ ...parts, random: seededRandom("stages") }), {
    ...parts,
    ...(given && { stages: given }),
    reportError,
  });
  const text = typeof stages === "string" ? stages : JSON.stringify({ app: stages });
  let annotations: Record<string, string> = stages === undefined ? {} : { [STAGES_ANNOTATION]: text };
  const started = formatTime(time.now());
  const object = (): Pod => ({ metadata: { name: "web", annotations }, status: { startTime: started } });
  const spec = (attempt: number, more: Partial<ContainerSpec> = {}): ContainerSpec => ({
    pod: { uid: "u", name: "web", namespace: "default", hostname: "web", ip: "10.0.0.1", object },
    name: "app",
    attempt,
    image: "shop:1",
    env: {},
    mounts: [],
    stdin: false,
    stdinOnce: false,
    tty: false,
    terminationMessagePath: "/dev/termination-log",
    ...more,
  });
  const run = (attempt = 0, more: Partial<ContainerSpec> = {}) => runtime.run(spec(attempt, more));
  return { time, runtime, run, annotate: (next: Record<string, string>) => (annotations = next) };
}

/** What has come of a promise, or "pending". */
async function stateOf<T>(promise: Promise<T>): Promise<T | "pending"> {
  await settle();
  return Promise.race([promise, Promise.resolve("pending" as const)]);
}

const failure = (promise: Promise<unknown>): Promise<Pick<RuntimeError, "reason" | "message">> =>
  promise.then(
    () => expect.fail("it started"),
    ({ reason, message }: RuntimeError) => ({ reason, message }),
  );

const lines = async (runtime: StagedRuntime, id: string): Promise<readonly string[]> => {
  const options = { follow: false, signal: new AbortController().signal };
  const read: string[] = [];
  for await (const { line } of runtime.log(id, options)) read.push(Buffer.from(line).toString());
  return read;
};

describe("the end of a container's run, by its stages,", () => {
  test.each<readonly [string, ContainerStages, attempt: number, after: number, exit: object]>([
    ["comes at once by default", { exit: {} }, 0, 0, { exitCode: 0 }],
    ["comes after its time", { exit: { after: "90s" } }, 0, 90_000, { exitCode: 0 }],
    ["has its code", { exit: { code: 3 } }, 5, 0, { exitCode: 3 }],
    ["has its reason", { exit: { code: 137, reason: "OOMKilled" } }, 0, 0, { exitCode: 137, reason: "OOMKilled" }],
    ["has its message", { exit: { code: 1, message: "no database" } }, 0, 0, { exitCode: 1, message: "no database" }],
    ["is a crash for the first runs", { crashes: { runs: 2 } }, 1, 0, { exitCode: 1 }],
    ["is the crash's code", { crashes: { runs: 2, code: 7, after: "2s" } }, 0, 2000, { exitCode: 7 }],
    ["is no crash after those", { crashes: { runs: 2 }, exit: { after: "1s" } }, 2, 1000, { exitCode: 0 }],
  ])("%s", async (_title, stages, attempt, after, exit) => {
    const { time, run } = staged(stages);
    const { exited } = await run(attempt);
    time.pass(Math.max(0, after - 1));
    if (after > 0) expect(await stateOf(exited)).toBe("pending");
    time.pass(1);
    expect(await stateOf(exited)).toMatchObject({ ...exit, ...(after > 0 && { finishedAt: time.now() }) });
    expect(time.pending).toBe(0);
  });

  test("does not come after the crashes", async () => {
    const { time, run } = staged({ crashes: { runs: 2 } });
    const { exited } = await run(2);
    time.pass(3_600_000);
    expect(await stateOf(exited)).toBe("pending");
  });
});

describe("the stop of a container, by its stages,", () => {
  test.each<
    readonly [string, ContainerStages, signals: readonly string[], after: number, exitCode: number | "pending"]
  >([
    ["is at once by default", { readyAfter: "0s" }, ["SIGTERM"], 0, 0],
    ["takes its delay", { stopDelay: "20s" }, ["SIGTERM"], 20_000, 0],
    ["does not come before its delay", { stopDelay: "20s" }, ["SIGTERM"], 19_999, "pending"],
    ["is not put off by a second signal", { stopDelay: "20s" }, ["SIGTERM", "SIGTERM"], 20_000, 0],
    ["is at once by SIGKILL", { stopDelay: "20s" }, ["SIGTERM", "SIGKILL"], 0, 137],
    ["never comes", { stopDelay: "never" }, ["SIGTERM"], 600_000, "pending"],
    ["comes by SIGKILL where it never comes", { stopDelay: "never" }, ["SIGTERM", "SIGKILL"], 0, 137],
  ])("%s", async (_title, stages, signals, after, exitCode) => {
    const { time, runtime, run } = staged(stages);
    const { id, exited } = await run();
    for (const signal of signals) await runtime.signal(id, signal);
    time.pass(after);
    const state = await stateOf(exited);
    expect(state === "pending" ? state : state.exitCode).toBe(exitCode);
  });
});

describe("a container that its stages keep from starting", () => {
  const missing = 'failed to resolve reference "shop:1": shop:1: not found';
  test.each<readonly [string, ContainerStages, attempt: number, after: number, failed: object | undefined]>([
    ["for want of its image", { pullFailure: {} }, 0, 3_600_000, { reason: "ErrImagePull", message: missing }],
    ["while its image is missing", { pullFailure: { for: "1m" } }, 0, 59_000, { reason: "ErrImagePull" }],
    ["until its image is there", { pullFailure: { for: "1m" } }, 0, 60_000, undefined],
    ["with the registry's words", { pullFailure: { message: "denied" } }, 0, 0, { message: "denied" }],
    ["at any run", { startFailure: {} }, 9, 0, { reason: "StartError" }],
    [
      "at its first runs",
      { startFailure: { runs: 2, message: "bad" } },
      1,
      0,
      { reason: "StartError", message: "bad" },
    ],
    ["until it has failed often enough", { startFailure: { runs: 2 } }, 2, 0, undefined],
  ])("%s", async (_title, stages, attempt, after, failed) => {
    const { time, run } = staged(stages);
    time.pass(after);
    if (failed === undefined) await run(attempt);
    else expect(await failure(run(attempt))).toMatchObject(failed);
  });

  test("before its delay is over", async () => {
    const { time, run } = staged({ startDelay: "5s" });
    const starting = run();
    expect(await stateOf(starting)).toBe("pending");
    time.pass(5000);
    expect((await starting).startedAt).toBe(time.now());
  });
});

describe("probes of a container, by its stages,", () => {
  test.each<
    readonly [string, ContainerStages, "startup" | "readiness" | "liveness", after: number, answer: boolean | undefined]
  >([
    ["are those of the runtime behind it without a stage", { usage: { cpu: "1" } }, "readiness", 0, true],
    ["of readiness fail before the time", { readyAfter: "10s" }, "readiness", 9999, false],
    ["of readiness succeed from the time on", { readyAfter: "10s" }, "readiness", 10_000, true],
    ["of readiness never succeed", { readyAfter: "never" }, "readiness", 600_000, false],
    ["of liveness succeed meanwhile", { readyAfter: "never" }, "liveness", 0, true],
    ["of the start succeed meanwhile", { readyAfter: "never" }, "startup", 0, true],
  ])("%s", async (_title, stages, kind, after, answer) => {
    const { time, runtime, run } = staged(stages);
    const { id } = await run();
    time.pass(after);
    expect(runtime.answerProbe(id, { kind })).toBe(answer);
  });
});

describe("the log of a container, by its stages,", () => {
  test.each<readonly [string, ContainerStages, after: number, expected: readonly string[]]>([
    ["has the lines of the start", { logs: ["one", "two"] }, 0, ["one\n", "two\n"]],
    ["has a line for each period", { logEvery: { period: "10s", line: "tick" } }, 25_000, ["tick\n", "tick\n"]],
    ["ends with the container", { exit: { after: "15s" }, logEvery: { period: "10s", line: "x" } }, 60_000, ["x\n"]],
    ["is the program's without a stage", { usage: { cpu: "1" } }, 0, ["own\n"]],
  ])("%s", async (_title, stages, after, expected) => {
    const { time, runtime, run } = staged(stages);
    const { id } = await run(0, { command: ["echo", "own"] });
    await settle();
    time.pass(after);
    await settle();
    expect(await lines(runtime, id)).toEqual(expected);
  });
});

describe("exec in a container, by its stages,", () => {
  const exec = async (stages: ContainerStages) => {
    const { runtime, run } = staged(stages);
    const { id } = await run();
    let [out, err] = ["", ""];
    const code = await runtime.exec(id, ["cat", "/etc/hostname"], {
      stdout: async (chunk) => void (out += Buffer.from(chunk).toString()),
      stderr: async (chunk) => void (err += Buffer.from(chunk).toString()),
      tty: false,
      signal: new AbortController().signal,
    });
    return { code, out, err };
  };

  test.each<readonly [string, ContainerStages, object]>([
    ["answers by its stage", { exec: { stdout: "a", stderr: "b", code: 4 } }, { code: 4, out: "a", err: "b" }],
    ["answers nothing and succeeds by an empty one", { exec: {} }, { code: 0, out: "", err: "" }],
    ["runs the program without one", { usage: { cpu: "1" } }, { code: 0, out: "web\n", err: "" }],
  ])("%s", async (_title, stages, answer) => {
    expect(await exec(stages)).toEqual(answer);
  });
});

describe("the resource usage of a container, by its stages,", () => {
  test("is the stage's value, and CPU time adds up", async () => {
    const { time, runtime, run } = staged({ usage: { cpu: "250m", memory: "64Mi" } });
    const { id } = await run();
    time.pass(10_000);
    const expected = { cpuNanoCores: 250_000_000, cpuNanoseconds: 2_500_000_000, memoryBytes: 64 * 1024 * 1024 };
    expect(await runtime.stats(id)).toMatchObject(expected);
  });

  test("follows the annotation while the container runs", async () => {
    const { runtime, run, annotate } = staged({ usage: { cpu: "250m" } });
    const { id } = await run();
    annotate({ [STAGES_ANNOTATION]: "app: {usage: {cpu: 2}}" });
    await expect(runtime.stats(id)).rejects.toThrow("app.usage.cpu: Invalid value: 2: must be a quantity");
    annotate({ [STAGES_ANNOTATION]: 'app: {usage: {cpu: "2"}}' });
    expect(await runtime.stats(id)).toMatchObject({ cpuNanoCores: 2e9 });
  });
});

describe("the stages of a pod", () => {
  const crash: StagesOf = () => ({ app: { exit: { code: 9 } } });

  test.each<readonly [string, string | undefined, StagesOf | undefined, code: number | "pending"]>([
    ["is the function of the cluster", undefined, crash, 9],
    ["is the annotation before it", '{"app": {"exit": {"code": 5}}}', crash, 5],
    ["may be YAML", "app:\n  exit:\n    code: 6\n", undefined, 6],
    ["may be for every container", '{"*": {"exit": {"code": 7}}}', undefined, 7],
    ["is the container's own before the others'", '{"*": {"exit": {}}, "app": {"exit": {"code": 8}}}', undefined, 8],
    ["may leave a container alone", '{"proxy": {"exit": {}}}', undefined, "pending"],
  ])("%s", async (_title, annotation, given, code) => {
    const { time, run } = staged(annotation, given);
    const { exited } = await run();
    time.pass(1);
    const state = await stateOf(exited);
    expect(state === "pending" ? state : state.exitCode).toBe(code);
  });

  test.each([
    ["JSON that is none", "{", /^metadata\.annotations\[kubets\.dev\/stages\]: /],
    ["YAML that is none", "a: b: c", /^metadata\.annotations\[kubets\.dev\/stages\]: /],
    [
      "a wrong field",
      '{"app": {"exit": {"after": "soon"}}}',
      'metadata.annotations[kubets.dev/stages].app.exit.after: Invalid value: "soon": must be a duration, such as "1m30s"',
    ],
  ])("keep the container from being created for %s", async (_title, annotation, message) => {
    const failed = await failure(staged(annotation).run());
    expect(failed.reason).toBe("CreateContainerError");
    if (typeof message === "string") expect(failed.message).toBe(message);
    else expect(failed.message).toMatch(message);
  });

  test("may come from a function that throws or returns nonsense, which is reported", async () => {
    const wrong = (() => ({ app: { exit: { code: 700 } } })) as StagesOf;
    expect((await failure(staged(undefined, wrong).run())).message).toBe(
      "stages.app.exit.code: Invalid value: 700: must be an integer from 0 to 255",
    );
  });
});
