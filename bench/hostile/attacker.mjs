// One hostile sender in a process of its own: node attacker.mjs INDEX MILLISECONDS, then a message with its kubeconfig.
import { SENDERS } from "./senders.mjs";
import { Sender, targetOf } from "./target.mjs";

const [index, milliseconds] = process.argv.slice(2).map(Number);
const { send, end, who } = SENDERS[index];
process.once("message", async ({ kubeconfig }) => {
  const sender = new Sender(targetOf(kubeconfig, { anonymous: who === "nobody" }));
  sender.state = {};
  const until = performance.now() + milliseconds;
  const answers = new Map();
  let sent = 0;
  while (performance.now() < until) {
    const answer = (await send(sender)) ?? {};
    sent++;
    const status = String(answer.status ?? "sent");
    answers.set(status, (answers.get(status) ?? 0) + 1);
    // A server that is gone refuses at once: the loop stays bounded.
    if (answer.status === 0) await new Promise((done) => setTimeout(done, 10));
  }
  sender.close();
  sender.state.session?.destroy();
  if (end !== undefined && sender.state.sockets !== undefined) end(sender.state);
  process.send({ sent, answers: [...answers].map(([status, count]) => `${count} x ${status}`).join(", ") }, () =>
    process.exit(0),
  );
});
