import type { ContainerStatus, Pod } from "../api/types/core/v1.js";
import type { Event } from "../api/types/core/v1.js";
import { inertText } from "../base/text/inert-text.js";
import { type Observed, readiness, type Unready } from "../cluster/named/readiness.js";
import { errorMessage } from "../base/text/error-message.js";
import { objects, object, text } from "../machinery/meta/access.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { KubernetesClient } from "../library/kubernetes-client.js";

/** How many lines of a log a report shows. */
const LOG_LINES = 20;

/**
 * Reports which objects of a namespace are not ready, and why: for each workload, Job and pod its conditions, its events and, for
 * a pod, the states and the last log lines of its containers. "" where everything is ready. Never rejects: it names what it could
 * not read.
 */
export async function unreadyReport(client: KubernetesClient, namespace: string): Promise<string> {
  try {
    const observed = await observe(client, namespace);
    const { unready } = readiness(observed, { began: 0, failedJobs: true });
    const failed = observed.pods.filter(({ status }) => status?.phase === "Failed").map(failedPod);
    const events = (await client.of("v1", "Event").namespace(namespace).listWhole()).items;
    const all = Object.values(observed).flat() as KubeObject[];
    const sections = [...unready, ...failed].map((one) => {
      const found = all.find(({ metadata }) => metadata?.uid === one.uid) ?? {};
      return section(client, one, found, events);
    });
    return (await Promise.all(sections)).flat().map(inertText).join("\n");
  } catch (error) {
    return inertText(`cannot find out what is not ready: ${errorMessage(error)}`);
  }
}

async function observe(client: KubernetesClient, namespace: string): Promise<Observed> {
  const apps = <K extends "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet">(kind: K) =>
    client.of("apps/v1", kind).namespace(namespace).listWhole();
  const [pods, jobs, deployments, replicaSets, statefulSets, daemonSets] = await Promise.all([
    client.of("v1", "Pod").namespace(namespace).listWhole(),
    client.of("batch/v1", "Job").namespace(namespace).listWhole(),
    apps("Deployment"),
    apps("ReplicaSet"),
    apps("StatefulSet"),
    apps("DaemonSet"),
  ]);
  return {
    nodes: [],
    pods: pods.items,
    jobs: jobs.items,
    deployments: deployments.items,
    replicaSets: replicaSets.items,
    statefulSets: statefulSets.items,
    daemonSets: daemonSets.items,
  };
}

const failedPod = ({ metadata, status }: Pod): Unready => ({
  uid: metadata?.uid ?? "",
  object: `pod/${metadata?.name ?? ""}`,
  namespace: metadata?.namespace,
  reason: status?.reason ?? "Failed",
  message: status?.message ?? "its containers have ended",
  prospect: "never",
});

async function section(
  client: KubernetesClient,
  { object: name, uid, reason, message }: Unready,
  found: KubeObject,
  events: readonly Event[],
): Promise<string[]> {
  const conditions = conditionsOf(found);
  const own = events.filter(({ involvedObject }) => involvedObject.uid === uid);
  return [
    `${name} is not ready: ${[reason, message].filter((word) => word !== "").join(": ")}`,
    ...(conditions.length > 0 ? [`  conditions: ${conditions.join(", ")}`] : []),
    ...(name.startsWith("pod/") ? await ofContainers(client, found as Pod) : []),
    ...(own.length > 0 ? ["  events:", ...own.map(lineOf)] : []),
  ];
}

/** The conditions that are not "True", each with its reason: `Ready=False (ContainersNotReady: ...)`. */
export const conditionsOf = ({ status }: KubeObject): readonly string[] =>
  objects(object(status).conditions)
    .filter((one) => one.status !== "True")
    .map(({ type, status: held, reason, message }) => {
      const why = [text(reason), text(message)].filter((word) => word !== "").join(": ");
      return `${text(type)}=${text(held)}${inBrackets(why)}`;
    });

const inBrackets = (words: string): string => (words === "" ? "" : ` (${words})`);

function lineOf({ type = "", reason = "", message = "", count = 1, series }: Event): string {
  const times = series?.count ?? count;
  return `    ${type} ${reason}${times > 1 ? ` (${times} times)` : ""}: ${message}`;
}

async function ofContainers(client: KubernetesClient, { metadata, status }: Pod): Promise<string[]> {
  const { name = "", namespace = "" } = metadata ?? {};
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const lines = containers.map(async (container) => {
    const hasRun = container.state?.running ?? container.state?.terminated ?? container.lastState?.terminated;
    const log =
      hasRun === undefined ? [] : await lastLines(client, { namespace, pod: name, container: container.name });
    return [
      `  container ${container.name}: ${stateOf(container)}`,
      ...(log.length > 0 ? ["    its last lines:", ...log.map((line) => `      ${line}`)] : []),
    ];
  });
  return (await Promise.all(lines)).flat();
}

function stateOf({ state, lastState, ready, restartCount }: ContainerStatus): string {
  const ended = state?.terminated ?? lastState?.terminated;
  const words = [
    state?.waiting !== undefined && `waiting${inBrackets(state.waiting.reason ?? "")}`,
    state?.running !== undefined && (ready ? "running" : "running, not ready"),
    ended !== undefined && `exited with code ${ended.exitCode}${inBrackets(ended.reason ?? "")}`,
    restartCount > 0 && `restarted ${restartCount} times`,
  ];
  return words.filter((word) => word !== false).join(", ");
}

async function lastLines(
  client: KubernetesClient,
  { namespace, pod, container }: { readonly namespace: string; readonly pod: string; readonly container: string },
): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const line of client.logs(pod, { namespace, container, tailLines: LOG_LINES })) lines.push(line);
  } catch (error) {
    lines.push(`(${errorMessage(error)})`);
  }
  return lines;
}
