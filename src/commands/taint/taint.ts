import { calculatePatch } from "../../actions/apply/three-way-patch.js";
import { readTyped } from "../../actions/typed/read-typed.js";
import { loadTypedKinds, type TypedKinds } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeListedTypes } from "../../cli/completion/listed-types.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  type FieldValidation,
  readDryRun,
  readFieldValidation,
  selectorFlag,
  validateFlag,
} from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { Fields } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { Helper } from "../../resource/helper.js";
import { labelValueErrors, qualifiedNameErrors } from "../../machinery/validation/names.js";
import { aggregate } from "../../resource/visitor.js";

export interface TaintOptions {
  readonly changes: TaintChanges;
  readonly overwrite: boolean;
  readonly dryRun: DryRunStrategy;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly kinds: TypedKinds;
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  /** Throws for an unknown format. `typed`: prints from the Go type. */
  readonly printer: (operation: string, typed: boolean) => (object: KubeObject) => void;
}

export function taintCommand(run = runTaint): Command {
  return {
    use: "taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
    description: `Set and remove taints of nodes: KEY=VALUE:EFFECT sets one, KEY:EFFECT- removes it, KEY- removes those of every effect.

A key is letters, digits, hyphens, dots and underscores, up to 63 of them, and may begin with a DNS name and a slash; a
value is made the same way and may be left out. The effect is NoSchedule, PreferNoSchedule or NoExecute.`,
    examples: `# Keep everybody but a special user off the node "foo"
{{program}} taint nodes foo dedicated=special-user:NoSchedule

# Remove that taint
{{program}} taint nodes foo dedicated:NoSchedule-

# Remove every taint with the key "dedicated"
{{program}} taint nodes foo dedicated-

# Taint the nodes with the label myLabel=X
{{program}} taint node -l myLabel=X dedicated=foo:PreferNoSchedule

# A taint without a value
{{program}} taint nodes foo bar:NoSchedule`,
    flags: [
      ...printFlags,
      dryRunFlag,
      validateFlag,
      selectorFlag,
      { name: "overwrite", type: "bool", usage: "Change taints that are there, rather than refuse" },
      { name: "all", type: "bool", usage: "All nodes of the cluster" },
      fieldManagerFlag("kubectl-taint"),
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeListedTypes(["node"]),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<TaintOptions> {
  const { flags } = invocation;
  const { namespace } = await factory.namespace();
  const dryRun = readDryRun(flags, factory);
  const fieldValidation = readFieldValidation(flags);
  const { resources, specs } = splitOperands(invocation.args);
  const [type] = resources;
  if (type === undefined) throw new Error("one or more resources must be specified as <resource> <name>");
  if (specs.length === 0) throw new Error("at least one taint update is required");
  const changes = readTaints(specs, invocation);
  await requireNodes(type.toLowerCase(), factory);
  requireOneChangeEach(changes);
  const all = flags.bool("all");
  const selector = flags.string("selector");
  if (all && selector !== "") throw new Error("setting 'all' parameter with a non empty selector is prohibited");
  if (!all && selector === "" && resources.length < 2) {
    throw new Error("at least one resource name must be specified since 'all' parameter is not set");
  }
  const kinds = await loadTypedKinds();
  return {
    changes,
    overwrite: flags.bool("overwrite"),
    dryRun,
    fieldManager: flags.string("field-manager"),
    fieldValidation,
    kinds,
    find: async () => {
      const builder = (await factory.builder()).continueOnError().namespaceParam(namespace).defaultNamespace();
      if (selector !== "") builder.labelSelector(selector).resourceTypes(["node"]);
      else if (all) builder.selectAll(true).resourceTypes(["node"]);
      else builder.resourceNames("node", resources.slice(1));
      return builder.flatten().latest().do();
    },
    client: factory.restClient,
    printer: (operation, typed) => {
      const request = readPrintRequest(flags, factory);
      const printer = printerFor(typed ? { ...request, encode: kinds.encode } : request, operation);
      return (object) => printer.print(object, (text) => factory.streams.out.write(text));
    },
  };
}

function splitOperands(args: readonly string[]): {
  readonly resources: readonly string[];
  readonly specs: readonly string[];
} {
  const isTaint = (arg: string): boolean => /[=:]/.test(arg) || arg.endsWith("-");
  const first = args.findIndex(isTaint);
  if (first < 0) return { resources: args, specs: [] };
  const late = args.slice(first).find((arg) => !isTaint(arg));
  if (late !== undefined) throw new Error(`all resources must be specified before taint changes: ${late}`);
  return { resources: args.slice(0, first), specs: args.slice(first) };
}

function readTaints(specs: readonly string[], invocation: Invocation): TaintChanges {
  try {
    return parseTaints(specs);
  } catch (error) {
    throw usageError(invocation, (error as Error).message);
  }
}

async function requireNodes(type: string, factory: Factory): Promise<void> {
  const mapper = await factory.mapper();
  const { kind } = await mapper.kindFor(await mapper.resourceFor(type));
  if (kind !== "Node") throw new Error(`invalid resource type ${type}, only node types are supported`);
}

function requireOneChangeEach({ add, remove }: TaintChanges): void {
  const both = add.flatMap((taint) =>
    remove
      .filter(({ key, effect }) => key === taint.key && (effect === "" || effect === taint.effect))
      .map(({ key, effect }) => `${key}=${effect}`),
  );
  if (both.length === 0) return;
  throw new Error(`can not both modify and remove the following taint(s) in the same command: ${both.join(", ")}`);
}

/** Taints the nodes one after the other, and continues after a failure. */
export async function runTaint(options: TaintOptions): Promise<void> {
  const { changes, overwrite, dryRun, fieldManager, fieldValidation, kinds } = options;
  const result = await options.find();
  await result.visit(async (info) => {
    const before = readTyped(info.object ?? {}, kinds);
    const spec = (before["spec"] ?? {}) as Fields;
    const held = (spec["taints"] ?? []) as readonly Taint[];
    const there = overwrite ? [] : alreadyThere(held, changes);
    if (there.length > 0) {
      throw new Error(
        `node ${info.name} already has ${there.join(",")} taint(s) with same effect(s) and --overwrite is false`,
      );
    }
    const { taints, operation } = changeTaints(held, changes, overwrite);
    const after = readTyped({ ...before, spec: { ...spec, taints } }, kinds);
    const print = options.printer(operation, dryRun !== "client");
    if (dryRun === "client") return print(after);
    const { text } = await calculatePatch(info.mapping.kind, before, after);
    const helper = new Helper(await options.client(), info.mapping, {
      dryRun: dryRun === "server",
      fieldManager,
      fieldValidation,
    });
    print(await helper.patch(info.namespace, info.name, "strategic", new TextEncoder().encode(text)));
  });
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  /** "" only in what is to be removed: every effect. */
  readonly effect: string;
}

export interface TaintChanges {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

const EFFECTS: ReadonlySet<string> = new Set(["NoSchedule", "PreferNoSchedule", "NoExecute"]);

/** Reads `KEY=VALUE:EFFECT`, `KEY:EFFECT`, and to remove `KEY:EFFECT-` and `KEY-`. */
export function parseTaints(specs: readonly string[]): TaintChanges {
  const add: Taint[] = [];
  const remove: Taint[] = [];
  for (const spec of specs) {
    if (spec.endsWith("-")) {
      const { key, effect } = parseTaint(spec.slice(0, -1));
      remove.push({ key, effect });
      continue;
    }
    const taint = parseTaint(spec);
    if (taint.effect === "") throw new Error(`invalid taint spec: ${spec}`);
    if (add.some((other) => other.key === taint.key && other.effect === taint.effect)) {
      const shown = `{${taint.key} ${taint.value ?? ""} ${taint.effect} <nil>}`;
      throw new Error(`duplicated taints with the same key and effect: ${shown}`);
    }
    add.push(taint);
  }
  return { add, remove };
}

function parseTaint(spec: string): Taint {
  const fail = (faults: readonly string[] = []): Error =>
    new Error(`invalid taint spec: ${spec}${faults.length > 0 ? `, ${faults.join("; ")}` : ""}`);
  const [head = "", effect = "", ...more] = spec.split(":");
  if (more.length > 0) throw fail();
  let key = head;
  let value: string | undefined;
  if (spec.includes(":")) {
    if (!EFFECTS.has(effect)) throw new Error(`invalid taint effect: ${effect}, unsupported taint effect`);
    const parts = head.split("=");
    if (parts.length > 2) throw fail();
    [key = "", value] = parts;
    const faults = value === undefined ? [] : labelValueErrors(value);
    if (faults.length > 0) throw fail(faults);
  }
  const faults = qualifiedNameErrors(key);
  if (faults.length > 0) throw fail(faults);
  return { key, effect, ...(value !== undefined && value !== "" && { value }) };
}

/** "dedicated=gpu:NoSchedule", as messages name one. */
function formatTaint({ key, value = "", effect }: Taint): string {
  if (effect === "") return value === "" ? key : `${key}=${value}:`;
  return value === "" ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}

export interface ChangedTaints {
  readonly taints: readonly Taint[];
  readonly operation: "modified" | "tainted" | "untainted";
}

const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** The keys of the added taints that the node has already, whatever their values. */
export const alreadyThere = (held: readonly Taint[], { add }: TaintChanges): readonly string[] =>
  add.flatMap((taint) => held.filter((one) => isSame(one, taint)).map(() => taint.key));

/** Computes the changed taints, new ones first. Throws when a taint to be removed does not exist. */
export function changeTaints(held: readonly Taint[], { add, remove }: TaintChanges, overwrite: boolean): ChangedTaints {
  let taints = [...add, ...held.filter((one) => !add.some((taint) => isSame(taint, one)))];
  const added = taints.length !== held.length;
  const missing: Error[] = [];
  // As kubectl counts: only the last one tells whether something went.
  let removed = false;
  for (const gone of remove) {
    const left = taints.filter((one) => one.key !== gone.key || (gone.effect !== "" && one.effect !== gone.effect));
    removed = left.length !== taints.length;
    if (!removed) missing.push(new Error(`taint "${formatTaint(gone)}" not found`));
    taints = left;
  }
  if (missing.length > 0) throw aggregate(missing);
  const operation = (added && removed) || overwrite ? "modified" : added ? "tainted" : "untainted";
  return { taints, operation };
}
