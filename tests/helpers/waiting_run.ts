import { besidesRun } from "./runs.ts";
import { TextReader } from "./text_reader.ts";

/** A run of mlcli whose code has said that it is ready. */
export interface WaitingRun {
  readonly child: Deno.ChildProcess;
  readonly stdout: TextReader;
}

export async function untilReady(child: Deno.ChildProcess): Promise<WaitingRun> {
  const stdout = new TextReader(child.stdout);
  await stdout.until(/^ready\n/);
  return { child, stdout };
}

export async function endOf(
  { child, stdout }: WaitingRun,
): Promise<{ readonly code: number; readonly stderr: string }> {
  const stderr = await new Response(child.stderr).text();
  await stdout.toEnd();
  return besidesRun({ code: (await child.status).code, stderr });
}
