import type { FieldsOf } from "../../machinery/meta/received.js";
import { atOnce, type Steps } from "../../base/async/steps.js";
import { inSlices } from "../../base/async/time-slice.js";
import { type FieldError, firstErrors, made } from "../../machinery/errors/field-error.js";
import { invalid } from "../../machinery/errors/status-error.js";
import { type JsonValue, isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import { deepCopy, deepEqual } from "../../machinery/patch/json-values.js";
import {
  assign,
  clearSystemMetadata,
  fillSystemMetadata,
  matchNamespace,
  metadataOf,
  restoreSystemMetadata,
  validateMetadata,
  validateMetadataUpdate,
  validateNameSegment,
} from "./metadata.js";
import type { AdmitChange, AdmitCreate, UpdateOptions } from "./resource.js";
import type { RequestScope } from "./scope.js";
import { namespaceOf, type StoreConfig } from "./store-config.js";
import { checkVersion } from "./preconditions.js";
import type { StrategyContext, SubresourceStrategy } from "./strategy.js";
import type { WriteSteps } from "./write-transaction.js";
import { Pace } from "../../base/time/pace.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";

/** The parts that the steps of a write use. */
export interface DraftParts {
  readonly config: StoreConfig;
  readonly scope: RequestScope;
  readonly draft: KubeObject;
  readonly context: StrategyContext;
}

/** Turns a draft into the object that a create stores. `requestName` is the name in the request's path, "" for a POST. */
export function newObjectSteps(parts: DraftParts, admit: AdmitCreate, requestName: string): WriteSteps {
  const { config, scope, draft, context } = parts;
  const { strategy } = config;
  return {
    async mutate() {
      matchNamespace(draft, namespaceOf(config, scope));
      if (admit.mutate !== undefined) {
        clearSystemMetadata(draft);
        await admit.mutate(draft);
        matchNamespace(draft, namespaceOf(config, scope));
      }
      await strategy.authorize?.(draft, undefined, context, requestName);
    },
    async complete() {
      fillSystemMetadata(draft, context.now, context.random);
      await scope.pause?.(scope.token);
      if (strategy.hasGeneration) metadataOf(draft).generation = 1;
      if (config.hasStatus && !strategy.keepsStatusOnCreate) delete draft["status"];
      strategy.prepareForCreate?.(draft, context);
      strategy.applyDefaults?.(draft, context.now);
      await scope.pause?.(scope.token);
    },
    allocate: async () => (await strategy.allocate?.(draft, undefined, context)) ?? undefined,
    async validate() {
      const found = (await strategy.beforeValidation?.(draft, undefined, context)) ?? [];
      const rule = (name: string) => strategy.validateName(name, context.gates);
      const ofMetadata = () => validateMetadata(draft, config.namespaced, rule);
      const isTogether = strategy.validatesMetadata !== false;
      const ofHooks = firstErrors(() => [
        ...found.map(made),
        ...(isTogether ? ofMetadata() : []),
        ...(strategy.validate?.(draft, context) ?? []),
      ]);
      const problems = isTogether || ofHooks.length > 0 ? ofHooks : firstErrors(ofMetadata);
      throwInvalid(config, draft, problems.length > 0 ? problems : validateNameSegment(draft));
      throwInvalid(config, draft, (await strategy.authorizeReads?.(draft, undefined, context)) ?? []);
      for (const warning of strategy.warningsOnCreate?.(draft, context) ?? []) scope.warnings.add(warning);
      strategy.canonicalize?.(draft, context);
      if (admit.validate !== undefined) await admit.validate(draft);
    },
  };
}

/** As {@link newObjectSteps}, for a draft that replaces the object `old` of that name. */
export function changeSteps(parts: DraftParts, old: KubeObject, name: string, options: UpdateOptions): WriteSteps {
  const { config, scope, draft, context } = parts;
  const { strategy } = config;
  const { subresource, admit, trusted } = options;
  const whole = subresource === undefined;
  const mutate = async (): Promise<void> => {
    matchNamespace(draft, namespaceOf(config, scope));
    if (admit.update.mutate !== undefined) {
      await admit.update.mutate(draft, old);
      matchNamespace(draft, namespaceOf(config, scope));
    }
    if (whole && trusted !== true) await strategy.authorize?.(draft, old, context, name);
    checkVersion(config, name, draft, old);
    await scope.pause?.(scope.token);
  };
  if (trusted === true) {
    return {
      mutate,
      complete: () => Promise.resolve(),
      allocate: () => Promise.resolve(undefined),
      validate: () => validateTrusted(parts, old, admit.update),
    };
  }
  return {
    mutate,
    complete: () => completeChange(parts, old, subresource),
    allocate: async () => (whole ? await strategy.allocate?.(draft, old, context) : undefined) ?? undefined,
    validate: () => validateChange(parts, old, options),
  };
}

async function completeChange(
  { config, scope, draft, context }: DraftParts,
  old: KubeObject,
  subresource: string | undefined,
): Promise<void> {
  const { strategy } = config;
  assign(metadataOf(draft), "generation", old.metadata?.generation);
  const isStatus = subresource === "status";
  const part = partOf(config, subresource);
  if (part !== undefined) {
    part.prepare(draft, old, context);
    strategy.applyDefaults?.(draft, context.now);
  } else if (isStatus) {
    keepAllBut(draft, old, ["metadata", "status"]);
    strategy.prepareForStatusUpdate?.(draft, old, context);
  } else {
    if (config.hasStatus) restore(draft, old, "status");
    strategy.prepareForUpdate?.(draft, old, context);
    strategy.applyDefaults?.(draft, context.now);
  }
  if (!isStatus && strategy.hasGeneration) {
    const steps = contentChangedSteps(config, draft, old);
    const isChanged = scope.pause === undefined ? atOnce(steps) : await inSlices(steps, scope.token);
    if (isChanged) metadataOf(draft).generation = (old.metadata?.generation ?? 0) + 1;
  }
  restoreSystemMetadata(draft, old);
  await scope.pause?.(scope.token);
}

async function validateChange(
  { config, scope, draft, context }: DraftParts,
  old: KubeObject,
  { subresource, admit }: UpdateOptions,
): Promise<void> {
  const { strategy } = config;
  const [whole, isStatus] = [subresource === undefined, subresource === "status"];
  const found = (await strategy.beforeValidation?.(draft, old, context, subresource)) ?? [];
  const validate = isStatus ? strategy.validateStatusUpdate : strategy.validateUpdate;
  const ofPart = partOf(config, subresource);
  const problems = firstErrors(() => [
    ...validateMetadataUpdate(draft, old, config.namespaced),
    ...found.map(made),
    ...(ofPart?.validate(draft, old, context) ?? validate?.call(strategy, draft, old, context) ?? []),
  ]);
  throwInvalid(config, draft, problems);
  if (whole) throwInvalid(config, draft, (await strategy.authorizeReads?.(draft, old, context)) ?? []);
  const ofStatus = isStatus ? strategy.warningsOnStatusUpdate?.(draft) : undefined;
  const warnings = whole ? strategy.warningsOnUpdate?.(draft, old, context) : ofStatus;
  for (const warning of warnings ?? []) scope.warnings.add(warning);
  strategy.canonicalize?.(draft, context);
  if (admit.update.validate !== undefined) await admit.update.validate(draft, old);
}

/** What a trusted update needs: restores and validates the metadata, which mutating plugins may have changed, and runs validating admission. */
async function validateTrusted({ config, draft }: DraftParts, old: KubeObject, admit: AdmitChange): Promise<void> {
  if (admit.mutate !== undefined) {
    restoreSystemMetadata(draft, old);
    throwInvalid(config, draft, validateMetadataUpdate(draft, old, config.namespaced));
  }
  if (admit.validate !== undefined) await admit.validate(draft, old);
}

/** The rules of a subresource that writes a part of the object; undefined for status and for the object itself. */
const partOf = ({ parts }: StoreConfig, subresource: string | undefined): SubresourceStrategy | undefined =>
  subresource === undefined || subresource === "status" ? undefined : parts[subresource];

function throwInvalid(config: StoreConfig, draft: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(config, draft.metadata?.name ?? "", errors);
}

function restore(draft: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete draft[field];
  else draft[field] = deepCopy(old[field]);
}

function keepAllBut(draft: KubeObject, old: KubeObject, changed: readonly string[]): void {
  for (const name of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (!changed.includes(name)) restore(draft, old, name);
  }
}

const NOT_CONTENT_WITHOUT_STATUS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const NOT_CONTENT: ReadonlySet<string> = new Set([...NOT_CONTENT_WITHOUT_STATUS, "status"]);

/** Two objects, or what differs between them. */
type Pair<T extends JsonValue> = readonly [before: T, after: T];

/**
 * Returns whether a change increments metadata.generation: true when anything but metadata differs, and but the status where that is a
 * subresource. A difference counts if it shows in the encoded bytes; an empty struct that one object leaves out does not. In steps.
 */
function* contentChangedSteps(config: StoreConfig, draft: KubeObject, old: KubeObject): Steps<boolean> {
  const ignored = config.hasStatus ? NOT_CONTENT : NOT_CONTENT_WITHOUT_STATUS;
  const contents = [contentOf(old, ignored), contentOf(draft, ignored)] as const;
  const first = yield* firstDifferenceSteps(...contents, new Pace());
  if (first === undefined) return false;
  if (first === SHOWS) return true;
  return encodesDifferently(config, draft, first) || encodesDifferently(config, draft, contents);
}

function contentOf(object: KubeObject, ignored: ReadonlySet<string>): JsonObject {
  const content: JsonObject = {};
  for (const name of Object.keys(object)) if (!ignored.has(name)) content[name] = object[name] as JsonValue;
  return content;
}

function encodesDifferently(
  { encode }: StoreConfig,
  { apiVersion, kind }: KubeObject,
  pair: Pair<JsonObject>,
): boolean {
  const [before, after] = pair.map((content) =>
    encode({ ...content, apiVersion, kind, metadata: {} } satisfies FieldsOf<ApiObject> as KubeObject),
  );
  return Buffer.compare(before as Uint8Array, after as Uint8Array) !== 0;
}

/** In place of a difference of which it is known that it shows in the bytes. */
const SHOWS = "shows";
type Difference<T extends JsonValue> = Pair<T> | typeof SHOWS | undefined;

/** The first field that differs, in objects without all others; undefined for equal objects. */
function* firstDifferenceSteps(before: JsonObject, after: JsonObject, pace: Pace): Steps<Difference<JsonObject>> {
  let inBoth = 0;
  for (const key of Object.keys(after)) {
    if (pace.isDue()) yield;
    const [was, is] = [before[key], after[key] as JsonValue];
    if (was === is && is !== undefined) {
      inBoth += 1;
      continue;
    }
    if (!Object.hasOwn(before, key)) return [{}, { [key]: is }];
    inBoth += 1;
    const found =
      isScalar(was) && isScalar(is) ? ofScalars(was, is) : yield* differenceSteps(was as JsonValue, is, pace);
    if (found === SHOWS) return SHOWS;
    if (found !== undefined) return [{ [key]: found[0] }, { [key]: found[1] }];
  }
  const keys = Object.keys(before);
  if (keys.length === inBoth) return undefined;
  for (const key of keys) if (!Object.hasOwn(after, key)) return [{ [key]: before[key] as JsonValue }, {}];
  return undefined;
}

/** What differs of two values; undefined for equal ones. */
function* differenceSteps(before: JsonValue, after: JsonValue, pace: Pace): Steps<Difference<JsonValue>> {
  if (isJsonObject(before) && isJsonObject(after)) return yield* firstDifferenceSteps(before, after, pace);
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) {
    return deepEqual(before, after) ? undefined : [before, after];
  }
  for (const [index, is] of after.entries()) {
    if (pace.isDue()) yield;
    const was = before[index] as JsonValue;
    if (was === is) continue;
    const found = isScalar(was) && isScalar(is) ? ofScalars(was, is) : yield* differenceSteps(was, is, pace);
    if (found === SHOWS) return SHOWS;
    if (found !== undefined) return [[found[0]], [found[1]]];
  }
  return undefined;
}

type Scalar = string | number | bigint | boolean;

const isScalar = (value: JsonValue | undefined): value is Scalar => value !== undefined && typeof value !== "object";

/** Different scalars show in the bytes, but for halves of surrogate pairs, which are all written alike. */
const ofScalars = (before: Scalar, after: Scalar): typeof SHOWS | undefined =>
  encodeJson(before) === encodeJson(after) ? undefined : SHOWS;
