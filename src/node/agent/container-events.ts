import { type ObjectReference, referenceTo } from "../../client/events/object-reference.js";
import { text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ContainerRecord } from "./container-record.js";

export type EventType = "Normal" | "Warning";

type Report = (about: ObjectReference, type: EventType, reason: string, message: string) => void;

const FIELDS = { init: "initContainers", main: "containers", ephemeral: "ephemeralContainers" } as const;

/** The events about one container of a pod, in kubelet's words. They name the container by its field: "spec.containers{web}". */
export class ContainerEvents {
  constructor(
    private readonly pod: KubeObject,
    private readonly record: ContainerRecord,
    private readonly report: Report,
  ) {}

  imagePresent(): void {
    this.#event(
      "Normal",
      "Pulled",
      `Container image ${this.#image} already present on machine and can be accessed by the pod`,
    );
  }

  pullFailed(message: string): void {
    this.#event("Normal", "Pulling", `Pulling image ${this.#image}`);
    this.#event("Warning", "Failed", `Failed to pull image ${this.#image}: ${message}`);
    this.failed("ErrImagePull");
  }

  pullsLater(): void {
    this.#event("Normal", "BackOff", `Back-off pulling image ${this.#image}`);
    this.failed("ImagePullBackOff");
  }

  created(): void {
    this.#event("Normal", "Created", "Container created");
  }

  started(): void {
    this.#event("Normal", "Started", "Container started");
  }

  failed(message: string): void {
    this.#event("Warning", "Failed", `Error: ${message}`);
  }

  /** `pod` is its name, namespace and uid as kubelet writes them: "web_default(uid)". */
  restartsLater(pod: string): void {
    this.#event("Warning", "BackOff", `Back-off restarting failed container ${this.record.name} in pod ${pod}`);
  }

  killing(message: string): void {
    this.#event("Normal", "Killing", message);
  }

  /** `probe` is "Startup", "Readiness" or "Liveness". */
  unhealthy(probe: string, output: string): void {
    this.#event("Warning", "Unhealthy", `${probe} probe failed: ${output}`);
  }

  get #image(): string {
    return JSON.stringify(text(this.record.spec.image));
  }

  #event(type: EventType, reason: string, message: string): void {
    const fieldPath = `spec.${FIELDS[this.record.kind]}{${this.record.name}}`;
    this.report({ ...referenceTo(this.pod), fieldPath }, type, reason, message);
  }
}
