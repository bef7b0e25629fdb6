import { goQuote } from "../../base/text/go-quote.js";
import type { StoredPreference } from "./stored-preference.js";

interface PolicyOptions {
  readonly policy: string;
  readonly allowlistEntries: readonly string[];
}

/** --policy and --allowlist-entry must fit each other. */
export function validatePolicy({ policy, allowlistEntries }: PolicyOptions): void {
  if (policy === "") throw new Error("--policy is required when --section=credentialplugin");
  if (policy === "Allowlist") {
    if (allowlistEntries.length > 0) return;
    throw new Error("--allowlist-entry is required when --section=credentialplugin and --policy=Allowlist");
  }
  if (policy !== "AllowAll" && policy !== "DenyAll") {
    throw new Error(` --policy must be  "AllowAll", "DenyAll", or "Allowlist", got: ${policy}`);
  }
  if (allowlistEntries.length > 0) {
    throw new Error("--allowlist-entry may only be used when --section=credentialplugin and --policy=Allowlist");
  }
}

/** The fields to set. A policy without a list leaves the list that is there, as kubectl does. */
export function credentialPluginPreference({ policy, allowlistEntries }: PolicyOptions): StoredPreference {
  if (policy !== "Allowlist") return { credentialPluginPolicy: policy };
  return { credentialPluginPolicy: policy, credentialPluginAllowlist: parseEntries(allowlistEntries) };
}

/** @throws an AggregateError of everything that is wrong */
function parseEntries(texts: readonly string[]): readonly { readonly command: string }[] {
  const errors: Error[] = [];
  const entries: { readonly command: string }[] = [];
  for (const pair of texts.flatMap((text) => text.split(","))) {
    const fault = faultOf(pair);
    if (fault === undefined) entries.push({ command: pair.slice(pair.indexOf("=") + 1) });
    else errors.push(new Error(fault));
  }
  if (errors.length > 0) throw new AggregateError(errors);
  return entries;
}

function faultOf(pair: string): string | undefined {
  const equals = pair.indexOf("=");
  if (equals < 0) return `improperly formatted allowlist entry: ${goQuote(pair)}`;
  const field = pair.slice(0, equals);
  if (field === "name") return 'allowlist entry field "name" is deprecated, use "command" instead';
  if (field !== "command") return `unrecognized allowlist entry field: ${goQuote(field)}`;
  const isEmpty = pair.slice(equals + 1).trim() === "";
  return isEmpty ? `empty value in allowlist entry for field ${goQuote(field)}` : undefined;
}
