import type { RestMapping } from "../machinery/rest-mapper.js";
import { errorMessage } from "../base/text/error-message.js";
import { goQuote } from "../base/text/go-quote.js";
import { parseLabelSelector } from "../machinery/selectors/parse-label-selector.js";
import type { BuilderDependencies, Inputs } from "./inputs.js";
import { flatten } from "./lists.js";
import { Helper } from "./helper.js";
import type { Info } from "./info.js";
import type { InfoMaker } from "./info-maker.js";
import { mappingForArgument } from "./resource-arguments.js";
import { setNamespace } from "./namespaces.js";
import type { Found, OpenWatch, Source } from "./result.js";
import { type Retrieve, retrieveLatest } from "./retrieve.js";
import { selectorSource } from "./selector-source.js";
import { concurrently, decorate, eagerly, filtered, inOrder } from "./visitor.js";

/** Turns inputs into visitors; inputs that contradict each other throw. */
export class SourceFinder {
  constructor(
    private readonly inputs: Inputs,
    private readonly dependencies: Pick<BuilderDependencies, "client" | "mapper">,
    private readonly maker: InfoMaker,
    private readonly retrieve: Retrieve,
  ) {}

  find(): Found | Promise<Found> {
    if (this.inputs.paths.length > 0) return this.byPaths();
    if (this.inputs.labels !== undefined || this.inputs.fields !== undefined) return this.bySelector();
    if (this.inputs.tuples.length > 0) return this.byTuples();
    if (this.inputs.names.length > 0) return this.byNames();
    return this.nothing();
  }

  private byPaths(): Found {
    if (this.inputs.types.length > 0) {
      throw new Error(
        "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
      );
    }
    if (this.inputs.names.length > 0) throw new Error("name cannot be provided when a path is specified");
    if (this.inputs.tuples.length > 0) {
      throw new Error("resource/name arguments cannot be provided when a path is specified");
    }
    const { flags, labels } = this.inputs;
    const { paths, concurrency } = this.inputs;
    let visitor = flags.continueOnError ? eagerly(paths) : concurrently(paths, concurrency);
    if (flags.flatten) visitor = flatten(visitor, this.maker);
    if (flags.latest) {
      if (flags.defaultNamespace) visitor = decorate(visitor, setNamespace(this.inputs.namespace));
      visitor = decorate(visitor, retrieveLatest(this.retrieve));
    }
    if (labels !== undefined) {
      const selector = parseSelector(labels);
      visitor = filtered(visitor, (info) => selector.matches(info.object?.metadata?.labels));
    }
    const single = !this.inputs.readsDirectory && !this.inputs.readsStream && this.inputs.paths.length === 1;
    return { visitor, sources: this.inputs.paths.map((path) => ({ visitor: path })), single, targetsSingle: true };
  }

  private async bySelector(): Promise<Found> {
    if (this.inputs.names.length > 0) throw new Error("name cannot be provided when a selector is specified");
    if (this.inputs.tuples.length > 0) {
      throw new Error("selectors and the all flag cannot be used when passing resource/name arguments");
    }
    if (this.inputs.types.length === 0) throw new Error("at least one resource must be specified to use a selector");
    if ((this.inputs.subresourceName ?? "") !== "") {
      throw new Error("subresource cannot be used when bulk resources are specified");
    }
    const sources = (await this.typeMappings()).map((mapping) => this.collection(mapping));
    const visitors = sources.map((source) => source.visitor);
    const visitor = this.inputs.flags.continueOnError ? eagerly(visitors) : inOrder(visitors);
    return { visitor, sources, single: false, targetsSingle: false };
  }

  private async byTuples(): Promise<Found> {
    if (this.inputs.types.length > 0) {
      throw new Error("you may not specify individual resources and bulk resources in the same call");
    }
    const mappings = await this.tupleMappings();
    const sources = this.inputs.tuples.map(({ resource, name }) =>
      this.item(mappings.get(resource) as RestMapping, name),
    );
    const visitors = sources.map((source) => source.visitor);
    const visitor = this.inputs.flags.continueOnError ? eagerly(visitors) : inOrder(visitors);
    return { visitor, sources, single: this.inputs.singlePath || this.inputs.tuples.length === 1, targetsSingle: true };
  }

  private async byNames(): Promise<Found> {
    if (this.inputs.types.length === 0) throw new Error("you must provide a resource and a resource name together");
    if (this.inputs.types.length > 1) throw new Error("you must specify only one resource");
    const [mapping] = await this.typeMappings();
    const sources = this.inputs.names.map((name) => this.item(mapping as RestMapping, name));
    const visitor = inOrder(sources.map((source) => source.visitor));
    return { visitor, sources, single: this.inputs.names.length === 1, targetsSingle: true };
  }

  private async nothing(): Promise<Found> {
    if (this.inputs.types.length === 0) throw new Error(MISSING_RESOURCE);
    const mapper = await this.dependencies.mapper();
    for (const type of this.inputs.types) await mappingForArgument(type, mapper);
    throw new Error("resource(s) were provided, but no name was specified");
  }

  private item(mapping: RestMapping, name: string): Source {
    if (mapping.namespaced && this.inputs.namespace === "") {
      throw new Error(
        this.inputs.flags.allNamespaces
          ? "a resource cannot be retrieved by name across all namespaces"
          : "namespace may not be empty when retrieving a resource by name",
      );
    }
    const namespace = mapping.namespaced ? this.inputs.namespace : "";
    const { subresourceName } = this.inputs;
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
    const namespace = mapping.namespaced ? this.inputs.namespace : "";
    const { labels: labelSelector = "", fields: fieldSelector = "", chunk: limit, request } = this.inputs;
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

  watchOf({ mapping, namespace, name }: Info): OpenWatch {
    const { dependencies } = this;
    const { request } = this.inputs;
    return async (resourceVersion, signal) =>
      new Helper(await dependencies.client(), mapping, request).watch(namespace, { name, resourceVersion }, signal);
  }

  private async typeMappings(): Promise<readonly RestMapping[]> {
    if (this.inputs.types.length > 1 && this.inputs.flags.singleResourceType) throw new Error(SEVERAL_TYPES);
    const mapper = await this.dependencies.mapper();
    const found = new Map<string, RestMapping>();
    for (const type of this.inputs.types) {
      const mapping = await mappingForArgument(type, mapper);
      const key = JSON.stringify(mapping.kind);
      if (!found.has(key)) found.set(key, mapping);
    }
    return [...found.values()];
  }

  private async tupleMappings(): Promise<ReadonlyMap<string, RestMapping>> {
    const mapper = await this.dependencies.mapper();
    const found = new Map<string, RestMapping>();
    for (const { resource } of this.inputs.tuples) {
      if (!found.has(resource)) found.set(resource, await mappingForArgument(resource, mapper));
    }
    const distinct = new Set([...found.values()].map((mapping) => JSON.stringify(mapping.resource)));
    if (distinct.size > 1 && this.inputs.flags.singleResourceType) throw new Error(SEVERAL_TYPES);
    return found;
  }
}

const MISSING_RESOURCE = `You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'`;

const SEVERAL_TYPES = "you may only specify a single resource type";

function parseSelector(text: string): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    const message = errorMessage(error);
    throw new Error(`the provided selector ${goQuote(text)} is not valid: ${message}`, { cause: error });
  }
}
