import { globalOverload, type Library, memberOverload } from "../functions/declaration.js";
import { BOOL, listType, mapType, STRING, type Type } from "../types/type.js";
import { ArrayList } from "../values/list.js";
import { EntryMap } from "../values/map.js";
import { spendSteps } from "../values/meter.js";
import { ErrorValue, type Value } from "../values/value.js";
import { checkRequestUri, type GoUrl, GoUrlError, hostAndPort, parseGoUrl, queryParameters } from "./go-url.js";
import { KubernetesValue, kubernetesType } from "./kubernetes-value.js";

export const URL_TYPE = kubernetesType("URL");

/** An absolute URL, or a path from the root. */
class UrlValue extends KubernetesValue {
  readonly type: Type = URL_TYPE;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  equals(other: Value): boolean {
    return other instanceof UrlValue && other.url.text === this.url.text;
  }
}

/** What Go says is wrong with a request's URI; undefined: nothing. */
export function requestUriProblem(text: string): string | undefined {
  spendSteps(text.length / 2);
  try {
    checkRequestUri(text);
    return undefined;
  } catch (error) {
    if (error instanceof GoUrlError) return error.message;
    throw error;
  }
}

/** Kubernetes asks whether it is a URI of a request first, and then reads it with its fragment. */
function parse(text: string): Value {
  const failed = (message: string): Value =>
    new ErrorValue(`URL parse error during conversion from string: ${message}`);
  const problem = requestUriProblem(text);
  if (problem !== undefined) return failed(problem);
  try {
    return new UrlValue(parseGoUrl(text));
  } catch (error) {
    if (error instanceof GoUrlError) return failed(error.message);
    throw error;
  }
}

function getQuery({ rawQuery }: GoUrl): Value {
  spendSteps(rawQuery.length / 2);
  const entries = Array.from(queryParameters(rawQuery), ([key, values]) => [key, new ArrayList(values)] as const);
  return EntryMap.of(entries);
}

function getter(name: string, id: string, result: Type, get: (url: GoUrl) => Value) {
  return { name, overloads: [memberOverload(id, [URL_TYPE], result, ({ url }: UrlValue) => get(url))] };
}

/** Kubernetes' functions of URLs, as Go's net/url has them. Source: apiserver's cel/library. */
export const URLS: Library = {
  functions: [
    { name: "url", overloads: [globalOverload("string_to_url", [STRING], URL_TYPE, parse)] },
    {
      name: "isURL",
      overloads: [
        globalOverload("is_url_string", [STRING], BOOL, (text: string) => requestUriProblem(text) === undefined),
      ],
    },
    getter("getScheme", "url_get_scheme", STRING, ({ scheme }) => scheme),
    getter("getHost", "url_get_host", STRING, ({ host }) => host),
    getter("getHostname", "url_get_hostname", STRING, ({ host }) => hostAndPort(host).hostname),
    getter("getPort", "url_get_port", STRING, ({ host }) => hostAndPort(host).port),
    getter("getEscapedPath", "url_get_escaped_path", STRING, ({ escapedPath }) => escapedPath),
    getter("getQuery", "url_get_query", mapType(STRING, listType(STRING)), getQuery),
  ],
};
