import { strconvError } from "../../base/text/go-errors.js";
import { exposedPorts, podLabelsOf } from "../../polymorphic-helpers/exposure.js";
import { parseIntOrString } from "../../polymorphic-helpers/int-or-string.js";
import type { GroupKind } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** The flags of `expose`; "" for a flag that was not given. */
export interface ServiceRequest {
  readonly name: string;
  /** "key=value,..." */
  readonly labels: string;
  readonly selector: string;
  readonly port: string;
  readonly targetPort: string;
  readonly protocol: string;
  readonly type: string;
  readonly clusterIp: string;
  readonly externalIp: string;
  readonly loadBalancerIp: string;
  readonly sessionAffinity: string;
}

interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol: string;
  readonly targetPort: number | string;
}

type Labels = Readonly<Record<string, string>>;

/** A service's name is a DNS label: a longer one is cut. */
const LONGEST_NAME = 63;

/**
 * Makes the services of one command line. Values that no flag sets come from the first object that has them, and are used for the
 * later objects too, as in kubectl.
 */
export class ServicePlan {
  #selector: Labels = {};
  #labels: Labels = {};
  /** The one port there is, or the one that was asked for. */
  #port: string;
  /** Of an object that has several; then the one does not count. */
  #ports: readonly string[] = [];
  #protocols: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(private readonly request: ServiceRequest) {
    this.#port = request.port;
  }

  /** Throws where something is missing and cannot be found out. */
  serviceFor(exposed: KubeObject, kind: GroupKind): KubeObject {
    const { request } = this;
    if (request.selector === "") this.#findSelector(exposed);
    this.#findPorts(exposed, kind);
    if (isEmpty(this.#labels)) this.#labels = exposed.metadata?.labels ?? {};
    if (request.selector === "" && isEmpty(this.#selector)) throw new Error("selector must be specified");
    const selector = request.selector === "" ? this.#selector : parseLabels(request.selector);
    const labels = request.labels === "" ? this.#labels : parseLabels(request.labels);
    const name = request.name || (exposed.metadata?.name ?? "").slice(0, LONGEST_NAME);
    if (name === "") throw new Error("name must be specified");
    return {
      kind: "Service",
      apiVersion: "v1",
      metadata: { name, labels },
      spec: { selector, ports: this.#servicePorts(), ...this.#address() },
    };
  }

  #findSelector(exposed: KubeObject): void {
    if (!isEmpty(this.#selector)) return;
    try {
      this.#selector = podLabelsOf(exposed);
    } catch (error) {
      const why = (error as Error).message;
      throw new Error(`couldn't retrieve selectors via --selector flag or introspection: ${why}`, { cause: error });
    }
  }

  #findPorts(exposed: KubeObject, kind: GroupKind): void {
    const found = exposedPorts(exposed, kind);
    if (this.#port === "") {
      const [only, ...more] = found.map(({ port }) => String(port));
      if (only === undefined && this.request.clusterIp !== "None") {
        throw new Error("couldn't find port via --port flag or introspection");
      }
      if (more.length > 0) this.#ports = [only ?? "", ...more];
      else this.#port = only ?? "";
    }
    if (found.length > 0) this.#protocols = new Map(found.map(({ port, protocols }) => [String(port), protocols]));
  }

  #servicePorts(): readonly ServicePort[] {
    const one = this.#port === "" ? [] : this.#port.split(",");
    const ports = this.#ports.length > 0 ? this.#ports : one;
    return ports.flatMap((text, index) => {
      const port = parsePort(text);
      const targetPort = this.request.targetPort === "" ? port : parseIntOrString(this.request.targetPort);
      const name = `port-${index + 1}`;
      const protocols = this.#protocolsOf(text);
      if (protocols.length === 1) {
        return [{ ...(ports.length > 1 && { name }), port, protocol: protocols[0] ?? "", targetPort }];
      }
      return protocols.map((protocol) => ({
        name: `${name}-${protocol.toLowerCase()}`,
        port,
        protocol,
        targetPort,
      }));
    });
  }

  #protocolsOf(port: string): readonly string[] {
    if (this.request.protocol !== "") return [this.request.protocol];
    return this.#protocols.get(port) ?? ["TCP"];
  }

  #address(): Readonly<Record<string, unknown>> {
    const { type, clusterIp, externalIp, loadBalancerIp, sessionAffinity } = this.request;
    if (!["", "None", "ClientIP"].includes(sessionAffinity)) {
      throw new Error(`unknown session affinity: ${sessionAffinity}`);
    }
    return {
      type,
      clusterIP: clusterIp,
      sessionAffinity,
      ...(externalIp !== "" && { externalIPs: [externalIp] }),
      ...(type === "LoadBalancer" && { loadBalancerIP: loadBalancerIp }),
    };
  }
}

const isEmpty = (labels: Labels): boolean => Object.keys(labels).length === 0;

function parsePort(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text)) throw strconvError("Atoi", text, "invalid syntax");
  const value = BigInt(text.replace("+", ""));
  if (BigInt.asIntN(64, value) !== value) throw strconvError("Atoi", text, "value out of range");
  return Number(BigInt.asIntN(32, value));
}

function parseLabels(spec: string): Labels {
  return Object.fromEntries(
    spec.split(",").map((text) => {
      const [key = "", value, ...more] = text.split("=");
      if (value === undefined || more.length > 0) throw new Error(`unexpected label spec: ${text}`);
      if (key === "") throw new Error("unexpected empty label key");
      return [key, value];
    }),
  );
}
