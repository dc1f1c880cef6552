import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { labelFormat, labelFormats, labelLimits } from '#domain/qr/labels.ts'
import type { SheetFields, SheetValues } from '#domain/qr/sheet-form.ts'
import { oneRowOf, tables } from '#web/api/client.ts'

/** The label format and the offsets of the account's last sheet. */
interface LabelSettings {
  format: string
  dx: number
  dy: number
}

export function labelSettingsQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'label-settings'],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<LabelSettings> => {
      const row = await oneRowOf(
        tables.from('profiles').select('label_settings').eq('id', userId),
        signal,
      )
      return settingsIn(row?.label_settings)
    },
  })
}

/** Programs may have written anything. */
function settingsIn(value: unknown): LabelSettings {
  const { format, dx, dy } = Object(value) as Record<string, unknown>
  const known = typeof format === 'string' ? labelFormat(format) : undefined
  return { format: (known ?? labelFormats[0])?.name ?? '', dx: offsetIn(dx), dy: offsetIn(dy) }
}

function offsetIn(value: unknown): number {
  return typeof value === 'number' && Math.abs(value) <= labelLimits.offset ? value : 0
}

/** Typed values of these settings; the first ones while they are not known. */
export function settingFields(
  settings: LabelSettings = settingsIn(null),
): Pick<SheetFields, 'format' | 'dx' | 'dy'> {
  return { format: settings.format, dx: String(settings.dx), dy: String(settings.dy) }
}

/** Keeps the settings of a sheet for the account. Labels of a printer have no offsets: those of sheets stay. */
export async function keepLabelSettings(
  client: QueryClient,
  userId: string,
  { format, dx, dy }: Pick<SheetValues, 'format' | 'dx' | 'dy'>,
): Promise<void> {
  const query = labelSettingsQuery(userId)
  const known = client.getQueryData(query.queryKey)
  const isPrinterLabel = labelFormat(format)?.paper === 'label'
  const settings = isPrinterLabel ? { ...settingsIn(known), format } : { format, dx, dy }
  if (JSON.stringify(settings) === JSON.stringify(known)) return
  client.setQueryData(query.queryKey, settings)
  await tables.from('profiles').update({ label_settings: settings }).eq('id', userId).throwOnError()
}
