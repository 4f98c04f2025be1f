import PDFDocument from "pdfkit";

/** A PDF file of one page that says the text. */
export async function pdfOf(text: string): Promise<Uint8Array> {
  const document = new PDFDocument();
  document.text(text).end();
  const chunks: Uint8Array[] = [];
  for await (const chunk of document as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
