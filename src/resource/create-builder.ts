import { goQuote } from "../base/go-quote.js";
import type { RestClient } from "../client/rest/rest-client.js";
import type { RestMapper, RestMapping } from "../machinery/rest-mapper.js";
import { parseLabelSelector } from "../machinery/selectors/parse-label-selector.js";
import { areCombined, type ResourceName, splitTypeName, splitTypes, spreadTypes } from "./arguments.js";
import type { Builder, FilenameOptions, Result } from "./builder.js";
import { documents, readAll, type ValidateDocument } from "./document-source.js";
import { expandPattern, FILE_EXTENSIONS, type FileScope, fileSource, manifestsAt } from "./file-source.js";
import { flatten } from "./flatten.js";
import { Helper } from "./helper.js";
import type { Info } from "./info.js";
import { InfoMaker } from "./info-maker.js";
import { mappingForArgument } from "./mapping-for-argument.js";
import { filterNamespace, requireNamespace, setNamespace } from "./namespaces.js";
import { BuiltResult, type OpenWatch, type Source } from "./result.js";
import { type Retrieve, retrieveLatest, retrieveLazily, retrieveWith } from "./retrieve.js";
import { selectorSource } from "./selector-source.js";
import { fetchManifest, type FetchUrl, sleep, urlSource } from "./url-source.js";
import {
  aggregate,
  continueOnError,
  decorate,
  eagerly,
  filtered,
  inOrder,
  type Visitor,
  type VisitorFn,
} from "./visitor.js";

/** What a builder needs of the outside; each is called only when an input asks for it. */
export interface BuilderDependencies {
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly files: FileScope;
  /** What the program is called in hints. */
  readonly program: string;
  /** Default: the runtime's own fetch. */
  readonly fetchUrl?: FetchUrl;
  /** Waits between attempts at a URL. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

export const createBuilder = (dependencies: BuilderDependencies): Builder => new ResourceBuilder(dependencies);

/** Inputs are taken in the order of the calls, but none is touched before {@link Builder.do}. */
class ResourceBuilder implements Builder {
  private readonly inputs: (() => void | Promise<void>)[] = [];
  private readonly errors: unknown[] = [];
  private readonly paths: Visitor[] = [];
  private readonly types: string[] = [];
  private readonly names: string[] = [];
  private readonly tuples: ResourceName[] = [];
  private namespace = "";
  private readonly flags = {
    defaultNamespace: false,
    requireNamespace: false,
    allNamespaces: false,
    continueOnError: false,
    flatten: false,
    latest: false,
    requireObject: true,
    singleResourceType: false,
    selectAll: false,
  };
  private labels: string | undefined;
  private fields: string | undefined;
  private subresourceName: string | undefined;
  private chunk = 0;
  private request: { readonly accept?: string; readonly query?: Readonly<Record<string, string>> } = {};
  private check: ValidateDocument | undefined;
  private singlePath = false;
  private readsDirectory = false;
  private readsStream = false;

  constructor(private readonly dependencies: BuilderDependencies) {}

  namespaceParam(namespace: string): Builder {
    this.namespace = namespace;
    return this;
  }

  defaultNamespace(): Builder {
    return this.set("defaultNamespace", true);
  }

  requireNamespace(): Builder {
    return this.set("requireNamespace", true);
  }

  allNamespaces(all: boolean): Builder {
    if (all) this.namespace = "";
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
    this.subresourceName = name;
    return this;
  }

  requestChunksOf(size: number): Builder {
    this.chunk = size;
    return this;
  }

  validate(validate: ValidateDocument | undefined): Builder {
    this.check = validate;
    return this;
  }

  transformRequests(request: { readonly accept?: string; readonly query?: Readonly<Record<string, string>> }): Builder {
    this.request = request;
    return this;
  }

  filenames(enforceNamespace: boolean, options: FilenameOptions): Builder {
    if (enforceNamespace && !faulty(options)) this.flags.requireNamespace = true;
    return this.input(() => this.addFilenames(options));
  }

  typeOrNameArgs(allowEmptySelector: boolean, args: readonly string[]): Builder {
    return this.input(() => this.addArguments(allowEmptySelector, args));
  }

  resourceTypes(types: readonly string[]): Builder {
    return this.input(() => void this.types.push(...types));
  }

  resourceNames(type: string, names: readonly string[]): Builder {
    return this.input(() => {
      for (const name of names) {
        const tuple = splitTypeName(name);
        if (tuple === undefined && type === "") throw new Error(`the argument ${goQuote(name)} must be RESOURCE/NAME`);
        this.tuples.push(tuple ?? { resource: type, name });
      }
    });
  }

  labelSelector(selector: string): Builder {
    return this.input(() => {
      const text = selector.trim();
      if (text === "") return;
      if (this.flags.selectAll) throw excludesAll("label", selector);
      this.labels = text;
    });
  }

  fieldSelector(selector: string): Builder {
    return this.input(() => {
      const text = selector.trim();
      if (text === "") return;
      if (this.flags.selectAll) throw excludesAll("field", text);
      this.fields = text;
    });
  }

  selectAll(all: boolean): Builder {
    return this.input(() => {
      if (all && (this.labels !== undefined || this.fields !== undefined)) {
        throw new Error("setting 'all' parameter but found a non empty selector. ");
      }
      this.flags.selectAll = all;
    });
  }

  async do(): Promise<Result> {
    for (const input of this.inputs) await this.collect(input);
    if (this.errors.length > 0) throw aggregate(this.errors);
    if (this.flags.selectAll) this.labels = "";
    const found = await this.find();
    const { namespace, flags } = this;
    const maker = this.maker();
    const retrieve = this.retrieve();

    let visitor = found.visitor;
    if (flags.flatten) visitor = flatten(visitor, maker);
    if (flags.continueOnError) visitor = continueOnError(visitor);
    const steps: VisitorFn[] = [];
    if (flags.defaultNamespace) steps.push(setNamespace(namespace));
    if (flags.requireNamespace) steps.push(requireNamespace(namespace));
    steps.push(filterNamespace);
    if (flags.requireObject) steps.push(retrieveLazily(retrieve));
    visitor = decorate(visitor, ...steps);
    return new BuiltResult(visitor, found.sources, found.single, found.targetsSingle, (info) => this.watchOf(info));
  }

  private find(): Found | Promise<Found> {
    if (this.paths.length > 0) return this.byPaths();
    if (this.labels !== undefined || this.fields !== undefined) return this.bySelector();
    if (this.tuples.length > 0) return this.byTuples();
    if (this.names.length > 0) return this.byNames();
    return this.nothing();
  }

  private byPaths(): Found {
    if (this.types.length > 0) {
      throw new Error(
        "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
      );
    }
    if (this.names.length > 0) throw new Error("name cannot be provided when a path is specified");
    if (this.tuples.length > 0) {
      throw new Error("resource/name arguments cannot be provided when a path is specified");
    }
    const { flags, labels } = this;
    let visitor = flags.continueOnError ? eagerly(this.paths) : inOrder(this.paths);
    if (flags.flatten) visitor = flatten(visitor, this.maker());
    if (flags.latest) {
      if (flags.defaultNamespace) visitor = decorate(visitor, setNamespace(this.namespace));
      visitor = decorate(visitor, retrieveLatest(this.retrieve()));
    }
    if (labels !== undefined) {
      const selector = parseSelector(labels);
      visitor = filtered(visitor, (info) => selector.matches(info.object?.metadata?.labels));
    }
    const single = !this.readsDirectory && !this.readsStream && this.paths.length === 1;
    return { visitor, sources: this.paths.map((path) => ({ visitor: path })), single, targetsSingle: true };
  }

  private async bySelector(): Promise<Found> {
    if (this.names.length > 0) throw new Error("name cannot be provided when a selector is specified");
    if (this.tuples.length > 0) {
      throw new Error("selectors and the all flag cannot be used when passing resource/name arguments");
    }
    if (this.types.length === 0) throw new Error("at least one resource must be specified to use a selector");
    if ((this.subresourceName ?? "") !== "") {
      throw new Error("subresource cannot be used when bulk resources are specified");
    }
    const sources = (await this.typeMappings()).map((mapping) => this.collection(mapping));
    const visitors = sources.map((source) => source.visitor);
    const visitor = this.flags.continueOnError ? eagerly(visitors) : inOrder(visitors);
    return { visitor, sources, single: false, targetsSingle: false };
  }

  private async byTuples(): Promise<Found> {
    if (this.types.length > 0) {
      throw new Error("you may not specify individual resources and bulk resources in the same call");
    }
    const mappings = await this.tupleMappings();
    const sources = this.tuples.map(({ resource, name }) => this.item(mappings.get(resource) as RestMapping, name));
    const visitors = sources.map((source) => source.visitor);
    const visitor = this.flags.continueOnError ? eagerly(visitors) : inOrder(visitors);
    return { visitor, sources, single: this.singlePath || this.tuples.length === 1, targetsSingle: true };
  }

  private async byNames(): Promise<Found> {
    if (this.types.length === 0) throw new Error("you must provide a resource and a resource name together");
    if (this.types.length > 1) throw new Error("you must specify only one resource");
    const [mapping] = await this.typeMappings();
    const sources = this.names.map((name) => this.item(mapping as RestMapping, name));
    const visitor = inOrder(sources.map((source) => source.visitor));
    return { visitor, sources, single: this.names.length === 1, targetsSingle: true };
  }

  private async nothing(): Promise<Found> {
    if (this.types.length === 0) throw new Error(MISSING_RESOURCE);
    const mapper = await this.dependencies.mapper();
    for (const type of this.types) await mappingForArgument(type, mapper);
    throw new Error("resource(s) were provided, but no name was specified");
  }

  private item(mapping: RestMapping, name: string): Source {
    if (mapping.namespaced && this.namespace === "") {
      throw new Error(
        this.flags.allNamespaces
          ? "a resource cannot be retrieved by name across all namespaces"
          : "namespace may not be empty when retrieving a resource by name",
      );
    }
    const namespace = mapping.namespaced ? this.namespace : "";
    const { subresourceName } = this;
    const make = (): Info => ({
      source: "",
      mapping,
      namespace,
      name,
      ...(subresourceName !== undefined && { subresource: subresourceName }),
    });
    return { visitor: { visit: (fn) => fn(make()) }, mapping, watch: this.watchOf(make()) };
  }

  private collection(mapping: RestMapping): Source {
    const namespace = mapping.namespaced ? this.namespace : "";
    const { labels: labelSelector = "", fields: fieldSelector = "", chunk: limit, request } = this;
    const selection = { mapping, namespace, labelSelector, fieldSelector, limit };
    const { client } = this.dependencies;
    return {
      visitor: selectorSource(selection, client, request),
      mapping,
      watch: async (resourceVersion, signal) =>
        new Helper(await client(), mapping, request).watch(
          namespace,
          { labelSelector, fieldSelector, resourceVersion },
          signal,
        ),
    };
  }

  private watchOf({ mapping, namespace, name }: Info): OpenWatch {
    const { request, dependencies } = this;
    return async (resourceVersion, signal) =>
      new Helper(await dependencies.client(), mapping, request).watch(namespace, { name, resourceVersion }, signal);
  }

  private async typeMappings(): Promise<readonly RestMapping[]> {
    if (this.types.length > 1 && this.flags.singleResourceType) throw new Error(SEVERAL_TYPES);
    const mapper = await this.dependencies.mapper();
    const found = new Map<string, RestMapping>();
    for (const type of this.types) {
      const mapping = await mappingForArgument(type, mapper);
      const key = JSON.stringify(mapping.kind);
      if (!found.has(key)) found.set(key, mapping);
    }
    return [...found.values()];
  }

  private async tupleMappings(): Promise<ReadonlyMap<string, RestMapping>> {
    const mapper = await this.dependencies.mapper();
    const found = new Map<string, RestMapping>();
    for (const { resource } of this.tuples) {
      if (!found.has(resource)) found.set(resource, await mappingForArgument(resource, mapper));
    }
    const distinct = new Set([...found.values()].map((mapping) => JSON.stringify(mapping.resource)));
    if (distinct.size > 1 && this.flags.singleResourceType) throw new Error(SEVERAL_TYPES);
    return found;
  }

  private async addFilenames(options: FilenameOptions): Promise<void> {
    const fault = faulty(options);
    if (fault !== undefined) throw fault;
    for (const name of options.filenames) {
      if (name === "-") this.addStdin();
      else if (/^https?:\/\//.test(name)) this.addUrl(name);
      else await this.collect(() => this.addPattern(name, options.recursive));
    }
  }

  private addStdin(): void {
    if (this.readsStream) this.errors.push(new Error("standard input cannot be used for multiple arguments"));
    this.readsStream = true;
    const read = (): Promise<Uint8Array> => readAll(this.dependencies.stdin);
    this.paths.push(documents("STDIN", read, this.maker(), this.check));
  }

  private addUrl(url: string): void {
    const { fetchUrl = fetchManifest, wait = sleep } = this.dependencies;
    this.paths.push(urlSource(url, fetchUrl, wait, this.maker(), this.check));
  }

  private async addPattern(pattern: string, recursive: boolean): Promise<void> {
    const { files } = this.dependencies;
    const roots = await expandPattern(pattern, files);
    if (!recursive && roots.length === 1) this.singlePath = true;
    for (const root of roots) {
      await this.collect(async () => {
        const found = await manifestsAt(root, recursive, files);
        if (found.length > 1) this.readsDirectory = true;
        this.paths.push(...found.map((file) => fileSource(file, files, this.maker(), this.check)));
      });
    }
    if (this.paths.length === 0 && this.errors.length === 0) {
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
        if (tuple !== undefined) this.tuples.push(tuple);
      }
      return;
    }
    const [first, ...names] = args;
    if (first === undefined) return;
    this.types.push(...splitTypes(await this.expandCategories(first)));
    this.names.push(...names);
    if (names.length === 0 && allowEmptySelector) this.labels ??= "";
  }

  private async expandCategories(types: string): Promise<string> {
    const mapper = await this.dependencies.mapper();
    const expanded = await Promise.all(
      types.split(",").map(async (type) => {
        const resources = await mapper.category(type);
        const words = resources?.map(({ resource, group }) => (group === "" ? resource : `${resource}.${group}`));
        return words?.join(",") ?? type;
      }),
    );
    return expanded.join(",");
  }

  private maker(): InfoMaker {
    return new InfoMaker(this.dependencies.mapper);
  }

  private retrieve(): Retrieve {
    return retrieveWith(this.dependencies.client, this.request);
  }

  private set(flag: keyof ResourceBuilder["flags"], value: boolean): Builder {
    this.flags[flag] = value;
    return this;
  }

  private input(step: () => void | Promise<void>): Builder {
    this.inputs.push(step);
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

interface Found {
  readonly visitor: Visitor;
  readonly sources: readonly Source[];
  readonly single: boolean;
  readonly targetsSingle: boolean;
}

const MISSING_RESOURCE = `You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'`;

const SEVERAL_TYPES = "you may only specify a single resource type";

const excludesAll = (kind: string, selector: string): Error =>
  new Error(`found non-empty ${kind} selector ${goQuote(selector)} with previously set 'all' parameter. `);

function faulty(options: FilenameOptions): Error | undefined {
  const kustomize = options.kustomize ?? "";
  if (options.filenames.length > 0 && kustomize !== "") return new Error("only one of -f or -k can be specified");
  return kustomize !== "" && options.recursive ? new Error("the -k flag can't be used with -f or -R") : undefined;
}

function parseSelector(text: string): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`the provided selector ${goQuote(text)} is not valid: ${message}`, { cause: error });
  }
}
