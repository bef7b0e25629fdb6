import { mistypedIn } from "../../base/text/mistyped.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import { adviceOnCertificates, adviceOnClusters } from "./advice-on-clusters.js";
import { adviceOnFiles } from "./advice-on-files.js";
import { adviceOnKinds, nearFields } from "./advice-on-kinds.js";
import { adviceOnNames, adviceOnNamespace, adviceOnTypes } from "./advice-on-names.js";
import type { Factory } from "../connect/factory.js";
import { didYouMean, nearest } from "./suggestions.js";
import { withinPatience } from "../within-patience.js";

/** Looks for a line about errors, their causes among them. Undefined where it knows nothing of them; it may reject. */
type Adviser = (errors: readonly unknown[], factory: Factory) => Promise<string | undefined>;

/** What files tell. */
const LOCAL: readonly Adviser[] = [adviceOnFiles, adviceOnClusters, adviceOnCertificates];

/** What the server tells, each in at most one request beside discovery and OpenAPI, which are cached. */
const OF_SERVER: readonly Adviser[] = [
  async (errors, factory) => adviceOnKinds(errors.map(messageOf), factory),
  async (errors, factory) => adviceOnTypes(errors.map(messageOf), factory),
  adviceOnFields,
  adviceOnNames,
  async (errors, factory) => (errors.map(messageOf).some(isNothing) ? adviceOnNamespace(factory) : undefined),
];

/**
 * Makes a line of advice for a user about an error: what was probably meant by a flag, a type, a name, a field or a file; which
 * embedded cluster is stopped; which definition came too late; which certificate has expired. Undefined where nothing is known, or
 * it takes too long to find out. Only terminals get advice: scripts see kubectl's text alone, and their server kubectl's requests.
 * A server that did not answer is not called again.
 */
export async function adviceOn(
  thrown: unknown,
  factory: Factory | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const errors = withCauses(thrown);
  return withinPatience(signal, async () => {
    const meant = didYouMean(errors.map(suggestionFor));
    if (meant !== undefined || factory === undefined) return meant;
    for (const adviser of errors.some(isSilence) ? LOCAL : [...LOCAL, ...OF_SERVER]) {
      const line = await adviser(errors, factory).catch(() => undefined);
      if (line !== undefined) return line;
    }
    return undefined;
  });
}

/** What commands throw whose selectors match no object. */
const isNothing = (message: string): boolean =>
  message === "no matching resources found" || message.startsWith("no objects passed to ");

/** The errors that were thrown, each followed by those that caused it. */
function withCauses(error: unknown): readonly unknown[] {
  if (error instanceof AggregateError) return error.errors.flatMap(withCauses);
  const chain = [error];
  for (let cause = causeOf(error); cause !== undefined && chain.length < MOST_CAUSES; cause = causeOf(cause)) {
    chain.push(cause);
  }
  return chain;
}

/** An error may cause itself. */
const MOST_CAUSES = 10;

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "");

function suggestionFor(error: unknown): string | undefined {
  const mistyped = mistypedIn(error);
  if (mistyped?.meant !== undefined) return mistyped.meant;
  const name = mistyped && nearest(mistyped.typed, mistyped.known);
  return name === undefined ? undefined : (mistyped?.suggest?.(name) ?? name);
}

/** No answer, or one that says that the server is at its limits. */
const isSilence = (error: unknown): boolean =>
  isTransportError(error) ||
  (isStatusError(error) && (AT_ITS_LIMITS.has(error.code) || error.reason === "ServerTimeout"));

const AT_ITS_LIMITS: ReadonlySet<number> = new Set([429, 502, 503, 504]);

async function adviceOnFields(errors: readonly unknown[], factory: Factory): Promise<string | undefined> {
  for (const error of errors) {
    const fields = await nearFields(messageOf(error), factory);
    if (fields.length > 0) return didYouMean(fields);
  }
  return undefined;
}
