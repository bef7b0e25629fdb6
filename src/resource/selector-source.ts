import { goQuote } from "../base/text/go-quote.js";
import type { RestClient } from "../client/rest/rest-client.js";
import { isStatusError, StatusError } from "../machinery/errors/status-error.js";
import type { GroupVersionResource } from "../machinery/meta/gvk.js";
import type { ListMeta } from "../machinery/meta/object.js";
import type { RestMapping } from "../machinery/rest-mapper.js";
import { Helper, type HelperOptions } from "./helper.js";
import type { Visitor } from "./visitor.js";

export interface Selection {
  readonly mapping: RestMapping;
  /** "": all. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** How many to ask for at a time; 0: all. */
  readonly limit: number;
}

/** A collection on the server, visited as lists, one a page. */
export function selectorSource(
  selection: Selection,
  client: () => Promise<RestClient>,
  options: HelperOptions,
): Visitor {
  const { mapping, namespace, labelSelector, fieldSelector, limit } = selection;
  return {
    async visit(fn) {
      const helper = new Helper(await client(), mapping, options);
      let token: string | undefined;
      do {
        const parameters = { labelSelector, fieldSelector, limit, continue: token };
        const list = await helper.list(namespace, parameters).catch((error: unknown) => {
          throw explain(error, selection);
        });
        const { resourceVersion = "", continue: next }: ListMeta = list.metadata ?? {};
        await fn({ source: "", mapping, namespace, name: "", object: list, resourceVersion });
        token = next;
      } while (token !== undefined && token !== "");
    },
  };
}

/** Formats a resource as Go does: "/v1, Resource=pods". */
export const formatResource = ({ group, version, resource }: GroupVersionResource): string =>
  `${group}/${version}, Resource=${resource}`;

/** A refused list says what was asked for. */
function explain(error: unknown, { mapping, labelSelector, fieldSelector }: Selection): unknown {
  if (!isStatusError(error) || (error.reason !== "BadRequest" && error.reason !== "NotFound")) return error;
  const subject = goQuote(formatResource(mapping.resource));
  const asked =
    labelSelector === "" && fieldSelector === ""
      ? `Unable to list ${subject}`
      : `Unable to find ${subject} that match label selector ${goQuote(labelSelector)}, field selector ${goQuote(fieldSelector)}`;
  return new StatusError({ ...error.status, message: `${asked}: ${error.status.message ?? ""}` });
}
