import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronRight, FileUp } from 'lucide-react'
import { useId, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { type ImportSourceId, importSource, importSourceIds } from '#domain/transfer/sources.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { TextAreaField } from '#web/ui/fields/text-area-field.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { momentOf } from '#web/ui/time-words.ts'
import { Frame } from './import-frame.tsx'
import { amountOf, sourceWords, stateWords } from './import-words.ts'
import { importsQuery, readSource, sendFile } from './imports-query.ts'

/** Where links come from: a file, a service with a token, or the source of a page. */
export function ImportStart({ userId }: { userId: string }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [error, setError] = useState<string>()
  const action = useAction(async (begin: () => Promise<string>) => {
    setError(undefined)
    try {
      const id = await begin()
      await queries.invalidateQueries({ queryKey: importsQuery(userId).queryKey, exact: true })
      await navigate({ to: routes.imports.path, search: { id } })
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : 'Please try again.')
    }
  })
  return (
    <Frame title="Import" intro="Bring links from another service. You check each row first.">
      <div className="grid max-w-4xl gap-4 rail:grid-cols-2">
        <FileCard busy={action.busy} onFile={(file) => action.run(() => sendFile(file))} />
        <SourceCard busy={action.busy} onStart={action.run} />
      </div>
      {error === undefined ? null : (
        <p role="alert" className="mt-4 max-w-4xl text-sm text-danger">
          {error}
        </p>
      )}
      <p className="mt-4 text-sm text-ink-soft">
        <a href="/docs/moving-in" className="underline underline-offset-2">
          What comes along from each service, and in which order to move
        </a>
      </p>
      <EarlierImports userId={userId} />
    </Frame>
  )
}

const cardClass = 'grid content-start gap-4 rounded-2xl border border-line bg-surface p-5'

function FileCard({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const id = useId()
  return (
    <section className={cardClass} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="text-lg font-semibold">
        From a file
      </h2>
      <label
        htmlFor={id}
        className="relative grid justify-items-center gap-2 rounded-xl border border-dashed border-edge px-4 py-8 text-center focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-ink hover:bg-sunken"
      >
        <FileUp size={24} aria-hidden className="text-ink-soft" />
        <span className="font-medium">
          {busy ? 'Reading...' : 'Choose a file, or drop it here'}
        </span>
        <span className="text-sm text-ink-soft">CSV, JSON or archive</span>
        <input
          id={id}
          type="file"
          accept=".csv,.tsv,.txt,.json,.zip,text/csv,application/json,application/zip"
          disabled={busy}
          // Files can be dropped on it.
          className="absolute inset-0 cursor-pointer opacity-0"
          onChange={({ target }) => {
            const file = target.files?.[0]
            target.value = ''
            if (file !== undefined) onFile(file)
          }}
        />
      </label>
      <p className="text-sm text-ink-soft">
        Exports of Bitly, Dub, Shlink, Sink, YOURLS, LinkStack, tiny.cc and Hoplet are known. You
        map the columns of any other file.
      </p>
    </section>
  )
}

const services = importSourceIds.filter((id) => {
  const { token, page } = importSource(id)
  return token !== undefined || page !== undefined
})

interface SourceCardProps {
  busy: boolean
  onStart: (begin: () => Promise<string>) => void
}

function SourceCard({ busy, onStart }: SourceCardProps) {
  const id = useId()
  const [chosen, setChosen] = useState<ImportSourceId>('bitly')
  const [token, setToken] = useState('')
  const [server, setServer] = useState('')
  const [page, setPage] = useState('')
  const source = importSource(chosen)
  const isPage = source.page !== undefined
  const submit = () => {
    if (isPage) onStart(() => sendFile(new File([page], `${source.name}.html`)))
    else
      onStart(async () => {
        const started = await readSource(chosen, token, server)
        setToken('')
        return started
      })
  }
  return (
    <section className={cardClass} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="text-lg font-semibold">
        From a service
      </h2>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <SelectField
          label="Service"
          options={services.map((each) => ({ value: each, label: importSource(each).name }))}
          value={chosen}
          onChange={(next) => {
            setChosen(next)
            setToken('')
            setServer('')
          }}
        />
        {source.server === undefined ? null : (
          <Field
            label="Server address"
            kind="url"
            required
            placeholder={source.server}
            value={server}
            onChange={({ target }) => setServer(target.value)}
          />
        )}
        {isPage ? (
          <TextAreaField
            label="Page source"
            hint={source.page}
            value={page}
            onChange={({ target }) => setPage(target.value)}
          />
        ) : (
          <Field
            label="Token"
            hint={source.token}
            type="password"
            autoComplete="off"
            required
            maxLength={2_000}
            value={token}
            onChange={({ target }) => setToken(target.value)}
          />
        )}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="max-w-64 text-sm text-ink-soft">
            {isPage
              ? 'Nobody else asks this page.'
              : 'The token is deleted when everything is read.'}
          </p>
          <Button type="submit" look="ink" busy={busy} disabled={isPage && page.trim() === ''}>
            {busy ? 'Starting...' : 'Read links'}
          </Button>
        </div>
      </form>
    </section>
  )
}

function EarlierImports({ userId }: { userId: string }) {
  const { data = [] } = useQuery(importsQuery(userId))
  if (data.length === 0) return null
  return (
    <section className="mt-10 max-w-4xl">
      <h2 className="mb-3 text-lg font-semibold">Your imports</h2>
      <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
        {data.map((shown) => (
          <li key={shown.id}>
            <Link
              to={routes.imports.path}
              search={{ id: shown.id }}
              className="flex items-center gap-3 px-4 py-3 hover:bg-sunken"
            >
              <span className="min-w-0 grow">
                <span className="block truncate font-medium">{shown.name}</span>
                <span className="block text-sm text-ink-soft">
                  {`${sourceWords(shown)}, ${amountOf(shown.rows, 'row')}, ${momentOf(shown.created_at)}`}
                </span>
              </span>
              <span className="shrink-0 text-sm">{stateWords[shown.state]}</span>
              <ChevronRight size={16} aria-hidden className="shrink-0 text-ink-faint" />
            </Link>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-sm text-ink-soft">Each is kept for 7 days.</p>
    </section>
  )
}
