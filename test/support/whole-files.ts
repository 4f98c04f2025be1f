/** The smallest whole file of each kind, and what is wrong with others. */
const text = (value: string): Buffer => Buffer.from(value, "latin1");
const base64 = (value: string): Buffer => Buffer.from(value, "base64");

function uint32be(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
function uint32le(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** One pixel. */
export const PNG: Buffer = base64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);
export const GIF: Buffer = base64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");
export const WEBP: Buffer = base64("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA");
export const JPEG: Buffer = base64(
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z",
);

/** A PNG that says it has this size; its picture is that of one pixel. */
export function pngOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(PNG);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** A whole PNG of so many bytes: what fills it stands in a chunk of its own before the end. */
export function pngOfSize(bytes: number): Buffer {
  const filler = Buffer.alloc(bytes - PNG.length - 12);
  const end = PNG.length - 12;
  return Buffer.concat([
    PNG.subarray(0, end),
    uint32be(filler.length),
    text("fiLl"),
    filler,
    uint32be(0),
    PNG.subarray(end),
  ]);
}

/** `pages` is what its page tree says. */
export function smallPdf(pages = 1): Buffer {
  return text(
    `%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count ${pages} >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 72] >>\nendobj\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n`,
  );
}

/** Eight bits, mono. `stated` is the length that its header gives. */
export function wav(samples = 400, stated: number = samples): Buffer {
  const format = Buffer.concat([
    ...[text("fmt "), uint32le(16), Buffer.from([1, 0, 1, 0]), uint32le(8000), uint32le(8000)],
    Buffer.from([1, 0, 8, 0]),
  ]);
  const data = Buffer.concat([text("data"), uint32le(stated), Buffer.alloc(samples, 128)]);
  return Buffer.concat([text("RIFF"), uint32le(4 + format.length + data.length), text("WAVE"), format, data]);
}

/** A tag and a few frames. */
export function mp3(): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x64]);
  const tag = Buffer.concat([text("ID3"), Buffer.from([4, 0, 0, 0, 0, 0, 10]), Buffer.alloc(10)]);
  return Buffer.concat([tag, frame, frame, frame]);
}

export function box(type: string, content: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([uint32be(content.length + 8), text(type), content]);
}

export function mp4(): Buffer {
  const brand = Buffer.concat([text("isom"), uint32be(512), text("isomiso2mp41")]);
  return Buffer.concat([
    box("ftyp", brand),
    box("mdat", Buffer.alloc(300)),
    box("moov", box("mvhd", Buffer.alloc(100))),
  ]);
}
