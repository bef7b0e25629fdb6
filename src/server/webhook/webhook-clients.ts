import type { Random } from "../../base/numbers/random.js";
import { uuid } from "../../base/numbers/uuid.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { KubeconfigWebhook } from "./kubeconfig-webhook.js";
import { standInErrorOf } from "../../machinery/wire/streams/stand-in-end.js";
import { WebhookClient, type WebhookSurroundings } from "./webhook-client.js";
import type { WebhookTarget } from "./webhook-target.js";

/** How many webhooks keep their connections: those called last. kube-apiserver's number. */
const KEPT_CLIENTS = 200;

/** The clients of the webhooks that a server calls, one for each target. */
export class WebhookClients {
  readonly #clients = new Map<string, WebhookClient>();
  readonly #configured = new Map<ClientConfig, KubeconfigWebhook>();

  /** `random` makes the uids of reviews. */
  constructor(
    private readonly surroundings: WebhookSurroundings,
    private readonly random: Random,
  ) {}

  /** The client of a target. Throws in client-go's words for a target that cannot be called. */
  of(target: WebhookTarget): WebhookClient {
    const { origin, path, caBundle } = target;
    const key = `${origin}${path} ${caBundle === undefined ? "" : Buffer.from(caBundle).toString("base64")}`;
    const client = this.#clients.get(key) ?? new WebhookClient(target, this.surroundings);
    // The one used last is the last of the map.
    this.#clients.delete(key);
    this.#clients.set(key, client);
    this.#retireOldest();
    return client;
  }

  /** The webhook of a kubeconfig, which has one client for each object of its configuration. Throws as its constructor does. */
  ofConfig(config: ClientConfig): KubeconfigWebhook {
    let webhook = this.#configured.get(config);
    if (webhook === undefined) {
      webhook = new KubeconfigWebhook(config, { ...this.surroundings, random: this.random });
      this.#configured.set(config, webhook);
    }
    return webhook;
  }

  /** What stands in for the webhook of a target: asked where the target cannot be called, because its CA bundle is none yet. */
  async standInOf({ service }: WebhookTarget): Promise<string | undefined> {
    const { locate, hosts } = this.surroundings;
    if (service === undefined || hosts === undefined) return undefined;
    try {
      const { host, port } = await locate(service);
      (await hosts.dial(host, port))?.destroy();
      return undefined;
    } catch (error) {
      return standInErrorOf(error)?.what;
    }
  }

  /** The uid of a review. */
  reviewUid(): string {
    return uuid(this.random);
  }

  /** Closes all connections. Calls under way fail. */
  async close(): Promise<void> {
    const clients = [...this.#clients.values(), ...this.#configured.values()];
    this.#clients.clear();
    this.#configured.clear();
    await Promise.all(clients.map((client) => client.close()));
  }

  #retireOldest(): void {
    if (this.#clients.size <= KEPT_CLIENTS) return;
    const [[key, oldest] = []] = this.#clients;
    if (key === undefined) return;
    this.#clients.delete(key);
    oldest?.retire();
  }
}
