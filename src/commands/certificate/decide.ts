import { TypedClient } from "../../actions/typed/typed-client.js";
import { loadTypedKinds, type TypedKinds } from "../../actions/typed/typed-object.js";
import type { Clock } from "../../base/time/clock.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { filenameFlags, readFilenames } from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { list, object, objects, text } from "../../machinery/meta/access.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { FilenameOptions, Result } from "../../resource/builder.js";
import { Helper } from "../../resource/helper.js";
import { type Info, refresh } from "../../resource/info.js";

/** What becomes of a request for a certificate, as its conditions say it. */
interface Decision {
  readonly type: "Approved" | "Denied";
  /** The decision that rules this one out. */
  readonly opposite: "Approved" | "Denied";
  readonly reason: string;
  readonly message: string;
}

const APPROVED: Decision = {
  type: "Approved",
  opposite: "Denied",
  reason: "KubectlApprove",
  message: "This CSR was approved by kubectl certificate approve.",
};

const DENIED: Decision = {
  type: "Denied",
  opposite: "Approved",
  reason: "KubectlDeny",
  message: "This CSR was denied by kubectl certificate deny.",
};

export interface DecideOptions {
  readonly decision: Decision;
  /** Writes what was decided before once more. */
  readonly force: boolean;
  readonly find: () => Promise<Result>;
  readonly client: RestClient;
  readonly kinds: TypedKinds;
  readonly clock: Clock;
  readonly print: (object: KubeObject) => void;
  readonly streams: Pick<Streams, "out">;
}

export function approveCommand(run = runDecide): Command {
  return {
    use: "approve (-f FILENAME | NAME)",
    description: `Approve a request for a certificate: whoever signs the requests of a cluster will then issue it.

Look at what was asked for first. The certificate may let its holder act as anybody whose name it bears.`,
    examples: `# Approve the request "csr-sqgzp"
{{program}} certificate approve csr-sqgzp`,
    ...rest(APPROVED, "Write the approval of a request that is approved already", run),
  };
}

export function denyCommand(run = runDecide): Command {
  return {
    use: "deny (-f FILENAME | NAME)",
    description: "Deny a request for a certificate: no certificate will be issued for it.",
    examples: `# Deny the request "csr-sqgzp"
{{program}} certificate deny csr-sqgzp`,
    ...rest(DENIED, "Write the denial of a request that is denied already", run),
  };
}

const rest = (decision: Decision, force: string, run: typeof runDecide): Pick<Command, "flags" | "execute"> => ({
  flags: [
    ...printFlags,
    { name: "force", type: "bool", usage: force },
    ...filenameFlags("File, directory or URL that names the requests"),
  ],
  execute: async (factory, invocation) => run(await complete(factory, invocation, decision)),
});

async function complete(factory: Factory, { args, flags }: Invocation, decision: Decision): Promise<DecideOptions> {
  const printer = printerFor(readPrintRequest(flags, factory), decision.type.toLowerCase());
  const client = await factory.restClient();
  const files = readFilenames(flags);
  validate(args, files);
  return {
    decision,
    force: flags.bool("force"),
    find: async () =>
      (await factory.builder())
        .continueOnError()
        .filenames(false, files)
        .resourceNames("certificatesigningrequests", args)
        .requireObject(true)
        .flatten()
        .latest()
        .do(),
    client,
    kinds: await loadTypedKinds(),
    clock: factory.clock,
    print: (object) => printer.print(object, (line) => factory.streams.out.write(line)),
    streams: factory.streams,
  };
}

function validate(names: readonly string[], { filenames, kustomize = "" }: FilenameOptions): void {
  if (names.length === 0 && filenames.length === 0 && kustomize === "") {
    throw new Error("one or more CSRs must be specified as <name> or -f <filename>");
  }
}

/** Approves or denies the requests one after the other, and continues after a failure. It prints each request as it was before. */
export async function runDecide(options: DecideOptions): Promise<void> {
  let found = 0;
  await (await options.find()).visit(async (info) => {
    await decide(info, options);
    found += 1;
    options.print(info.object ?? {});
  });
  if (found === 0) options.streams.out.write("No resources found\n");
}

/** How often it is tried when others write at the same time. */
const TRIES = 11;

async function decide(info: Info, options: DecideOptions): Promise<void> {
  const requests = new TypedClient(options.client, options.kinds, {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
  });
  for (let tries = 1; ; tries += 1) {
    requireSigningRequest(info.object ?? {});
    const live = await read(info.object?.metadata?.name ?? "", requests);
    const { request, isNew } = decided(live, options);
    if (!isNew && !options.force) return;
    try {
      await requests.update("", request, "approval");
      return;
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
    refresh(info, await new Helper(options.client, info.mapping).get(info.namespace, info.name));
  }
}

function requireSigningRequest({ apiVersion = "", kind = "" }: KubeObject): void {
  const { group } = parseGroupVersion(apiVersion);
  const [want, got] = ["CertificateSigningRequest.certificates.k8s.io", group === "" ? kind : `${kind}.${group}`];
  if (got !== want) throw new Error(`can only handle ${want} objects, got ${got}`);
}

async function read(name: string, requests: TypedClient): Promise<KubeObject> {
  try {
    return await requests.get("", name);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(`could not find v1 version of ${name}: ${error.message}`, { cause: error });
  }
}

/** The request with the decision among its conditions. */
function decided(
  live: KubeObject,
  { decision, clock }: DecideOptions,
): { readonly request: KubeObject; readonly isNew: boolean } {
  const { type, opposite, reason, message } = decision;
  const status = object(live["status"]);
  for (const condition of objects(status["conditions"])) {
    if (text(condition["type"]) !== opposite) continue;
    throw new Error(`certificate signing request ${goQuote(live.metadata?.name ?? "")} is already ${opposite}`);
  }
  if (objects(status["conditions"]).some((condition) => condition["type"] === type)) {
    return { request: live, isNew: false };
  }
  const lastUpdateTime = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  const condition = { type, status: "True", reason, message, lastUpdateTime };
  return {
    request: { ...live, status: { ...status, conditions: [...list(status["conditions"]), condition] } },
    isNew: true,
  };
}
