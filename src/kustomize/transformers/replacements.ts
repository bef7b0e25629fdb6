import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";
import { splitDottedPath, wrap } from "../field-spec.js";
import { lookup } from "../fields.js";
import { decodeYaml, parseNode } from "../nodes/read-nodes.js";
import { listOf } from "../go-struct.js";
import { idText, isSelected, type ResId, sameNamespace } from "../id.js";
import type { FieldOptions, Replacement, Selector } from "../kustomization.js";
import { replacementShape } from "../kustomization-shape.js";
import type { Loader } from "../loader.js";
import { isNilOrEmpty, type Node, scalarNode, valueOf, type NodeKind } from "../nodes/node.js";
import { matchPath } from "../path-matcher.js";
import type { Resource } from "../resource.js";
import type { ResourceList } from "../resource-list.js";
import { selectorPatterns } from "../select.js";
import type { Transform } from "./patches.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { nodeText } from "../nodes/node-text.js";
import { toValue } from "../value.js";

const DEFAULT_PATH = "metadata.name";

/** The entries of `replacements`, some of which may be in files. */
export async function replacementTransform(
  entries: readonly (Replacement & { readonly path?: string })[],
  loader: Loader,
): Promise<Transform> {
  const replacements: Replacement[] = [];
  for (const { path = "", ...inline } of entries) {
    if (path === "") {
      replacements.push(inline);
      continue;
    }
    if (inline.source !== undefined || (inline.targets ?? []).length > 0) {
      throw new Error("cannot specify both path and inline replacement");
    }
    replacements.push(...readReplacements(await loader.load(path)));
  }
  return (list) => {
    for (const replacement of replacements) replace(list, replacement);
  };
}

function readReplacements(text: string): readonly Replacement[] {
  const value = parseYaml(text);
  if (Array.isArray(value)) return decodeYaml<readonly Replacement[]>(text, listOf(replacementShape));
  if (value === null || typeof value !== "object") {
    const kind =
      value === null
        ? "invalid"
        : typeof value === "boolean"
          ? "bool"
          : typeof value === "string"
            ? "string"
            : "float64";
    throw new Error(`unsupported replacement type encountered within replacement path: ${kind}`);
  }
  return [decodeYaml<Replacement>(text, replacementShape)];
}

function replace(list: ResourceList, { source, sourceValue, targets }: Replacement): void {
  if ((source === undefined && sourceValue === undefined) || targets === undefined) {
    throw new Error("replacements must specify a source and at least one target");
  }
  if (source !== undefined && sourceValue !== undefined) {
    throw new Error("value and resource selectors are mutually exclusive");
  }
  const value = source === undefined ? scalarNode(sourceValue ?? "") : valueFrom(list, source);
  for (const target of targets) applyTo(list, value, target);
}

type Source = NonNullable<Replacement["source"]>;
type Target = NonNullable<Replacement["targets"]>[number];

const sourceId = ({ group = "", version = "", kind = "", name = "", namespace = "" }: Source): ResId => ({
  group,
  version,
  kind,
  name,
  namespace,
  clusterScoped: false,
});

function valueFrom(list: ResourceList, source: Source): Node {
  const wanted = sourceId(source);
  const found = list.resources.filter((resource) =>
    idsOf(resource).some(
      (id) =>
        (wanted.name === "" || wanted.name === id.name) &&
        (wanted.namespace === "" || sameNamespace(wanted, id)) &&
        isSelected(id, wanted),
    ),
  );
  if (found.length > 1) throw new Error(`multiple matches for selector ${sourceText(source)}`);
  const [resource] = found;
  if (resource === undefined) throw new Error(`nothing selected by ${sourceText(source)}`);
  const path = (source.fieldPath ?? "") === "" ? DEFAULT_PATH : (source.fieldPath ?? "");
  let value: Node | undefined;
  try {
    value = lookup(resource.node, splitDottedPath(path));
  } catch (error) {
    throw wrap(error, "error looking up replacement source");
  }
  if (value === undefined || isNilOrEmpty(value)) {
    throw new Error(`fieldPath \`${path}\` is missing for replacement source ${idText(wanted)}`);
  }
  return partOf(value, source.options);
}

function partOf(value: Node, { delimiter = "", index = 0 }: FieldOptions = {}): Node {
  if (delimiter === "") return value;
  if (value.kind !== "scalar") throw new Error("delimiter option can only be used with scalar nodes");
  const part = index < 0 ? undefined : valueOf(value).split(delimiter)[index];
  if (part === undefined) throw new Error(`options.index ${index} is out of bounds for value ${valueOf(value)}`);
  const copy = value.copy();
  copy.value = part;
  return copy;
}

function sourceText(source: Source): string {
  const { fieldPath = "", options } = source;
  const { delimiter = "", index = 0, create = false } = options ?? {};
  const shown = delimiter === "" && !create ? "" : `${delimiter}(${index}), create=${create}`;
  return [idText(sourceId(source)), fieldPath, shown].filter((part) => part !== "").join(":");
}

/** As they are now and were before; what kinds have no namespace is not looked up. */
const idsOf = (resource: Resource): readonly ResId[] => [
  { ...resource.id, clusterScoped: false },
  ...resource.previousIds,
];

function applyTo(list: ResourceList, value: Node, target: Target): void {
  const { select, reject = [], options } = target;
  if (select === undefined) throw new Error("target must specify resources to select");
  const paths = (target.fieldPaths ?? []).length === 0 ? [DEFAULT_PATH] : (target.fieldPaths ?? []);
  const [selected, ...rejected] = readPatterns([select, ...reject]);
  for (const resource of list.resources) {
    const ids = idsOf(resource);
    if (!agreesWithLabels(resource, select)) continue;
    const isRejected = reject.some((selector) => hasLabels(selector) && agreesWithLabels(resource, selector));
    if (isRejected) continue;
    if (rejected.some((patterns, index) => namesSomething(reject[index] ?? {}) && ids.some(agrees(patterns)))) continue;
    if (selected === undefined || !ids.some(agrees(selected))) continue;
    for (const path of paths) setAt(resource, path, value, options);
  }
}

function readPatterns(selectors: readonly Selector[]): readonly ReturnType<typeof selectorPatterns>[] {
  try {
    return selectors.map(selectorPatterns);
  } catch (error) {
    throw wrap(error, "error creating target selector");
  }
}

const agrees =
  (patterns: ReturnType<typeof selectorPatterns>) =>
  (id: ResId): boolean =>
    patterns.matchesGvk(id) && patterns.matchesName(id.name) && patterns.matchesNamespace(id.namespace);

const hasLabels = ({ annotationSelector = "", labelSelector = "" }: Selector): boolean =>
  annotationSelector !== "" || labelSelector !== "";

const namesSomething = ({ group, version, kind, name, namespace }: Selector): boolean =>
  [group, version, kind, name, namespace].some((part) => part !== undefined && part !== "");

const agreesWithLabels = (resource: Resource, { annotationSelector = "", labelSelector = "" }: Selector): boolean =>
  parseLabelSelector(annotationSelector).matches(resource.annotations) &&
  parseLabelSelector(labelSelector).matches(resource.labels);

function setAt(resource: Resource, path: string, value: Node, options: FieldOptions | undefined): void {
  const create = options?.create === true ? value.kind : undefined;
  const parts = splitDottedPath(path);
  if (setInStructuredText(resource.node, parts, value, create)) return;
  const problem =
    create === undefined
      ? `unable to find field "${path}" in replacement target`
      : `unable to find or create field "${path}" in replacement target`;
  let found: readonly Node[] | undefined;
  try {
    found = matchPath(resource.node, parts, create);
  } catch (error) {
    throw wrap(error, problem);
  }
  if (found === undefined || found.length === 0) throw new Error(problem);
  for (const field of found) setValue(field, value, options);
}

function setValue(target: Node, given: Node, { delimiter = "", index = 0 }: FieldOptions = {}): void {
  const value = given.copy();
  if (delimiter !== "") {
    if (target.kind !== "scalar") throw new Error("delimiter option can only be used with scalar nodes");
    const parts = target.value.split(delimiter);
    const part = valueOf(value);
    if (index < 0) parts.unshift(part);
    else if (index >= parts.length) parts.push(part);
    else parts[index] = part;
    value.value = parts.join(delimiter);
  }
  if (target.kind === "scalar") target.value = value.value;
  else target.become(value);
}

/**
 * Where a path goes on into a text that is itself YAML or JSON, the value is set in there and the text written anew. False when
 * the path leads into no such text or nowhere in it; then nothing has changed.
 */
function setInStructuredText(
  object: Node | undefined,
  path: readonly string[],
  value: Node,
  create: NodeKind | undefined,
): boolean {
  const found = structuredText(object, path);
  if (found === undefined) return false;
  const { holder, document, rest } = found;
  const fields = attempt(() => matchPath(document, rest, create));
  if (fields === undefined || fields.length === 0) return false;
  const text = holder.value;
  if (text.trim() === "") return false;
  for (const field of fields) {
    if (field.kind === "scalar") field.value = value.value;
    else field.become(value);
  }
  holder.value = /^\s*[{[]/.test(text) ? asJson(document, text) : nodeText(document).trim();
  return true;
}

interface StructuredText {
  readonly holder: Node;
  readonly document: Node;
  readonly rest: readonly string[];
}

function structuredText(object: Node | undefined, path: readonly string[]): StructuredText | undefined {
  for (let length = 1; length < path.length; length++) {
    const holder = attempt(() => lookup(object, path.slice(0, length)));
    if (holder?.kind !== "scalar") continue;
    const document = attempt(() => parseNode(holder.value));
    if (document !== undefined) return { holder, document, rest: path.slice(length) };
  }
  return undefined;
}

/** On several lines when it was. */
function asJson(document: Node, text: string): string {
  const value = toValue(document);
  const indent = text.includes("\n") && text.includes("  ") ? 2 : 0;
  return encodeJson(value, { sortKeys: true, indent });
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
