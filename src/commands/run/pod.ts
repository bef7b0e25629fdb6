import type { KubeObject } from "../../machinery/meta/object.js";

export interface PodRequest {
  readonly name: string;
  readonly image: string;
  /** Undefined: none were given. Then the pod has the label run=NAME. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** "" leaves it to the server. */
  readonly imagePullPolicy: string;
  readonly restartPolicy: string;
  readonly port: number | undefined;
  /** What followed the name. */
  readonly args: readonly string[];
  /** They are the command, not its arguments. */
  readonly isCommand: boolean;
  readonly privileged: boolean;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly leaveStdinOpen: boolean;
}

export function podFor(request: PodRequest): KubeObject {
  const { name, annotations, restartPolicy } = request;
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name, labels: podLabels(request), annotations },
    spec: { containers: [containerFor(request)], restartPolicy, dnsPolicy: "ClusterFirst" },
  };
}

const podLabels = ({ labels, name }: PodRequest): Record<string, string> => ({ ...(labels ?? { run: name }) });

function containerFor(request: PodRequest): object {
  const { name, image, args, env, imagePullPolicy, port, stdin, tty } = request;
  return {
    name,
    image,
    ...(request.isCommand ? { command: args } : { args }),
    ...(port !== undefined && { ports: [{ containerPort: port }] }),
    env,
    imagePullPolicy,
    ...(request.privileged && { securityContext: { privileged: true } }),
    stdin,
    stdinOnce: stdin && !request.leaveStdinOpen,
    tty,
  };
}

/** Makes a service for the pod. It has labels only if the pod was given some. */
export function serviceFor(request: PodRequest): KubeObject {
  const { name, labels, port = 0 } = request;
  return {
    kind: "Service",
    apiVersion: "v1",
    metadata: { name, ...(labels !== undefined && { labels: { ...labels } }) },
    spec: { selector: podLabels(request), ports: [{ port, protocol: "TCP", targetPort: port }] },
  };
}
