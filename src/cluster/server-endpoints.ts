import { pause } from "../base/time/pause.js";
import type { Timers } from "../base/time/timers.js";
import { isNotFound } from "../machinery/errors/status-error.js";
import { number, object, objects, text } from "../machinery/meta/access.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { ApiRegistry } from "../server/api-registry/api-registry.js";
import { createOrAdjust, targetsIn, withoutSwitchedOff } from "../server/generic/create-missing.js";
import type { ObjectStore } from "../server/storage/store.js";
import { isSliceOfPort, kubernetesEndpoints, type ServerAddress } from "./system-objects.js";

/**
 * kube-apiserver's lease reconciler keeps an Endpoints object with its address at this place, which the store removes when it is not
 * renewed. Ours have the port in the key and in the object too, because servers of one address differ by it.
 */
const LEASES = {
  apiVersion: "v1",
  kind: "Endpoints",
  resource: { group: "", resource: "endpoints" },
  prefix: "/registry/masterleases/",
};

/** As kube-apiserver's. */
const TTL_SECONDS = 15;
/** A renewal may fail twice. */
const RENEWAL_MS = 5000;
const RETRY_MS = 1000;

export interface ServerEndpointsParts {
  readonly registry: ApiRegistry;
  readonly timers: Timers;
  /** Undefined for a server without a socket. */
  readonly address: ServerAddress | undefined;
  readonly reportError: (error: unknown) => void;
}

/** The endpoints of the Service "kubernetes", which all servers of a storage keep together. */
export interface ServerEndpoints {
  /** Takes this server out of them. */
  stop(): Promise<void>;
}

/** Resolves when this server is among the endpoints. */
export async function keepServerEndpoints(parts: ServerEndpointsParts): Promise<ServerEndpoints> {
  const endpoints = new SharedEndpoints(parts);
  await endpoints.renew();
  await endpoints.write();
  return endpoints.keep();
}

class SharedEndpoints {
  readonly #leases: ObjectStore;
  readonly #stopping = new AbortController();
  readonly #key: string;
  #address: ServerAddress | undefined;
  /** The writes of the endpoints, one after the other. */
  #writes: Promise<void> = Promise.resolve();

  constructor(private readonly parts: ServerEndpointsParts) {
    this.#leases = parts.registry.internalObjects(LEASES);
    this.#address = parts.address;
    this.#key = `${parts.address?.ip}:${parts.address?.port}`;
  }

  keep(): ServerEndpoints {
    const loops = [this.#renewAgain(), this.#follow()];
    return {
      stop: async () => {
        this.#stopping.abort();
        await Promise.all(loops);
        try {
          await this.#leave();
        } catch (error) {
          this.parts.reportError(error);
        }
      },
    };
  }

  /** Writes the server's lease; it expires 15 seconds later. */
  async renew(): Promise<void> {
    const address = this.#address;
    if (address === undefined) return;
    const renewed = (generation: number): KubeObject => ({
      apiVersion: "v1",
      kind: "Endpoints",
      // A write that changes nothing would not be one.
      metadata: { generation },
      subsets: [{ addresses: [{ ip: address.ip }], ports: [{ name: "https", port: address.port, protocol: "TCP" }] }],
    });
    await this.#leases.guaranteedUpdate(
      this.#key,
      (current) => Promise.resolve(renewed((current?.object().metadata?.generation ?? 0) + 1)),
      { ignoreNotFound: true, ttlSeconds: TTL_SECONDS },
    );
  }

  /** Writes what the leases say by now. */
  write(): Promise<void> {
    const writing = this.#writes.then(() => this.#write());
    this.#writes = writing.catch(() => {});
    return writing;
  }

  async #write(): Promise<void> {
    const api = this.parts.registry.current;
    const wanted = kubernetesEndpoints(await this.#servers());
    await createOrAdjust(api, wanted);
    const names = new Set(wanted.map(({ metadata }) => metadata?.name));
    const slice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: { namespace: "default" } };
    if (withoutSwitchedOff(api, [slice]).length === 0) return;
    const { storage, scope } = targetsIn(api)(slice);
    for (const item of (await storage.list(scope, {})).items) {
      const found = item.object();
      const name = found.metadata?.name ?? "";
      if (isSliceOfPort(found) && !names.has(name)) await unlessGone(storage.delete(scope, name, {}, undefined));
    }
  }

  /** The servers with a lease, and this one. */
  async #servers(): Promise<readonly ServerAddress[]> {
    const { items } = await this.#leases.list("");
    const servers = items.map((item) => addressOf(item.object(), this.parts.address?.port ?? 0));
    const live = servers.filter(({ ip, port }) => ip !== "" && port !== 0 && `${ip}:${port}` !== this.#key);
    return this.#address === undefined ? live : [...live, this.#address];
  }

  async #renewAgain(): Promise<void> {
    const { timers, reportError } = this.parts;
    const { signal } = this.#stopping;
    let wait = RENEWAL_MS;
    for (;;) {
      await pause(timers, wait, signal);
      if (signal.aborted) return;
      try {
        await this.renew();
        // Another may have changed or deleted them.
        await this.write();
        wait = RENEWAL_MS;
      } catch (error) {
        if (!signal.aborted) reportError(error);
        wait = RETRY_MS;
      }
    }
  }

  /** Writes the endpoints when a server comes or goes, by its stop or because its lease has expired. */
  async #follow(): Promise<void> {
    const { timers } = this.parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        for await (const events of await this.#leases.watch("", { signal })) {
          if (events.some(({ type }) => type === "ADDED" || type === "DELETED")) await this.write();
        }
      } catch {
        // The renewals report what does not pass.
      }
      await pause(timers, RETRY_MS, signal);
    }
  }

  async #leave(): Promise<void> {
    if (this.#address === undefined) return;
    this.#address = undefined;
    await unlessGone(this.#leases.delete(this.#key));
    await this.write();
  }
}

/** kube-apiserver's leases name no port: all of its servers have the same one. */
function addressOf(lease: KubeObject, otherwise: number): ServerAddress {
  const [subset] = objects(lease["subsets"]);
  const [address] = objects(object(subset).addresses);
  const [port] = objects(object(subset).ports);
  return { ip: text(object(address).ip), port: number(object(port).port) || otherwise };
}

async function unlessGone(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
