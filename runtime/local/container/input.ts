import type { CreateBody, Engine } from "../../docker/engine.ts";
import type { Upgraded } from "../../docker/upgrade.ts";
import type { Context } from "../../context.ts";
import type { Input, Keyboard } from "../../streams.ts";

/**
 * The container of a plan with a standard input, and with a terminal where both of mlcli's ends are one.
 * (`... | tee log` is none.)
 */
export function withInput(
  body: CreateBody,
  { input: { keyboard: typed }, out }: Pick<Context, "input" | "out">,
): CreateBody {
  const keyboard = out.isTerminal ? typed : undefined;
  const input = { AttachStdin: true, OpenStdin: true, StdinOnce: true };
  if (keyboard === undefined) return { ...body, ...input };
  const { rows, columns } = keyboard;
  return {
    ...body,
    ...input,
    Tty: true,
    HostConfig: { ...body.HostConfig, ConsoleSize: [rows, columns] },
  };
}

/**
 * Passes what is typed, or comes through a pipe, on to a container that has been started, and its end.
 * A container with a terminal gets the size of mlcli's, and hears when that changes.
 *
 * @param onFailure called when standard input cannot be read.
 * @returns what ends it, but for a read that waits for the next key: Deno cannot cancel that.
 */
export function passInputOn(
  engine: Engine,
  id: string,
  connection: Pick<Upgraded, "write" | "end">,
  { input, keyboard }: { readonly input: Input; readonly keyboard: Keyboard | undefined },
  onFailure: (error: unknown) => void,
): Disposable {
  let isOver = false;
  pump().catch((error) => isOver || onFailure(error));
  const resized = keyboard && followSize(keyboard);
  return {
    [Symbol.dispose]() {
      isOver = true;
      resized?.[Symbol.dispose]();
    },
  };

  async function pump(): Promise<void> {
    for await (const bytes of input.read()) {
      if (isOver) return;
      // The program may have ended, or closed its input: how it ends says all.
      const isTaken = await connection.write(bytes).then(() => true, () => false);
      if (!isTaken) return;
    }
    await connection.end().catch(() => {});
  }

  function followSize(keyboard: Keyboard): Disposable {
    // A failure is ignored: when the engine went away, the streams that are being read fail, too.
    const tell = (): void => void engine.resize(id, keyboard).catch(() => {});
    tell();
    return keyboard.onResize(tell);
  }
}
