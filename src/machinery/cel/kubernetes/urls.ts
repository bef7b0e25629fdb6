import { globalOverload, type Library, memberOverload } from "../functions/declaration.js";
import { BOOL, listType, mapType, STRING, type Type } from "../types/type.js";
import { ArrayList } from "../values/list.js";
import { EntryMap } from "../values/map.js";
import { spendSteps } from "../values/meter.js";
import { ErrorValue, type Value } from "../values/value.js";
import {
  checkRequestUri,
  type GoUrl,
  GoUrlError,
  hostAndPort,
  parseGoUrl,
  queryParameters,
} from "../../text/go/go-url.js";
import { KubernetesValue, kubernetesType, parsed } from "./kubernetes-value.js";

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
    spendSteps(this.url.text.length / 64);
    return other instanceof UrlValue && other.url.text === this.url.text;
  }
}

/** Checks the URI of a request; answers what Go says is wrong with it, if anything is. */
function checked(text: string, message?: (problem: string) => string): ErrorValue | undefined {
  spendSteps(text.length);
  const problem = parsed(text, checkRequestUri, GoUrlError, message);
  return problem instanceof ErrorValue ? problem : undefined;
}

/** Returns the error of an invalid request URI; undefined for a valid one. */
export function requestUriProblem(text: string): string | undefined {
  return checked(text)?.message;
}

const failed = (problem: string): string => `URL parse error during conversion from string: ${problem}`;

/** Kubernetes asks whether it is a URI of a request first, and then reads it with its fragment. */
function parse(text: string): Value {
  const problem = checked(text, failed);
  if (problem !== undefined) return problem;
  spendSteps(STEPS + text.length);
  const url = parsed(text, parseGoUrl, GoUrlError, failed);
  return url instanceof ErrorValue ? url : new UrlValue(url);
}

/** What reading a URL takes beside reading its text. */
const STEPS = 200;

function getQuery({ rawQuery }: GoUrl): Value {
  spendSteps(40 + rawQuery.length * 8);
  const entries = Array.from(queryParameters(rawQuery), ([key, values]) => [key, new ArrayList(values)] as const);
  return EntryMap.of(entries);
}

/** Without its port, or the port. */
function partOfHost(part: "hostname" | "port"): (url: GoUrl) => Value {
  return ({ host }) => {
    spendSteps(host.length / 8);
    return hostAndPort(host)[part];
  };
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
    getter("getHostname", "url_get_hostname", STRING, partOfHost("hostname")),
    getter("getPort", "url_get_port", STRING, partOfHost("port")),
    getter("getEscapedPath", "url_get_escaped_path", STRING, ({ escapedPath }) => escapedPath),
    getter("getQuery", "url_get_query", mapType(STRING, listType(STRING)), getQuery),
  ],
};
