/** Cuts a text into chunks of about `size` characters, behind white space where there is some, never inside a character. */
export function chunksOf(text: string, size: number): readonly string[] {
  const words = text.match(/\s*\S+\s*/g) ?? (text === "" ? [] : [text]);
  const chunks: string[] = [];
  let current = "";
  for (const word of words.flatMap((word) => slices(word, size))) {
    if (current !== "" && current.length + word.length > size) {
      chunks.push(current);
      current = "";
    }
    current += word;
  }
  if (current !== "") chunks.push(current);
  return chunks;
}

function slices(word: string, size: number): readonly string[] {
  if (word.length <= size) return [word];
  const characters = [...word];
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
}
