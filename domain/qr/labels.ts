/** Printer dots of a millimeter at 300 dpi. */
export const dotsPerMm = 300 / 25.4
/** Least printer dots of a cell, 0.34 mm: fewer smear. */
const leastDots = 4

/** A sheet of labels, or the label of a printer, each on a separate page. Lengths are millimeters. */
export interface LabelFormat {
  name: string
  /** Names of the same sheet. */
  aliases: readonly string[]
  paper: 'A4' | 'Letter' | 'label'
  page: { width: number; height: number }
  columns: number
  rows: number
  label: { width: number; height: number }
  /** Edges of the first label. */
  left: number
  top: number
  /** From label to label. */
  pitch: { x: number; y: number }
  radius: number
}

const papers = {
  A4: { width: 210, height: 297 },
  Letter: { width: 215.9, height: 279.4 },
} as const

type Size = readonly [number, number]

function sheet(
  [name = '', ...aliases]: readonly string[],
  paper: keyof typeof papers,
  [columns, rows]: Size,
  [width, height]: Size,
  [left, top]: Size,
  [x, y]: Size,
  radius: number,
): LabelFormat {
  const label = { width, height }
  const page = papers[paper]
  return { name, aliases, paper, page, columns, rows, label, left, top, pitch: { x, y }, radius }
}

/** A label of a printer, as it is read. */
function single(names: readonly string[], width: number, height: number): LabelFormat {
  const [name = '', ...aliases] = names
  const size = { width, height }
  return {
    name,
    aliases,
    paper: 'label',
    page: size,
    columns: 1,
    rows: 1,
    label: size,
    left: 0,
    top: 0,
    pitch: { x: width, y: height },
    radius: 0,
  }
}

/** Sheets by the names of their maker, and labels of printers by their size. */
export const labelFormats: readonly LabelFormat[] = [
  sheet(['L7160', 'J8160'], 'A4', [3, 7], [63.5, 38.1], [7.21, 15.15], [66.04, 38.1], 1.8),
  sheet(['L7161'], 'A4', [3, 6], [63.5, 46.6], [7.2, 8.7], [66, 46.6], 2.5),
  sheet(['L7162'], 'A4', [2, 8], [99.1, 33.9], [4.67, 12.9], [101.6, 33.9], 1.8),
  sheet(['L7163', 'J8163'], 'A4', [2, 7], [99.1, 38.1], [4.67, 15.15], [101.6, 38.1], 1.8),
  sheet(['L7165'], 'A4', [2, 4], [99.1, 67.7], [4.67, 13.04], [101.64, 67.73], 0),
  sheet(['L7651'], 'A4', [5, 13], [38.1, 21.2], [4.75, 10.7], [40.6, 21.2], 1.8),
  sheet(
    ['5160', '8160', '5260', '8460', '18160'],
    'Letter',
    [3, 10],
    [66.675, 25.4],
    [4.76, 12.7],
    [69.85, 25.4],
    1.6,
  ),
  sheet(['5163', '8163'], 'Letter', [2, 5], [101.6, 50.8], [4.13, 12.7], [106.36, 50.8], 3.2),
  sheet(['5164', '8164'], 'Letter', [2, 3], [101.6, 84.67], [3.97, 12.7], [106.36, 84.67], 3.2),
  sheet(['5167', '8167'], 'Letter', [4, 20], [44.45, 12.7], [7.14, 12.7], [52.39, 12.7], 1.6),
  single(['62x40', '62'], 62, 40),
  single(['29x90', '90x29'], 90, 29),
  single(['30x20'], 30, 20),
  single(['45x30'], 45, 30),
  single(['60x40'], 60, 40),
]

/** The format with a name or alias, in any case. */
export function labelFormat(name: string): LabelFormat | undefined {
  const wanted = name.trim().toUpperCase()
  return labelFormats.find((format) =>
    [format.name, ...format.aliases].some((each) => each.toUpperCase() === wanted),
  )
}

export const labelLimits = {
  /** Labels of a file. */
  labels: 1_000,
  copies: 1_000,
  /** Millimeters by which all labels of a sheet move. */
  offset: 5,
  /** Characters of a caption that is given. */
  caption: 300,
} as const

interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** Where a label has its code and its caption: millimeters from the label's upper left. */
export interface LabelFit {
  /** Printer dots of a cell at 300 dpi. */
  dots: number
  /** Width of a cell. */
  cell: number
  /** A square, with its quiet zone. */
  code: { x: number; y: number; size: number }
  /** Absent without a caption. */
  caption?: Box & { align: 'left' | 'center' }
}

/** A code that a format cannot hold at 300 dpi. `cell` is the width that a cell would have, in millimeters. */
interface LabelMisfit {
  tooDense: { cell: number; least: number }
}

/** Free of ink at each edge: feeders of sheets drift by about 2 mm. */
const freeOnSheets = 2
const freeOnLabels = 1
const gap = 1
/** Least part of the room of a wide label that its caption has. */
const captionPart = 0.3
const captionHeights = { part: 0.22, least: 3.5, most: 12 }

const isWide = ({ label }: LabelFormat) => label.width >= 1.6 * label.height

/**
 * The largest code of whole printer dots that a label holds: the caption is beside it on a wide label, otherwise below.
 *
 * @param cells of the code with its quiet zone
 */
export function labelFit(
  format: LabelFormat,
  cells: number,
  hasCaption: boolean,
): LabelFit | LabelMisfit {
  const free = format.paper === 'label' ? freeOnLabels : freeOnSheets
  const width = format.label.width - 2 * free
  const height = format.label.height - 2 * free
  const isBeside = hasCaption && isWide(format)
  const { part, least, most } = captionHeights
  const below = hasCaption && !isBeside ? Math.min(most, Math.max(least, height * part)) : 0
  const room = Math.min(isBeside ? width * (1 - captionPart) - gap : width, height - below)
  const dots = Math.floor((room * dotsPerMm) / cells)
  if (dots < leastDots) return { tooDense: { cell: room / cells, least: leastDots / dotsPerMm } }
  const cell = dots / dotsPerMm
  const size = cell * cells
  if (isBeside) {
    const x = free + size + gap
    return {
      dots,
      cell,
      code: { x: free, y: free + (height - size) / 2, size },
      caption: { x, y: free, width: free + width - x, height, align: 'left' },
    }
  }
  const code = { x: free + (width - size) / 2, y: free + (height - below - size) / 2, size }
  if (!hasCaption) return { dots, cell, code }
  const y = code.y + size
  return {
    dots,
    cell,
    code,
    caption: { x: free, y, width, height: free + height - y, align: 'center' },
  }
}

/** A sentence on a code that a format cannot hold. */
export function tooDenseSentence({ name }: LabelFormat, { tooDense }: LabelMisfit): string {
  // Rounded down: a cell that is hardly too small is not shown as the least.
  const shown = (Math.floor(tooDense.cell * 100) / 100).toFixed(2)
  return `${name} cannot hold this code at 300 dpi: its cells would be ${shown} mm, 0.34 mm is the least`
}
