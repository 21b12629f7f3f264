/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** The page of `mlcli local ui`, and of a report. */

import { render } from "preact";

render(<h1>mlcli</h1>, document.getElementById("page")!);
import uPlot from "uplot";
console.log(uPlot);
