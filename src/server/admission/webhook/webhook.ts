import type { MutatingWebhook, MutatingWebhookConfiguration } from "../../../api/types/admissionregistration/v1.js";
import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { Release } from "../../../api/facts/index.js";
import { once } from "../../../base/async/once.js";
import { list, object, objects, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import type { LabelSelector } from "../../../machinery/selectors/label-selector.js";
import type { LabelSelectorObject } from "../../../machinery/validation/labels.js";
import { type WebhookTarget, webhookTarget } from "../../webhook/webhook-target.js";
import { type Rule, ruleOf } from "../matching/match-rules.js";
import type { AdmissionContext, AdmissionManifests, AdmissionObjects, CachedObject } from "../plugin.js";

/** One webhook of a configuration, prepared for matching requests. */
export interface Webhook {
  /** "<configuration>/<name>/<how many of that name come before it>", of files below "manifest/": unique among the webhooks of a phase. */
  readonly id: string;
  readonly configuration: string;
  readonly name: string;
  /** Throws an Error for a clientConfig that names no target. */
  readonly target: () => WebhookTarget;
  readonly rules: readonly Rule[];
  /** True: its rules match other versions of a resource too. */
  readonly matchesEquivalents: boolean;
  /** Throw a SelectorError for a selector that is none. */
  readonly namespaceSelector: () => LabelSelector;
  readonly objectSelector: () => LabelSelector;
  readonly matchConditions: readonly MatchCondition[];
  /** The version of Kubernetes whose function libraries {@link matchConditions} may use. */
  readonly libraries: string;
  /** True: a call that fails does not fail the request. */
  readonly ignoresFailures: boolean;
  /** "" where the configuration names none. */
  readonly sideEffects: string;
  /** Milliseconds; undefined where the configuration names none. */
  readonly timeout: number | undefined;
  /** The AdmissionReview versions that it takes, preferred first. */
  readonly reviewVersions: readonly string[];
  /** A mutating webhook that may be called again when a later plugin has changed the object. */
  readonly mayBeReinvoked: boolean;
}

/** A CEL expression that must be true for the webhook to be called. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** The webhooks of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration, in their order. */
function webhooksOf(configuration: KubeObject, { version: libraries }: Release, prefix = ""): readonly Webhook[] {
  const { name: of = "" } = configuration.metadata ?? {};
  const { webhooks }: FieldsOf<MutatingWebhookConfiguration> = configuration;
  const hooks: readonly FieldsOf<MutatingWebhook>[] = objects(webhooks);
  const seen = new Map<string, number>();
  return hooks.map((hook) => {
    const name = text(hook.name);
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    const timeout = hook.timeoutSeconds;
    return {
      id: `${prefix}${of}/${name}/${before}`,
      configuration: of,
      name,
      target: once(() => webhookTarget(object(hook.clientConfig))),
      rules: objects(hook.rules).map(ruleOf),
      matchesEquivalents: hook.matchPolicy === "Equivalent",
      namespaceSelector: once(() => selectorFromObject(hook.namespaceSelector as LabelSelectorObject | undefined)),
      objectSelector: once(() => selectorFromObject(hook.objectSelector as LabelSelectorObject | undefined)),
      matchConditions: objects(hook.matchConditions).map(
        (one) =>
          ({
            name: text(one.name),
            expression: text(one.expression),
          }) satisfies FieldsOf<MatchCondition>,
      ),
      libraries,
      ignoresFailures: hook.failurePolicy === "Ignore",
      sideEffects: text(hook.sideEffects),
      timeout: typeof timeout === "number" ? timeout * 1000 : undefined,
      reviewVersions: list(hook.admissionReviewVersions).map(text),
      mayBeReinvoked: hook.reinvocationPolicy === "IfNeeded",
    };
  });
}

const GROUP = "admissionregistration.k8s.io";

/**
 * The webhooks of all configurations of one kind, by the names of the configurations; those of files come first. Each request sees the
 * configurations of its arrival; one revision of a configuration is prepared once.
 */
export class ConfiguredWebhooks {
  #seen: readonly CachedObject[] | undefined;
  #webhooks: readonly Webhook[] = [];
  #prepared = new Map<string, { readonly version: string; readonly webhooks: readonly Webhook[] }>();

  #files: readonly KubeObject[] | undefined;
  #webhooksOfFiles: readonly Webhook[] = [];

  constructor(
    private readonly resource: "mutatingwebhookconfigurations" | "validatingwebhookconfigurations",
    private readonly plugin: string,
  ) {}

  /** True where files have no webhook, and the watch cache holds no configuration. Every write asks. */
  areNone({ objects: { cached }, manifests, release }: AdmissionContext, onlyOfFiles: boolean): boolean {
    if (manifests !== undefined && this.#ofFiles(manifests, release).length > 0) return false;
    return onlyOfFiles || cached.now(GROUP, this.resource)?.length === 0;
  }

  async now({ objects, manifests, release }: AdmissionContext, onlyOfFiles: boolean): Promise<readonly Webhook[]> {
    if (manifests === undefined) return onlyOfFiles ? [] : this.#ofApi(objects, release);
    const ofFiles = this.#ofFiles(manifests, release);
    return onlyOfFiles ? ofFiles : [...ofFiles, ...(await this.#ofApi(objects, release))];
  }

  #ofFiles(manifests: AdmissionManifests, release: Release): readonly Webhook[] {
    const files = manifests.now(this.plugin, this.resource) ?? [];
    if (files !== this.#files) {
      this.#webhooksOfFiles = files.flatMap((one) => webhooksOf(one, release, "manifest/"));
      this.#files = files;
    }
    return this.#webhooksOfFiles;
  }

  async #ofApi({ cached }: AdmissionObjects, release: Release): Promise<readonly Webhook[]> {
    const found = cached.now(GROUP, this.resource);
    if (found === undefined) return this.#prepare(await cached.list(GROUP, this.resource), release);
    if (found !== this.#seen) {
      this.#webhooks = this.#prepare(
        found.map((one) => one.object()),
        release,
      );
      this.#seen = found;
    }
    return this.#webhooks;
  }

  #prepare(configurations: readonly KubeObject[], release: Release): readonly Webhook[] {
    const before = this.#prepared;
    this.#prepared = new Map();
    return configurations.flatMap((configuration) => {
      const { name = "", resourceVersion: version = "" } = configuration.metadata ?? {};
      const known = before.get(name);
      const current = known?.version === version ? known : { version, webhooks: webhooksOf(configuration, release) };
      this.#prepared.set(name, current);
      return current.webhooks;
    });
  }
}
