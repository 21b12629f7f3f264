/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** The page of `mlcli local ui`, and of a report. */

import { render } from "preact";
import { Charts } from "./charts.tsx";

render(<Charts runs={[]} />, document.getElementById("page")!);
