import { parseLabelSelector } from "../machinery/selectors/parse-label-selector.js";
import { wholePattern } from "../machinery/text/go/go-pattern.js";
import { effectiveNamespace, type Gvk } from "./id.js";
import type { Selector } from "./kustomization.js";
import type { Resource } from "./resource.js";

/** Matches ids and kinds against the patterns of a selector; an empty pattern matches everything. */
export interface SelectorPatterns {
  matchesGvk(gvk: Gvk): boolean;
  matchesName(name: string): boolean;
  matchesNamespace(namespace: string): boolean;
}

export function selectorPatterns(selector: Selector): SelectorPatterns {
  const matcher = (pattern = ""): ((text: string) => boolean) => {
    const whole = wholePattern(pattern);
    return (text) => pattern === "" || whole.test(text);
  };
  const [group, version, kind] = [matcher(selector.group), matcher(selector.version), matcher(selector.kind)];
  return {
    matchesGvk: (gvk) => group(gvk.group) && version(gvk.version) && kind(gvk.kind),
    matchesName: matcher(selector.name),
    matchesNamespace: matcher(selector.namespace),
  };
}

/** Finds the objects that a selector selects, by their first or their current name and namespace. */
export function select(resources: readonly Resource[], selector: Selector): readonly Resource[] {
  const patterns = selectorPatterns(selector);
  return resources.filter((resource) => {
    const { id, originalId } = resource;
    return (
      (patterns.matchesNamespace(effectiveNamespace(originalId)) ||
        patterns.matchesNamespace(effectiveNamespace(id))) &&
      (patterns.matchesName(originalId.name) || patterns.matchesName(id.name)) &&
      patterns.matchesGvk(resource.gvk) &&
      parseLabelSelector(selector.labelSelector ?? "").matches(resource.labels) &&
      parseLabelSelector(selector.annotationSelector ?? "").matches(resource.annotations)
    );
  });
}

/** The text of a selector in errors. */
export const selectorText = ({
  group = "",
  version = "",
  kind = "",
  name = "",
  namespace = "",
  ...more
}: Selector): string => {
  const or = (text: string, none: string): string => (text === "" ? none : text);
  const id = `${or(kind, "[noKind]")}.${or(version, "[noVer]")}.${or(group, "[noGrp]")}/${or(name, "[noName]")}.${or(namespace, "[noNs]")}`;
  return `${id}:a=${more.annotationSelector ?? ""}:l=${more.labelSelector ?? ""}`;
};
