/** The contract of the tour: a one-page PDF, made here so that the package needs neither an asset nor a PDF library. */

const TITLE = "Contract for the supply of a printing press";

const LINES: readonly string[] = [
  "The parties are Arden Press Ltd, the buyer, and Meyer Maschinen GmbH, the seller.",
  "",
  "Clause 1 (Subject). The seller supplies one printing press of type M-40.",
  "",
  "Clause 2 (Delivery). Delivery is due on 1 September at the buyer's works in Leeds.",
  "",
  "Clause 3 (Price). The price is 48,000 euros without tax.",
  "",
  "Clause 4 (Payment). The buyer pays one third with the order, one third on delivery,",
  "and the rest thirty days after the press has passed its trial run.",
  "",
  "Clause 5 (Risk). The seller bears the risk of loss and damage until the press stands",
  "in the buyer's works; from then on the buyer bears it.",
  "",
  "Clause 6 (Law). The law of England and Wales applies.",
];

/** A4, in points of 1/72 inch. */
const PAGE = "[0 0 595 842]";
const LEFT = 72;
const TOP = 760;
const LEADING = 16;

/** The same bytes every time. All of it is ASCII, so that a character is a byte. */
export function contractPdf(): Uint8Array {
  const content = [
    `BT /Bold 16 Tf ${LEFT} ${TOP} Td ${string(TITLE)} Tj ET`,
    `BT /Regular 11 Tf ${LEADING} TL ${LEFT} ${TOP - 2 * LEADING} Td`,
    ...LINES.map((line) => (line === "" ? "T*" : `${string(line)} Tj T*`)),
    "ET",
  ].join("\n");
  return new TextEncoder().encode(
    document([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox ${PAGE} /Contents 6 0 R /Resources << /Font << /Regular 4 0 R /Bold 5 0 R >> >> >>`,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      `<< /Title ${string(TITLE)} >>`,
    ]),
  );
}

/** The objects, numbered from 1, with the table of where each begins. The first is the catalog, the last the information. */
function document(objects: readonly string[]): string {
  const offsets: number[] = [];
  let text = "%PDF-1.4\n";
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info ${objects.length} 0 R >>`;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${entries}${trailer}\nstartxref\n${text.length}\n%%EOF\n`;
}

function string(text: string): string {
  return `(${text.replace(/[\\()]/g, "\\$&")})`;
}
