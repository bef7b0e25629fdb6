import { append } from "../../base/collections/append.js";
import { documentValidation } from "../../actions/validate-document.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { filenameFlags, readFilenames, requireFilenames } from "../../cli/flags/filename-flags.js";
import type { Flags, FlagSpec } from "../../component/flags/flag-set.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readFieldValidation, validateFlag, warnCannotValidate } from "../../cli/flags/resource-flags.js";
import {
  type GroupVersion,
  parseGroupVersion,
  formatGroupVersion,
  type GroupKind,
  type GroupVersionKind,
} from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { NoKindMatchError, type RestMapper } from "../../machinery/rest-mapper.js";
import { type EncodeTyped, printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { throwAll } from "../../resource/visitor.js";
import type { Clock } from "../../base/time/clock.js";
import { encodeObjectText } from "../../machinery/wire/encode.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import { kindStatedBy, type Scheme } from "../../machinery/scheme/scheme.js";
import { sortedJson } from "../../resource/encode-json.js";
import { isList, listItems } from "../../resource/lists.js";

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

/** Converts all objects, or none if one of them fails. */
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

/** What kubectl-convert's errors call the scheme of everything Kubernetes has types of. */
const SCHEME = "pkg/api/legacyscheme/scheme.go:30";

/** The group whose kinds were all moved to other groups: what is in both belongs to the other one. */
const FORMER_GROUP = "extensions";

/** Objects on their way from one version to another, by way of their hub. */
export class Converter {
  /** Of each hub the groups it can be converted to, the one to be preferred first. */
  readonly #groups: ReadonlyMap<string, readonly string[]>;

  constructor(
    private readonly scheme: Scheme,
    private readonly clock: Clock,
  ) {
    this.#groups = groupsOfHubs(scheme);
  }

  /** What a list holds, each item saying what it is; undefined for what is no list. */
  itemsOf(object: KubeObject): readonly KubeObject[] | undefined {
    const { kind = "", apiVersion = "" } = object;
    if (!kind.endsWith("List")) return undefined;
    const isOfAnything = kind === "List" && apiVersion === "v1";
    const item = { ...parseGroupVersion(apiVersion), kind: kind.slice(0, -"List".length) };
    if (!isOfAnything && !this.scheme.isRegistered(item)) return undefined;
    return isList(object) ? listItems(object) : [];
  }

  /**
   * The object in its hub's version, with the defaults of the version it came in; fields that version does not have are
   * dropped. Throws for a kind without a type, and for a value that does not fit.
   */
  read(object: KubeObject): KubeObject {
    const { kind = "", apiVersion = "" } = object;
    if (kind === "") throw new Error(`Object 'Kind' is missing in '${sortedJson(object)}'`);
    if (apiVersion === "") throw new Error(`Object 'apiVersion' is missing in '${sortedJson(object)}'`);
    const gvk = { ...parseGroupVersion(apiVersion), kind };
    if (!this.scheme.isRegistered(gvk)) throw notRegistered(gvk);
    const source = this.scheme.kind(gvk);
    const { object: held } = decodeObject<KubeObject>(object, source.schema, { mode: "Ignore" });
    const draft = { ...held, kind, apiVersion };
    source.applyDefaults(draft, this.clock.now());
    return source.toHub(draft);
  }

  /** What {@link read} gave, in a version that was asked for. Throws when it has no such version. */
  convertTo(hub: KubeObject, target: GroupVersion): KubeObject {
    const { kind, group } = kindStatedBy(hub);
    const groups = this.#groupsOf(hub);
    if (!groups.includes(target.group)) {
      throw new Error(
        `${typeName({ group, kind })} is not suitable for converting to ${quoted(target)} in scheme ${JSON.stringify(SCHEME)}`,
      );
    }
    if (target.version === "__internal") throw new Error("a versioned object must be passed to a printer");
    const gvk = { group: target.group, version: target.version, kind };
    if (!this.scheme.isRegistered(gvk)) throw notRegistered(gvk);
    return this.scheme.kind(gvk).fromHub(hub);
  }

  /** What {@link read} gave, in the version that comes first in the group that comes first. */
  convertToPreferred(hub: KubeObject): KubeObject {
    const { kind } = kindStatedBy(hub);
    for (const group of this.#groupsOf(hub)) {
      const [version] = this.scheme.versionsOf({ group, kind });
      if (version !== undefined) return this.convertTo(hub, { group, version });
    }
    throw notRegistered(kindStatedBy(hub));
  }

  /** The object as its Go type writes it, kind and apiVersion first, on one line; a v1 List with its items likewise. */
  encode(object: KubeObject): string {
    if (object.kind !== "List" || object.apiVersion !== "v1") {
      return encodeObjectText(object, this.scheme.kindOf(object).schema);
    }
    const items = (object["items"] as readonly KubeObject[]).map((item) => this.encode(item));
    return `{"kind":"List","apiVersion":"v1","metadata":{},"items":[${items.join(",")}]}`;
  }

  #groupsOf(hub: KubeObject): readonly string[] {
    return this.#groups.get(keyOf(kindStatedBy(hub))) ?? [];
  }
}

function groupsOfHubs(scheme: Scheme): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, Set<string>>();
  for (const gvk of scheme.kinds()) {
    const { hub } = scheme.kind(gvk);
    const known = groups.get(keyOf(hub)) ?? new Set([hub.group]);
    groups.set(keyOf(hub), known.add(gvk.group));
  }
  const last = (group: string): number => (group === FORMER_GROUP ? 1 : 0);
  return new Map([...groups].map(([hub, set]) => [hub, [...set].sort((a, b) => last(a) - last(b))]));
}

const keyOf = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`;

function notRegistered(gvk: GroupVersionKind): Error {
  return new Error(
    `no kind ${JSON.stringify(gvk.kind)} is registered for version ${quoted(gvk)} in scheme ${JSON.stringify(SCHEME)}`,
  );
}

const quoted = (gv: GroupVersion): string => JSON.stringify(formatGroupVersion(gv));

/** Kubernetes' own name of the type of a hub: "core.Pod", "networking.Ingress". */
function typeName({ group, kind }: GroupKind): string {
  const [first = ""] = group.split(".");
  const packageName = first === "" ? "core" : first === "internal" ? "apiserverinternal" : first;
  return `${packageName}.${kind}`;
}
