// How all charts look: neutral shapes, and text and lines that follow the reader's light or dark colours.

/** Holdfast in its own colour, the rest in shades that neither background swallows. */
export const OURS = "#2f81f7";
export const THEIRS = "#8b949e";
export const PALETTE = [
  "#2f81f7",
  "#e5534b",
  "#c69026",
  "#57ab5a",
  "#b083f0",
  "#e0823d",
  "#39c5cf",
  "#8b949e",
  "#d65db1",
  "#a2b426",
];

/** Of vega-lite. */
export const CONFIG = {
  background: null,
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal",
    domain: false,
    ticks: false,
    labelLimit: 0,
  },
  legend: { labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", labelLimit: 0 },
  title: { fontSize: 15, fontWeight: 600, subtitleFontSize: 12, anchor: "start", offset: 12 },
};

const CSS = `
text { fill: #1f2328 }
.role-axis-grid line { stroke: #8b949e; stroke-opacity: .25 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
`;

/** The SVG with the style sheet in it. */
export function styled(svg) {
  return svg.replace(/<svg([^>]*)>/, `<svg$1><style>${CSS}</style>`);
}
