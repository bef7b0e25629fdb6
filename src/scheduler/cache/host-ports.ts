import type { Pod } from "../../api/types/core/v1.js";

/** A port of the node that a pod requests. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const ANY_IP = "0.0.0.0";

/** Collects the host ports of a pod's containers and sidecars. */
export function hostPorts({ spec }: Pod): readonly HostPort[] {
  const ports: HostPort[] = [];
  const take = (containers: NonNullable<Pod["spec"]>["containers"]): void => {
    for (const container of containers) {
      for (const { hostPort = 0, hostIP, protocol } of container.ports ?? []) {
        if (hostPort > 0) ports.push({ ip: hostIP || ANY_IP, protocol: protocol ?? "TCP", port: hostPort });
      }
    }
  };
  take(spec?.containers ?? []);
  const sidecars = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always");
  if (sidecars !== undefined) take(sidecars);
  return ports;
}

/** The host ports in use on a node: the number of pods at each "TCP/80", by address. */
export class UsedPorts {
  readonly #byIp = new Map<string, Map<string, number>>();

  get size(): number {
    return this.#byIp.size;
  }

  add({ ip, protocol, port }: HostPort): void {
    let ports = this.#byIp.get(ip);
    if (ports === undefined) this.#byIp.set(ip, (ports = new Map()));
    const key = `${protocol}/${port}`;
    ports.set(key, (ports.get(key) ?? 0) + 1);
  }

  remove({ ip, protocol, port }: HostPort): void {
    const ports = this.#byIp.get(ip);
    const key = `${protocol}/${port}`;
    const count = ports?.get(key);
    if (ports === undefined || count === undefined) return;
    if (count > 1) ports.set(key, count - 1);
    else ports.delete(key);
    if (ports.size === 0) this.#byIp.delete(ip);
  }

  /** Whether the port is taken: 0.0.0.0 is every address. */
  conflicts({ ip, protocol, port }: HostPort): boolean {
    const key = `${protocol}/${port}`;
    if (ip !== ANY_IP) return this.#byIp.get(ANY_IP)?.has(key) === true || this.#byIp.get(ip)?.has(key) === true;
    for (const ports of this.#byIp.values()) if (ports.has(key)) return true;
    return false;
  }

  clone(): UsedPorts {
    const copy = new UsedPorts();
    for (const [ip, ports] of this.#byIp) copy.#byIp.set(ip, new Map(ports));
    return copy;
  }
}
