/** The road from an empty directory to an endpoint, as a diagram. */

import { escaped, svgOf } from "./svg.ts";

/** A command without `mlcli`, what it does, in two lines, and what is there afterwards. */
type Stop = readonly [command: string, does: string, more: string, leaves: string];

interface Lane {
  readonly title: string;
  readonly note: string;
  readonly stops: readonly Stop[];
}

export const ROAD: readonly Lane[] = [
  {
    title: "Your machine",
    note: "in containers, without an AWS account",
    stops: [
      ["init", "writes an app", "that works", "your code"],
      ["build", "makes a container", "image of it", "image"],
      ["local train", "runs your training", "code on local data", "model"],
      ["local deploy", "serves the model", "as an endpoint does", "localhost:8080"],
      ["local train --strict", "fails for what would", "fail on SageMaker", "a checked model"],
    ],
  },
  {
    title: "Amazon SageMaker",
    note: "the same app, the same code, the same options",
    stops: [
      ["push", "sends the image", "to the registry", "image in ECR"],
      ["upload-data", "sends your data", "to the bucket", "data in S3"],
      ["train", "runs your training", "code as a job", "model.tar.gz"],
      ["deploy", "serves the model,", "or updates it", "endpoint"],
    ],
  },
];

/** In pixels: a stop, and from one to the next. */
const WIDTH = 160;
const STEP = 174;
const HEIGHT = 84;
const EDGE = 26;
const LANE = 210;
const SIZE = [2 * EDGE + 4 * STEP + WIDTH, 2 * LANE - 24] as const;

const STYLE = `
text{font-family:system-ui,sans-serif;font-size:12px;fill:#59636e}.paper{fill:#fff}
.name{font-size:15px;font-weight:600;fill:#1f2328}
.command{font:600 11.5px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}
.lane0{fill:#ddf4ff;stroke:#54aeff}.lane1{fill:#fff1e5;stroke:#fb8f44}
.leaves{font-weight:600;fill:#1f2328}.way{fill:none;stroke:#818b98;stroke-width:1.5}
.down{stroke-dasharray:2 3}.tip{fill:#818b98}
@media(prefers-color-scheme:dark){text{fill:#9198a1}.paper{fill:#0d1117}
.name,.command,.leaves{fill:#f0f6fc}.lane0{fill:#0c2d4d;stroke:#1f6feb}.lane1{fill:#3d1300;stroke:#bd561d}}
`;

/** @param lanes one below the other. */
export function roadPicture(lanes: readonly Lane[]): string {
  const words = lanes.map(({ title, stops }) =>
    `${title}: ${
      stops.map(([command, , , leaves]) => `mlcli ${command} leaves ${leaves}`).join(", ")
    }.`
  );
  const content = [
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" ' +
    'orient="auto"><path class="tip" d="M0 0L8 4L0 8Z"/></marker></defs>',
    '<rect class="paper" width="100%" height="100%"/>',
    ...lanes.flatMap(({ title, note, stops }, lane) => [
      `<g transform="translate(${EDGE} ${lane * LANE})">`,
      `<text x="0" y="30"><tspan class="name">${title}</tspan><tspan dx="10">${note}</tspan></text>`,
      ...stops.flatMap((stop, i) => stopAt(stop, i * STEP, lane, i < stops.length - 1)),
      "</g>",
    ]),
    // From the end of a lane to the beginning of the next.
    ...lanes.slice(1).map((_, i) => {
      const [end, y] = [EDGE + 4 * STEP + WIDTH / 2, (i + 1) * LANE - 16];
      return `<path class="way" marker-end="url(#tip)" d="M${end} ${y - 16}v10q0 6 -6 6H16` +
        `q-6 0 -6 6V${y + 98}q0 6 6 6H${EDGE - 2}"/>`;
    }),
  ];
  const title = "The road from an empty directory to an endpoint";
  return svgOf({ size: SIZE, title, desc: words.join(" "), style: STYLE, content });
}

function stopAt(
  [command, does, more, leaves]: Stop,
  x: number,
  lane: number,
  goesOn: boolean,
): readonly string[] {
  const middle = x + WIDTH / 2;
  const text = (y: number, words: string, name = ""): string =>
    `<text x="${middle}" y="${y}" text-anchor="middle"${name}>${escaped(words)}</text>`;
  return [
    `<rect class="lane${lane}" x="${x}" y="46" width="${WIDTH}" height="${HEIGHT}" rx="8"/>`,
    text(70, command, ' class="command"'),
    text(93, does),
    text(110, more),
    `<path class="way down" d="M${middle} 131v18"/>`,
    text(165, leaves, ' class="leaves"'),
    ...goesOn
      ? [`<path class="way" marker-end="url(#tip)" d="M${x + WIDTH + 2} 88H${x + STEP - 2}"/>`]
      : [],
  ];
}
