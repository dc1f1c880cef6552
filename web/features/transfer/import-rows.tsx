import { useInfiniteQuery } from '@tanstack/react-query'
import type {
  RowChoice,
  RowFilter,
  RowOutcome,
  ShownImport,
  ShownRow,
} from '#domain/transfer/import-shapes.ts'
import { readableUrl } from '#domain/links/readable-url.ts'
import { site } from '#web/site.ts'
import { QueryList } from '#web/ui/query-list.tsx'
import { choiceWords, noteOf, outcomeWords, resultWords } from './import-words.ts'
import { importRowsQuery } from './imports-query.ts'

const loadFailed = { title: 'The rows could not be loaded', description: 'Please try again.' }

const tones: Record<RowOutcome, string> = {
  made: 'text-good',
  taken: 'text-accent-text',
  here: 'text-ink-soft',
  refused: 'text-danger',
  case: 'text-accent-text',
}

interface ImportRowsProps {
  userId: string
  shown: ShownImport
  filter: RowFilter | undefined
  /** Undefined once the choices are made. */
  choices?: {
    of: (row: ShownRow) => RowChoice
    choose: (place: number, choice: RowChoice) => void
  }
}

/** Rows of an import: a table, and cards on phones. */
export function ImportRows({ userId, shown, filter, choices }: ImportRowsProps) {
  const query = useInfiniteQuery(importRowsQuery(userId, shown, filter))
  const rows = query.data?.pages.flatMap((page) => page.rows)
  return (
    <QueryList
      query={query}
      rows={rows}
      skeleton={<div aria-hidden className="h-64 animate-pulse rounded-2xl bg-sunken" />}
      failed={loadFailed}
      empty={
        <p className="rounded-2xl border border-dashed border-line p-6 text-center text-ink-soft">
          No row is like this.
        </p>
      }
      more={{ label: 'Show more rows' }}
    >
      {(all) => (
        <table className="w-full border-separate border-spacing-0 overflow-hidden rounded-2xl border border-line bg-surface text-sm max-rail:block max-rail:border-0 max-rail:bg-transparent">
          <thead className="max-rail:sr-only">
            <tr className="text-left text-ink-soft *:px-4 *:py-3 *:font-medium">
              <th scope="col">There</th>
              <th scope="col">Here</th>
              <th scope="col">Leads to</th>
              <th scope="col">Outcome</th>
              <th scope="col">Note</th>
            </tr>
          </thead>
          <tbody className="max-rail:grid max-rail:gap-2.5">
            {all.map((row) => (
              <Row key={row.place} row={row} choices={choices} />
            ))}
          </tbody>
        </table>
      )}
    </QueryList>
  )
}

/** Without its scheme, as on other screens. */
const addressOf = (url: string) => readableUrl(url).replace(/^https?:\/\//, '')

const cell =
  'border-t border-line px-4 py-3 align-top wrap-anywhere max-rail:block max-rail:border-0 max-rail:p-0'

function Row({ row, choices }: { row: ShownRow; choices: ImportRowsProps['choices'] }) {
  const { label, url, title, outcome, result } = row
  const note = noteOf(row)
  return (
    <tr className="max-rail:relative max-rail:grid max-rail:gap-1 max-rail:rounded-2xl max-rail:border max-rail:border-line max-rail:bg-surface max-rail:p-3.5">
      <td className={`${cell} font-mono max-rail:pr-28`}>{label ?? title ?? `Row ${row.place}`}</td>
      <td className={cell}>
        <Here row={row} choices={choices} />
      </td>
      <td className={`${cell} text-ink-soft`}>{url === null ? '–' : addressOf(url)}</td>
      <td
        className={`${cell} whitespace-nowrap max-rail:absolute max-rail:top-3.5 max-rail:right-3.5`}
      >
        {result !== null && result !== 'skipped' ? (
          resultWords[result]
        ) : outcome === null ? null : (
          <span className={tones[outcome]}>{outcomeWords[outcome]}</span>
        )}
      </td>
      <td className={`${cell} text-ink-soft ${note === '' ? 'max-rail:hidden' : ''}`}>{note}</td>
    </tr>
  )
}

/** The short address that the row gets, or the choices for a code that is taken. */
function Here({ row, choices }: { row: ShownRow; choices: ImportRowsProps['choices'] }) {
  const { code, domain, outcome, present_url: present } = row
  if (choices !== undefined && (outcome === 'taken' || outcome === 'case')) {
    const chosen = choices.of(row)
    const offered: RowChoice[] = present === null ? ['new', 'skip'] : ['new', 'skip', 'replace']
    return (
      <fieldset>
        <legend className="contents">
          <span className="font-mono text-accent-text">{code ?? 'The code'}</span>
          {outcome === 'case'
            ? ' is above in other letters: '
            : code === null
              ? ' cannot be kept: '
              : ' is taken: '}
        </legend>
        <span className="inline-flex flex-wrap gap-x-3">
          {offered.map((choice) => (
            <label
              key={choice}
              className="inline-flex min-h-6 cursor-pointer items-center gap-1.5 pointer-coarse:min-h-11"
            >
              <input
                type="radio"
                name={`row-${row.place}`}
                checked={chosen === choice}
                onChange={() => choices.choose(row.place, choice)}
                className="size-4 accent-ink"
              />
              {choiceWords[choice]}
            </label>
          ))}
        </span>
        {present === null ? null : (
          <span className="block text-ink-soft">{`Leads to ${addressOf(present)} now`}</span>
        )}
      </fieldset>
    )
  }
  if (outcome === 'refused' || outcome === null) return <span className="text-ink-soft">–</span>
  if (code === null) return <span className="text-ink-soft">a new code</span>
  return <span className="font-mono">{`${domain ?? site.host}/${code.toLowerCase()}`}</span>
}
