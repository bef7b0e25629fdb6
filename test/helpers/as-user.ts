import type { Transport } from "../../src/client/transport/transport.js";
import { type Answer, call, type CallOptions } from "./api-caller.js";

/** Sends requests as other users, by impersonation of an administrator. "jane,devs,ops" is jane in two groups. */
export function asUser(administrator: Transport, user: string) {
  const [name = "", ...groups] = user.split(",");
  const repeatedHeaders = groups.length > 0 ? { "impersonate-group": groups } : {};
  return (method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> => {
    const headers = { ...options.headers, "impersonate-user": name };
    return call(administrator, method, path, body, { ...options, headers, repeatedHeaders });
  };
}
