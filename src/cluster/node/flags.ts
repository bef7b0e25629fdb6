import { isIP } from "node:net";
import { parseForward, parseRange } from "../../base/forward.js";
import { parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { FlagSection } from "../../component/component-flag.js";
import { pairsOfType } from "../../component/flags/pairs.js";
import type { Taint } from "../../api/types/core/v1.js";

const fault =
  (parse: (text: string) => unknown) =>
  (text: string): string | undefined => {
    try {
      parse(text);
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  };

const block = (text: string): string | undefined =>
  parseIpv4Prefix(text) === undefined ? "must be a block of IPv4 addresses, such as 10.244.0.0/16" : undefined;

/** The flags of simulated nodes. Flags that the kubelet has, too, have its names. */
export const nodeSections: readonly FlagSection[] = [
  {
    name: "nodes",
    flags: [
      {
        name: "nodes",
        type: "int",
        default: "1",
        usage: "How many nodes there are, node-1 and so on.",
        check: (text) => (Number(text) >= 1 && Number(text) <= 1000 ? undefined : "must be from 1 to 1000"),
      },
      {
        name: "node-names",
        type: "stringSlice",
        usage: "The names of the nodes, in place of --nodes. Two processes must not run nodes of one name.",
      },
      {
        ...pairsOfType("mapStringString"),
        name: "node-labels",
        usage: "Labels of new Nodes, as KEY=VALUE,KEY=VALUE.",
      },
      {
        name: "register-with-taints",
        type: "stringSlice",
        usage: "Taints of new Nodes, each as KEY=VALUE:EFFECT.",
        check: fault((text) => text.split(",").map(parseTaint)),
      },
      {
        ...pairsOfType("mapStringString"),
        name: "capacity",
        usage: "What each node has, such as cpu=8,memory=16Gi,pods=110, which is what it has without the flag.",
      },
      {
        name: "pod-cidr",
        type: "string",
        default: "10.244.0.0/16",
        usage: "The addresses of pods: each Node without a block of its own gets 256 of them that no other Node has.",
        check: block,
      },
      {
        name: "service-cidr",
        type: "string",
        default: "10.96.0.0/12",
        usage: "The addresses of Services, which programs of pods reach.",
        check: block,
      },
      {
        name: "cluster-dns",
        type: "string",
        default: "10.96.0.10",
        usage: "The address that programs of pods ask for names. The nodes answer there themselves.",
        check: (text) => (isIP(text) === 4 ? undefined : "must be an IPv4 address"),
      },
    ],
  },
  {
    name: "containers",
    flags: [
      {
        name: "images",
        type: "string",
        default: "stand-in",
        usage:
          "What a container does whose program is not there: with stand-in it starts, says so in its log, answers on its ports and passes its probes; with strict it cannot start. A pod's annotation kubets.dev/images comes first.",
        check: (text) => (text === "stand-in" || text === "strict" ? undefined : "use stand-in or strict"),
      },
      {
        name: "image-scripts",
        type: "string",
        usage:
          'A YAML file that says what containers of some images run: a list of {image: "PATTERN", script: "TEXT"}.',
      },
      {
        name: "forward",
        type: "stringArray",
        usage:
          "A port of pods that leads to a program of this machine, as [NAMESPACE/]KIND/NAME:PORT=HOST:PORT. May be given several times.",
        check: fault(parseForward),
      },
      {
        name: "allow-forward",
        type: "stringArray",
        usage:
          "An address of this machine that a pod's annotation kubets.dev/forward may lead its ports to, such as 127.0.0.1:3000-3999. May be given several times.",
        check: fault(parseRange),
      },
    ],
  },
  {
    name: "kubelet API",
    flags: [
      {
        name: "address",
        type: "string",
        typeName: "ip",
        default: "127.0.0.1",
        usage:
          "The IP address on which the nodes' kubelet APIs listen, and that their Nodes name. API servers reach logs, exec and port-forward there.",
        check: (text) => (isIP(text) === 0 ? `failed to parse IP: ${JSON.stringify(text)}` : undefined),
      },
      {
        name: "port",
        type: "int",
        usage: "The port of the first node's kubelet API; the others have the next ones. If 0, each takes a free port.",
        check: (text) => (Number(text) >= 0 && Number(text) <= 65_535 ? undefined : "must be from 0 to 65535"),
      },
      {
        name: "client-ca-file",
        type: "string",
        usage:
          "A file with the authority of the certificate that the API server shows to kubelets (kube-apiserver's --kubelet-client-certificate), PEM. Without it, the authority of clients that the API server publishes in the ConfigMap kube-system/extension-apiserver-authentication.",
      },
      {
        name: "tls-cert-file",
        type: "string",
        usage:
          "A file with the certificate of the kubelet APIs, PEM. Without it, each node signs one itself; an API server with --kubelet-certificate-authority refuses that.",
      },
      { name: "tls-private-key-file", type: "string", usage: "A file with the private key of --tls-cert-file, PEM." },
    ],
  },
  {
    name: "connection",
    flags: [
      { name: "kubeconfig", type: "string", usage: "A kubeconfig of the API server and of the nodes' user there." },
      { name: "master", type: "string", usage: "The address of the API server, in place of that of --kubeconfig." },
    ],
  },
];

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;

/** Parses a taint of kubelet's --register-with-taints: "key=value:NoSchedule" or "key:NoSchedule". Throws for any other text. */
export function parseTaint(text: string): Taint {
  const [, key = "", value, given = ""] = /^([^=:]+)(?:=([^:]*))?:(.+)$/.exec(text) ?? [];
  if (key === "") throw new Error(`invalid taint spec: ${text}, use KEY=VALUE:EFFECT`);
  const effect = EFFECTS.find((one) => one === given);
  if (effect === undefined) {
    throw new Error(`invalid taint effect: ${given}, unsupported taint effect; use ${EFFECTS.join(", ")}`);
  }
  return { key, effect, ...(value !== undefined && value !== "" && { value }) };
}
