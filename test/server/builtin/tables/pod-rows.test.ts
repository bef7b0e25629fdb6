import { describe, expect, it } from "vitest";
import { builtinRecord } from "../../../../src/server/builtin/index.js";
import { metadata, row } from "./row-of.js";

const terminated = (exitCode: number, more = {}) => ({ terminated: { exitCode, ...more } });

describe("the table row of a pod", () => {
  const rows: readonly [what: string, pod: Record<string, unknown>, ready: string, status: string, restarts: string][] =
    [
      ["pending without statuses", { status: { phase: "Pending" } }, "0/1", "Pending", "0"],
      [
        "running",
        { status: { phase: "Running", containerStatuses: [{ ready: true, restartCount: 0, state: { running: {} } }] } },
        "1/1",
        "Running",
        "0",
      ],
      [
        "crash loop with its last restart",
        {
          status: {
            phase: "Running",
            containerStatuses: [
              {
                restartCount: 3,
                state: { waiting: { reason: "CrashLoopBackOff" } },
                lastState: terminated(1, { finishedAt: "2026-01-01T23:55:00Z" }),
              },
            ],
          },
        },
        "0/1",
        "CrashLoopBackOff",
        "3 (5m ago)",
      ],
      [
        "completed",
        {
          status: {
            phase: "Succeeded",
            containerStatuses: [{ restartCount: 0, state: terminated(0, { reason: "Completed" }) }],
          },
        },
        "0/1",
        "Completed",
        "0",
      ],
      [
        "an init container to go",
        {
          spec: { initContainers: [{ name: "i" }, { name: "j" }], containers: [{ name: "c" }] },
          status: {
            phase: "Pending",
            initContainerStatuses: [
              { name: "i", restartCount: 0, state: terminated(0) },
              { name: "j", restartCount: 2, state: { running: {} } },
            ],
          },
        },
        "0/1",
        "Init:1/2",
        "2",
      ],
      [
        "a sidecar counts",
        {
          spec: { initContainers: [{ name: "s", restartPolicy: "Always" }], containers: [{ name: "c" }] },
          status: {
            phase: "Running",
            initContainerStatuses: [{ name: "s", started: true, ready: true, restartCount: 1, state: { running: {} } }],
            containerStatuses: [{ ready: true, restartCount: 0, state: { running: {} } }],
          },
        },
        "2/2",
        "Running",
        "1",
      ],
      [
        "an init error",
        {
          spec: { initContainers: [{ name: "i" }], containers: [{ name: "c" }] },
          status: { phase: "Pending", initContainerStatuses: [{ name: "i", restartCount: 0, state: terminated(3) }] },
        },
        "0/1",
        "Init:ExitCode:3",
        "0",
      ],
      [
        "completed beside one that failed",
        {
          status: {
            phase: "Failed",
            containerStatuses: [
              { restartCount: 0, state: terminated(0, { reason: "Completed" }) },
              { restartCount: 0, state: terminated(2, { reason: "Error" }) },
            ],
          },
        },
        "0/1",
        "Error",
        "0",
      ],
      [
        "completed beside a ready one, and the pod is ready",
        {
          status: {
            phase: "Running",
            conditions: [{ type: "Ready", status: "True" }],
            containerStatuses: [
              { restartCount: 0, state: terminated(0, { reason: "Completed" }) },
              { ready: true, restartCount: 0, state: { running: {} } },
              { restartCount: 0, state: terminated(2, { reason: "Error" }) },
            ],
          },
        },
        "1/1",
        "Running",
        "0",
      ],
      [
        "a restart of a sidecar before Initialized holds again",
        {
          spec: { initContainers: [{ name: "s", restartPolicy: "Always" }], containers: [{ name: "c" }] },
          status: {
            phase: "Running",
            conditions: [{ type: "Initialized", status: "True" }],
            initContainerStatuses: [
              {
                name: "s",
                restartCount: 5,
                state: { waiting: { reason: "CrashLoopBackOff" } },
                lastState: terminated(1, { finishedAt: "2026-01-01T23:00:00Z" }),
              },
            ],
            containerStatuses: [{ ready: true, restartCount: 1, state: { running: {} } }],
          },
        },
        "1/2",
        "Init:CrashLoopBackOff",
        "6 (60m ago)",
      ],
      [
        "a signal",
        { status: { phase: "Failed", containerStatuses: [{ restartCount: 0, state: terminated(0, { signal: 9 }) }] } },
        "0/1",
        "Signal:9",
        "0",
      ],
    ];
  it.each(rows)("%s", (_, pod, ready, status, restarts) => {
    const cells = row("", "pods", { metadata, spec: { containers: [{ name: "c" }] }, ...pod });
    expect(cells.slice(1, 5)).toEqual([ready, status, restarts, "24h"]);
  });

  it("has the status Completed for a pod that has ended", () => {
    const conditionsOf = (phase: string) =>
      builtinRecord("", "pods")?.strategy?.columns?.conditions?.({ metadata, status: { phase } });
    const ended = { type: "Completed", status: "True" };
    expect(conditionsOf("Running")).toEqual([]);
    expect(conditionsOf("Succeeded")).toEqual([
      { ...ended, reason: "Succeeded", message: "The pod has completed successfully." },
    ]);
    expect(conditionsOf("Failed")).toEqual([{ ...ended, reason: "Failed", message: "The pod failed." }]);
  });

  it("has the status Terminating for a pod being deleted", () => {
    const deleted = { ...metadata, deletionTimestamp: "2026-01-02T00:00:00Z" };
    expect(row("", "pods", { metadata: deleted, spec: { containers: [{}] }, status: { phase: "Running" } })[2]).toBe(
      "Terminating",
    );
  });
});
