import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { RowFilter, ShownImport } from '#domain/transfer/import-shapes.ts'
import { routes } from '#domain/routes.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { useConfirmed } from '#web/ui/dialogs/use-confirmed.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { saveBlob } from '#web/ui/save-blob.ts'
import { momentOf } from '#web/ui/time-words.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { ImportRows } from './import-rows.tsx'
import { Frame } from './import-frame.tsx'
import { amountOf, rowsToWrite, sourceWords, timeLeft } from './import-words.ts'
import { changeImport, importQuery, rowsAsCsv } from './imports-query.ts'

/** An import from its reading to the end of its job. */
export function ImportProgress({ userId, shown }: { userId: string; shown: ShownImport }) {
  const { results, state, undoes, notice } = shown
  const [filter, setFilter] = useState<RowFilter>()
  const queries = useQueryClient()
  // The list of links and its counts have changed.
  useEffect(() => {
    if (state === 'done' || state === 'undone')
      void queries.invalidateQueries({ queryKey: ['account', userId] })
  }, [queries, state, userId])
  const hasRows = state !== 'reading' && state !== 'failed'
  const failed = results.failed ?? 0
  const kept = results.kept ?? 0
  return (
    <Frame
      title={titles[undoes ? 'undoing' : state]}
      actions={<Actions userId={userId} shown={shown} />}
    >
      <div className="grid max-w-3xl gap-3 rounded-2xl border border-line bg-surface p-5">
        <p className="font-medium wrap-anywhere">{`${shown.name} · ${sourceWords(shown)}`}</p>
        <Bar shown={shown} />
        <output className="text-ink-soft">{progressSentence(shown)}</output>
        {notice === null ? null : (
          <p className={state === 'failed' ? 'text-danger' : ''}>{notice}</p>
        )}
        {state === 'running' || state === 'waiting' || state === 'reading' ? (
          <p className="text-sm text-ink-soft">
            You can close this page. The import goes on by itself.
          </p>
        ) : null}
      </div>
      {hasRows ? (
        <section className="mt-8">
          <div className="mb-3 flex flex-wrap items-center gap-2">
            <h2 className="mr-2 text-lg font-semibold">Rows</h2>
            <FilterButton filter={undefined} now={filter} onPress={setFilter} words="All" />
            {failed > 0 ? (
              <FilterButton
                filter="failed"
                now={filter}
                onPress={setFilter}
                words={`Failed ${failed}`}
              />
            ) : null}
            {kept > 0 ? (
              <FilterButton filter="kept" now={filter} onPress={setFilter} words={`Kept ${kept}`} />
            ) : null}
          </div>
          <ImportRows userId={userId} shown={shown} filter={filter} />
        </section>
      ) : null}
    </Frame>
  )
}

const titles: Record<ShownImport['state'] | 'undoing', string> = {
  reading: 'Reading your links',
  ready: 'Check before importing',
  running: 'Importing',
  waiting: 'Waiting for your quota',
  paused: 'Import paused',
  done: 'Import done',
  failed: 'Import failed',
  undone: 'Import undone',
  undoing: 'Undoing the import',
}

function progressSentence(shown: ShownImport): string {
  const { state, results, undoes, rows } = shown
  const made = (results.made ?? 0) + (results.replaced ?? 0)
  if (state === 'reading')
    return rows === 0 ? 'The first rows are on their way.' : `${amountOf(rows, 'row')} so far.`
  if (state === 'failed') return `${amountOf(rows, 'row')} were read.`
  const parts = [
    undoes || state === 'undone'
      ? `${amountOf(results.undone ?? 0, 'row')} undone`
      : `${amountOf(made, 'row')} imported`,
    ...part(results.skipped, 'skipped'),
    ...part(results.failed, 'failed'),
    ...part(results.kept, 'kept, because they were clicked'),
    ...(state === 'undone' ? [] : part(shown.hits, shown.hits === 1 ? 'hit left' : 'hits left')),
  ]
  const left = state === 'running' && !undoes ? timeLeft(shown) : undefined
  const next =
    state === 'waiting' ? `goes on ${momentOf(shown.next_at)}, or with a larger plan` : undefined
  return `${[...parts, left ?? next].filter(Boolean).join(', ')}.`
}

function part(count: number | undefined, words: string): string[] {
  return count === undefined || count === 0 ? [] : [`${count.toLocaleString('en-US')} ${words}`]
}

function Bar({ shown }: { shown: ShownImport }) {
  const { results, state } = shown
  const todo = rowsToWrite(shown)
  const written = (results.made ?? 0) + (results.replaced ?? 0) + (results.failed ?? 0)
  if (!['running', 'waiting', 'paused'].includes(state) || todo <= 0) return null
  return (
    <progress
      aria-label="Rows written"
      max={todo}
      value={written}
      className="h-2 w-full appearance-none overflow-hidden rounded-full border-0 bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
    />
  )
}

interface FilterButtonProps {
  filter: RowFilter | undefined
  now: RowFilter | undefined
  onPress: (filter: RowFilter | undefined) => void
  words: string
}

function FilterButton({ filter, now, onPress, words }: FilterButtonProps) {
  return (
    <Button
      size="small"
      aria-pressed={filter === now}
      look={filter === now ? 'ink' : 'plain'}
      onClick={() => onPress(filter)}
    >
      {words}
    </Button>
  )
}

function Actions({ userId, shown }: { userId: string; shown: ShownImport }) {
  const queries = useQueryClient()
  const { queryKey } = importQuery(userId, shown.id)
  const change = useAction(async (act: 'pause' | 'resume') => {
    await changeImport[act](shown.id)
      .then((next) => queries.setQueryData(queryKey, next))
      .catch((error: unknown) =>
        notifyError({
          title: 'Nothing was changed',
          description: String((error as Error).message),
        }),
      )
  })
  const csv = useAction(async () => {
    await rowsAsCsv(shown.id, undefined)
      .then((file) => saveBlob(file, `${shown.name.replace(/\.\w+$/, '')}-import.csv`))
      .catch(() =>
        notifyError({ title: 'The CSV could not be made', description: 'Please try again.' }),
      )
  })
  const undo = useConfirmed<ShownImport>({
    title: 'Undo the import?',
    describe: () => 'Deletes the links that it made. Links that were clicked since stay.',
    action: 'Undo',
    busyAction: 'Undoing...',
    run: ({ id }) => changeImport.undo(id),
    done: () => ({ title: 'The import is being undone' }),
    failed: (error) => ({ title: 'The import was not undone', description: error.message }),
    queryKey,
  })
  const { state, undoes } = shown
  const isOpen = ['running', 'waiting', 'paused'].includes(state) && !undoes
  return (
    <div className="flex flex-wrap gap-2">
      {state === 'reading' || state === 'failed' ? null : (
        <Button busy={csv.busy} onClick={() => csv.run()}>
          <Download size={17} aria-hidden />
          As CSV
        </Button>
      )}
      {isOpen || canUndo(shown) ? <Button onClick={() => undo.ask(shown)}>Undo</Button> : null}
      {isOpen ? (
        <Button
          look="ink"
          busy={change.busy}
          onClick={() => change.run(state === 'paused' ? 'resume' : 'pause')}
        >
          {state === 'paused' ? 'Resume' : 'Pause'}
        </Button>
      ) : null}
      {state === 'done' || state === 'undone' || state === 'failed' ? (
        <Link to={routes.dashboard.path} className={buttonClass('ink')}>
          To My Links
        </Link>
      ) : null}
      {undo.dialog}
    </div>
  )
}

const dayMs = 86_400_000

/** Until a day after its end. */
function canUndo({ state, ended_at: endedAt }: ShownImport): boolean {
  return state === 'done' && endedAt !== null && Date.now() - Date.parse(endedAt) < dayMs
}
