import { withMistyped } from "../../base/text/mistyped.js";
import { podTemplateOf } from "../../polymorphic-helpers/pod-template.js";
import { child, children, ensureChild, type Fields, text } from "../../machinery/meta/access.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** Returns the pod spec in an object, which the caller may change. Throws for a kind that has none. */
export function podSpecOf(object: KubeObject): Fields {
  const { group, version } = parseGroupVersion(object.apiVersion ?? "");
  const { kind = "" } = object;
  // All types but this one have their template from the start.
  if (kind === "ReplicationController" && group === "") {
    ensureChild(ensureChild(object, "spec"), "template");
  }
  const template = kind === "PodTemplate" ? undefined : podTemplateOf({ group, kind }, object);
  if (template === undefined) {
    throw new Error(`the object is not a pod or does not have a pod template: *${version}.${kind}`);
  }
  return child(template, "spec") ?? ensureChild(template, "spec");
}

/** Selects the containers whose names match. */
export function selectContainers(spec: Fields, pattern: string): readonly Fields[] {
  return [...children(spec, "containers"), ...children(spec, "initContainers")].filter(({ name }) =>
    fits(typeof name === "string" ? name : "", pattern),
  );
}

/** Makes kubectl's error for an unknown container; `shown` is the name as kubectl prints it. */
export function noContainerNamed(containers: readonly Fields[], typed: string, shown = typed): Error {
  const error = new Error(`error: unable to find container named ${shown}`);
  return withMistyped(error, () => ({ typed, known: containers.map(({ name }) => text(name)) }));
}

/**
 * Whether a name matches a pattern with `*`, as kubectl's own matching has it: "*" matches all, a pattern must end where the name
 * does, and its first part may match anywhere.
 */
export function fits(name: string, pattern: string): boolean {
  if (pattern === "*") return true;
  if (!pattern.includes("*")) return name === pattern;
  let position = 0;
  const parts = pattern.split("*");
  for (const [index, part] of parts.entries()) {
    if (part === "") continue;
    const next = name.slice(position).indexOf(part);
    if (next < position || (index === 0 && position !== 0)) return false;
    if (index === parts.length - 1 && name.length !== part.length + next) return false;
    position = next;
  }
  return true;
}
