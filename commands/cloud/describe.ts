import { jsonText } from "../../runtime/text.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";
import { jobOrEndpoint, outputFormat } from "../options/shared.ts";

const OPTIONS = options({ ...jobOrEndpoint, ...outputFormat });

export default command({
  usesApps: true,
  details: "mlcli shows the names of environment variables, but not their values",
  options: OPTIONS,
  examples: [
    ["Show the status of a job", "mlcli describe flats-2026-03-01"],
    [
      "Print only the S3 URI of its model",
      "mlcli describe flats-2026-03-01 --output json | jq -r .artifact",
    ],
    ["Show the model and the instances of an endpoint", "mlcli describe shop --kind endpoint"],
  ],
  action: async (context, options) => {
    const { describeByName } = await import("../../runtime/cloud/by_name/by_name.ts");
    const { describedJson, describedText } = await import("./descriptions.ts");
    const described = await describeByName(options, context);
    const now = context.clock.date();
    context.out.print(
      options.output === "json"
        ? jsonText(describedJson(described, now))
        : describedText(described, now),
    );
  },
});
