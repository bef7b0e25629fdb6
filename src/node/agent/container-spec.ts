import type { TokenRequest } from "../../api/types/authentication/v1.js";
import type { Container, EphemeralContainer, Pod } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import {
  list,
  object,
  type OrAbsent,
  quantityText,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { parseQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";
import type { ContainerSpec, ResourceLimits } from "../container-runtime.js";
import { containerEnvironment, type EnvironmentSource } from "./container-environment.js";
import type { ContainerRecord } from "./container-record.js";
import type { ClaimedVolume } from "./volumes/claimed-volume.js";
import { type MountSource, volumeMounts } from "./volumes/volume-mounts.js";

/** The pod of a container, and where what it refers to is read from. */
export interface SpecSource {
  readonly client: KubernetesClient;
  /** The pod as the API has it now. */
  readonly pod: () => ReceivedObject<Pod>;
  readonly podIp: string;
  readonly hostIp: string;
  readonly capacity: Readonly<Record<string, string>>;
  /** As in an EnvironmentSource. */
  readonly services?: EnvironmentSource["services"];
  /** The claims that the pod's containers have mounted so far. */
  readonly claimed: Map<string, ClaimedVolume>;
  /** Ends the requests for what the pod refers to. */
  readonly signal: AbortSignal;
}

/** What the runtime is to run, with all that the pod refers to. Throws a ConfigError or a VolumeError for what is not there. */
export async function containerSpec(record: ContainerRecord, source: SpecSource): Promise<ContainerSpec> {
  const { spec: container } = record;
  const { client, podIp, hostIp, capacity, claimed, services, signal } = source;
  const pod = source.pod();
  const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
  const token: MountSource["token"] = (audience, seconds) => requestToken(source, audience, seconds);
  const volumes: MountSource = { client, pod, podIp, hostIp, capacity, claimed, services, signal, token };
  const env = await containerEnvironment(container, volumes);
  const expanded = (words: OrAbsent<readonly (string | null)[]>): readonly string[] | undefined =>
    list(words).length > 0 ? list(words).map((word) => env.word(text(word))) : undefined;
  const [command, args] = [expanded(container.command), expanded(container.args)];
  const workingDir = text(container.workingDir);
  const { hostNetwork, nodeName, hostname: ownName } = object(pod.spec);
  const hostname = hostNetwork === true ? text(nodeName) : text(ownName) || name;
  return {
    pod: { uid, name, namespace, hostname, ip: podIp, object: () => source.pod() as Pod },
    name: record.name,
    attempt: record.restartCount,
    image: text(container.image),
    ...(command && { command }),
    ...(args && { args }),
    ...(workingDir !== "" && { workingDir }),
    env: env.variables,
    limits: () => resourceLimits(record.spec),
    mounts: await volumeMounts(container, env, volumes),
    stdin: container.stdin === true,
    stdinOnce: container.stdinOnce === true,
    tty: container.tty === true,
    terminationMessagePath: text(container.terminationMessagePath) || "/dev/termination-log",
  };
}

function resourceLimits({ resources }: Received<Container | EphemeralContainer>): ResourceLimits {
  const memory = quantityText(object(object(resources).limits).memory);
  return memory === "" ? {} : { memoryBytes: Number(quantityValue(parseQuantity(memory))) };
}

/** A token of the pod's service account, which ends with the pod. */
async function requestToken(
  { client, pod, signal }: SpecSource,
  audience: string | undefined,
  expirationSeconds = 3600,
): Promise<string> {
  const { metadata, spec } = pod();
  const { namespace = "", name, uid } = metadata ?? {};
  const account = text(object(spec).serviceAccountName) || "default";
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {
      ...(audience !== undefined && { audiences: [audience] }),
      expirationSeconds,
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
    },
  };
  const answer = await client.rest.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: Buffer.from(JSON.stringify(request)),
    signal,
  });
  const { status }: ReceivedObject<TokenRequest> = answer.json();
  return text(object(status).token);
}
