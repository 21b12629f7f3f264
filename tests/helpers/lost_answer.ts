/**
 * A program whose command waits for what never comes, with nothing that keeps the process: what a
 * lost answer of Deno's own is like.
 *
 * @module
 */

import { endWith } from "../../main.ts";
import { liveContext } from "../../runtime/context.ts";

if (import.meta.main) endWith(new Promise(() => {}), liveContext());
