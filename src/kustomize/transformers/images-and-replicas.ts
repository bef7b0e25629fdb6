import { type FieldSpec, setFields } from "../field-spec.js";
import { setScalar, elements, field, requireKind } from "../fields.js";
import { gvkText, isSelected } from "../id.js";
import { Node, isMissingOrNull, scalarNode } from "../nodes/node.js";
import type { ResourceList } from "../resource-list.js";
import { goPattern } from "../../machinery/text/go/go-pattern.js";
import type { ImageEntry } from "../kustomization.js";

/** Sets the number of replicas of the objects with a name; throws when none of them has a kind with replicas. */
export function setReplicas(
  list: ResourceList,
  name: string,
  count: number | bigint,
  specs: readonly FieldSpec[],
): void {
  let found = false;
  for (const spec of specs) {
    for (const { node } of list.withAnyId((id) => id.name === name && isSelected(id, spec))) {
      found = true;
      if (node === undefined) continue;
      setFields(node, spec, {
        set: (replicas) => setScalar(replicas, new Node("scalar", "!!int", String(count))),
        create: { kind: "scalar", tag: "!!int" },
      });
    }
  }
  if (!found) {
    const kinds = specs.map(gvkText).join(" ");
    throw new Error(`resource with name ${name} does not match a config with the following GVK [${kinds}]`);
  }
}

/**
 * Changes the names, tags and digests of images in every list of containers and in the fields of the specs.
 * CustomResourceDefinitions stay as they are.
 */
export function setImages(list: ResourceList, image: ImageEntry, specs: readonly FieldSpec[]): void {
  const pattern = goPattern(`^${image.name ?? ""}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`);
  const set = (node: Node): void => setImage(node, image, pattern);
  for (const { node, kind } of list.resources) {
    if (node !== undefined && kind !== "CustomResourceDefinition") visitContainers(node, set);
  }
  for (const { node, kind } of list.resources) {
    if (node === undefined || kind === "CustomResourceDefinition") continue;
    for (const spec of specs) setFields(node, spec, { set });
  }
}

function visitContainers(node: Node, set: (image: Node) => void): void {
  for (const item of node.items) visitContainers(item, set);
  for (const [key, value] of node.pairs) {
    visitContainers(value, set);
    if ((key.value !== "containers" && key.value !== "initContainers") || value.kind !== "sequence") continue;
    for (const container of elements(value)) {
      const image = field(container, "image");
      if (image !== undefined) set(image);
    }
  }
}

function setImage(node: Node, image: ImageEntry, pattern: RegExp): void {
  requireKind(node, "scalar");
  if (isMissingOrNull(node) || !pattern.test(node.value)) return;
  const { newName = "", newTag = "", digest: newDigest = "", tagSuffix = "" } = image;
  const { name, tag, digest } = splitImage(node.value);
  let [wantedTag, wantedDigest] = [tag, digest];
  if (newTag !== "" || newDigest !== "") [wantedTag, wantedDigest] = [newTag, newDigest];
  else if (tagSuffix !== "") [wantedTag, wantedDigest] = [`${tag}${tagSuffix}`, ""];
  const whole = [
    newName === "" ? name : newName,
    wantedTag === "" ? "" : `:${wantedTag}`,
    wantedDigest === "" ? "" : `@${wantedDigest}`,
  ];
  setScalar(node, scalarNode(whole.join("")));
}

function splitImage(image: string): { readonly name: string; readonly tag: string; readonly digest: string } {
  const slash = Math.max(image.indexOf("/"), 0);
  const at = image.indexOf("@", slash);
  const colon = image.indexOf(":", slash);
  if (at >= 0 && (colon < 0 || at < colon)) return { name: image.slice(0, at), tag: "", digest: image.slice(at + 1) };
  if (colon < 0) return { name: image, tag: "", digest: "" };
  const end = at < 0 ? image.length : at;
  return { name: image.slice(0, colon), tag: image.slice(colon + 1, end), digest: image.slice(end + 1) };
}
