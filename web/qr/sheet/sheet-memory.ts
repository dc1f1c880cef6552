import { labelFormat, labelFormats } from '#domain/qr/labels.ts'
import type { SheetFields, SheetValues } from '#domain/qr/sheet-form.ts'
import { readStoredFields, writeStored } from '#web/stored.ts'

type Memory = Pick<SheetFields, 'format' | 'dx' | 'dy'>

const keyOf = (userId: string) => `hoplet.sheet.${userId}`

/** The label format and the offsets that an account used last in this browser. */
export function sheetMemory(userId: string): Memory {
  const { format, dx, dy } = readStoredFields('localStorage', keyOf(userId))
  const known = typeof format === 'string' ? labelFormat(format) : undefined
  const offset = (value: unknown) => (typeof value === 'number' ? String(value) : '0')
  return { format: (known ?? labelFormats[0])?.name ?? '', dx: offset(dx), dy: offset(dy) }
}

/** Labels of a printer have no offsets: those of sheets are kept. */
export function rememberSheet(
  userId: string,
  { format, dx, dy }: Pick<SheetValues, 'format' | 'dx' | 'dy'>,
): void {
  const isPrinterLabel = labelFormat(format)?.paper === 'label'
  const offsets = isPrinterLabel ? readStoredFields('localStorage', keyOf(userId)) : { dx, dy }
  writeStored('localStorage', keyOf(userId), JSON.stringify({ ...offsets, format }))
}
