import type { Command, Invocation } from "../../cli/command.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
  requireName,
  nameOperand,
  withPrefix,
} from "./generated.js";
import { loadTypedKinds, protobufBody, type TypedKinds } from "../../actions/typed/typed-object.js";
import { completeNamesOf } from "../../cli/completion/resource-completers.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { object, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import { resourcePath } from "../../client/dynamic/resource-path.js";

export function createServiceAccountCommand(run = runCreateServiceAccount): Command {
  return {
    use: "serviceaccount NAME [--dry-run=server|client|none]",
    description: "Create a service account.",
    examples: `# Create the service account my-service-account
{{program}} create serviceaccount my-service-account`,
    flags: generatedFlags,
    execute: async (factory, invocation) => {
      const options = await completeGenerated(factory, invocation);
      requireName(options);
      await run(options);
    },
  };
}

export async function runCreateServiceAccount(options: GeneratedOptions): Promise<void> {
  const object = { kind: "ServiceAccount", apiVersion: "v1", metadata: namespacedMetadata(options) };
  await createGenerated(object, options, "failed to create serviceaccount:");
}

export interface CreateTokenOptions {
  /** The service account. */
  readonly name: string;
  readonly namespace: string;
  readonly audiences: readonly string[];
  /** 0: the server decides. */
  readonly seconds: number;
  readonly boundObject: { readonly kind: string; readonly name: string; readonly uid: string } | undefined;
  readonly client: RestClient;
  readonly kinds: TypedKinds;
  /** Undefined without -o: then the token alone is written. */
  readonly print: ((object: KubeObject) => void) | undefined;
  readonly streams: Pick<Streams, "out">;
}

export function createTokenCommand(run = runCreateToken): Command {
  return {
    use: "token SERVICE_ACCOUNT_NAME",
    description: "Ask the server for a token of a service account.",
    examples: `# A token of the service account myapp
{{program}} create token myapp

# In a namespace
{{program}} create token myapp --namespace myns

# For ten minutes
{{program}} create token myapp --duration 10m

# For another audience than the API server
{{program}} create token myapp --audience https://example.com

# That ends with a secret
{{program}} create token myapp --bound-object-kind Secret --bound-object-name mysecret

# That ends with a certain secret, and not with another of that name
{{program}} create token myapp --bound-object-kind Secret --bound-object-name mysecret --bound-object-uid 0d4691ed-659b-4935-a832-355f77ee47cc`,
    flags: [
      ...printFlags,
      {
        name: "audience",
        type: "stringArray",
        usage: "Whom the token is for, the API server by default; repeat it for more",
      },
      {
        name: "duration",
        type: "duration",
        usage: "How long the token shall live; the server may choose another time, and chooses without it",
      },
      {
        name: "bound-object-kind",
        type: "string",
        usage: "Kind of an object that the token ends with: Node, Pod or Secret. Needs --bound-object-name",
      },
      { name: "bound-object-name", type: "string", usage: "Name of that object. Needs --bound-object-kind" },
      { name: "bound-object-uid", type: "string", usage: "UID of that object, the present one's by default" },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeNamesOf("serviceaccount"),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateTokenOptions> {
  const { flags } = invocation;
  const name = nameOperand(invocation);
  const { namespace } = await factory.namespace();
  const client = await factory.restClient();
  const kinds = await loadTypedKinds();
  const request = { ...readPrintRequest(flags, factory), encode: kinds.encode };
  const printer = printerFor(request, "created");
  if (name === "") throw new Error("service account name is required");
  if (namespace === "") throw new Error("--namespace is required");
  const { out } = factory.streams;
  return {
    name,
    namespace,
    seconds: readSeconds(flags.duration("duration")),
    audiences: readAudiences(flags.strings("audience")),
    boundObject: readBoundObject(flags),
    client,
    kinds,
    print: flags.changed("output") ? (object) => printer.print(object, (line) => out.write(line)) : undefined,
    streams: factory.streams,
  };
}

function readSeconds(milliseconds: number): number {
  if (milliseconds < 0) throw new Error("--duration must be greater than or equal to 0");
  if (milliseconds % 1000 !== 0) throw new Error("--duration cannot be expressed in units less than seconds");
  return milliseconds / 1000;
}

function readAudiences(audiences: readonly string[]): readonly string[] {
  if (audiences.includes("")) throw new Error("--audience must not be an empty string");
  return audiences;
}

const BOUND_KINDS = ["Node", "Pod", "Secret"];

function readBoundObject(flags: Invocation["flags"]): CreateTokenOptions["boundObject"] {
  const [kind, name, uid] = [
    flags.string("bound-object-kind"),
    flags.string("bound-object-name"),
    flags.string("bound-object-uid"),
  ];
  if (kind === "") {
    const extra = name !== "" ? "name" : uid !== "" ? "uid" : undefined;
    if (extra === undefined) return undefined;
    throw new Error(`--bound-object-${extra} can only be set if --bound-object-kind is provided`);
  }
  if (!BOUND_KINDS.includes(kind)) {
    throw new Error(`supported --bound-object-kind values are ${BOUND_KINDS.join(", ")}`);
  }
  if (name === "") throw new Error("--bound-object-name is required if --bound-object-kind is provided");
  return { kind, name, uid };
}

const FAILED = "failed to create token:";

export async function runCreateToken(options: CreateTokenOptions): Promise<void> {
  const { streams, print } = options;
  const answer = await requestToken(options).catch((error: unknown) => {
    throw withPrefix(FAILED, error);
  });
  const token = text(object(answer["status"])["token"]);
  if (token === "") throw new Error(`${FAILED} no token in server response`);
  if (print !== undefined) return print(answer);
  streams.out.write(streams.out.isTTY === true ? `${token}\n` : token);
}

async function requestToken(options: CreateTokenOptions): Promise<KubeObject> {
  const { name, namespace, audiences, seconds, boundObject, client, kinds } = options;
  const account = kinds.mapping({ apiVersion: "v1", kind: "ServiceAccount" });
  const request = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    spec: {
      ...(audiences.length > 0 && { audiences }),
      ...(seconds > 0 && { expirationSeconds: seconds }),
      ...(boundObject !== undefined && { boundObjectRef: { apiVersion: "v1", ...boundObject } }),
    },
  };
  const answer = await client.request({
    method: "POST",
    path: resourcePath(account, namespace, name, "token"),
    ...protobufBody(request, kinds),
    accept: "application/json",
  });
  return answer.json();
}
