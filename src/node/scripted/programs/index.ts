import { inOrder } from "../../../base/turns.js";
import type { Program } from "../program.js";
import { sh } from "../shell/sh.js";
import { chmod, cp, ln, ls, mkdir, mv, readlink, rm, rmdir, stat, touch } from "./files.js";
import { env, hostname, id, kill, noFalse, ps, pwd, sleep, stty, test, uname, whoami, yesTrue } from "./system.js";
import { tar } from "./tar.js";
import { grep } from "./grep.js";
import { basename, cat, checksum, echo, head, printfProgram, seq, tail, tee, wc, yes } from "./text.js";

/** A program whose module is loaded when it runs for the first time. */
const onDemand =
  (load: () => Promise<Program>): Program =>
  async (io) =>
    (await load())(io);

/** The programs in /bin of an image with a shell. */
export const USUAL_PROGRAMS: Readonly<Record<string, Program>> = {
  "[": test,
  awk: onDemand(async () => (await inOrder(import("./awk/awk.js"))).awk),
  basename,
  bash: sh,
  cat,
  chmod,
  cp,
  cut: onDemand(async () => (await inOrder(import("./text-tools/cut.js"))).cut),
  date: onDemand(async () => (await inOrder(import("./dates/date.js"))).date),
  echo,
  env,
  false: noFalse,
  find: onDemand(async () => (await inOrder(import("./find/find.js"))).find),
  grep,
  head,
  hostname,
  id,
  kill,
  ln,
  ls,
  md5sum: checksum("md5"),
  mkdir,
  mv,
  od: onDemand(async () => (await inOrder(import("./dumps/od.js"))).od),
  printf: printfProgram,
  ps,
  pwd,
  readlink,
  rm,
  rmdir,
  sed: onDemand(async () => (await inOrder(import("./sed/sed.js"))).sed),
  seq,
  sh,
  sha1sum: checksum("sha1"),
  sha256sum: checksum("sha256"),
  sleep,
  sort: onDemand(async () => (await inOrder(import("./text-tools/sort.js"))).sort),
  stat,
  stty,
  tail,
  tar,
  tee,
  test,
  touch,
  tr: onDemand(async () => (await inOrder(import("./text-tools/tr.js"))).tr),
  true: yesTrue,
  uname,
  uniq: onDemand(async () => (await inOrder(import("./text-tools/uniq.js"))).uniq),
  wc,
  whoami,
  xargs: onDemand(async () => (await inOrder(import("./find/xargs.js"))).xargs),
  yes,
};
