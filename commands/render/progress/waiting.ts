import { fit } from "../../../runtime/cells.ts";
import type { Context } from "../../../runtime/context.ts";
import type { Messages, Waiting } from "../../../runtime/messages.ts";
import { durationText, elapsedText } from "../../../runtime/quantities.ts";
import { type LiveLines, showLive } from "../../../runtime/live_lines.ts";

/** In ms: shorter waits are not noticeable. */
const SHOWN_AFTER = 500;

/** In ms: shorter waits are not worth a line in a pipe. A busy machine needs a second for them. */
const SAID_AFTER = 10_000;

/** Shows what a command waits for, on a terminal. */
export class WaitingProgress implements Waiting {
  readonly #messages: Messages;
  readonly #clock: Context["clock"];
  #lines: LiveLines | undefined;
  #shown = { text: "", start: 0, states: 0 };

  /** @param isInPipes whether a long wait of `during` is a line if nothing can be redrawn. */
  constructor(
    { messages, clock }: Pick<Context, "messages" | "clock">,
    private readonly isInPipes = false,
  ) {
    this.#messages = messages;
    this.#clock = clock;
  }

  show(text: string, running = 0): void {
    this.#shown = { text, start: this.#clock.now() - running, states: this.#messages.states };
    if (this.#lines?.isOver !== false) {
      this.#lines = showLive(this.#messages, ({ columns }) => {
        const { text, start, states } = this.#shown;
        // A printed state ends the wait.
        if (this.#messages.states !== states) return [];
        const words = `${text} (${durationText(this.#clock.now() - start)})`;
        return [{ text: fit(words, columns) }];
      });
    }
    this.#lines?.changed();
  }

  async during<T>(text: () => string, work: Promise<T>): Promise<T> {
    const messages = this.#messages;
    const start = performance.now();
    showLive(messages, ({ columns }) => {
      const elapsed = performance.now() - start;
      if (elapsed < SHOWN_AFTER) return [];
      return [{ text: fit(`${text()} (${elapsedText(elapsed)})`, columns) }];
    });
    const isSaid = this.isInPipes && !messages.isLive;
    const timer = isSaid ? setTimeout(() => messages.state(text()), SAID_AFTER) : undefined;
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      messages.showBelow(undefined);
    }
  }
}
