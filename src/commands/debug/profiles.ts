import {
  type Fields,
  children,
  ensureChild,
  list,
  object,
  objects,
  type ReadonlyFields,
  text,
} from "../../machinery/meta/access.js";
import { readTyped } from "../../actions/typed/read-typed.js";
import { builtInPatchSchema } from "../../actions/apply/three-way-patch.js";
import type { TypedKinds } from "../../actions/typed/typed-object.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import { strategicMergePatch } from "../../machinery/patch/strategic-merge.js";
import type { StructSchema } from "../../machinery/schema/schema.js";

/** How to debug: with an ephemeral container, with a copy of the pod, or with a pod on a node. */
export type DebugStyle = "ephemeral" | "podCopy" | "node";

/** The parts of the pod that a copy keeps. */
export interface KeepFlags {
  readonly labels: boolean;
  readonly annotations: boolean;
  readonly liveness: boolean;
  readonly readiness: boolean;
  readonly startup: boolean;
  readonly initContainers: boolean;
}

/** The pod of which the debug container is a part, to be changed. */
export interface DebugDraft {
  readonly pod: Fields;
  readonly container: string;
  readonly style: DebugStyle;
  readonly keep: KeepFlags;
}

type Profile = (draft: DebugDraft) => void;

const PROFILES: Readonly<Record<string, Profile>> = {
  legacy(draft) {
    if (draft.style === "node") {
      mountRoot(draft);
      useHostNamespaces(draft);
    }
    if (draft.style === "podCopy") delete ensureChild(draft.pod, "metadata")["labels"];
  },
  general(draft) {
    if (draft.style === "node") {
      mountRoot(draft);
      clearSecurityContext(draft);
      useHostNamespaces(draft);
      return;
    }
    if (draft.style === "podCopy") trimCopy(draft);
    addCapabilities(draft, "SYS_PTRACE");
    if (draft.style === "podCopy") shareProcesses(draft);
  },
  baseline(draft) {
    clearSecurityContext(draft);
    if (draft.style === "podCopy") {
      trimCopy(draft);
      shareProcesses(draft);
    }
  },
  restricted(draft) {
    clearSecurityContext(draft);
    for (const context of securityContexts(draft)) {
      Object.assign(context, {
        runAsNonRoot: true,
        capabilities: { drop: ["ALL"] },
        allowPrivilegeEscalation: false,
        seccompProfile: { type: "RuntimeDefault" },
      });
    }
    if (draft.style === "podCopy") {
      trimCopy(draft);
      shareProcesses(draft);
    }
  },
  netadmin(draft) {
    addCapabilities(draft, "NET_ADMIN", "NET_RAW");
    if (draft.style === "node") useHostNamespaces(draft);
    if (draft.style === "podCopy") {
      trimCopy(draft);
      shareProcesses(draft);
    }
  },
  sysadmin(draft) {
    for (const context of securityContexts(draft)) context["privileged"] = true;
    if (draft.style === "node") {
      useHostNamespaces(draft);
      mountRoot(draft);
    }
    if (draft.style === "podCopy") {
      trimCopy(draft);
      shareProcesses(draft);
    }
  },
};

/** Throws for a name that is no profile. */
export function debugProfile(name: string): Profile {
  const profile = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined;
  if (profile === undefined) throw new Error(`unknown profile: ${name}`);
  return profile;
}

const ROOT_VOLUME = "host-root";

/** The root of the node's file system at /host. */
function mountRoot({ pod, container }: DebugDraft): void {
  const spec = ensureChild(pod, "spec");
  spec["volumes"] = [...list(spec["volumes"]), { name: ROOT_VOLUME, hostPath: { path: "/" } }];
  const [mounting] = children(spec, "containers").filter(({ name }) => name === container);
  if (mounting === undefined) return;
  mounting["volumeMounts"] = [...list(mounting["volumeMounts"]), { name: ROOT_VOLUME, mountPath: "/host" }];
}

function useHostNamespaces({ pod }: DebugDraft): void {
  Object.assign(ensureChild(pod, "spec"), { hostNetwork: true, hostPID: true, hostIPC: true });
}

/** Unless the pod says otherwise. */
function shareProcesses({ pod }: DebugDraft): void {
  ensureChild(pod, "spec")["shareProcessNamespace"] ??= true;
}

/** Takes away what a copy does not keep, so that no service and no controller takes it for the original. */
function trimCopy({ pod, keep }: DebugDraft): void {
  const metadata = ensureChild(pod, "metadata");
  if (!keep.labels) delete metadata["labels"];
  if (!keep.annotations) delete metadata["annotations"];
  const spec = ensureChild(pod, "spec");
  for (const container of children(spec, "containers")) {
    if (!keep.liveness) delete container["livenessProbe"];
    if (!keep.readiness) delete container["readinessProbe"];
    if (!keep.startup) delete container["startupProbe"];
  }
  if (!keep.initContainers) delete spec["initContainers"];
}

/** The debug container; in a copy it may be one of the pod's own. */
function debugged({ pod, container }: DebugDraft): readonly Fields[] {
  const spec = ensureChild(pod, "spec");
  const all = ["initContainers", "containers", "ephemeralContainers"].flatMap((field) => children(spec, field));
  return all.filter(({ name }) => name === container).slice(0, 1);
}

function clearSecurityContext(draft: DebugDraft): void {
  for (const container of debugged(draft)) delete container["securityContext"];
}

const securityContexts = (draft: DebugDraft): readonly Fields[] =>
  debugged(draft).map((container) => ensureChild(container, "securityContext"));

function addCapabilities(draft: DebugDraft, ...names: readonly string[]): void {
  for (const context of securityContexts(draft)) {
    const capabilities = ensureChild(context, "capabilities");
    capabilities["add"] = [...list(capabilities["add"]), ...names];
  }
}

/**
 * Whether the privileges or capabilities of a debug container may have no effect, because its pod runs as a user other than root and the
 * container itself does not run as root.
 */
export function isHamperedByUser(pod: Fields, container: Fields | undefined): boolean {
  if (container === undefined) return false;
  const podUser = object(object(pod["spec"])["securityContext"])["runAsUser"];
  if (podUser === undefined || podUser === null || podUser === 0) return false;
  const { runAsUser, privileged, capabilities } = object(container["securityContext"]);
  if (runAsUser === 0) return false;
  return privileged === true || list(object(capabilities).add).length > 0;
}

/** Merges --custom into the container `name` of a list of the pod's spec. Throws where the list has no such container. */
export type ApplyCustomProfile = (
  pod: Fields,
  field: "containers" | "ephemeralContainers",
  name: string,
  custom: ReadonlyFields | undefined,
) => void;

export interface CustomProfile {
  readonly container: ReadonlyFields;
  /** Throws for fields that a profile may not change. */
  readonly check: () => void;
}

/** Parses a file with a container in JSON or YAML. Throws where it holds something else. */
export async function parseCustomProfile(file: string, content: string, kinds: TypedKinds): Promise<CustomProfile> {
  try {
    const container = asContainer(await parse(content), kinds);
    return { container, check: () => checkFields(container) };
  } catch (error) {
    throw new Error(`${file} does not contain a valid container spec: ${(error as Error).message}`, { cause: error });
  }
}

function checkFields({ name, command, image, lifecycle, volumeDevices }: ReadonlyFields): void {
  const fixed = text(name) !== "" || text(image) !== "" || lifecycle !== undefined;
  if (fixed || list(command).length > 0 || list(volumeDevices).length > 0) {
    throw new Error("name, command, image, lifecycle and volume devices are not modifiable via custom profile");
  }
}

/** JSON, or the first document of YAML. A file without a document is an object without fields, and so is null. */
async function parse(content: string): Promise<JsonValue> {
  try {
    return decodeJson(content).value;
  } catch {
    const { parseYaml } = await import("../../machinery/text/yaml/read.js");
    return parseYaml(content);
  }
}

/** As Go's type holds it. */
function asContainer(value: JsonValue, kinds: TypedKinds): ReadonlyFields {
  try {
    decodeObject(value, containerSchema(kinds), { mode: "Ignore" });
    const pod = { apiVersion: "v1", kind: "Pod", spec: { containers: [value ?? {}] } };
    const [read = {}] = objects(object(readTyped(pod, kinds).spec).containers);
    return read;
  } catch (error) {
    throw new Error(`error unmarshaling JSON: while decoding JSON: ${(error as Error).message}`, { cause: error });
  }
}

function containerSchema(kinds: TypedKinds): StructSchema {
  const spec = kinds.schema({ apiVersion: "v1", kind: "Pod" }).byName.get("spec")?.schema;
  const containers = spec?.type === "struct" ? spec.byName.get("containers")?.schema : undefined;
  if (containers?.type !== "list" || containers.items.type !== "struct") throw new Error("a pod has no containers");
  return containers.items;
}

/** Makes the function that applies a custom profile by a strategic merge, as the server does. */
export async function customProfileMerger(): Promise<ApplyCustomProfile> {
  const schema = await builtInPatchSchema({ group: "", version: "v1", kind: "Pod" });
  return (pod, field, name, custom) => {
    if (custom === undefined) return;
    const spec = ensureChild(pod, "spec");
    if (!objects(spec[field]).some((container) => container.name === name)) {
      throw new Error(`unable to find the ${name} container in the pod ${text(object(pod["metadata"]).name)}`);
    }
    spec[field] = objects(spec[field]).map((container) => {
      if (container.name !== name) return container;
      // An ephemeral container has a container's fields, and its list may not be merged as the list of containers is.
      const original = { spec: { containers: [container] } } as JsonObject;
      const patch = { spec: { containers: [{ ...custom, name }] } } as JsonObject;
      return objects(object(strategicMergePatch(original, patch, schema)["spec"]).containers)[0];
    });
  };
}
