import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import { openJournalReserve } from '../journal/journal-reserve.ts'
import { createJournalWriter } from '../journal/journal-writer.ts'
import { maxJournalBytes, openJournal } from '../journal/journal.ts'
import type { RunAsVisits } from '../counting/segment-applier.ts'
import { createLostClicks } from '../journal/only-in-memory.ts'
import { createReplayer } from './replayer.ts'
import type { ClickStreamSettings } from './stream-address.ts'
import { openStreamConnection } from './stream-connection.ts'

interface StreamJournalOptions {
  config: Pick<Config, 'clicks' | 'dataDir' | 'workers'>
  settings: ClickStreamSettings
  folder: string
  log: Logger
}

interface ReplayOptions {
  asVisits: RunAsVisits
  log: Logger
  /** Whether messages in memory wait for the stream. */
  isHolding?: () => boolean
  publishHeld?: () => Promise<void>
  /** The stream has taken a part of a file, or all there was. */
  onPublished?: () => void
}

const replayMs = 250
const replayRetryMs = 1_000

export type StreamJournal = ReturnType<typeof openStreamJournal>

/** A connection to the click stream, and the journal in `folder` whose files belong into it. */
export function openStreamJournal({ config, settings, folder, log }: StreamJournalOptions) {
  const connection = openStreamConnection(settings, log)
  const reserve = openJournalReserve(config)
  const lost = createLostClicks(log)
  const journal = openJournal(folder, {
    fsync: config.clicks.fsync,
    maxBytes: Math.floor(maxJournalBytes / config.workers),
    isOfStream: true,
    reserve,
    onLost: lost.add,
  })
  return { connection, reserve, lost, journal, writer: createJournalWriter(journal, log) }
}

/** Publishes the files of the journal whenever the stream answers. */
export function keepReplaying(
  { connection, journal }: Pick<StreamJournal, 'connection' | 'journal'>,
  {
    asVisits,
    log,
    isHolding = () => false,
    publishHeld = async () => {},
    onPublished = () => {},
  }: ReplayOptions,
) {
  const { publish } = connection
  const replayer = createReplayer({ journal, publish, asVisits, onPublished, log })
  const closing = new AbortController()
  const replay = async () => {
    await publishHeld()
    await replayer.replay()
    // The journal could not take anything: there was nothing to publish that could have told.
    onPublished()
  }
  const keepOn = async () => {
    while (!closing.signal.aborted) {
      let pauseMs = replayMs
      try {
        if (connection.current() && (isHolding() || replayer.isBehind())) await replay()
      } catch (error) {
        pauseMs = replayRetryMs
        log.debug({ err: error }, 'the journal waits for the click stream')
        await connection.reset()
      }
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }
  const running = keepOn()
  return {
    /** Publishes the rest, if the stream answers. Call it after the last write. */
    async close(): Promise<void> {
      closing.abort()
      await running
      journal.finish()
      if (connection.current() && replayer.isBehind()) await replay().catch(() => {})
    },
  }
}
