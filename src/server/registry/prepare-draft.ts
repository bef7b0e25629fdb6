import { atOnce } from "../../base/async/steps.js";
import { inSlices } from "../../base/async/time-slice.js";
import { type FieldError, firstErrors, made } from "../../machinery/errors/field-error.js";
import { invalid } from "../../machinery/errors/status-error.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deepCopy } from "../../machinery/patch/json-values.js";
import { contentChangedSteps } from "./content-changed.js";
import {
  assign,
  clearSystemMetadata,
  fillSystemMetadata,
  matchNamespace,
  metadataOf,
  restoreSystemMetadata,
} from "./metadata.js";
import type { AdmitChange, AdmitCreate, UpdateOptions } from "./resource.js";
import type { RequestScope } from "./scope.js";
import { namespaceOf, type StoreConfig } from "./store-config.js";
import type { Allocation, StrategyContext } from "./strategy.js";
import { validateMetadata, validateMetadataUpdate, validateNameSegment } from "./validate-metadata.js";

/**
 * Makes of a draft the object that a create stores: admits, completes and validates it. Answers what was allocated for it, to be
 * committed or given back. Rejects with the StatusError that refuses it.
 */
export async function prepareNew(
  config: StoreConfig,
  scope: RequestScope,
  draft: KubeObject,
  context: StrategyContext,
  admit: AdmitCreate,
  requestName: string,
): Promise<Allocation | undefined> {
  const { strategy } = config;
  matchNamespace(draft, namespaceOf(config, scope));
  if (admit.mutate !== undefined) {
    clearSystemMetadata(draft);
    await admit.mutate(draft);
    matchNamespace(draft, namespaceOf(config, scope));
  }
  if (strategy.authorize !== undefined) await strategy.authorize(draft, undefined, context, requestName);
  fillSystemMetadata(draft, context.now, context.random);
  await scope.pause?.(scope.token);
  if (strategy.hasGeneration) metadataOf(draft).generation = 1;
  if (config.hasStatus && !strategy.keepsStatusOnCreate) delete draft["status"];
  strategy.prepareForCreate?.(draft, context);
  strategy.applyDefaults?.(draft, context.now);
  await scope.pause?.(scope.token);
  const allocation = (await strategy.allocate?.(draft, undefined, context)) ?? undefined;
  try {
    const found = (await strategy.beforeValidation?.(draft, undefined, context)) ?? [];
    const rule = (name: string) => strategy.validateName(name);
    const problems = firstErrors(() => [
      ...found.map(made),
      ...validateMetadata(draft, config.namespaced, rule),
      ...(strategy.validate?.(draft, context) ?? []),
    ]);
    throwInvalid(config, draft, problems.length > 0 ? problems : validateNameSegment(draft));
    throwInvalid(config, draft, (await strategy.authorizeReads?.(draft, undefined, context)) ?? []);
    for (const warning of strategy.warningsOnCreate?.(draft) ?? []) scope.warnings.add(warning);
    strategy.canonicalize?.(draft, context);
    if (admit.validate !== undefined) await admit.validate(draft);
  } catch (error) {
    await allocation?.revert();
    throw error;
  }
  return allocation;
}

/** The same for a draft that is to replace the object `old`. */
export async function prepareChange(
  config: StoreConfig,
  scope: RequestScope,
  draft: KubeObject,
  old: KubeObject,
  context: StrategyContext,
  options: UpdateOptions,
): Promise<Allocation | undefined> {
  const { strategy } = config;
  const metadata = metadataOf(draft);
  assign(metadata, "generation", old.metadata?.generation);
  const { subresource } = options;
  const status = subresource === "status";
  const part = subresource === undefined || status ? undefined : config.parts[subresource];
  if (part !== undefined) {
    part.prepare(draft, old, context);
    strategy.applyDefaults?.(draft, context.now);
  } else if (status) {
    keepAllBut(draft, old, ["metadata", "status"]);
    strategy.prepareForStatusUpdate?.(draft, old, context);
  } else {
    if (config.hasStatus) restore(draft, old, "status");
    strategy.prepareForUpdate?.(draft, old, context);
    strategy.applyDefaults?.(draft, context.now);
  }
  if (!status && strategy.hasGeneration) {
    const steps = contentChangedSteps(config, draft, old);
    const isChanged = scope.pause === undefined ? atOnce(steps) : await inSlices(steps, scope.token);
    if (isChanged) metadataOf(draft).generation = (old.metadata?.generation ?? 0) + 1;
  }
  restoreSystemMetadata(draft, old);
  await scope.pause?.(scope.token);
  const whole = subresource === undefined;
  const allocation = !whole ? undefined : ((await strategy.allocate?.(draft, old, context)) ?? undefined);
  try {
    const found = (await strategy.beforeValidation?.(draft, old, context, subresource)) ?? [];
    const validate = status ? strategy.validateStatusUpdate : strategy.validateUpdate;
    const problems = firstErrors(() => [
      ...validateMetadataUpdate(draft, old, config.namespaced),
      ...found.map(made),
      ...(part?.validate(draft, old, context) ?? validate?.call(strategy, draft, old, context) ?? []),
    ]);
    throwInvalid(config, draft, problems);
    if (whole) throwInvalid(config, draft, (await strategy.authorizeReads?.(draft, old, context)) ?? []);
    const ofStatus = status ? strategy.warningsOnStatusUpdate?.(draft) : undefined;
    const warnings = whole ? strategy.warningsOnUpdate?.(draft, old) : ofStatus;
    for (const warning of warnings ?? []) scope.warnings.add(warning);
    strategy.canonicalize?.(draft, context);
    const { update } = options.admit;
    if (update.validate !== undefined) await update.validate(draft, old);
  } catch (error) {
    await allocation?.revert();
    throw error;
  }
  return allocation;
}

/** What is left of {@link prepareChange} for a trusted update: mutating plugins are not trusted with the metadata. */
export async function admitTrusted(
  config: StoreConfig,
  draft: KubeObject,
  old: KubeObject,
  admit: AdmitChange,
): Promise<void> {
  if (admit.mutate !== undefined) {
    restoreSystemMetadata(draft, old);
    throwInvalid(config, draft, validateMetadataUpdate(draft, old, config.namespaced));
  }
  if (admit.validate !== undefined) await admit.validate(draft, old);
}

function throwInvalid(config: StoreConfig, draft: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(config, draft.metadata?.name ?? "", errors);
}

function restore(draft: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete draft[field];
  else draft[field] = deepCopy(old[field] as JsonValue);
}

function keepAllBut(draft: KubeObject, old: KubeObject, changed: readonly string[]): void {
  for (const name of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (!changed.includes(name)) restore(draft, old, name);
  }
}
