import { abortOf, deadlineIn } from "../../runtime/time.ts";

/** What takes milliseconds; fails where it takes these seconds. The caller closes what it waits for. */
export async function inTime<T>(work: Promise<T>, seconds = 15): Promise<T> {
  using deadline = deadlineIn(seconds);
  // Once that is closed: the test has failed before.
  work.catch(() => {});
  return await Promise.race([work, abortOf(deadline.signal)]);
}
