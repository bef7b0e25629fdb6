import type { Completer } from "../../cli/command.js";
import { NO_FILE_COMP } from "../../cli/completion/directive.js";
import { completePods, podOf } from "../../cli/completion/pod-completers.js";
import type { Factory } from "../../cli/connect/factory.js";
import { containerPorts, servicePorts } from "../../kinds/named-ports.js";
import { number } from "../../machinery/meta/access.js";

const SERVICES = new Set(["service", "services", "svc"]);

/** A pod or TYPE/NAME, then a port of it behind the local port that was typed, or behind the same one. */
export const completePortForward: Completer = async (factory, invocation, toComplete) => {
  const { args } = invocation;
  const [target] = args;
  if (target === undefined) return completePods(factory, invocation, toComplete);
  const ports = args.length === 1 ? await portsOf(factory, target).catch(() => []) : [];
  const [local = ""] = toComplete.split(":");
  const candidates = ports.map((port) => `${toComplete === "" ? port : local}:${port}`);
  return { candidates: candidates.filter((candidate) => candidate.startsWith(toComplete)), directive: NO_FILE_COMP };
};

async function portsOf(factory: Factory, target: string): Promise<readonly number[]> {
  const [type = "", name] = target.split("/");
  if (name !== undefined && SERVICES.has(type)) {
    const { namespace } = await factory.namespace();
    const builder = (await factory.builder()).namespaceParam(namespace).defaultNamespace();
    const [info] = await (await builder.resourceNames("services", [name]).do()).infos();
    return servicePorts(info?.object ?? {}).map(({ port }) => number(port));
  }
  const pod = await podOf(factory, target);
  return containerPorts(pod ?? {}, "containers").map(({ containerPort }) => number(containerPort));
}
