import type { PopupDesign } from '../../answers.ts'

type Shape = Pick<PopupDesign, 'borderRadius' | 'fontStyle' | 'shadowStyle' | 'size'>

const shadows: readonly [RegExp, PopupDesign['shadowStyle']][] = [
  [
    /\b(no|without( an?y?)?|zero|remove( the)?) (drop )?shadows?\b|\bshadowless\b|\bflat\b/i,
    'none',
  ],
  [/\b(soft|subtle|light|slight|gentle|small|delicate) (drop )?shadows?\b/i, 'soft'],
  [/\b(strong|bold|heavy|hard|deep|dramatic|big|large|dark) (drop )?shadows?\b/i, 'bold'],
  [/\b(drop )?shadows?\b/i, 'medium'],
]

const fonts: readonly [RegExp, PopupDesign['fontStyle']][] = [
  [/\bsans[- ]?serif\b|\bmodern\b/i, 'modern'],
  [/\bserif\b|\belegant\b|\bclassic\b/i, 'elegant'],
  [/\b(casual|handwritten|playful|friendly|comic)\b/i, 'casual'],
  [/\b(professional|corporate|business|formal|helvetica|arial)\b/i, 'professional'],
]

const corners: readonly [RegExp, number][] = [
  [
    /\b(square|sharp|angular|no rounded|not rounded|without rounded|hard) ?(corners?|edges?)?\b/i,
    0,
  ],
  [/\b(slightly|a little|barely|subtly) rounded\b/i, 8],
  [/\b(very|fully|extra|super|completely) (rounded?|round)\b|\b(pill|bubbly)\b/i, 24],
  [/\b(rounded?|soft corners)\b/i, 16],
]

const sizes: readonly [RegExp, PopupDesign['size']][] = [
  [/\b(small|tiny|compact|little|mini)\b/i, 'small'],
  [/\b(large|big|huge|wide)\b/i, 'large'],
  [/\bmedium\b/i, 'medium'],
]

/** Reads the shape that a prompt asks for. What it does not mention is left out. */
export function readShape(prompt: string): Partial<Shape> {
  // A 'big shadow' says nothing about the size of the popup, and 'flat' corners nothing about a shadow.
  const rest = prompt.replace(/\b\w+ (drop )?shadows?\b|\b\w+ (text|font|button|letters)\b/gi, ' ')
  const given: { [Key in keyof Shape]: Shape[Key] | undefined } = {
    shadowStyle: firstMatch(shadows, prompt),
    fontStyle: firstMatch(fonts, prompt),
    borderRadius: pixels(prompt) ?? firstMatch(corners, prompt),
    size: firstMatch(sizes, rest),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** 'radius 12', '12px corners'. */
function pixels(prompt: string): number | undefined {
  const said =
    /\b(?:radius|corners?|rounding)(?: of)?:? ?(\d{1,3})\b|\b(\d{1,3}) ?(?:px|pixels?) (?:border )?(?:radius|corners?|rounding)/i.exec(
      prompt,
    )
  const radius = said?.[1] ?? said?.[2]
  return radius === undefined ? undefined : Math.min(24, Number(radius))
}

function firstMatch<Value>(table: readonly [RegExp, Value][], text: string): Value | undefined {
  return table.find(([words]) => words.test(text))?.[1]
}
