import { TypedClient } from "../../actions/typed/typed-client.js";
import { loadTypedKinds, type TypedKinds } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { silentExit } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { warnTo } from "../../cli/warn.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { object, text, type ReadonlyFields } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { type Look, headingCells, tableColumns } from "../../printers/look.js";
import { fetchResourceList } from "../../client/discovery/live-discovery.js";
import { formatGroupVersion, type GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { compactRules, goList, readRules, resourceText } from "../../machinery/rbac/policy-rule.js";
import { TabWriter } from "../../printers/tab-writer.js";

/** The action that `can-i` asks about. */
export type Question =
  | { readonly verb: string; readonly url: string }
  | {
      readonly verb: string;
      readonly resource: AskedResource;
      /** "": any of them. */
      readonly name: string;
      readonly subresource: string;
    };

export interface CanIOptions {
  /** Undefined for --list: everything is asked about. */
  readonly question: Question | undefined;
  /** "": all of them. */
  readonly namespace: string;
  readonly quiet: boolean;
  readonly noHeaders: boolean;
  readonly client: RestClient;
  readonly kinds: TypedKinds;
  readonly warn: (message: string) => void;
  readonly streams: Pick<Streams, "out">;
  readonly look: Look;
}

export function canICommand(run = runCanI): Command {
  return {
    use: "can-i VERB [TYPE | TYPE/NAME | NONRESOURCEURL]",
    description: `Ask the server whether something is allowed.

VERB is what would be done: get, list, watch, create, delete and so on. TYPE is a kind of resource, by any name that {{program}} knows it by,
and NAME the name of one. NONRESOURCEURL is a path that begins with a slash. With the global flag --as the question is about somebody else.`,
    examples: `# May I create pods in any namespace?
{{program}} auth can-i create pods --all-namespaces

# May I list deployments in this namespace?
{{program}} auth can-i list deployments.apps

# May the service account "foo" of "dev" list the pods of "prod"? To ask that takes the right to act as others
{{program}} auth can-i list pods --as=system:serviceaccount:dev:foo -n prod

# May I do everything here?
{{program}} auth can-i '*' '*'

# May I get the job "bar" of the namespace "foo"?
{{program}} auth can-i get jobs.batch/bar -n foo

# May I read the logs of pods?
{{program}} auth can-i get pods --subresource=log

# May I ask for the path /logs/?
{{program}} auth can-i get /logs/

# What may I do in the namespace "foo"?
{{program}} auth can-i --list --namespace=foo`,
    flags: [
      { name: "all-namespaces", short: "A", type: "bool", usage: "Ask about all namespaces at once" },
      { name: "quiet", short: "q", type: "bool", usage: "Print nothing; the exit code is the answer" },
      {
        name: "subresource",
        type: "string",
        usage: "What of the resource, such as log of pods or scale of deployments",
      },
      { name: "list", type: "bool", usage: "Show everything that is allowed" },
      { name: "no-headers", type: "bool", usage: "With --list: leave out the headings" },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, { args, flags }: Invocation): Promise<CanIOptions> {
  const warn = warnTo(factory.streams, factory.colours);
  const [list, quiet, everywhere] = [flags.bool("list"), flags.bool("quiet"), flags.bool("all-namespaces")];
  const subresource = flags.string("subresource");
  const question = list ? none(args) : await readQuestion(args, subresource, factory, warn);
  const client = await factory.restClient();
  const noHeaders = flags.bool("no-headers");
  const options = { question, quiet, noHeaders, client, warn, streams: factory.streams, look: factory.look };
  const namespace = everywhere ? "" : (await factory.namespace()).namespace;
  if (question === undefined) {
    if (quiet || everywhere || subresource !== "") {
      throw new Error("list option can't be specified with neither quiet, all-namespaces nor subresource options");
    }
  } else {
    await validate(question, subresource, everywhere, client, warn);
    if (noHeaders) throw new Error("--no-headers cannot be set without --list specified");
  }
  return { ...options, namespace, kinds: await loadTypedKinds() };
}

function none(args: readonly string[]): undefined {
  if (args.length > 0) throw new Error("list option must be specified with no arguments");
}

async function readQuestion(
  args: readonly string[],
  subresource: string,
  factory: Factory,
  warn: (message: string) => void,
): Promise<Question> {
  const [verb, what] = args;
  if (verb === undefined || what === undefined || args.length > 2) {
    throw new Error(
      "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.",
    );
  }
  if (what.startsWith("/")) return { verb, url: what };
  const slash = what.indexOf("/");
  const [type, name] = slash < 0 ? [what, ""] : [what.slice(0, slash), what.slice(slash + 1)];
  return { verb, resource: await findResource(await factory.mapper(), type, warn), name, subresource };
}

const RESOURCE_VERBS = new Set(
  "get list watch create update patch delete deletecollection use bind impersonate * approve sign escalate attest".split(
    " ",
  ),
);
const URL_VERBS = new Set(["get", "put", "post", "head", "options", "delete", "patch", "*"]);

async function validate(
  question: Question,
  subresource: string,
  everywhere: boolean,
  client: RestClient,
  warn: (message: string) => void,
): Promise<void> {
  const unknownVerb = `verb '${question.verb}' is not a known verb\n`;
  if ("url" in question) {
    if (subresource !== "") throw new Error("--subresource can not be used with NonResourceURL");
    if (!URL_VERBS.has(question.verb)) warn(unknownVerb);
  } else if (question.resource.resource !== "" && !everywhere) {
    const { group, resource } = question.resource;
    if ((await isNamespaced(question.resource, client)) === false) {
      const where = group === "" ? "" : ` in group '${group}'`;
      warn(`resource '${resource}' is not namespace scoped${where}\n`);
    }
    if (!RESOURCE_VERBS.has(question.verb)) warn(unknownVerb);
  }
}

export async function runCanI(options: CanIOptions): Promise<void> {
  if (options.question === undefined) return listAllowed(options);
  const { allowed, line } = await ask(options.question, options);
  if (!options.quiet) options.streams.out.write(line);
  if (!allowed) throw silentExit();
}

const AUTHORIZATION = "authorization.k8s.io/v1";

async function ask(
  question: Question,
  { client, kinds, namespace }: CanIOptions,
): Promise<{ readonly allowed: boolean; readonly line: string }> {
  const reviews = new TypedClient(client, kinds, { apiVersion: AUTHORIZATION, kind: "SelfSubjectAccessReview" });
  const answer = await reviews.create("", { spec: attributes(question, namespace) });
  const { allowed, reason, evaluationError } = object(answer["status"]);
  if (allowed === true) return { allowed, line: "yes\n" };
  const reasons = [text(reason), text(evaluationError)].filter((one) => one !== "");
  return { allowed: false, line: `${["no", ...reasons].join(" - ")}\n` };
}

function attributes(question: Question, namespace: string): JsonObject {
  const { verb } = question;
  if ("url" in question) return { nonResourceAttributes: { verb, path: question.url } };
  const { group, resource } = question.resource;
  const { name, subresource } = question;
  return { resourceAttributes: { namespace, verb, group, resource, subresource, name } };
}

async function listAllowed({ client, kinds, namespace, noHeaders, warn, streams, look }: CanIOptions): Promise<void> {
  const reviews = new TypedClient(client, kinds, { apiVersion: AUTHORIZATION, kind: "SelfSubjectRulesReview" });
  const answer = await reviews.create("", { spec: { namespace } });
  const status = object(answer["status"]);
  if (status["incomplete"] === true) warn(`the list may be incomplete: ${text(status["evaluationError"])}`);
  printRules(status, noHeaders, look, (line) => streams.out.write(line));
}

/** The resource of a question. One that the server lacks has only its name. */
export type AskedResource = GroupVersionResource;

/** Resources that no server lists, and that rules name all the same. */
const UNLISTED = new Set(["users", "groups"]);

/** Finds the resource with the name `typed`. For an unknown name it warns, and returns the name as typed. */
export async function findResource(
  mapper: RestMapper,
  typed: string,
  warn: (message: string) => void,
): Promise<AskedResource> {
  const asTyped = { group: "", version: "", resource: typed };
  if (typed === "*") return asTyped;
  const name = typed.toLowerCase();
  for (const meaning of meanings(name)) {
    // Whatever is wrong here, the question can still be asked.
    const found = await mapper.preferredResourceFor(meaning).catch(() => undefined);
    if (found !== undefined) return found;
  }
  const { resource, group } = parse(name);
  if (!UNLISTED.has(name)) {
    warn(`the server doesn't have a resource type '${resource}'${group === "" ? "" : ` in group '${group}'`}\n`);
  }
  return asTyped;
}

/** "deployments.v1.apps" may be a resource, its version and its group, and may be of a group "v1.apps". */
function meanings(name: string): readonly GroupVersionResource[] {
  const [resource = "", version, ...group] = name.split(".");
  const partial = { ...parse(name), version: "" };
  if (version === undefined || group.length === 0) return [partial];
  return [{ group: group.join("."), version, resource }, partial];
}

function parse(name: string): { readonly resource: string; readonly group: string } {
  const dot = name.indexOf(".");
  return dot < 0 ? { resource: name, group: "" } : { resource: name.slice(0, dot), group: name.slice(dot + 1) };
}

/** Whether the resource has namespaces; undefined where discovery does not tell. */
export async function isNamespaced(asked: AskedResource, client: RestClient): Promise<boolean | undefined> {
  const { version, resource } = asked;
  if (version === "") return undefined;
  try {
    const { resources } = await fetchResourceList(client, formatGroupVersion(asked), {});
    return resources.find(({ name }) => name === resource)?.namespaced;
  } catch {
    return undefined;
  }
}

const HEADINGS = ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"];

/** Prints the table of the rights in the status of a SelfSubjectRulesReview. */
export function printRules(status: ReadonlyFields, noHeaders: boolean, look: Look, out: (text: string) => void): void {
  const rules = compactRules([...readRules(status["resourceRules"]), ...readRules(status["nonResourceRules"])]);
  const table = new TabWriter(out, { measure: look.measure, fit: look.fit });
  table.write.table?.(tableColumns(HEADINGS, !noHeaders));
  if (!noHeaders) table.write(`${headingCells(look, HEADINGS).join("\t")}\n`);
  for (const rule of rules) {
    const lists = [rule.nonResourceURLs, rule.resourceNames, rule.verbs].map(goList);
    table.write(`${[resourceText(rule), ...lists].join("\t")}\n`);
  }
  table.flush();
}
