import { ForeignHostError, NameError } from "../../../network/pod-network.js";
import type { Program } from "../../program.js";
import { gnuProgram, UsageError } from "../gnu-program.js";
import { standsInFor } from "./reach.js";

/** nslookup HOST [DNS_SERVER], as busybox 1.28 prints it, which the documentation's pages use. */
export const nslookup: Program = gnuProgram(
  { letters: "", usage: "Usage: nslookup [HOST] [SERVER]" },
  async (io, { operands: [host] }) => {
    if (host === undefined) throw new UsageError();
    const server = io.network.dnsAddress;
    await io.stdout.write(`Server:    ${server}\nAddress 1: ${server}\n\n`);
    try {
      const { addresses } = await io.network.lookup(host);
      const lines = addresses.map((address, index) => `Address ${index + 1}: ${address}\n`);
      await io.stdout.write(`Name:      ${host}\n${lines.join("")}`);
      return 0;
    } catch (error) {
      if (!(error instanceof NameError) && !(error instanceof ForeignHostError)) throw error;
      if (standsInFor(io, error, `the address of ${host}`)) return 0;
      await io.stdout.write(`nslookup: can't resolve '${host}'\n`);
      return 1;
    }
  },
);
