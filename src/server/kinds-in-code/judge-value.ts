import { systemClock } from "../../base/time/clock.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type FieldError, fieldErrorBody } from "../../machinery/errors/field-error.js";
import { applyDefaults, removeNulls } from "../../machinery/structural/apply-defaults.js";
import { prune } from "../../machinery/structural/pruning.js";
import { type StructuralSchema, structuralSchemaOf } from "../../machinery/structural/structural-schema.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { CustomScale } from "../extensions/custom-scale.js";
import { ObjectJudge } from "../extensions/object-judge.js";
import type { DeclaredVersion, KindDeclaration } from "./declaration.js";
import type { StandardIssue, StandardResult } from "./standard-schema.js";

interface VersionJudge {
  readonly schema: StructuralSchema;
  readonly judge: ObjectJudge;
}

/** Made by the first value of each version. */
const made = new WeakMap<DeclaredVersion, VersionJudge>();

/** What judges objects of a version by its schema and its rules. */
export function judgeOf(version: DeclaredVersion): VersionJudge {
  let found = made.get(version);
  if (found === undefined) {
    const schema = structuralSchemaOf(version.openApi);
    found = { schema, judge: new ObjectJudge(schema, version.scale && new CustomScale({ ...version.scale })) };
    made.set(version, found);
  }
  return found;
}

/**
 * Judges a value as an object of the kind: unknown fields are issues, defaults are filled in, then schema and rules decide. Metadata is not
 * judged. The value itself is not changed.
 */
export async function judgeValue(declaration: KindDeclaration, value: unknown): Promise<StandardResult<KubeObject>> {
  if (!isJsonObject(value)) return { issues: [{ message: "Invalid value: an object is needed", path: [] }] };
  const object = decodeJson(encodeJson(value)).value as JsonObject;
  const { group, kind, versions } = declaration;
  const version = versions.find(({ name }) => object["apiVersion"] === formatGroupVersion({ group, version: name }));
  if (version === undefined || object["kind"] !== kind) return { issues: [headIssue(declaration, version)] };
  const { schema, judge } = judgeOf(version);
  removeNulls(object, schema);
  const unknown = prune(object, schema, { isResourceRoot: true }).map(unknownField);
  applyDefaults(object, schema);
  const draft = object as unknown as KubeObject;
  version.applyDefaults?.(draft, systemClock.now());
  const errors = await judge.judge(draft, undefined, () => {}, { isStatus: false });
  const issues = [...unknown, ...errors.map(issueOf)];
  return issues.length > 0 ? { issues } : { value: draft };
}

function headIssue({ group, kind, versions }: KindDeclaration, found: DeclaredVersion | undefined): StandardIssue {
  if (found !== undefined) return { message: `Invalid value: the kind is ${kind}`, path: ["kind"] };
  const known = versions.map(({ name: version }) => formatGroupVersion({ group, version }));
  return {
    message: `Unsupported value: supported values: ${known.map((one) => `"${one}"`).join(", ")}`,
    path: ["apiVersion"],
  };
}

const unknownField = (path: string): StandardIssue => ({ message: "unknown field", path: segmentsOf(path) });

const issueOf = (error: FieldError): StandardIssue => ({
  message: fieldErrorBody(error),
  path: segmentsOf(error.field),
});

/** "spec.ports[0].name" as its names and indices; a key of a map in brackets is a name. */
function segmentsOf(path: string): (string | number)[] {
  if (path === "" || path === "<nil>") return [];
  return path
    .split(/[.[]/)
    .filter((part) => part !== "")
    .map((part) => {
      if (!part.endsWith("]")) return part;
      const key = part.slice(0, -1);
      return /^\d+$/.test(key) ? Number(key) : key;
    });
}
