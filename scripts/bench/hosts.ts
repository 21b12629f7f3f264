/** How long it takes until the user's code runs on two hosts, against one. */

import { join } from "@std/path";
import { killedAfter, startProgram } from "../../tests/helpers/program.ts";
import { TextReader } from "../../tests/helpers/text_reader.ts";
import type { BenchApp } from "./local.ts";
import type { Comparison, Contender } from "./measure.ts";

const CODE = 'def train(data, model): print("HERE", flush=True)\n';

/** A run takes a second or two; in ms. */
const TIMEOUT = 60_000;

/** On two processors, an engine takes twice as long to start two containers on a network of their own. */
const GOALS = { first: 1.3, last: 2.5 };

/** To the first line that the code prints, and to that of the last host. */
export async function hostsComparisons(app: BenchApp): Promise<readonly Comparison[]> {
  await Deno.writeTextFile(join(app.base, "training/training.py"), CODE);
  const until = (lines: number, hosts: number): Contender => ({
    command: `mlcli local train --instance-count ${hosts}`,
    measure: () => timeTo(lines, hosts, app),
  });
  return (["first", "last"] as const).map((which) => ({
    title: `local train on two hosts, to the ${which} host's first line`,
    unit: "ms",
    ours: until(which === "first" ? 1 : 2, 2),
    theirs: until(1, 1),
    goal: { atMost: GOALS[which] },
    rounds: 20,
  }));
}

async function timeTo(lines: number, hosts: number, { directory }: BenchApp): Promise<number> {
  const args = ["local", "train", "--instance-count", String(hosts)];
  const start = performance.now();
  const child = killedAfter(TIMEOUT, startProgram(args, { cwd: directory, timeout: TIMEOUT }));
  const [out, err] = [new TextReader(child.stdout), new TextReader(child.stderr)];
  const said = err.toEnd();
  await out.until(new RegExp(`(HERE\\n[^]*){${lines}}`));
  const taken = performance.now() - start;
  await out.toEnd();
  const { code } = await child.status;
  if (code !== 0) throw new Error(`mlcli ${args.join(" ")} ended with ${code}: ${await said}`);
  return taken;
}
