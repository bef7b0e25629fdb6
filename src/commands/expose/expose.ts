import { overrideObject, type Overrides } from "../../actions/apply/override-object.js";
import { readTyped } from "../../actions/typed/read-typed.js";
import {
  loadTypedKinds,
  requireType,
  recordTypedConfiguration,
  type TypedKinds,
} from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeListedTypes } from "../../cli/completion/listed-types.js";
import type { Factory } from "../../cli/connect/factory.js";
import { overrideFlags, readOverrides, readRecord, recordFlag } from "../../cli/flags/change-flags.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  readDryRun,
  readFilenames,
  saveConfigFlag,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import { requireExposable } from "../../polymorphic-helpers/exposure.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { encodeBody } from "../../resource/encode-json.js";
import { Helper } from "../../resource/helper.js";
import { ServicePlan, type ServiceRequest } from "./service-plan.js";

export interface ExposeOptions {
  readonly request: ServiceRequest;
  readonly overrides: Overrides;
  readonly namespace: string;
  /** -n was given: then a dry run shows the namespace. */
  readonly enforceNamespace: boolean;
  readonly dryRun: DryRunStrategy;
  readonly fieldManager: string;
  readonly saveConfig: boolean;
  /** Why it is made, for its annotation. */
  readonly cause: string | undefined;
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly kinds: TypedKinds;
  readonly print: (object: KubeObject) => void;
}

const TYPES = ["pod", "service", "replicationcontroller", "deployment", "replicaset"];

export function exposeCommand(run = runExpose): Command {
  return {
    use: "expose (-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--external-ip=external-ip-of-service] [--type=type]",
    description: `Make a service for what a resource runs.

Selector and ports of the service are those of the resource, unless they are given. What is exposed is a pod, a
service, a replication controller, a deployment or a replica set. The labels of the resource become the service's.`,
    examples: `# Serve what the deployment nginx runs on port 80; its containers listen on 8000
{{program}} expose deployment nginx --port=80 --target-port=8000

# The same of the replication controller in a file
{{program}} expose -f nginx-controller.yaml --port=80 --target-port=8000

# A second service of a service's pods, on another port and under another name
{{program}} expose service nginx --port=443 --target-port=8443 --name=nginx-https

# A service that speaks UDP
{{program}} expose rc streamer --port=4100 --protocol=UDP --name=video-stream`,
    flags: [
      ...printFlags,
      recordFlag,
      {
        name: "protocol",
        type: "string",
        usage: "Network protocol of the service. TCP unless the resource says otherwise",
      },
      { name: "port", type: "string", usage: "Port of the service. That of the resource unless it is given" },
      {
        name: "type",
        type: "string",
        usage: "Type of the service: ClusterIP (the default), NodePort, LoadBalancer or ExternalName",
      },
      {
        name: "load-balancer-ip",
        type: "string",
        usage: "Address of the load balancer, where the cloud lets one choose",
      },
      {
        name: "selector",
        type: "string",
        usage: "Labels of the service's pods. Those of the resource unless they are given",
      },
      { name: "labels", short: "l", type: "string", usage: "Labels of the service" },
      { name: "target-port", type: "string", usage: "Name or number of the containers' port" },
      { name: "external-ip", type: "string", usage: "Another address at which the service answers" },
      { name: "name", type: "string", usage: "Name of the service" },
      { name: "session-affinity", type: "string", usage: "Whether a client keeps its pod: None or ClientIP" },
      { name: "cluster-ip", type: "string", usage: "Address of the service; None for a headless one" },
      fieldManagerFlag("kubectl-expose"),
      ...overrideFlags,
      dryRunFlag,
      saveConfigFlag,
      ...filenameFlags("File, directory or URL that names what to expose"),
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeListedTypes(TYPES),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<ExposeOptions> {
  const { flags, args } = invocation;
  const dryRun = readDryRun(flags, factory);
  const kinds = await loadTypedKinds({ retired: true });
  const request = { ...readPrintRequest(flags, factory), encode: kinds.encode };
  const printer = printerFor(request, withDryRun("exposed", dryRun));
  const { namespace, enforced } = await factory.namespace();
  await factory.clientConfig();
  return {
    request: {
      name: flags.string("name"),
      labels: flags.string("labels"),
      selector: flags.string("selector"),
      port: flags.string("port"),
      targetPort: flags.string("target-port"),
      protocol: flags.string("protocol"),
      type: flags.string("type"),
      clusterIp: flags.string("cluster-ip"),
      externalIp: flags.string("external-ip"),
      loadBalancerIp: flags.string("load-balancer-ip"),
      sessionAffinity: flags.string("session-affinity"),
    },
    overrides: readOverrides(flags),
    namespace,
    enforceNamespace: enforced,
    dryRun,
    fieldManager: flags.string("field-manager"),
    saveConfig: flags.bool("save-config"),
    cause: readRecord(invocation),
    find: async () =>
      (await factory.builder())
        .decode((object) => readTyped(object, kinds))
        .checkEach(requireType)
        .continueOnError()
        .namespaceParam(namespace)
        .defaultNamespace()
        .filenames(enforced, readFilenames(flags))
        .typeOrNameArgs(false, args)
        .flatten()
        .do(),
    client: () => factory.restClient(),
    mapper: () => factory.mapper(),
    kinds,
    print: (object) => printer.print(object, (text) => factory.streams.out.write(text)),
  };
}

/** Creates one service after the other. Selector, labels and port that come from the first object are used for the others too. */
export async function runExpose(options: ExposeOptions): Promise<void> {
  const { kinds, dryRun } = options;
  const plan = new ServicePlan(options.request);
  const result = await options.find();
  await result.visit(async (info) => {
    const { kind } = info.mapping;
    requireExposable(kind);
    const made = plan.serviceFor(readTyped(info.object ?? {}, kinds), kind);
    const service = withChangeCause(await overrideObject(made, options.overrides, kinds), options.cause);
    if (dryRun === "client") return options.print(inNamespace(service, options));
    options.print(await create(recordTypedConfiguration(service, options.saveConfig, kinds), options));
  });
}

function inNamespace(service: KubeObject, { namespace, enforceNamespace }: ExposeOptions): KubeObject {
  return enforceNamespace ? { ...service, metadata: { ...service.metadata, namespace } } : service;
}

/**
 * kubectl takes the service out of its type before it sends it: the fields stand in the order of their names. A version
 * from --overrides is sent too, and the server refuses it.
 */
async function create(service: KubeObject, options: ExposeOptions): Promise<KubeObject> {
  const { kinds, dryRun, fieldManager, namespace } = options;
  const { kind } = kinds.mapping(service);
  const mapping = await (await options.mapper()).mappingFor(kind, kind.version);
  const helper = new Helper(await options.client(), mapping, { dryRun: dryRun === "server", fieldManager });
  return helper.createEncoded(namespace, encodeBody(readTyped(service, kinds)));
}
