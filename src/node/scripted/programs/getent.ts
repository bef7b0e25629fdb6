import type { Program } from "../program.js";
import { UsageError, gnuProgram } from "./gnu-program.js";
import { accountRows } from "./users.js";

const ADDRESS_WIDTH = 16;
const NOT_FOUND = 2;

/** getent of passwd, group and hosts: of the container's files, with root and without any. */
export const getent: Program = gnuProgram(
  { letters: "s:", usage: "Try `getent --help' or `getent --usage' for more information." },
  async (io, { operands: [database, ...keys] }) => {
    if (database === undefined) throw new UsageError("wrong number of arguments");
    const isHosts = database === "hosts" || database === "ahosts" || database === "ahostsv4";
    if (!isHosts && database !== "passwd" && database !== "group") {
      await io.stderr.write(
        `Unknown database: ${database}\nTry \`getent --help' or \`getent --usage' for more information.\n`,
      );
      return 1;
    }
    const file = isHosts ? "hosts" : database;
    const rows = [...accountRows(io, file)];
    if (!isHosts && !rows.some(([name]) => name === "root"))
      rows.unshift(
        database === "passwd" ? ["root", "x", "0", "0", "root", "/root", "/bin/sh"] : ["root", "x", "0", ""],
      );
    const isKey = (row: readonly string[], key: string): boolean =>
      isHosts ? row.includes(key) : row[0] === key || row[2] === key;
    let code = 0;
    for (const key of keys.length === 0 ? [undefined] : keys) {
      const found = key === undefined ? rows : rows.filter((row) => isKey(row, key)).slice(0, 1);
      if (found.length === 0) code = NOT_FOUND;
      for (const row of found) {
        const [address = "", ...names] = row;
        const text = isHosts ? `${address.padEnd(ADDRESS_WIDTH - 1)} ${names.join(" ")}` : row.join(":");
        await io.stdout.write(`${text}\n`);
      }
    }
    return code;
  },
);
