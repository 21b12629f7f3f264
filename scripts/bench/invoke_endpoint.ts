/**
 * What `invoke-endpoint` costs, against Debian's `aws` on the same server: a small body, and an
 * answer that is there at once.
 */

import { join } from "@std/path";
import { Box } from "../../tests/helpers/box/box.ts";
import { AWS, ensureAws, NO_SETTINGS } from "./aws.ts";
import type { Comparison } from "./measure.ts";
import { mlcli, time } from "./program.ts";

const ENDPOINT = "churn";

/** The comparison, and the platform, on loopback. */
export interface InvocationBench extends AsyncDisposable {
  readonly comparison: Comparison;
}

/** Starts the platform. Undefined when Debian's aws is not there, and cannot be installed. */
export async function makeInvocationBench(
  signal: AbortSignal,
): Promise<InvocationBench | undefined> {
  if (!await ensureAws(signal)) return undefined;
  const box = await Box.open();
  box.endpoints.add(ENDPOINT);
  const directory = await Deno.makeTempDir({ prefix: "mlcli-bench-invoke-" });
  const rows = join(directory, "rows.csv");
  await Deno.writeTextFile(rows, "72,3,15\n");
  return {
    comparison: comparison(box, rows),
    async [Symbol.asyncDispose]() {
      await box[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

function comparison(box: Box, rows: string): Comparison {
  const env = {
    ...box.env(),
    AWS_DEFAULT_REGION: box.env().AWS_REGION ?? "",
    ...NO_SETTINGS,
  };
  const aws = [AWS, "--endpoint-url", box.url, "sagemaker-runtime", "invoke-endpoint"] as const;
  return {
    title: "invoke-endpoint, a small body",
    unit: "ms",
    ours: {
      command: "mlcli invoke-endpoint -n NAME rows.csv",
      measure: () => time(mlcli("invoke-endpoint", "-n", ENDPOINT, rows), { env }),
    },
    theirs: {
      command: "aws sagemaker-runtime invoke-endpoint --body fileb://rows.csv OUTPUT",
      measure: () =>
        time([
          ...aws,
          ...["--endpoint-name", ENDPOINT, "--content-type", "text/csv"],
          ...["--body", `fileb://${rows}`, "/dev/null"],
        ], { env }),
    },
    goal: { atMost: 0.3 },
    rounds: 20,
  };
}
