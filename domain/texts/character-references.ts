/** The character references that titles use; others stay as they are. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  middot: '·',
  bull: '•',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  copy: '©',
  reg: '®',
  trade: '™',
}

/** Decodes the character references of HTML that titles use, in one pass. */
export function decodeReferences(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return named[name] ?? whole
      const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return point > 0 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole
    },
  )
}
