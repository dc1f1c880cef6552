import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Archive, Download } from 'lucide-react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import type { ShownArchive } from '#domain/transfer/archive-shapes.ts'
import { Button } from '#web/ui/button.tsx'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { saveBlob } from '#web/ui/save-blob.ts'
import { momentOf } from '#web/ui/time-words.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { settingsCards } from '../settings-parts.ts'
import { SettingsSection, type TabProps } from '../settings-section.tsx'
import { archivesQuery, fetchArchive, startArchive } from './archives-query.ts'

/** One file with everything, made by the server. */
export function ArchiveSection({ userId }: Pick<TabProps, 'userId'>) {
  const query = useQuery(archivesQuery(userId))
  return (
    <SettingsSection
      title={settingsCards.account.archive}
      intro={
        <>
          One file with everything: links, history, clicks, pages, audience and images. Another
          Hoplet reads it. Passwords and keys stay here.{' '}
          <a href="/docs/archive" className="underline underline-offset-2">
            The format
          </a>
        </>
      }
    >
      <QueryPanel query={query} failed={settingsNotices.archivesFailed}>
        {(archives) => <Newest userId={userId} archive={archives[0]} />}
      </QueryPanel>
    </SettingsSection>
  )
}

function Newest({ userId, archive }: { userId: string; archive: ShownArchive | undefined }) {
  const queries = useQueryClient()
  const start = useSingleMutation({
    mutationFn: startArchive,
    onSettled: () => queries.invalidateQueries(archivesQuery(userId)),
    onError: (error) =>
      notifyError({ ...settingsNotices.archiveNotMade, description: error.message }),
  })
  const download = useSingleMutation({
    mutationFn: async (ready: ShownArchive) => {
      const day = (ready.made_at ?? ready.created_at).slice(0, 10)
      saveBlob(await fetchArchive(ready), `hoplet-archive-${day}.zip`)
    },
    onError: async (error) => {
      notifyError({ ...settingsNotices.exportFailed, description: error.message })
      // An erasure may have ended it.
      await queries.invalidateQueries(archivesQuery(userId))
    },
  })
  const isMaking = archive?.state === 'making'
  return (
    <div className="grid gap-4">
      {archive === undefined ? null : <State archive={archive} />}
      <div className="flex flex-wrap gap-2.5">
        {archive?.state === 'done' ? (
          <Button busy={download.isPending} onClick={() => download.mutate(archive)}>
            <Download size={17} aria-hidden />
            {download.isPending ? 'Please wait...' : 'Download Archive'}
          </Button>
        ) : null}
        {isMaking ? null : (
          <Button busy={start.isPending} onClick={() => start.mutate()}>
            <Archive size={17} aria-hidden />
            Make Archive
          </Button>
        )}
      </div>
    </div>
  )
}

function State({ archive }: { archive: ShownArchive }) {
  const { state, progress, notice, left_out: leftOut } = archive
  return (
    <div className="grid gap-2">
      {state === 'making' ? (
        <progress
          aria-label="Archive"
          max={100}
          value={progress}
          className="h-2 w-full appearance-none overflow-hidden rounded-full border-0 bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
        />
      ) : null}
      <output className={state === 'failed' ? 'text-danger' : 'text-ink-soft'}>
        {stateSentence(archive)}
      </output>
      {state === 'making' ? (
        <p className="text-sm text-ink-soft">
          You can close this page. An email says when it is done.
        </p>
      ) : null}
      {notice !== null && state === 'expired' ? <p>{notice}</p> : null}
      {state === 'done' && leftOut.length > 0 ? (
        <ul className="grid gap-1 text-sm">
          {leftOut.map(({ file, reason }) => (
            <li key={`${file} ${reason}`}>
              <span className="font-mono">{file}</span>: {reason}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

function stateSentence({
  state,
  progress,
  bytes,
  notice,
  created_at: createdAt,
  expires_at: expiresAt,
}: ShownArchive): string {
  if (state === 'making') return `Making the archive: ${progress}%.`
  if (state === 'done')
    return `${sizeOf(bytes ?? 0)}, kept until ${momentOf(expiresAt ?? createdAt)}.`
  if (state === 'failed') return notice ?? 'The archive could not be made.'
  return `The archive of ${momentOf(createdAt)} is gone.`
}

const kilobytes = new Intl.NumberFormat('en-US', { style: 'unit', unit: 'kilobyte' })
const megabytes = new Intl.NumberFormat('en-US', {
  style: 'unit',
  unit: 'megabyte',
  maximumFractionDigits: 1,
})

function sizeOf(bytes: number): string {
  return bytes < 1_000_000
    ? kilobytes.format(Math.max(1, Math.round(bytes / 1_000)))
    : megabytes.format(bytes / 1_000_000)
}
