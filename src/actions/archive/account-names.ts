import { readFileSync } from "node:fs";

/** The names of users and groups that archives carry beside their numbers. */
export interface AccountNames {
  user(uid: number): string;
  group(gid: number): string;
}

/** What /etc/passwd and /etc/group say, each read on first use; "" for a number that they do not have, and where there is no such file. */
export function accountNames(): AccountNames {
  const [users, groups] = ["/etc/passwd", "/etc/group"].map((file) => {
    let names: ReadonlyMap<number, string> | undefined;
    return (id: number): string => (names ??= namesIn(file)).get(id) ?? "";
  }) as [(id: number) => string, (id: number) => string];
  return { user: users, group: groups };
}

function namesIn(file: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const line of textOf(file).split("\n")) {
    const [name = "", , id = ""] = line.split(":");
    // The first line of a number counts.
    if (/^\d+$/.test(id) && !names.has(Number(id))) names.set(Number(id), name);
  }
  return names;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
