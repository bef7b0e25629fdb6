import { resolve } from "node:path";
import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { type Forward, ForwardSyntaxError, parseForward, parseRange } from "../../base/forward.js";
import { parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import type { Factory } from "../../cli/connect/factory.js";

/** The flags --forward and --allow-forward: ports of pods that lead to programs of this machine. */
export const forwardFlags: readonly FlagSpec[] = [
  {
    name: "forward",
    type: "stringArray",
    usage:
      "A port of pods that leads to a program of this machine, for this start, as [NAMESPACE/]KIND/NAME:PORT=HOST:PORT, such as deploy/web:80=127.0.0.1:3000. Services, port-forward, proxies, webhooks and probes reach the program. May be given several times.",
  },
  {
    name: "allow-forward",
    type: "stringArray",
    usage:
      "An address of this machine that a pod's annotation kubets.dev/forward (PORT=HOST:PORT) may lead its ports to, for this start, such as 127.0.0.1:3000 or 127.0.0.1:3000-3999. May be given several times. Default: none.",
  },
];

/** Reads the forward flags. Throws a usage error for an invalid forward or address. */
export function forwardsOf(invocation: Invocation): {
  readonly forward?: readonly Forward[];
  readonly allowForward?: readonly string[];
} {
  const [given, allowed] = ["forward", "allow-forward"].map((name) => invocation.flags.strings(name));
  const read = <T>(flag: string, texts: readonly string[], parse: (text: string) => T): readonly T[] =>
    texts.map((text) => {
      try {
        return parse(text);
      } catch (error) {
        if (error instanceof ForwardSyntaxError) throw usageError(invocation, `invalid --${flag}: ${error.message}`);
        throw error;
      }
    });
  const forward = read("forward", given ?? [], parseForward);
  const allowForward = read("allow-forward", allowed ?? [], (text) => (parseRange(text), text));
  return { ...(forward.length > 0 && { forward }), ...(allowForward.length > 0 && { allowForward }) };
}

/** The flag --load-balancer-addresses: the block for the addresses of Services of type LoadBalancer. */
export const loadBalancerFlag: FlagSpec = {
  name: "load-balancer-addresses",
  type: "string",
  default: "",
  usage:
    "A block of IPv4 addresses, such as 172.20.255.0/24, that Services of type LoadBalancer get an address of, for this start. Nothing listens there. Default: 203.0.113.0/24 where there are nodes. Given as empty, they stay pending.",
};

/**
 * Reads --load-balancer-addresses; undefined when it is not given, "" for no addresses. Throws a usage error for a text that is
 * not a block of addresses.
 */
export function loadBalancerAddressesOf(invocation: Invocation): string | undefined {
  const block = invocation.flags.string("load-balancer-addresses");
  if (!invocation.flags.changed("load-balancer-addresses")) return undefined;
  if (block === "" || parseIpv4Prefix(block) !== undefined) return block;
  const message = `invalid --load-balancer-addresses ${JSON.stringify(block)}: use a block of IPv4 addresses, such as 172.20.255.0/24`;
  throw usageError(invocation, message);
}

const MOST_NODES = 25_000;

/** The flag --nodes: how many nodes of the cluster's own process run pods. */
export const nodesFlag: FlagSpec = {
  name: "nodes",
  type: "int",
  default: "1",
  usage:
    "How many nodes run pods. `start` without it has as many as the cluster had. They are part of the cluster's process: pods go through their phases, and nothing of the machine runs. With 0, pods wait for a node from elsewhere.",
};

/** Reads --nodes; undefined when it is not given. Throws a usage error for an impossible number. */
export function nodesOf(invocation: Invocation): number | undefined {
  if (!invocation.flags.changed("nodes")) return undefined;
  const nodes = invocation.flags.number("nodes");
  if (nodes >= 0 && nodes <= MOST_NODES) return nodes;
  throw usageError(invocation, `invalid number of nodes ${nodes}: use 0 to ${MOST_NODES}`);
}

/** The flag --images: what a container does whose program does not exist. */
export const imagesFlag: FlagSpec = {
  name: "images",
  type: "string",
  default: "stand-in",
  usage:
    "What a container does whose program is not there, for this start: with stand-in it starts, says so in its log, answers on its ports and passes its probes; with strict it cannot start. A pod's annotation kubets.dev/images comes first.",
};

/** Whether --images lets containers stand in for their images. Throws a usage error for an unknown value. */
export function standInOf(invocation: Invocation): boolean {
  const images = invocation.flags.string("images");
  if (images === "stand-in" || images === "strict") return images === "stand-in";
  throw usageError(invocation, `invalid --images ${JSON.stringify(images)}: use stand-in or strict`);
}

/** The flag --image-scripts: the scripts that containers of some images run. */
export const imageScriptsFlag: FlagSpec = {
  name: "image-scripts",
  type: "string",
  default: "",
  usage:
    'A YAML file that says what containers of some images run, for this start: a list of {image: "registry.example.com/tools/*", script: "echo hello"}. image is a pattern of names, script is text of the small shell, which gets the command and args of the pod as its parameters. The first entry that fits counts.',
};

/** The absolute path of --image-scripts; undefined when it is not given. */
export function imageScriptsOf({ cwd }: Factory, { flags }: Invocation): string | undefined {
  const file = flags.string("image-scripts");
  return file === "" ? undefined : resolve(cwd, file);
}
