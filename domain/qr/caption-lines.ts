/** A line of a caption and the size of its letters. */
export interface CaptionLine {
  text: string
  size: number
}

/** Widths of letters as parts of their size, in a bold face without serifs. Others are as wide as the last says. */
const letterWidths: readonly (readonly [RegExp, number])[] = [
  [/[ijl.,:;'|!()[\]]/, 0.3],
  [/[mwMW@%&]/, 0.92],
  [/[\p{Lu}\p{Nd}]/u, 0.68],
  [
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]/u,
    1.05,
  ],
  [/\p{M}/u, 0],
]

function widthOf(text: string): number {
  let sum = 0
  for (const letter of text) sum += letterWidths.find(([kind]) => kind.test(letter))?.[1] ?? 0.58
  return sum
}

const minPart = 0.72

/** One or two lines that fit into `room`: letters shrink a little first, then the text breaks, then they shrink as needed. */
export function captionLines(caption: string, room: number, size: number): CaptionLine[] {
  if (caption === '') return []
  const fitting = (text: string) => Math.min(size, room / Math.max(widthOf(text), 0.001))
  if (fitting(caption) >= size * minPart) return [{ text: caption, size: fitting(caption) }]
  const [first, second] = halves(caption)
  const both = Math.min(fitting(first), second === '' ? size : fitting(second))
  return [first, second].filter((text) => text !== '').map((text) => ({ text, size: both }))
}

/** A text in two parts as equal as its spaces allow; without one, where a letter ends. */
function halves(text: string): readonly [string, string] {
  const middle = widthOf(text) / 2
  const ends = [...text.matchAll(/ /g)].map(({ index }) => index)
  const [best] = ends.sort(
    (a, b) =>
      Math.abs(widthOf(text.slice(0, a)) - middle) - Math.abs(widthOf(text.slice(0, b)) - middle),
  )
  if (best !== undefined) return [text.slice(0, best), text.slice(best + 1)]
  const letters = [...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment)
  const half = Math.ceil(letters.length / 2)
  return [letters.slice(0, half).join(''), letters.slice(half).join('')]
}
