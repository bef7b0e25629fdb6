import { expect, test } from "vitest";
import { containerRuns } from "../../src/polymorphic-helpers/container-runs.js";

const ended = (containerID: string) => ({ terminated: { exitCode: 1, containerID } });

/** The runs of one container whose status has these fields: "id", with "previous" or "running" behind it. */
const runs = (status: object): readonly string[] =>
  containerRuns({ status: { containerStatuses: [{ name: "web", ...status }] } }).map(
    ({ id, isRunning, previous }) => `${id}${previous ? " previous" : ""}${isRunning ? " running" : ""}`,
  );

test.each<[string, object, readonly string[]]>([
  ["waits for its first start", { state: { waiting: {} }, restartCount: 0 }, []],
  ["runs", { state: { running: {} }, containerID: "a", restartCount: 0 }, ["a running"]],
  ["has ended", { state: ended("a"), containerID: "a", restartCount: 0 }, ["a"]],
  [
    "runs again",
    { state: { running: {} }, containerID: "b", lastState: ended("a"), restartCount: 1 },
    ["a previous", "b running"],
  ],
  ["waits to start again", { state: { waiting: {} }, containerID: "a", lastState: ended("a") }, ["a previous"]],
  ["has ended, and is its own last state", { state: ended("a"), containerID: "a", lastState: ended("a") }, ["a"]],
  [
    "has no ids: how often it was started again tells the runs apart",
    { state: { running: {} }, lastState: { terminated: {} }, restartCount: 3 },
    ["2 previous", "3 running"],
  ],
  ["waits, and has no ids", { state: { waiting: {} }, lastState: { terminated: {} }, restartCount: 3 }, ["3 previous"]],
])("the known runs of a container that %s", (_state, status, expected) => {
  expect(runs(status)).toEqual(expected);
});

test("the runs of init containers come first, those of ephemeral containers last", () => {
  const status = (name: string) => [{ name, state: { running: {} }, containerID: `id-${name}` }];
  const pod = {
    status: {
      ephemeralContainerStatuses: status("debugger"),
      containerStatuses: status("web"),
      initContainerStatuses: status("setup"),
    },
  };
  expect(containerRuns(pod).map(({ container }) => container)).toEqual(["setup", "web", "debugger"]);
  expect(containerRuns({})).toEqual([]);
});
