import PDFDocument from "pdfkit";

/** A PDF file of one page that says the text, the same bytes every time. */
export async function encodePdf(text) {
  const document = new PDFDocument({ info: { CreationDate: new Date(0) } });
  document.text(text).end();
  const chunks = [];
  for await (const chunk of document) chunks.push(chunk);
  return Buffer.concat(chunks);
}
