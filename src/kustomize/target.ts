import { ORIGIN, LOCAL_CONFIG } from "./annotations.js";
import { mergeConfigs, readConfigs, emptyConfig } from "./configuration/config.js";
import { crdConfig } from "./configuration/crd-config.js";
import { within, wrap } from "./field-spec.js";
import { generatorsOf } from "./field-generators.js";
import {
  deprecations,
  fixKustomization,
  isEmptyKustomization,
  type Kustomization,
  parseKustomization,
  wrongTypes,
} from "./kustomization.js";
import { HttpFailure, type Loader } from "./loader.js";
import type { MergeTypes } from "./merge/merge-schema.js";
import { appendPath, builtInOrigin, fileOrigin, noteTransformer, pluginOrigin } from "./origin.js";
import { loadGenerator, loadTransformer, type PluginContext } from "./plugins/load-plugin.js";
import type { Generate } from "./plugins/plugin.js";
import type { Resource } from "./resource.js";
import { ResourceList } from "./resource-list.js";
import { readResources, requireMetadata } from "./read-resources.js";
import { readResourcesOf, type Transform } from "./transformers/patches.js";
import { transformersOf } from "./transformers/index.js";
import { validate } from "./validate.js";
import { varEntryText, varOf, addVars, mergeVars, type Var } from "./vars.js";
import type { TransformerConfig } from "./facts/default-config.js";
import { isNilOrEmpty } from "./nodes/node.js";

/** What a kustomization has gathered: objects, and what is needed to finish them. */
class Accumulator {
  readonly list = new ResourceList();
  config: TransformerConfig = emptyConfig;
  vars: ReadonlyMap<string, Var> = new Map();

  /** Takes over what another one has gathered. */
  merge(other: Accumulator): void {
    this.list.appendAll(other.list.resources);
    this.config = mergeConfigs(this.config, other.config);
    this.vars = mergeVars(this.vars, other.vars.values());
  }

  addVars(vars: readonly Var[]): void {
    this.vars = addVars(this.list, this.vars, vars);
  }

  /** Objects that are only for tools are not part of the result. */
  dropLocal(): void {
    const kept = this.list.resources.filter(({ node, annotations }) => {
      if (node === undefined || isNilOrEmpty(node)) return false;
      requireMetadata(node);
      const local = annotations[LOCAL_CONFIG];
      return local === undefined || local === "false";
    });
    this.list.intersect(kept.map(({ id }) => id));
  }
}

/** The state that all kustomizations of one build share. */
export interface BuildContext {
  readonly warn: (line: string) => void;
  /** The program that renders charts; undefined where charts are not enabled. */
  readonly helmCommand: string | undefined;
  /** What is known of kinds; a kustomization's `openapi` may replace it, once. */
  mergeTypes: MergeTypes;
  readonly readSchema: (kustomization: Kustomization, loader: Loader, isRoot: boolean) => Promise<void>;
}

/** What is done to the objects, and the origin that it gives them; undefined where origins are not kept. */
interface Step<T> {
  readonly run: T;
  readonly origin: string | undefined;
}

const FILE_NAMES = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/** A kustomization. It collects objects from files, other kustomizations, generators and components. */
export class KustTarget {
  private constructor(
    readonly kustomization: Kustomization,
    readonly fileName: string,
    private readonly loader: Loader,
    private readonly context: BuildContext,
    /** Path from where the build began; undefined when the caller does not ask for it. */
    private origin: string | undefined,
    /** What charts without a namespace are for: the namespace of this kustomization, or of the nearest above that has one. */
    private readonly chartNamespace: string,
  ) {}

  static async load(loader: Loader, context: BuildContext, parent?: KustTarget): Promise<KustTarget> {
    const { text, name } = await readFile(loader);
    const read = parseKustomization(text);
    for (const line of deprecations(read)) context.warn(line);
    const fixed = fixKustomization(read);
    if (isEmptyKustomization(fixed)) throw new Error("kustomization.yaml is empty");
    const wrong = wrongTypes(fixed);
    if (wrong.length > 0) {
      throw new Error(`Failed to read kustomization file under ${loader.root}:\n${wrong.join("\n")}`);
    }
    const buildMetadata = parent === undefined ? fixed.buildMetadata : parent.kustomization.buildMetadata;
    const kustomization = { ...fixed, buildMetadata: buildMetadata ?? [] };
    const wanted = parent === undefined ? (kustomization.buildMetadata.length === 0 ? undefined : "") : parent.origin;
    const { namespace = "" } = kustomization;
    const chartNamespace = namespace === "" ? (parent?.chartNamespace ?? "") : namespace;
    return new KustTarget(kustomization, name, loader, context, wanted, chartNamespace);
  }

  /** A component adds to what its parent has gathered; anything else begins anew. */
  async accumulate(into = new Accumulator()): Promise<Accumulator> {
    const { kustomization, loader } = this;
    let gathered = into;
    await prefixed("accumulating resources", async () => {
      for (const path of kustomization.resources ?? []) await this.#addResource(gathered, path);
    });
    gathered.config = mergeConfigs(gathered.config, await readConfigs(kustomization.configurations ?? [], loader));
    const crds = kustomization.crds ?? [];
    const own = await prefixed(`loading CRDs [${crds.join(" ")}]`, () => crdConfig(crds, loader));
    gathered.config = mergeConfigs(gathered.config, own);
    await this.#generate(gathered);
    await prefixed("accumulating components", async () => {
      for (const path of kustomization.components ?? []) gathered = await this.#addComponent(gathered, path);
    });
    await this.#transform(gathered);
    await this.#validate(gathered);
    const vars = kustomization.vars ?? [];
    await prefixed(`merging vars [${vars.map(varEntryText).join(" ")}]`, async () => gathered.addVars(vars.map(varOf)));
    return gathered;
  }

  /** A file, or else a folder. */
  async #addResource(into: Accumulator, path: string): Promise<void> {
    let asFile: Error;
    try {
      await this.#addFile(into, path);
      return;
    } catch (error) {
      if (hasHttpFailure(error)) throw error;
      asFile = error as Error;
    }
    const loader = await this.loader.open(path).catch((error: unknown) => {
      if (asFile.message.includes("MalformedYAMLError")) throw asFile;
      throw wrap(error, `accumulation err='${asFile.message}'`);
    });
    await prefixed(`accumulation err='${asFile.message}'`, () =>
      this.#within(path, () => this.#accumulateFolder(loader, into, false)),
    );
  }

  async #addFile(into: Accumulator, path: string): Promise<void> {
    const resources = await prefixed(`accumulating resources from '${path}'`, async () =>
      readDistinct(path, await this.loader.load(path)),
    );
    this.#noteFile(resources, path);
    await prefixed(`merging resources from '${path}'`, async () => into.list.appendAll(resources));
  }

  async #addComponent(gathered: Accumulator, path: string): Promise<Accumulator> {
    const loader = await this.loader.open(path).catch((error: unknown) => {
      throw new Error(`loader.New ${JSON.stringify((error as Error).message)}`, { cause: error });
    });
    try {
      return await this.#within(path, () => this.#accumulateFolder(loader, gathered, true));
    } catch (error) {
      throw new Error(`accumulateDirectory: ${JSON.stringify((error as Error).message)}`, { cause: error });
    }
  }

  /** While it runs, the origin is that of a folder below. */
  async #within<T>(path: string, run: () => Promise<T>): Promise<T> {
    const before = this.origin;
    if (before !== undefined) this.origin = appendPath(before, path);
    const result = await run();
    this.origin = before;
    return result;
  }

  /** A component changes what has been gathered; anything else is gathered by itself and added. */
  async #accumulateFolder(loader: Loader, into: Accumulator, isComponent: boolean): Promise<Accumulator> {
    const target = await prefixed(`couldn't make target for path '${loader.root}'`, () =>
      KustTarget.load(loader, this.context, this),
    );
    await this.context.readSchema(target.kustomization, loader, false);
    const { kind } = target.kustomization;
    if (isComponent && kind !== "Component") {
      throw new Error(`expected kind 'Component' for path '${loader.root}' but got '${kind}'`);
    }
    if (!isComponent && kind === "Component") {
      throw new Error(`expected kind != 'Component' for path '${loader.root}'`);
    }
    const gathered = await prefixed(`recursed accumulation of path '${loader.root}'`, () =>
      target.accumulate(isComponent ? into : undefined),
    );
    const result = isComponent ? new Accumulator() : into;
    await prefixed(`recursed merging from path '${loader.root}'`, async () => result.merge(gathered));
    return result;
  }

  async #generate(gathered: Accumulator): Promise<void> {
    const fields = await generatorsOf(this.kustomization, this.#pluginContext(), this.chartNamespace);
    const steps = [
      ...fields.map(({ kind, generate }) => ({ run: generate, origin: this.#originOf(kind) })),
      ...(await this.#pluginGenerators()),
    ];
    for (const { run, origin } of steps) {
      const resources = await run();
      for (const resource of resources) {
        if (origin === undefined || resource.annotations[ORIGIN] !== undefined) continue;
        resource.annotations = { ...resource.annotations, [ORIGIN]: origin };
      }
      // Go shows places in memory here: the generator's and the origin's.
      await prefixed(`merging from generator &{0x0 ${origin === undefined ? "<nil>" : "0x0"}}`, async () => {
        for (const resource of resources) gathered.list.absorb(resource);
      });
    }
  }

  #pluginGenerators(): Promise<readonly Step<Generate>[]> {
    return prefixed("loading generator plugins", async () => {
      const configs = await this.#pluginConfigs(this.kustomization.generators ?? [], "generator");
      return this.#plugins(
        configs,
        (config, context) => prefixed("failed to load generator", () => loadGenerator(config, context)),
        (config) => within("failed to get origin from CustomPlugin", () => pluginOrigin(config)),
      );
    });
  }

  async #transform(gathered: Accumulator): Promise<void> {
    const fields = await transformersOf(this.kustomization, this.loader, gathered.config, this.context);
    const steps = [
      ...fields.map(({ kind, transform }) => ({ run: transform, origin: this.#originOf(kind) })),
      ...(await this.#pluginTransformers(this.kustomization.transformers)),
    ];
    for (const { run, origin } of steps) {
      run(gathered.list);
      if (origin !== undefined) noteTransformer(gathered.list.resources, origin);
      gathered.list.dropEmpty();
    }
  }

  async #validate(gathered: Accumulator): Promise<void> {
    for (const { run } of await this.#pluginTransformers(this.kustomization.validators)) validate(gathered.list, run);
  }

  async #pluginTransformers(entries: readonly string[] = []): Promise<readonly Step<Transform>[]> {
    return this.#plugins(await this.#pluginConfigs(entries, "transformer"), loadTransformer, pluginOrigin);
  }

  async #plugins<T>(
    configs: readonly Resource[],
    load: (config: Resource, context: PluginContext) => Promise<T>,
    originOf: (config: Resource) => string | undefined,
  ): Promise<readonly Step<T>[]> {
    const context = this.#pluginContext();
    const steps: Step<T>[] = [];
    for (const config of configs) {
      const run = await load(config, context);
      steps.push({ run, origin: originOf(config) });
    }
    return steps;
  }

  #pluginContext(): PluginContext {
    const { mergeTypes, helmCommand } = this.context;
    return { loader: this.loader, mergeTypes, helmCommand };
  }

  /** An entry is a configuration itself, or else the path of a file or folder of configurations. */
  async #pluginConfigs(entries: readonly string[], what: string): Promise<readonly Resource[]> {
    const gathered = new Accumulator();
    const paths: string[] = [];
    for (const entry of entries) {
      const inline = readInline(entry);
      if (inline === undefined) paths.push(entry);
      else {
        this.#noteFile(inline, this.fileName);
        await prefixed(`configuring external ${what}`, async () => gathered.list.appendAll(inline));
      }
    }
    for (const path of paths) await this.#addResource(gathered, path);
    return gathered.list.resources;
  }

  /** Where origins are kept, the file is noted as that of the objects. */
  #noteFile(resources: readonly Resource[], path: string): void {
    if (this.origin === undefined) return;
    const origin = fileOrigin(appendPath(this.origin, path));
    for (const resource of resources) resource.annotations = { ...resource.annotations, [ORIGIN]: origin };
  }

  #originOf(kind: string): string | undefined {
    return this.origin === undefined ? undefined : builtInOrigin(appendPath(this.origin, this.fileName), kind);
  }
}

async function readFile(loader: Loader): Promise<{ readonly text: string; readonly name: string }> {
  const found: { readonly text: string; readonly name: string }[] = [];
  for (const name of FILE_NAMES) {
    const text = await loader.load(name).catch(() => undefined);
    if (text !== undefined) found.push({ text, name });
  }
  const [first, second] = found;
  if (second !== undefined) throw new Error(`Found multiple kustomization files under: ${loader.root}\n`);
  if (first !== undefined) return first;
  const names = FILE_NAMES.map((name) => `'${name}'`);
  throw new Error(
    `unable to find one of ${names.slice(0, -1).join(", ")} or ${names.at(-1)} in directory '${loader.root}'`,
  );
}

/** No two objects of a file have the same id. */
function readDistinct(path: string, text: string): readonly Resource[] {
  const resources = readResourcesOf(path, text);
  new Accumulator().list.appendAll(resources);
  return resources;
}

/** The objects that a text itself holds; undefined for a path. */
function readInline(text: string): readonly Resource[] | undefined {
  try {
    return new ResourceList(readResources(text)).resources;
  } catch {
    return undefined;
  }
}

function hasHttpFailure(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof HttpFailure) return true;
  return false;
}

async function prefixed<T>(prefix: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw wrap(error, prefix);
  }
}
