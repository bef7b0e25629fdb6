import type { TerminalLab } from "./terminal.js";

/** A pod that says of itself what a kubelet would. */
export async function givePod(lab: TerminalLab, name: string, status: object, metadata: object = {}): Promise<void> {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata },
    spec: { containers: [{ name: "app", image: "web" }] },
  };
  await lab.kubectl(["create", "-f", "-"], JSON.stringify(pod));
  await setStatus(lab, `pod/${name}`, status);
}

export async function setStatus(lab: TerminalLab, object: string, status: object): Promise<void> {
  await lab.kubectl(["patch", object, "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })]);
}

export const ready = (isReady: boolean): object => ({
  phase: "Running",
  conditions: [
    { type: "Ready", status: isReady ? "True" : "False", reason: isReady ? undefined : "ContainersNotReady" },
  ],
});

/** The status of a pod whose only container waits for a reason. */
export const waiting = (reason: string): object => ({
  phase: "Running",
  containerStatuses: [
    { name: "app", image: "web", imageID: "", ready: false, restartCount: 4, state: { waiting: { reason } } },
  ],
});

export const running: object = {
  phase: "Running",
  containerStatuses: [{ name: "app", image: "web", imageID: "", ready: true, restartCount: 0, state: { running: {} } }],
};
