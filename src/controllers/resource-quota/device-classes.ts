import type { DeviceClass } from "../../api/types/resource/v1.js";
import type { SharedInformer } from "../../client/informers/index.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { ControllerContext } from "../context.js";

/**
 * The classes of devices, which decide what extended resources claims take. The controller follows them from the first quota on that
 * counts such a resource.
 */
export class DeviceClasses {
  #informer: SharedInformer<Stored<DeviceClass>> | undefined;

  constructor(
    private readonly context: Pick<ControllerContext, "manager" | "served" | "signal">,
    /** Called for each class that is added, changed or removed. */
    private readonly changed: () => void,
  ) {}

  /** The classes that the informer knows; none before {@link follow}, and none where the server does not serve them. */
  get known(): readonly DeviceClass[] {
    return this.#informer?.lister.list() ?? [];
  }

  /** Resolves when all classes are known. */
  async follow(): Promise<void> {
    const informer = this.#informer ?? (await this.#start());
    await informer?.synced;
  }

  async #start(): Promise<SharedInformer<Stored<DeviceClass>> | undefined> {
    const { manager, served, signal } = this.context;
    const { resources } = await served.all();
    const isServed = resources.some(
      ({ group, version, resource }) => group === "resource.k8s.io" && version === "v1" && resource === "deviceclasses",
    );
    // Another worker may have started it meanwhile.
    if (!isServed || this.#informer !== undefined) return this.#informer;
    const informer = manager.informers.of("resource.k8s.io/v1", "DeviceClass");
    this.#informer = informer;
    informer.addHandler({ added: this.changed, updated: this.changed, deleted: this.changed });
    manager.informers.start(signal);
    return informer;
  }
}
