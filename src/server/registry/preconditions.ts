import { invalidValue } from "../../machinery/errors/field-error.js";
import { conflict, invalid } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ValidDeleteOptions } from "./resource.js";
import { assign, metadataOf } from "./metadata.js";
import type { StoreConfig } from "./store-config.js";

const OPTIMISTIC_LOCK_MESSAGE =
  "the object has been modified; please apply your changes to the latest version and try again";

/** Throws a Conflict unless the given resourceVersion is the current one. The strategy decides whether an update may omit it. */
export function checkVersion(config: StoreConfig, name: string, draft: KubeObject, old: KubeObject): void {
  const given = draft.metadata?.resourceVersion ?? "";
  if (given === "" || given === "0") {
    if (config.strategy.allowUnconditionalUpdate) {
      assign(metadataOf(draft), "resourceVersion", old.metadata?.resourceVersion);
      return;
    }
    const { group, resource } = config;
    const problem = invalidValue("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid({ group, kind: resource }, name, [problem]);
  }
  if (given !== old.metadata?.resourceVersion) throw conflict(config, name, OPTIMISTIC_LOCK_MESSAGE);
}

/** Throws a Conflict where the preconditions of a deletion name another uid or resourceVersion. */
export function checkPreconditions(
  config: StoreConfig,
  name: string,
  object: KubeObject,
  { preconditions }: ValidDeleteOptions,
): void {
  const { uid, resourceVersion } = object.metadata ?? {};
  // Namespaces word a failed precondition in their own way.
  if (config.strategy.holdsDeletion !== undefined) return checkHeldPreconditions(config, name, object, preconditions);
  const gr = { group: config.group, resource: config.kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    const text = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(gr, name, text);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const text = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(gr, name, text);
  }
}

function checkHeldPreconditions(
  config: StoreConfig,
  name: string,
  { metadata = {} }: KubeObject,
  wanted: ValidDeleteOptions["preconditions"],
): void {
  // K37-123: apiextensions of Kubernetes 1.37 begins with a small letter.
  const isOfDefinition = config.group === "apiextensions.k8s.io" && config.release.atLeast("1.37");
  const failed = isOfDefinition ? "precondition failed" : "Precondition failed";
  const fail = (what: string, given: string, found = ""): never => {
    const text = `${failed}: ${what} in precondition: ${given}, ${what} in object meta: ${found}`;
    throw conflict(config, name, text);
  };
  if (wanted?.uid !== undefined && wanted.uid !== metadata.uid) fail("UID", wanted.uid, metadata.uid);
  if (wanted?.resourceVersion !== undefined && wanted.resourceVersion !== metadata.resourceVersion) {
    fail("ResourceVersion", wanted.resourceVersion, metadata.resourceVersion);
  }
}
