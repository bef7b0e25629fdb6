import { loadTypedKinds, type TypedKinds } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { compareKeys } from "../../base/collections/key-order.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { encodeObjectText } from "../../machinery/wire/encode.js";
import { encodeProtobufDocument } from "../../machinery/wire/protobuf/encode-protobuf.js";
import { isForbidden, isNotFound } from "../../machinery/errors/status-error.js";
import { list, object, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { goList } from "../../machinery/rbac/policy-rule.js";
import { printerFor } from "../../printers/formats.js";
import { TabWriter } from "../../printers/tab-writer.js";

export interface WhoAmIOptions {
  readonly client: RestClient;
  readonly kinds: TypedKinds;
  /** Undefined without -o: then a table is written. */
  readonly print: ((review: KubeObject) => void) | undefined;
  readonly streams: Pick<Streams, "out">;
}

export function whoAmICommand(run = runWhoAmI): Command {
  return {
    use: "whoami",
    description: `Experimental: show as whom the server knows you: name, groups and what else came with your credentials. That is most
useful where somebody else decides it: a token webhook, a proxy, OIDC.`,
    examples: `# Who am I?
{{program}} auth whoami

# The same, as JSON
{{program}} auth whoami -o json`,
    flags: printFlags,
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

/** Alpha, beta and v1 have one shape. */
const NEWEST = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };

async function complete(factory: Factory, { flags }: Invocation): Promise<WhoAmIOptions> {
  const client = await factory.restClient();
  const kinds = await loadTypedKinds();
  const schema = kinds.schema(NEWEST);
  const { out } = factory.streams;
  const options = { client, kinds, streams: factory.streams };
  if (!flags.changed("output")) return { ...options, print: undefined };
  const encode = (review: KubeObject): string => encodeObjectText(review, schema);
  const printer = printerFor({ ...readPrintRequest(flags, factory), encode });
  return { ...options, print: (review) => printer.print(review, (line) => out.write(line)) };
}

const NOT_SERVED = "the selfsubjectreviews API is not enabled in the cluster";

/** Sends the review in the newest version that the server serves. */
export async function runWhoAmI(options: WhoAmIOptions): Promise<void> {
  const review = await askAny(options).catch((error: unknown) => {
    if (isForbidden(error)) throw new Error(`${NOT_SERVED} or you do not have permission to call it`);
    throw isNotFound(error) ? new Error(NOT_SERVED) : error;
  });
  if (options.print === undefined) printTable(review, options);
  else options.print(review);
}

async function askAny(options: WhoAmIOptions): Promise<KubeObject> {
  for (const version of ["v1", "v1beta1"]) {
    try {
      return await ask(version, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return ask("v1alpha1", options);
}

async function ask(version: string, { client, kinds }: WhoAmIOptions): Promise<KubeObject> {
  const [group, kind] = ["authentication.k8s.io", "SelfSubjectReview"];
  const answer = await client.request({
    method: "POST",
    path: `/apis/${group}/${version}/selfsubjectreviews`,
    contentType: "application/vnd.kubernetes.protobuf",
    body: encodeProtobufDocument({}, { group, version, kind }, kinds.schema(NEWEST)),
    accept: "application/json",
  });
  return { ...(answer.json() as KubeObject), apiVersion: `${group}/${version}`, kind };
}

function printTable(review: KubeObject, { streams }: WhoAmIOptions): void {
  const user = object(object(review["status"])["userInfo"]);
  const [username, uid, groups] = [text(user["username"]), text(user["uid"]), list(user["groups"]).map(text)];
  const extra = Object.entries(object(user["extra"])).sort(([a], [b]) => compareKeys(a, b));
  const rows = [
    ["ATTRIBUTE", "VALUE"],
    ...(username === "" ? [] : [["Username", username]]),
    ...(uid === "" ? [] : [["UID", uid]]),
    ...(groups.length === 0 ? [] : [["Groups", goList(groups)]]),
    ...extra.map(([key, values]) => [`Extra: ${key}`, goList(list(values).map(text))]),
  ];
  const table = new TabWriter((line) => streams.out.write(line));
  for (const row of rows) table.write(`${row.join("\t")}\n`);
  table.flush();
}
