import type { FieldsOf } from "../../machinery/meta/received.js";
import type { CustomResourceSubresourceScale } from "../../api/types/apiextensions/v1.js";
import { type FieldError, invalidValue } from "../../machinery/errors/field-error.js";
import { absent, isFields, text } from "../../machinery/meta/access.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { formatGo, goTypeOf } from "../../machinery/patch/json-values.js";
import type { ScaleMapping } from "../registry/strategy.js";
import { setKey } from "../../machinery/wire/json/own-keys.js";

const MAX_REPLICAS = 2 ** 31 - 1;

/** The scale subresource of a version, as the definition describes it. Source: apiextensions' ScaleREST and customResourceValidator. */
export class CustomScale implements ScaleMapping {
  readonly replicasPath: string;
  readonly #statusPath: string;
  readonly #selectorPath: string | undefined;

  constructor(scale: FieldsOf<CustomResourceSubresourceScale>) {
    this.replicasPath = text(scale.specReplicasPath);
    this.#statusPath = text(scale.statusReplicasPath);
    this.#selectorPath = absent(scale.labelSelectorPath) ? undefined : text(scale.labelSelectorPath);
  }

  replicas(object: KubeObject): number | undefined {
    return numberAt(object, this.replicasPath);
  }

  statusReplicas(object: KubeObject): number {
    return numberAt(object, this.#statusPath) ?? 0;
  }

  selector(object: KubeObject): string {
    return this.#selectorPath === undefined ? "" : text(fieldAt(object, this.#selectorPath));
  }

  setReplicas(draft: KubeObject, replicas: number): void {
    setFieldAt(draft, this.replicasPath, replicas);
  }

  /** What keeps an object from being scaled. Of a write of the status only what it can have changed. */
  problems(object: KubeObject, isStatus: boolean): readonly FieldError[] {
    return [
      ...(isStatus ? [] : replicasProblems(object, this.replicasPath)),
      ...replicasProblems(object, this.#statusPath),
      ...(this.#selectorPath === undefined ? [] : selectorProblems(object, this.#selectorPath)),
    ];
  }
}

function numberAt(object: KubeObject, path: string): number | undefined {
  const value = fieldAt(object, path);
  return typeof value === "number" ? value : undefined;
}

function replicasProblems(object: KubeObject, path: string): readonly FieldError[] {
  const problem = accessProblem(object, path, "int64");
  if (problem !== undefined) return [invalidValue(path, 0, problem)];
  const value = numberAt(object, path) ?? 0;
  if (value < 0) return [invalidValue(path, value, "should be a non-negative integer")];
  if (value > MAX_REPLICAS) return [invalidValue(path, value, `should be less than or equal to ${MAX_REPLICAS}`)];
  return [];
}

function selectorProblems(object: KubeObject, path: string): readonly FieldError[] {
  const problem = accessProblem(object, path, "string");
  return problem === undefined ? [] : [invalidValue(path, "", problem)];
}

/** Why what is at a path is not of a type; undefined where it is, and where nothing is. */
function accessProblem(object: KubeObject, path: string, wanted: "int64" | "string"): string | undefined {
  const names = path.split(".").filter((name) => name !== "");
  const wrong = (value: unknown, depth: number, type: string): string => {
    const shown = value as JsonValue;
    const goType = shown === null ? "<nil>" : goTypeOf(shown);
    return `.${names.slice(0, depth).join(".")} accessor error: ${formatGo(shown)} is of the type ${goType}, expected ${type}`;
  };
  let value: unknown = object;
  for (const [depth, name] of names.entries()) {
    if (value === null) return undefined;
    if (!isFields(value)) return wrong(value, depth + 1, "map[string]interface{}");
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  const isWanted = wanted === "string" ? typeof value === "string" : Number.isInteger(value);
  return isWanted ? undefined : wrong(value, names.length, wanted);
}

/** The value at a simple path (".spec.replicas"); undefined where the object lacks it. */
export function fieldAt(object: unknown, path: string): unknown {
  let value = object;
  for (const name of namesIn(path)) {
    if (!isFields(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Sets the value at a simple path, and creates the missing objects along it. */
export function setFieldAt(draft: Record<string, unknown>, path: string, value: unknown): void {
  const names = namesIn(path);
  const last = names.pop();
  if (last === undefined) return;
  let holder = draft;
  for (const name of names) {
    const next = Object.hasOwn(holder, name) ? holder[name] : undefined;
    const own: Record<string, unknown> = isFields(next) ? { ...next } : {};
    setKey(holder, name, own);
    holder = own;
  }
  setKey(holder, last, value);
}

const namesIn = (path: string): string[] => path.split(".").filter((name) => name !== "");
