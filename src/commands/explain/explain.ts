import { NEWEST_VERSION } from "../../machinery/served-versions.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { OpenApiDocuments } from "../../client/openapi/openapi.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import { formatKind, type RestMapper } from "../../machinery/rest-mapper.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Look } from "../../printers/look.js";
import { withMistyped } from "../../base/text/mistyped.js";
import { findDocument } from "./schema-document.js";
import { explainPlainly } from "./plaintext.js";
import { readRequest, readVersionedRequest, type ResourceRequest } from "./resource-request.js";

export interface ExplainOptions extends ExplainSource {
  /** "pods.spec.containers"; "" for a search over all types. */
  readonly request: string;
  readonly recursive: boolean;
  /** How many levels of fields to list; undefined for all. */
  readonly maxDepth: number | undefined;
  /** Prints a manifest of the kind instead of explaining it. */
  readonly example: boolean;
  /** Looks for fields by this word instead of explaining one; "" explains. */
  readonly search: string;
  /** "": the one the server prefers. */
  readonly apiVersion: string;
  readonly output: string;
  readonly out: (text: string) => void;
  readonly look: Look;
}

/** The source of explanations: a server, or the facts of the pinned version. */
export interface ExplainSource {
  readonly mapper: RestMapper;
  readonly documents: () => Promise<OpenApiDocuments>;
  /** The document of OpenAPI v2, in protobuf form. */
  readonly legacyDocument: () => Promise<Uint8Array>;
}

const PLAINTEXT = "plaintext";
const LEGACY = "plaintext-openapiv2";

export function explainCommand(run = runExplain): Command {
  return {
    use: "explain TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2]",
    description: `Show what a resource is made of: its fields, their types and what each is for.

A field of a resource is named by the way to it, with dots between the names:

  TYPE.FIELDNAME[.FIELDNAME]

What is shown comes from the server's OpenAPI documents, so it fits the server's version and its custom resources.
"{{program}} api-resources" lists the types there are.`,
    examples: `# What a pod is made of
{{program}} explain pods

# All fields of a pod, those of its fields too
{{program}} explain pods --recursive

# A deployment as one version of the API has it
{{program}} explain deployments --api-version=apps/v1

# One field of a pod
{{program}} explain pods.spec.containers

# A deployment, from the older form of the server's documents
{{program}} explain deployment --output=plaintext-openapiv2

# Every field that has to do with affinity, of all types
{{program}} explain --search affinity

# A deployment to begin with
{{program}} explain deployments --example | {{program}} apply -f -

# Two levels of a pod's fields, without a server
{{program}} explain pods --recursive --max-depth=2 --offline`,
    flags: [
      { name: "recursive", short: "R", type: "bool", usage: "Show the fields of fields too, by their names and types" },
      {
        name: "api-version",
        type: "string",
        usage: "Explain the type as this version of its API has it (GROUP/VERSION)",
      },
      {
        name: "output",
        short: "o",
        type: "string",
        default: PLAINTEXT,
        usage: "How to show it (plaintext, plaintext-openapiv2)",
      },
      {
        name: "search",
        type: "string",
        usage: "List the fields whose name or description holds this word, of all types or of the given one",
      },
      {
        name: "max-depth",
        type: "int",
        default: "0",
        usage: "With --recursive: how many levels of fields to show. 0 shows all",
      },
      {
        name: "example",
        type: "bool",
        usage: "Print a manifest of the type; one of Kubernetes' own types applies as it is",
      },
      {
        name: "offline",
        type: "bool",
        usage: `Explain Kubernetes ${NEWEST_VERSION} without asking a server: no custom resources, all of its own versions`,
      },
    ],
    outputMustArrive: true,
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, { args, flags }: Invocation): Promise<ExplainOptions> {
  const source = flags.bool("offline") ? (await import("./offline.js")).offlineSource() : await serverSource(factory);
  const [request, ...others] = args;
  const search = flags.string("search");
  if (request === undefined && search === "") {
    throw new Error(
      `You must specify the type of resource to explain. Use "${factory.program} api-resources" for a complete list of supported resources.\n`,
    );
  }
  if (others.length > 0) throw new Error("We accept only this format: explain RESOURCE\n");
  const maxDepth = flags.number("max-depth");
  const recursive = flags.bool("recursive");
  if (maxDepth > 0 && !recursive) throw new Error("--max-depth requires --recursive");
  if (maxDepth < 0) throw new Error("--max-depth must be non-negative");
  return {
    ...source,
    request: request ?? "",
    recursive,
    maxDepth: maxDepth === 0 ? undefined : maxDepth,
    search,
    example: flags.bool("example"),
    apiVersion: flags.string("api-version"),
    output: flags.string("output"),
    out: (text) => factory.streams.out.write(text),
    look: factory.look,
  };
}

const serverSource = async (factory: Factory): Promise<ExplainSource> => ({
  mapper: await factory.mapper(),
  documents: async () => (await factory.openapi()).documents,
  legacyDocument: async () => {
    const { fetchOpenApiV2 } = await import("../../client/openapi/documents.js");
    return fetchOpenApiV2(await factory.restClient());
  },
});

/** Explains from OpenAPI v3, or from v2 when the user asks for that or the server has nothing else. */
export async function runExplain(options: ExplainOptions): Promise<void> {
  const { request, apiVersion, output, mapper } = options;
  if (options.search !== "") return (await import("./schema-search.js")).printSearch(options);
  if (options.example) return (await import("./example.js")).printExample(options);
  const found = await (apiVersion === "" ? readRequest(request, mapper) : readVersionedRequest(request, mapper));
  if (output === LEGACY || (output === PLAINTEXT && !(await hasV3(options)))) return explainFromV2(found, options);
  const resource =
    apiVersion === "" ? found.resource : { ...parseGroupVersion(apiVersion), resource: found.resource.resource };
  const document = await findDocument(resource, await options.documents());
  if (output !== PLAINTEXT) {
    const error = new Error(`unrecognized format: ${output}`);
    throw withMistyped(error, () => ({ typed: output, known: [PLAINTEXT, LEGACY] }));
  }
  const { recursive, maxDepth, look } = options;
  const listing = { recursive, maxDepth, paint: look.paint };
  explainPlainly(document, { resource, fields: found.fields, ...listing }, options.out);
}

async function hasV3({ documents }: ExplainOptions): Promise<boolean> {
  return (await documents()).paths().then(
    () => true,
    () => false,
  );
}

async function explainFromV2({ resource, fields }: ResourceRequest, options: ExplainOptions): Promise<void> {
  const { mapper, apiVersion, recursive, maxDepth, look } = options;
  const preferred = await mapper.kindFor(resource).catch(() => mapper.kindFor({ ...resource, version: "" }));
  const kind = apiVersion === "" ? preferred : { ...parseGroupVersion(apiVersion), kind: preferred.kind };
  const [{ readV2Models }, { explainLegacy }] = await Promise.all([
    import("../../client/openapi/v2-models.js"),
    import("./legacy-plaintext.js"),
  ]);
  const models = readV2Models(await options.legacyDocument());
  const model = models.ofKind(kind);
  if (model === undefined) throw new Error(`couldn't find resource for ${goQuote(formatKind(kind))}`);
  options.out(explainLegacy(model, models, { kind, fields, recursive, maxDepth, paint: look.paint }));
}
