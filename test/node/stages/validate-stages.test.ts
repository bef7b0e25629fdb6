import { expect, test } from "vitest";
import { formatFieldErrors } from "../../../src/machinery/errors/field-error.js";
import { validateStages } from "../../../src/node/stages/validate-stages.js";

function problems(stages: unknown): string {
  const errors = validateStages(stages, "stages");
  return errors.length === 0 ? "" : formatFieldErrors(errors);
}

test.each([
  ["no stages", {}],
  ["a container without stages", { app: {} }],
  ["stages of every container", { "*": { startDelay: "5s" } }],
  ["durations", { app: { startDelay: "1m30s", readyAfter: "500ms", stopDelay: "0s" } }],
  ["never", { app: { readyAfter: "never", stopDelay: "never" } }],
  ["an image that cannot be pulled", { app: { pullFailure: { for: "1m", message: "no such image" } } }],
  ["a start that fails", { app: { startFailure: { runs: 2, message: "no such file" } } }],
  ["crashes", { app: { crashes: { runs: 3, after: "1s", code: 137, reason: "OOMKilled", message: "m" } } }],
  ["an exit", { app: { exit: {} } }],
  ["usage", { app: { usage: { cpu: "250m", memory: "64Mi" } } }],
  ["log lines", { app: { logs: ["a", ""], logEvery: { period: "10s", line: "tick" } } }],
  ["the answer to exec", { app: { exec: { stdout: "out", stderr: "err", code: 3 } } }],
])("%s are accepted as stages of a pod", (_title, stages) => {
  expect(problems(stages)).toBe("");
});

test.each([
  ["a list", [], 'stages: Invalid value: []: must be an object: container names, or "*", with their stages'],
  ["a text for a container", { app: "exit" }, 'stages.app: Invalid value: "exit": must be an object'],
  [
    "a duration without a unit",
    { app: { startDelay: "5" } },
    'stages.app.startDelay: Invalid value: "5": must be a duration, such as "1m30s"',
  ],
  [
    "a number for a duration",
    { app: { exit: { after: 5 } } },
    'stages.app.exit.after: Invalid value: 5: must be a duration, such as "1m30s"',
  ],
  [
    "a negative duration",
    { app: { exit: { after: "-5s" } } },
    'stages.app.exit.after: Invalid value: "-5s": must be a duration, such as "1m30s"',
  ],
  [
    "another word for never",
    { app: { readyAfter: "later" } },
    'stages.app.readyAfter: Invalid value: "later": must be a duration, such as "1m30s", or "never"',
  ],
  [
    "a code that no process has",
    { app: { exit: { code: 256 } } },
    "stages.app.exit.code: Invalid value: 256: must be an integer from 0 to 255",
  ],
  [
    "half a crash",
    { app: { crashes: { runs: 0.5 } } },
    "stages.app.crashes.runs: Invalid value: 0.5: must be an integer of at least 0",
  ],
  ["crashes without their number", { app: { crashes: { code: 1 } } }, "stages.app.crashes.runs: Required value"],
  [
    "usage that is no quantity",
    { app: { usage: { cpu: "lots" } } },
    'stages.app.usage.cpu: Invalid value: "lots": must be a quantity, such as "250m" or "64Mi"',
  ],
  [
    "negative usage",
    { app: { usage: { memory: "-1" } } },
    'stages.app.usage.memory: Invalid value: "-1": must be a quantity, such as "250m" or "64Mi"',
  ],
  [
    "a line where lines belong",
    { app: { logs: "a" } },
    'stages.app.logs: Invalid value: "a": must be a list of strings',
  ],
  ["a line that is no text", { app: { logs: ["a", 1] } }, "stages.app.logs[1]: Invalid value: 1: must be a string"],
  [
    "lines without a pause",
    { app: { logEvery: { period: "0s", line: "x" } } },
    'stages.app.logEvery.period: Invalid value: "0s": must be a duration of at least 1ms, such as "10s"',
  ],
  [
    "an unknown stage of usage",
    { app: { usage: { gpu: "1" } } },
    'stages.app.usage: Unsupported value: "gpu": supported values: "cpu", "memory", "ephemeral-storage"',
  ],
])("%s is refused as stages of a pod: %s", (_title, stages, message) => {
  expect(problems(stages)).toBe(message);
});

test("every wrong field of a pod's stages is named", () => {
  expect(problems({ a: { startDelay: "x" }, b: { exit: { code: -1 } } })).toMatch(
    /^\[stages\.a\.startDelay: .*, stages\.b\.exit\.code: .*\]$/,
  );
});
