import { connect as connectTcp } from "node:net";
import type { Pod } from "../../../api/types/core/v1.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { errnoText } from "../../../base/files/path-error.js";
import type { ByteStream } from "../../../machinery/wire/streams/byte-stream.js";
import { byteStreamOf } from "../../../machinery/wire/streams/duplexes.js";
import {
  type Address,
  type AddressRange,
  type AllowedForward,
  checkForward,
  type Forward,
  ForwardSyntaxError,
  ownerOf,
  parseAddress,
  parseRange,
} from "../../../base/forward.js";

/**
 * The annotation of a pod that leads its ports to this machine: "80=127.0.0.1:3000,443=127.0.0.1:3443". It has an effect where the
 * server allows the address.
 */
export const FORWARD_ANNOTATION = "kubets.dev/forward";

/** A port of a pod that leads to this machine. */
interface Opened {
  readonly port: number;
  readonly to: Address;
}

/** What an annotation says that does not count, as a sentence. */
interface Judged {
  readonly opened: readonly Opened[];
  readonly refused: readonly string[];
}

const NONE: Judged = { opened: [], refused: [] };
/** Of one annotation. */
const MOST_PORTS = 100;

/** Thrown when the program that a pod's port leads to does not accept the connection. */
export class ForwardError extends Error {
  override readonly name = "ForwardError";
}

/**
 * The ports of pods that lead to programs of this machine: those that the server's options name, and those that pods name and the
 * server allows.
 */
export class PodForwards {
  readonly #allowed: readonly AddressRange[];

  /** Throws a {@link ForwardSyntaxError}. */
  constructor(
    private readonly forwards: readonly Forward[],
    allowed: readonly AllowedForward[],
  ) {
    for (const forward of forwards) checkForward(forward);
    this.#allowed = allowed.map(parseRange);
  }

  /** Where a port of a pod leads; undefined for one that is the pod's own. */
  to(pod: Pod, port: number): Address | undefined {
    const forward = this.forwards.find((one) => one.port === port && isPodOf(one, pod));
    if (forward !== undefined) return parseAddress(forward.to);
    return this.#annotated(pod).opened.find((one) => one.port === port)?.to;
  }

  /** What people should know of the forwards of a pod, in sentences; undefined where it has none. */
  note(pod: Pod): string | undefined {
    const given = this.forwards
      .filter((one) => isPodOf(one, pod))
      .map(({ port, to }) => ({ port, to: parseAddress(to) }));
    const { opened, refused } = this.#annotated(pod);
    const sentences = [...given, ...opened].map(
      ({ port, to }) => `Port ${port} leads to ${textOf(to)} of this machine`,
    );
    return [...sentences, ...refused].join(". ") || undefined;
  }

  #annotated({ metadata }: Pod): Judged {
    const text = metadata?.annotations?.[FORWARD_ANNOTATION];
    if (text === undefined) return NONE;
    const opened: Opened[] = [];
    const refused: string[] = [];
    for (const part of text.split(",").slice(0, MOST_PORTS)) {
      try {
        opened.push(this.#allow(part.trim()));
      } catch (error) {
        if (!(error instanceof ForwardSyntaxError)) throw error;
        refused.push(`Annotation ${FORWARD_ANNOTATION} does not count: ${error.message}`);
      }
    }
    return { opened, refused };
  }

  #allow(text: string): Opened {
    const [, port = "", address = ""] = /^(\d{1,5})=(.+)$/.exec(text) ?? [];
    if (port === "") throw new ForwardSyntaxError(`${JSON.stringify(text)} is not PORT=HOST:PORT`);
    const to = parseAddress(address);
    const isAllowed = this.#allowed.some(
      ({ host, first, last }) => host === to.host && to.port >= first && to.port <= last,
    );
    if (isAllowed) return { port: Number(port), to };
    throw new ForwardSyntaxError(`the server was started without --allow-forward=${textOf(to)}`);
  }
}

const textOf = ({ host, port }: Address): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** Whether a pod is one of those that a forward names. */
function isPodOf({ namespace = "default", pods }: Forward, { metadata = {} }: Pod): boolean {
  if (metadata.namespace !== namespace) return false;
  const { kind, name } = ownerOf(pods);
  if (kind === "Pod") return metadata.name === name;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (kind !== "Deployment") return owner?.kind === kind && owner.name === name;
  // A Deployment's ReplicaSets are named by the hash of their template, which their pods have as a label.
  return owner?.kind === "ReplicaSet" && owner.name === `${name}-${metadata.labels?.["pod-template-hash"] ?? ""}`;
}

/** Connects to a program of this machine. Rejects with a {@link ForwardError} that names both ends. */
export function connectForward(to: Address, pod: Pod, port: number): Promise<ByteStream> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ ...to, noDelay: true, allowHalfOpen: true });
    const refuse = (error: Error & { readonly errors?: readonly Error[] }): void => {
      // A name with several addresses fails with the errors of all.
      const [first = error] = error.errors ?? [];
      const { namespace = "", name = "" } = pod.metadata ?? {};
      const reason = "code" in first ? errnoText(first) : errorMessage(first);
      reject(
        new ForwardError(`port ${port} of pod ${namespace}/${name} leads to ${textOf(to)} of this machine: ${reason}`),
      );
    };
    socket.once("error", refuse).once("connect", () => {
      socket.off("error", refuse);
      resolve(byteStreamOf(socket));
    });
  });
}
