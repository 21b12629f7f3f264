/** How often, and how long (ms) to ask: 30 s in all. */
const ATTEMPTS = 600;
const INTERVAL = 50;

/** Returns once the condition holds; fails when it never does. */
export async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
  throw new Error(`The condition did not come true: ${condition}`);
}
