/**
 * A program whose command waits for something that never comes, while nothing keeps the process
 * alive: as when Deno itself loses an answer.
 *
 * @module
 */

import { endWith } from "../../main.ts";
import { liveContext } from "../../runtime/context.ts";

if (import.meta.main) endWith(new Promise(() => {}), liveContext());
