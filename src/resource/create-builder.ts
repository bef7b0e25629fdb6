import { append } from "../base/collections/append.js";
import { goQuote } from "../base/text/go-quote.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { areCombined, splitTypeName, splitTypes, spreadTypes } from "./resource-arguments.js";
import type { Builder, FilenameOptions, Result } from "./builder.js";
import { documents, readAll, type ValidateDocument } from "./document-source.js";
import { expandPattern, FILE_EXTENSIONS, fileSource, manifestsAt } from "./file-source.js";
import { SourceFinder } from "./find-sources.js";
import { flatten } from "./lists.js";
import { InfoMaker } from "./info-maker.js";
import { type BuilderDependencies, Inputs } from "./inputs.js";
import { filterNamespace, requireNamespace, setNamespace } from "./namespaces.js";
import { BuiltResult } from "./result.js";
import { retrieveLazily, retrieveWith } from "./retrieve.js";
import { aggregate, continueOnError, decorate, type Visitor, type VisitorFn } from "./visitor.js";

export const createBuilder = (dependencies: BuilderDependencies): Builder => new ResourceBuilder(dependencies);

/** Inputs are taken in the order of the calls, but none is touched before {@link Builder.do}. */
class ResourceBuilder implements Builder {
  private readonly inputs = new Inputs();
  private readonly steps: (() => void | Promise<void>)[] = [];
  private readonly errors: unknown[] = [];
  private check: ValidateDocument | undefined;
  private isLocal = false;
  private decoder: ((object: KubeObject) => KubeObject) | undefined;
  private checkObject: VisitorFn | undefined;

  constructor(private readonly dependencies: BuilderDependencies) {}

  local(local: boolean): Builder {
    this.isLocal = local;
    return this;
  }

  namespaceParam(namespace: string): Builder {
    this.inputs.namespace = namespace;
    return this;
  }

  defaultNamespace(): Builder {
    return this.set("defaultNamespace", true);
  }

  requireNamespace(): Builder {
    return this.set("requireNamespace", true);
  }

  allNamespaces(all: boolean): Builder {
    if (all) this.inputs.namespace = "";
    return this.set("allNamespaces", all);
  }

  continueOnError(): Builder {
    return this.set("continueOnError", true);
  }

  flatten(): Builder {
    return this.set("flatten", true);
  }

  latest(): Builder {
    return this.set("latest", true);
  }

  requireObject(require: boolean): Builder {
    return this.set("requireObject", require);
  }

  singleResourceType(): Builder {
    return this.set("singleResourceType", true);
  }

  subresource(name: string): Builder {
    this.inputs.subresourceName = name;
    return this;
  }

  requestChunksOf(size: number): Builder {
    this.inputs.chunk = size;
    return this;
  }

  validate(validate: ValidateDocument | undefined): Builder {
    this.check = validate;
    return this;
  }

  decode(decoder: (object: KubeObject) => KubeObject): Builder {
    this.decoder = decoder;
    return this;
  }

  checkEach(check: VisitorFn): Builder {
    this.checkObject = check;
    return this;
  }

  transformRequests(request: { readonly accept?: string; readonly query?: Readonly<Record<string, string>> }): Builder {
    this.inputs.request = request;
    return this;
  }

  filenames(enforceNamespace: boolean, options: FilenameOptions): Builder {
    if (enforceNamespace && filenameFaults(options).length === 0) this.inputs.flags.requireNamespace = true;
    return this.input(() => this.addFilenames(options));
  }

  text(name: string, text: string): Builder {
    return this.input(() => {
      this.inputs.readsStream = true;
      const read = async (): Promise<Uint8Array> => new TextEncoder().encode(text);
      this.inputs.paths.push(documents(name, read, this.maker(), this.check));
    });
  }

  concurrency(limit: number): Builder {
    this.inputs.concurrency = limit;
    return this;
  }

  typeOrNameArgs(allowEmptySelector: boolean, args: readonly string[]): Builder {
    return this.input(() => this.addArguments(allowEmptySelector, args));
  }

  resourceTypes(types: readonly string[]): Builder {
    return this.input(() => append(this.inputs.types, types));
  }

  resourceNames(type: string, names: readonly string[]): Builder {
    return this.input(() => {
      for (const name of names) {
        const tuple = splitTypeName(name);
        if (tuple === undefined && type === "") throw new Error(`the argument ${goQuote(name)} must be RESOURCE/NAME`);
        this.inputs.tuples.push(tuple ?? { resource: type, name });
      }
    });
  }

  labelSelector(selector: string): Builder {
    return this.input(() => {
      const text = selector.trim();
      if (text === "") return;
      if (this.inputs.flags.selectAll) throw excludesAll("label", selector);
      this.inputs.labels = text;
    });
  }

  fieldSelector(selector: string): Builder {
    return this.input(() => {
      const text = selector.trim();
      if (text === "") return;
      if (this.inputs.flags.selectAll) throw excludesAll("field", text);
      this.inputs.fields = text;
    });
  }

  selectAll(all: boolean): Builder {
    return this.input(() => {
      if (all && (this.inputs.labels !== undefined || this.inputs.fields !== undefined)) {
        throw new Error("setting 'all' parameter but found a non empty selector. ");
      }
      this.inputs.flags.selectAll = all;
    });
  }

  addError(error: Error): Builder {
    return this.input(() => void this.errors.push(error));
  }

  async do(): Promise<Result> {
    for (const step of this.steps) await this.collect(step);
    if (this.errors.length > 0) throw aggregate(this.errors);
    if (this.inputs.flags.selectAll) this.inputs.labels = "";
    const { namespace, flags } = this.inputs;
    const maker = this.maker();
    const retrieve = retrieveWith(this.dependencies.client, this.inputs.request);
    const finder = new SourceFinder(this.inputs, this.dependencies, maker, retrieve);
    const found = await finder.find();

    const steps: VisitorFn[] = [];
    if (flags.defaultNamespace) steps.push(setNamespace(namespace));
    if (flags.requireNamespace) steps.push(requireNamespace(namespace));
    steps.push(filterNamespace);
    if (flags.requireObject) steps.push(retrieveLazily(retrieve));
    if (this.checkObject !== undefined) steps.push(this.checkObject);
    const prepare = (plain: Visitor): Visitor => {
      let visitor = plain;
      if (flags.flatten) visitor = flatten(visitor, maker);
      if (flags.continueOnError) visitor = continueOnError(visitor);
      return decorate(visitor, ...steps);
    };
    return new BuiltResult(found, prepare, (info) => finder.watchOf(info));
  }

  private async addFilenames(options: FilenameOptions): Promise<void> {
    const faults = filenameFaults(options);
    if (faults.length > 0) return append(this.errors, faults);
    for (const name of options.filenames) {
      if (name === "-") this.addStdin();
      else if (/^https?:\/\//.test(name)) await this.collect(() => this.addUrl(name));
      else await this.collect(() => this.addPattern(name, options.recursive));
    }
    const { kustomize = "" } = options;
    if (kustomize !== "") {
      const read = (): Promise<Uint8Array> => this.buildKustomization(kustomize);
      this.inputs.paths.push(documents(kustomize, read, this.maker(), this.check));
    }
  }

  private addStdin(): void {
    if (this.inputs.readsStream) this.errors.push(new Error("standard input cannot be used for multiple arguments"));
    this.inputs.readsStream = true;
    const read = (): Promise<Uint8Array> => readAll(this.dependencies.stdin);
    this.inputs.paths.push(documents("STDIN", read, this.maker(), this.check));
  }

  private async buildKustomization(path: string): Promise<Uint8Array> {
    const [{ buildKustomization, localFiles }, { fetchManifest }] = await Promise.all([
      import("../kustomize/build.js"),
      import("./url-source.js"),
    ]);
    const { files, fetchUrl = fetchManifest, notes } = this.dependencies;
    const list = await buildKustomization(path, {
      files: localFiles(files.cwd, files.platform, files.files),
      fetch: fetchUrl,
      reorder: "legacy",
      warn: (line) => notes?.warn(line),
      log: (text) => notes?.log(text),
    });
    return new TextEncoder().encode(list.toYaml());
  }

  private async addUrl(url: string): Promise<void> {
    // Loaded here, because most commands read no URL.
    const { fetchManifest, requireUrl, sleep, urlSource } = await import("./url-source.js");
    requireUrl(url);
    const { fetchUrl = fetchManifest, wait = sleep } = this.dependencies;
    this.inputs.paths.push(urlSource(url, fetchUrl, wait, this.maker(), this.check));
  }

  private async addPattern(pattern: string, recursive: boolean): Promise<void> {
    const { files } = this.dependencies;
    const roots = await expandPattern(pattern, files);
    if (!recursive && roots.length === 1) this.inputs.singlePath = true;
    for (const root of roots) {
      await this.collect(async () => {
        const found = await manifestsAt(root, recursive, files);
        if (found.length > 1) this.inputs.readsDirectory = true;
        append(
          this.inputs.paths,
          found.map((file) => fileSource(file, files, this.maker(), this.check)),
        );
      });
    }
    if (this.inputs.paths.length === 0 && this.errors.length === 0) {
      throw new Error(
        `error reading [${roots.join(" ")}]: recognized file extensions are [${FILE_EXTENSIONS.join(" ")}]`,
      );
    }
  }

  private async addArguments(allowEmptySelector: boolean, given: readonly string[]): Promise<void> {
    const args = spreadTypes(given);
    if (areCombined(args, this.dependencies.program)) {
      for (const arg of args) {
        const tuple = splitTypeName(arg);
        if (tuple !== undefined) this.inputs.tuples.push(tuple);
      }
      return;
    }
    const [first, ...names] = args;
    if (first === undefined) return;
    append(this.inputs.types, splitTypes(await this.expandCategories(first)));
    append(this.inputs.names, names);
    if (names.length === 0 && allowEmptySelector) this.inputs.labels ??= "";
  }

  private async expandCategories(types: string): Promise<string> {
    const mapper = await this.dependencies.mapper();
    const expanded: string[] = [];
    // One after the other: a server that cannot be reached is asked for each.
    for (const type of types.split(",")) {
      const resources = await mapper.category(type);
      const words = resources?.map(({ resource, group }) => (group === "" ? resource : `${resource}.${group}`));
      expanded.push(words?.join(",") ?? type);
    }
    return expanded.join(",");
  }

  private maker(): InfoMaker {
    return new InfoMaker(this.isLocal ? undefined : this.dependencies.mapper, this.decoder);
  }

  private set(flag: keyof Inputs["flags"], value: boolean): Builder {
    this.inputs.flags[flag] = value;
    return this;
  }

  private input(step: () => void | Promise<void>): Builder {
    this.steps.push(step);
    return this;
  }

  private async collect(step: () => void | Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.errors.push(error);
    }
  }
}

const excludesAll = (kind: string, selector: string): Error =>
  new Error(`found non-empty ${kind} selector ${goQuote(selector)} with previously set 'all' parameter. `);

/** Both, where both are there. */
function filenameFaults({ filenames, recursive, kustomize = "" }: FilenameOptions): readonly Error[] {
  if (kustomize === "") return [];
  const faults: Error[] = [];
  if (filenames.length > 0) faults.push(new Error("only one of -f or -k can be specified"));
  if (recursive) faults.push(new Error("the -k flag can't be used with -f or -R"));
  return faults;
}
