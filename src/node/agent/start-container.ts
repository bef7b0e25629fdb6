import type { Backoff } from "../../base/time/backoff.js";
import { pause } from "../../base/time/pause.js";
import {
  type FieldsOf,
  absent,
  object,
  objects,
  text,
  list,
  type OrAbsent,
  quantityText,
  type Received,
  type ReceivedObject,
} from "../../machinery/meta/received.js";
import { RuntimeError, type StartedContainer, type ContainerSpec, type ResourceLimits } from "../container-runtime.js";
import type { ClaimedVolume } from "./volumes/claimed-volume.js";
import { ConfigError, containerEnvironment, type EnvironmentSource } from "./container-environment.js";
import type { ContainerRecord } from "./container-record.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { containerEvent, isKubeletAtLeast, type PodContext } from "./pod-context.js";
import { imagePullBackoff, volumeBackoff } from "./restart-backoff.js";
import { VolumeError } from "./volumes/volume-files.js";
import type { TokenRequestSpec, BoundObjectReference, TokenRequest } from "../../api/types/authentication/v1.js";
import type { Container, EphemeralContainer, Pod } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { parseQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";
import { type MountSource, volumeMounts } from "./volumes/volume-mounts.js";

/** The pause before a container is tried again whose configuration is wrong. Milliseconds. */
const RETRY_MS = 10_000;

/** The reason why a container could not be started; its restart policy decides what follows. */
export interface StartFailure {
  readonly reason: string;
  readonly message: string;
}

/**
 * Starts a container. Waits for its image, its volumes and what it refers to as long as it takes; its record and the pod's events say what
 * is missing. Answers a failure for a container that the runtime cannot start, and undefined when `signal` aborted before.
 */
export async function startContainer(
  record: ContainerRecord,
  context: PodContext,
  signal: AbortSignal,
): Promise<StartedContainer | StartFailure | undefined> {
  const { report, timers } = context.parts;
  const backoffs = { image: imagePullBackoff(), volumes: volumeBackoff() };
  while (!signal.aborted) {
    try {
      return await tryOnce(record, context, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof VolumeError || (error instanceof RuntimeError && error.reason === "FailedMount")) {
        context.parts.event(context.pod(), "Warning", "FailedMount", error.message);
        await pause(timers, backoffs.volumes.next(), signal);
      } else if (isConfigError(error)) {
        sayImageIsPresent(record, context);
        await waitWith(record, "CreateContainerConfigError", error.message, error.message, context, signal);
      } else if (!(error instanceof RuntimeError)) {
        report(error);
        await pause(timers, RETRY_MS, signal);
      } else if (error.reason === "ErrImagePull") {
        await waitForImage(record, error.message, backoffs.image, context, signal);
      } else if (["CreateContainerError", "InvalidImageName"].includes(error.reason)) {
        const isName = error.reason === "InvalidImageName";
        if (isName) containerEvent(context, record, "Warning", "InspectFailed", error.message);
        else sayPulled(record, context);
        await waitWith(record, error.reason, error.message, isName ? error.reason : error.message, context, signal);
      } else {
        sayPulled(record, context);
        containerEvent(context, record, "Normal", "Created", "Container created");
        containerEvent(context, record, "Warning", "Failed", `Error: ${error.message}`);
        return { reason: error.reason, message: error.message };
      }
    }
  }
  return undefined;
}

const isConfigError = (error: unknown): error is Error =>
  error instanceof ConfigError || (error instanceof RuntimeError && error.reason === "CreateContainerConfigError");

/** The claims of pods that have mounted any: they stay what they were until the pod ends. */
const claims = new WeakMap<PodContext, Map<string, ClaimedVolume>>();

function claimsOf(context: PodContext): Map<string, ClaimedVolume> {
  const known = claims.get(context) ?? new Map<string, ClaimedVolume>();
  if (hasClaims(context)) claims.set(context, known);
  return known;
}

const hasClaims = ({ pod }: PodContext): boolean =>
  objects(object(pod().spec).volumes).some((one) => !absent(one.persistentVolumeClaim ?? one.ephemeral));

async function tryOnce(
  record: ContainerRecord,
  context: PodContext,
  signal: AbortSignal,
): Promise<StartedContainer | undefined> {
  const { client, runtime, hostIp, capacity, services, kubeletVersion } = context.parts;
  const image = text(record.spec.image);
  const problem = imageNameProblem(image);
  if (problem !== undefined) {
    const quoted = JSON.stringify(image);
    const message = `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: ${problem}`;
    throw new RuntimeError("InvalidImageName", message);
  }
  const { pod, podIp } = context;
  const source = { client, pod, podIp, hostIp, capacity, claimed: claimsOf(context), services, kubeletVersion, signal };
  const spec = await containerSpec(record, source);
  if (signal.aborted) return undefined;
  sayPulling(record, context);
  const container = await runtime.run(spec, signal);
  sayPulled(record, context);
  return container;
}

const isPulled = ({ spec }: ContainerRecord): boolean => text(spec.imagePullPolicy) === "Always";

/** A kubelet has the image before it looks at the container's configuration. */
function sayImageIsPresent(record: ContainerRecord, context: PodContext): void {
  sayPulling(record, context);
  sayPulled(record, context);
}

function sayPulling(record: ContainerRecord, context: PodContext): void {
  const image = JSON.stringify(text(record.spec.image));
  if (isPulled(record)) containerEvent(context, record, "Normal", "Pulling", `Pulling image ${image}`);
}

/** The images of fake nodes have no bytes, and take no time to arrive. */
function sayPulled(record: ContainerRecord, context: PodContext): void {
  const image = JSON.stringify(text(record.spec.image));
  const message = isPulled(record)
    ? `Successfully pulled image ${image} in 0s (0s including waiting). Image size: 0 bytes.`
    : `Container image ${image} already present on machine and can be accessed by the pod`;
  containerEvent(context, record, "Normal", "Pulled", message);
}

async function waitWith(
  record: ContainerRecord,
  reason: string,
  message: string,
  error: string,
  context: PodContext,
  signal: AbortSignal,
): Promise<void> {
  containerEvent(context, record, "Warning", "Failed", `Error: ${error}`);
  record.wait(reason, message);
  context.changed();
  await pause(context.parts.timers, RETRY_MS, signal);
}

/** One try has failed: the record says so, then that the next one comes after a pause. */
async function waitForImage(
  record: ContainerRecord,
  problem: string,
  backoff: Backoff,
  context: PodContext,
  signal: AbortSignal,
): Promise<void> {
  const image = JSON.stringify(text(record.spec.image));
  if (text(record.spec.imagePullPolicy) === "Never") {
    const message = `Container image ${image} is not present with pull policy of Never`;
    containerEvent(context, record, "Warning", "ErrImageNeverPull", message);
    return waitWith(record, "ErrImageNeverPull", message, "ErrImageNeverPull", context, signal);
  }
  const say = (type: "Normal" | "Warning", reason: string, message: string): void =>
    containerEvent(context, record, type, reason, message);
  if (text(record.spec.imagePullPolicy) !== "Always") say("Normal", "Pulling", `Pulling image ${image}`);
  say("Warning", "Failed", `Failed to pull image ${image}: ${problem}`);
  say("Warning", "Failed", "Error: ErrImagePull");
  // K37-182: kubelets before 1.37 look for the secrets before each pull; here they do not.
  if (isKubeletAtLeast(context.parts.kubeletVersion, "1.37")) await sayMissingPullSecrets(context);
  record.wait("ErrImagePull", problem);
  context.changed();
  await context.flushed();
  say("Normal", "BackOff", `Back-off pulling image ${image}`);
  say("Warning", "Failed", "Error: ImagePullBackOff");
  record.wait("ImagePullBackOff", `Back-off pulling image ${image}: ErrImagePull: ${problem}`);
  context.changed();
  await pause(context.parts.timers, backoff.next(), signal);
}

/** Says which of the pod's imagePullSecrets there are not. */
async function sayMissingPullSecrets({ parts, pod, abandoned }: PodContext): Promise<void> {
  const { metadata, spec } = pod();
  const secrets = parts.client.of("v1", "Secret").namespace(metadata?.namespace ?? "");
  const missing: string[] = [];
  for (const secret of objects(object(spec).imagePullSecrets)) {
    const name = text(secret.name);
    try {
      if (name !== "") await secrets.get(name, { signal: abandoned });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      missing.push(name);
    }
  }
  if (missing.length === 0) return;
  const message = `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`;
  parts.event(pod(), "Warning", "FailedToRetrieveImagePullSecret", message);
}

const COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const LABEL = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const HOST = `(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const REFERENCE = new RegExp(
  `^(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*(?::\\w[\\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);
const LONGEST_NAME = 255;

/** Returns why a text is not an image reference, in the words of Docker's reference library; undefined for a valid one. */
export function imageNameProblem(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image))
    return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  const { domain, rest } = split(image);
  const repository = rest.replace(/:.*$/s, "");
  if (repository.toLowerCase() !== repository)
    return `invalid reference format: repository name (${repository}) must be lowercase`;
  if (!REFERENCE.test(`${domain}/${rest}`)) return "invalid reference format";
  const name = `${domain}/${rest.replace(/[:@].*$/s, "")}`;
  return name.length > LONGEST_NAME ? `repository name must not be more than ${LONGEST_NAME} characters` : undefined;
}

/** A first part with a dot, a port or an upper case letter is a registry; without one it is Docker Hub's. */
function split(image: string): { readonly domain: string; readonly rest: string } {
  const slash = image.indexOf("/");
  const first = slash < 0 ? "" : image.slice(0, slash);
  const isRegistry = first !== "" && (/[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first);
  if (isRegistry) return { domain: first, rest: image.slice(slash + 1) };
  return { domain: "docker.io", rest: slash < 0 ? `library/${image}` : image };
}

/** The pod of a container, and the parts by which the objects that it refers to are read. */
export interface SpecSource {
  readonly client: KubernetesClient;
  /** The pod as the API has it now. */
  readonly pod: () => ReceivedObject<Pod>;
  readonly podIp: string;
  readonly hostIp: string;
  readonly kubeletVersion: string;
  readonly capacity: Readonly<Record<string, string>>;
  /** As in an EnvironmentSource. */
  readonly services?: EnvironmentSource["services"];
  /** The claims that the pod's containers have mounted so far. */
  readonly claimed: Map<string, ClaimedVolume>;
  /** Ends the requests for what the pod refers to. */
  readonly signal: AbortSignal;
}

/** What the runtime is to run, with all that the pod refers to. Throws a ConfigError or a VolumeError for what is not there. */
async function containerSpec(record: ContainerRecord, source: SpecSource): Promise<ContainerSpec> {
  const { spec: container } = record;
  const { client, podIp, hostIp, capacity, claimed, services, kubeletVersion, signal } = source;
  const pod = source.pod();
  const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
  const token: MountSource["token"] = (audience, seconds) => requestToken(source, audience, seconds);
  const volumes: MountSource = { client, pod, podIp, hostIp, capacity, claimed, services, signal, token };
  // K37-188: kubelets before 1.37 lose bytes that are no UTF-8.
  const env = await containerEnvironment(container, volumes, isKubeletAtLeast(kubeletVersion, "1.37"));
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
    ...(command && ({ command } satisfies FieldsOf<Container>)),
    ...(args && ({ args } satisfies FieldsOf<Container>)),
    ...(workingDir !== "" && ({ workingDir } satisfies FieldsOf<Container>)),
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
      ...(audience !== undefined && ({ audiences: [audience] } satisfies FieldsOf<TokenRequestSpec>)),
      expirationSeconds,
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid } satisfies FieldsOf<BoundObjectReference>,
    } satisfies FieldsOf<TokenRequestSpec>,
  } satisfies FieldsOf<TokenRequest>;
  const answer = await client.rest.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: Buffer.from(JSON.stringify(request)),
    signal,
  });
  const { status }: ReceivedObject<TokenRequest> = answer.json();
  return text(object(status).token);
}
