/**
 * What is left of an endpoint that is gone, as after a deletion that was killed.
 *
 * @module
 */

import { AwsError, withMore } from "../../aws/errors.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { slotsOf } from "../../contract/names.ts";
import { type Asked, type Belongings, belongingsOf, hasOurTag, type Known } from "./belongings.ts";
import { BELONGING_WORDS, removalByHand } from "./commands.ts";

/** What is asked for. */
export interface RemainderRequest {
  readonly endpoint: string;
  readonly withConfiguration: boolean;
  readonly withModel: boolean;
  /** The options of the command, for command lines to paste. */
  readonly choice: AwsOptions;
}

/** What there is. */
export interface Remainder {
  /** What is to be deleted, in this order. */
  readonly things: readonly Known[];
  /** What stays. */
  readonly kept: readonly Known[];
}

/**
 * Finds out what mlcli made for the endpoint, of what the request is about. By its name alone a
 * configuration may be somebody else's, while no endpoint says whose it is.
 *
 * @throws the refusal where there is nothing to delete; its hint tells what there is of that name.
 */
export async function remainderOf(
  sagemaker: Asked,
  request: RemainderRequest,
  refusal: AwsError,
  { note }: { note(line: string): void },
): Promise<Remainder> {
  const { endpoint, withConfiguration, withModel } = request;
  const { configurations, models } = await belongingsOf(sagemaker, endpoint, undefined)
    .catch((cause): Belongings => {
      if (cause instanceof AwsError) return { configurations: [], models: [] };
      throw cause;
    });
  const own = slotsOf(endpoint).map(({ model }) => model);
  const asked = [...withConfiguration ? configurations : [], ...withModel ? models : []];
  const things: Known[] = [];
  for (const one of asked) {
    if (!one.isThere) continue;
    const isOurs = [one.name, ...one.models].some((name) => own.includes(name)) ||
      await hasOurTag(sagemaker, endpoint, one, note);
    if (isOurs) things.push(one);
  }
  const there = [...configurations, ...models].filter(({ isThere }) => isThere);
  if (things.length === 0) throw withRest(refusal, there, request);
  return { things, kept: there.filter((one) => !things.includes(one)) };
}

function withRest(error: AwsError, left: readonly Known[], { choice }: RemainderRequest): AwsError {
  if (left.length === 0) return error;
  const there = left.map(({ kind, name }) => `${BELONGING_WORDS[kind]} ${name}`).join(", ");
  const removals = left.map((one) => removalByHand(one, choice)).join("; ");
  return withMore(error, `There is, of that name: ${there}. To delete that: ${removals}`);
}
