/** Lets the parent ask what this process has cost: CPU in microseconds since its start, resident bytes. */
export function answerUsage() {
  process.on("message", (message) => {
    if (message.op !== "usage") return;
    const { user, system } = process.cpuUsage();
    process.send({ usage: { cpu: user + system, rss: process.memoryUsage.rss() } });
  });
}
