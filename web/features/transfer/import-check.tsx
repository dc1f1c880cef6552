import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  CaseSensitive,
  CircleAlert,
  CircleCheck,
  CircleEqual,
  CircleX,
  Download,
  FileSpreadsheet,
  Gauge,
} from 'lucide-react'
import { useState } from 'react'
import type { RowChoice, RowFilter, ShownImport, ShownRow } from '#domain/transfer/import-shapes.ts'
import { routes } from '#domain/routes.ts'
import { importSource, importSourceIds } from '#domain/transfer/sources.ts'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { saveBlob } from '#web/ui/save-blob.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { ImportRows } from './import-rows.tsx'
import { Frame } from './import-frame.tsx'
import {
  choiceWords,
  countOfJob,
  amountOf,
  outcomeCards,
  quotaSentence,
  sourceWords,
} from './import-words.ts'
import {
  changeImport,
  deleteImport,
  importQuery,
  importsQuery,
  rowsAsCsv,
} from './imports-query.ts'

const icons = {
  made: <CircleCheck size={16} aria-hidden className="text-good" />,
  taken: <CircleAlert size={16} aria-hidden className="text-accent-text" />,
  here: <CircleEqual size={16} aria-hidden className="text-ink-soft" />,
  refused: <CircleX size={16} aria-hidden className="text-danger" />,
  case: <CaseSensitive size={16} aria-hidden className="text-ink-soft" />,
  quota: <Gauge size={16} aria-hidden className="text-ink-soft" />,
}
type CardIcon = keyof typeof icons

/** The dry run: the outcome of each row, before anything is written. */
export function ImportCheck({ userId, shown }: { userId: string; shown: ShownImport }) {
  const [filter, setFilter] = useState<RowFilter>()
  const [codes, setCodes] = useState<'keep' | 'random'>('keep')
  const [taken, setTaken] = useState<RowChoice>('new')
  const [own, setOwn] = useState<ReadonlyMap<number, RowChoice>>(new Map())
  const { confirm, cancel, csv } = useCheckActions(userId, shown, filter)
  const count = countOfJob(shown, codes === 'random' ? 'new' : taken)
  const quota = quotaSentence(shown)
  const hasTaken = (shown.totals.taken ?? 0) + (shown.totals.case ?? 0) > 0
  const choices = {
    of: (row: ShownRow): RowChoice => {
      const choice = own.get(row.place) ?? taken
      return choice === 'replace' && row.present_url === null ? 'new' : choice
    },
    choose: (place: number, choice: RowChoice) => setOwn((now) => new Map(now).set(place, choice)),
  }
  const rows = [...own].slice(0, 1_000).map(([place, choice]) => ({ place, choice }))
  return (
    <Frame
      title="Check before importing"
      intro="Nothing is written yet. Imported links keep their dates. Old totals are shown apart."
      actions={
        <div className="flex flex-wrap gap-2">
          <Button busy={cancel.busy} onClick={() => cancel.run()}>
            Cancel
          </Button>
          <Button busy={csv.busy} onClick={() => csv.run()}>
            <Download size={17} aria-hidden />
            As CSV
          </Button>
          <Button
            look="ink"
            busy={confirm.busy}
            disabled={count === 0}
            onClick={() => confirm.run({ codes, taken, rows })}
          >
            {`Import ${amountOf(count, isBio(shown) || shown.source === 'archive' ? 'row' : 'link')}`}
          </Button>
        </div>
      }
    >
      <FileLine userId={userId} shown={shown} />
      <Cards shown={shown} filter={filter} onFilter={setFilter} />
      {isBio(shown) ? null : (
        <div className="mb-4 grid gap-3 sm:grid-cols-2 rail:max-w-2xl">
          <SelectField
            label="Codes"
            options={[
              { value: 'keep', label: 'Keep their codes' },
              { value: 'random', label: 'Random codes' },
            ]}
            value={codes}
            onChange={setCodes}
          />
          {shown.domains.length > 0 ? <DomainChoice userId={userId} shown={shown} /> : null}
          {codes === 'keep' && hasTaken ? (
            <SelectField
              label="Taken codes"
              options={(['new', 'skip', 'replace'] as const).map((value) => ({
                value,
                label: `${choiceWords[value].charAt(0).toUpperCase()}${choiceWords[value].slice(1)}`,
              }))}
              value={taken}
              onChange={setTaken}
            />
          ) : null}
        </div>
      )}
      <ImportRows
        userId={userId}
        shown={shown}
        filter={filter}
        {...(codes === 'keep' && { choices })}
      />
      {quota === undefined || isBio(shown) ? null : (
        <p className="mt-4 flex items-start gap-2 text-sm text-ink-soft">
          <Gauge size={16} aria-hidden className="mt-0.5 shrink-0" />
          {quota}
        </p>
      )}
    </Frame>
  )
}

function isBio({ source }: ShownImport): boolean {
  return source === 'linkstack' || source === 'linktree'
}

function useCheckActions(userId: string, shown: ShownImport, filter: RowFilter | undefined) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const report = (title: string) => (error: unknown) =>
    notifyError({
      title,
      description: error instanceof Error ? error.message : 'Please try again.',
    })
  const confirm = useAction(async (choices: Parameters<typeof changeImport.confirm>[1]) => {
    await changeImport
      .confirm(shown.id, choices)
      .then((next) => queries.setQueryData(importQuery(userId, shown.id).queryKey, next))
      .catch(report('The import did not start'))
  })
  const cancel = useAction(async () => {
    try {
      await deleteImport(shown.id)
      queries.removeQueries({ queryKey: importQuery(userId, shown.id).queryKey })
      await queries.invalidateQueries({ queryKey: importsQuery(userId).queryKey, exact: true })
      await navigate({ to: routes.imports.path, search: {} })
    } catch (error) {
      report('The import was not deleted')(error)
    }
  })
  const csv = useAction(async () => {
    await rowsAsCsv(shown.id, filter)
      .then((file) => saveBlob(file, `${shown.name.replace(/\.\w+$/, '')}-import.csv`))
      .catch(report('The CSV could not be made'))
  })
  return { confirm, cancel, csv }
}

function FileLine({ userId, shown }: { userId: string; shown: ShownImport }) {
  const queries = useQueryClient()
  const change = useAction(async (source: string) => {
    await changeImport
      .readAs(shown.id, source)
      .then((next) => queries.setQueryData(importQuery(userId, shown.id).queryKey, next))
      .catch((error: unknown) =>
        notifyError({
          title: 'The file was not read again',
          description: String((error as Error).message),
        }),
      )
  })
  const files = importSourceIds.filter(
    (id) => importSource(id).file !== undefined && id !== 'archive',
  )
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-2xl border border-line bg-surface px-5 py-4">
      <FileSpreadsheet size={20} aria-hidden className="shrink-0" />
      <span className="min-w-0 font-medium wrap-anywhere">{shown.name}</span>
      {shown.headers === null || shown.source === 'mapped' ? (
        <span className="rounded-full border border-line px-3 py-1 text-sm">
          {sourceWords(shown)}
        </span>
      ) : (
        <SelectField
          label="Kind of file"
          hideLabel
          options={files.map((id) => ({ value: id, label: `${importSource(id).name} export` }))}
          value={shown.source as (typeof files)[number]}
          onChange={(source) => change.run(source)}
        />
      )}
      <span className="ml-auto text-sm text-ink-soft tabular-nums">
        {`${amountOf(shown.rows, 'row')}, ${sizeWords(shown.bytes)}`}
      </span>
    </div>
  )
}

/** The host of links that come from no domain of the account; another one repeats the dry run. */
function DomainChoice({ userId, shown }: { userId: string; shown: ShownImport }) {
  const queries = useQueryClient()
  const change = useAction(async (domain: string) => {
    await changeImport
      .readFor(shown.id, domain)
      .then((next) => queries.setQueryData(importQuery(userId, shown.id).queryKey, next))
      .catch((error: unknown) =>
        notifyError({
          title: 'The domain was not changed',
          description: String((error as Error).message),
        }),
      )
  })
  return (
    <SelectField
      label="Domain"
      options={[
        ...shown.domains.map((host) => ({ value: host, label: host })),
        { value: '', label: site.host },
      ]}
      value={shown.domain}
      onChange={(domain) => change.run(domain)}
    />
  )
}

function sizeWords(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.ceil(bytes / 1_000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`
}

interface CardsProps {
  shown: ShownImport
  filter: RowFilter | undefined
  onFilter: (filter: RowFilter | undefined) => void
}

function Cards({ shown, filter, onFilter }: CardsProps) {
  return (
    <fieldset className="mb-4">
      <legend className="sr-only">Rows by outcome</legend>
      <div className="grid grid-cols-2 gap-3 rail:grid-cols-6">
        {outcomeCards(shown).map((card) => {
          const content = (
            <>
              <span className="flex items-center gap-2 text-sm text-ink-soft">
                {icons[(card.filter ?? 'quota') as CardIcon]}
                {card.name}
              </span>
              <span className="text-3xl font-semibold tabular-nums">
                {card.count.toLocaleString('en-US')}
              </span>
              <span className="text-sm text-ink-soft">{card.line}</span>
            </>
          )
          const look = 'grid content-start gap-1 rounded-2xl border bg-surface p-4 text-left'
          if (card.filter === undefined)
            return (
              <div key={card.name} className={`${look} border-line`}>
                {content}
              </div>
            )
          const isOn = filter === card.filter
          return (
            <button
              key={card.name}
              type="button"
              aria-pressed={isOn}
              onClick={() => onFilter(isOn ? undefined : card.filter)}
              className={`${look} ${isOn ? 'border-ink ring-1 ring-ink' : 'border-line hover:border-edge'}`}
            >
              {content}
            </button>
          )
        })}
      </div>
    </fieldset>
  )
}
