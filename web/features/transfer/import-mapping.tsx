import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ShownImport } from '#domain/transfer/import-shapes.ts'
import { type MappedField, mappedFields } from '#domain/transfer/readers/mapped.ts'
import { Button } from '#web/ui/button.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { ScrollRegion } from '#web/ui/scroll-region.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { Frame } from './import-frame.tsx'
import { changeImport, importQuery, importRowsQuery } from './imports-query.ts'

const fieldWords: Record<MappedField, string> = {
  url: 'Destination',
  code: 'Code or short link',
  title: 'Title',
  note: 'Note',
  tags: 'Tags',
  created_at: 'Created',
  clicks: 'Clicks',
}
const none = ''
const guesses: Record<MappedField, RegExp> = {
  url: /url|dest|target|long|link to|address/i,
  code: /code|slug|alias|short|keyword|path/i,
  title: /title|name/i,
  note: /note|comment|description/i,
  tags: /tag|label/i,
  created_at: /creat|date|time/i,
  clicks: /click|visit|hit/i,
}

/** A column for each field, by a name that sounds like it; none twice. */
function guessColumns(headers: readonly string[]): Record<MappedField, string> {
  const used = new Set<number>()
  return Object.fromEntries(
    mappedFields.map((field) => {
      const at = headers.findIndex((name, i) => !used.has(i) && guesses[field].test(name))
      if (at >= 0) used.add(at)
      return [field, at < 0 ? none : String(at)]
    }),
  ) as Record<MappedField, string>
}

/** Maps the columns of an unknown file, beside its first rows. */
export function ImportMapping({ userId, shown }: { userId: string; shown: ShownImport }) {
  const queries = useQueryClient()
  const headers = shown.headers ?? []
  const [columns, setColumns] = useState(() => guessColumns(headers))
  const { data } = useInfiniteQuery(importRowsQuery(userId, shown, undefined))
  const firstRows = (data?.pages[0]?.rows ?? []).slice(0, 5)
  const action = useAction(async () => {
    const mapping = Object.fromEntries(
      Object.entries(columns).flatMap(([field, at]) => (at === none ? [] : [[field, Number(at)]])),
    )
    await changeImport
      .map(shown.id, mapping)
      .then((next) => queries.setQueryData(importQuery(userId, shown.id).queryKey, next))
      .catch((error: unknown) =>
        notifyError({
          title: 'The file was not read',
          description: String((error as Error).message),
        }),
      )
  })
  const options = [
    { value: none, label: 'None' },
    ...headers.map((name, i) => ({
      value: String(i),
      label: name === '' ? `Column ${i + 1}` : name,
    })),
  ]
  return (
    <Frame title="Choose the columns" intro={`${shown.name} has unknown columns. Please choose.`}>
      <div className="grid gap-6 rail:grid-cols-[20rem_minmax(0,1fr)]">
        <form
          className="grid content-start gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            action.run()
          }}
        >
          {mappedFields.map((field) => (
            <SelectField
              key={field}
              label={fieldWords[field]}
              options={options}
              value={columns[field]}
              onChange={(value) => setColumns((now) => ({ ...now, [field]: value }))}
            />
          ))}
          <Button type="submit" look="ink" busy={action.busy} disabled={columns.url === none}>
            {action.busy ? 'Checking...' : 'Check the rows'}
          </Button>
        </form>
        <ScrollRegion aria-label="First rows of the file" className="overflow-x-auto">
          <table className="w-full border-separate border-spacing-0 rounded-2xl border border-line bg-surface text-sm">
            <thead>
              <tr className="text-left text-ink-soft *:px-4 *:py-3 *:font-medium *:whitespace-nowrap">
                {headers.map((name, i) => (
                  <th key={i} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {firstRows.map(({ place, cells }) => (
                <tr key={place}>
                  {headers.map((_, i) => (
                    <td key={i} className="max-w-72 truncate border-t border-line px-4 py-2.5">
                      {cells?.[i] ?? ''}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      </div>
    </Frame>
  )
}
