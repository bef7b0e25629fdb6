import { isIPv4 } from "node:net";
import type { PodIdentity } from "../../container-runtime.js";
import { CLUSTER_DOMAIN } from "../../network/resolver-config.js";
import type { FileSystem } from "../files/file-system.js";

/** More of the file is not read, in bytes. */
const MOST_BYTES = 64 * 1024;

/** Formats /etc/hosts of a pod, as the kubelet writes it. */
export function hostsFile({ ip, hostname, namespace, object }: PodIdentity): string {
  const { hostNetwork, subdomain = "", hostAliases = [] } = object?.().spec ?? {};
  const inFull = subdomain === "" ? [] : [`${hostname}.${subdomain}.${namespace}.svc.${CLUSTER_DOMAIN}`];
  const aliases = hostAliases.map(({ ip: address, hostnames = [] }) => [address, ...hostnames].join("\t"));
  return [
    hostNetwork === true ? "# Kubernetes-managed hosts file (host network)." : "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    "fe00::0\tip6-localnet",
    "fe00::0\tip6-mcastprefix",
    "fe00::1\tip6-allnodes",
    "fe00::2\tip6-allrouters",
    [ip, ...inFull, hostname].join("\t"),
    ...(aliases.length > 0 ? ["", "# Entries added by HostAliases.", ...aliases] : []),
    "",
  ].join("\n");
}

/** Finds the IPv4 addresses of a name in a container's /etc/hosts. */
export function hostsFileAddresses(files: FileSystem, host: string): readonly string[] {
  const wanted = host.toLowerCase();
  const node = files.look("/etc/hosts");
  const text = node?.kind === "file" ? (files.content("/etc/hosts", MOST_BYTES)?.toString("utf8") ?? "") : "";
  return text.split("\n").flatMap((line) => {
    const [words = ""] = line.split("#");
    const [address = "", ...names] = words.trim().split(/[ \t]+/);
    return isIPv4(address) && names.some((name) => name.toLowerCase() === wanted) ? [address] : [];
  });
}
