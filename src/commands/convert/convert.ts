import { append } from "../../base/collections/append.js";
import { documentValidation } from "../../actions/validate-document.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { filenameFlags, readFilenames, requireFilenames } from "../../cli/flags/filename-flags.js";
import type { Flags, FlagSpec } from "../../cli/flags/flag-set.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readFieldValidation, validateFlag, warnCannotValidate } from "../../cli/flags/resource-flags.js";
import { type GroupVersion, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { NoKindMatchError, type RestMapper } from "../../machinery/rest-mapper.js";
import { type EncodeTyped, printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { throwAll } from "../../resource/visitor.js";
import { Converter } from "./converter.js";

export interface ConvertOptions {
  /** Asks nothing of a server. */
  readonly local: boolean;
  /** "apps/v1"; "" is the version to be preferred, for each object by itself. */
  readonly outputVersion: string;
  /** What the files hold, lists as they are. */
  readonly find: () => Promise<Result>;
  readonly mapper: () => Promise<RestMapper>;
  readonly converter: Converter;
  readonly print: (object: KubeObject) => void;
}

export function convertCommand(run = runConvert): Command {
  return {
    use: "convert -f FILENAME",
    description: `Convert manifests from one version of their API to another: to the one that --output-version names, else for each object
to the version that is preferred today. What is printed has the defaults of the version it was written for.

Only built-in kinds can be converted. Several objects, and what comes from a directory or from stdin, are printed as one List.`,
    examples: `# To the version preferred today
{{program}} convert -f pod.yaml

# To a version, as JSON
{{program}} convert -f deployment.yaml --output-version apps/v1 -o json

# A whole folder, and straight to the cluster
{{program}} convert -f . | {{program}} create -f -`,
    flags: [
      { name: "local", type: "bool", default: "true", usage: "Ask nothing of a server" },
      {
        name: "output-version",
        type: "string",
        usage: "The version to convert to (GROUP/VERSION, for instance networking.k8s.io/v1)",
      },
      ...printFlags.map((flag): FlagSpec => (flag.name === "output" ? { ...flag, default: "yaml" } : flag)),
      validateFlag,
      ...filenameFlags("The files with what is to be converted"),
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, { flags }: Invocation): Promise<ConvertOptions> {
  const files = readFilenames(flags);
  requireFilenames(files);
  const { namespace } = await factory.namespace();
  const { allScheme } = await import("../../api/scheme/all.js");
  const converter = new Converter(allScheme(), factory.clock);
  const encode: EncodeTyped = (object) => converter.encode(object);
  const printer = printerFor({ ...readPrintRequest(flags, factory), output: outputOf(flags), encode }, "converted");
  const local = flags.bool("local");
  return {
    local,
    outputVersion: flags.string("output-version"),
    find: async () => {
      const validate = local ? undefined : validation(flags, factory);
      const builder = await factory.builder();
      return builder
        .local(local)
        .validate(validate)
        .continueOnError()
        .namespaceParam(namespace)
        .filenames(false, files)
        .do();
    },
    mapper: factory.mapper,
    converter,
    print: (object) => printer.print(object, (text) => factory.streams.out.write(text)),
  };
}

/** A template given without -o stands against the default format. */
function outputOf(flags: Flags): string {
  return flags.string("template") !== "" && !flags.changed("output") ? "" : flags.string("output");
}

function validation(flags: Flags, factory: Factory) {
  return documentValidation({
    directive: readFieldValidation(flags),
    openapi: factory.openapi,
    client: factory.restClient,
    cannotWarn: () => warnCannotValidate(factory),
  });
}

/** Converts all or nothing. */
export async function runConvert(options: ConvertOptions): Promise<void> {
  const { outputVersion, converter, print } = options;
  const result = await options.find();
  const hubs: KubeObject[] = [];
  await result.visit(async ({ object, source }) => append(hubs, await read(object ?? {}, source, options)));
  if (hubs.length === 0) throw new Error("no objects passed to convert");
  const target = parseGroupVersion(outputVersion);
  const converted = hubs.map((hub) =>
    isStated(target) ? converter.convertTo(hub, target) : converter.convertToPreferred(hub),
  );
  const [only] = converted;
  if (only !== undefined && converted.length === 1 && result.singleItemImplied) return print(only);
  print({ kind: "List", apiVersion: "v1", metadata: {}, items: converted });
}

const isStated = ({ group, version }: GroupVersion): boolean => group !== "" || version !== "";

/** The objects of a document, in their hubs' versions; lists in lists are taken apart too. */
async function read(object: KubeObject, source: string, options: ConvertOptions): Promise<readonly KubeObject[]> {
  const { converter } = options;
  const items = converter.itemsOf(object);
  if (items !== undefined) return readItems(items, options);
  try {
    return [converter.read(object)];
  } catch (error) {
    throw new Error(`unable to decode ${JSON.stringify(source)}: ${(error as Error).message}`, { cause: error });
  }
}

async function readItems(items: readonly KubeObject[], options: ConvertOptions): Promise<readonly KubeObject[]> {
  const { converter, local, mapper } = options;
  const failures: unknown[] = [];
  const hubs: KubeObject[] = [];
  const open = [...items];
  for (let item = open.shift(); item !== undefined; item = open.shift()) {
    const inner = converter.itemsOf(item);
    try {
      if (inner === undefined) hubs.push(converter.read(item));
      else append(open, inner);
    } catch (error) {
      failures.push(error);
    }
  }
  throwAll(failures);
  if (!local) for (const hub of hubs) await recognize(hub, await mapper());
  return hubs;
}

/** A server must have the kind, in whatever version. */
async function recognize({ apiVersion = "", kind = "" }: KubeObject, mapper: RestMapper): Promise<void> {
  const { group } = parseGroupVersion(apiVersion);
  await mapper.mappingFor({ group, kind }).catch((error: unknown) => {
    const miss = error instanceof NoKindMatchError ? new NoKindMatchError({ group, kind }, "__internal") : error;
    throw new Error(`unable to recognize ${(miss as Error).message}`, { cause: error });
  });
}
