import type { Logger } from '../../log.ts'
import { prepareStream, StreamProblemsError } from './click-stream.ts'
import { connectToStream } from './connect-to-stream.ts'
import type { ClickStreamSettings } from './stream-address.ts'
import { withRetries } from '../../primitives/with-retries.ts'

/** For the servers of a cluster that start together with this one. */
const attempts = 3
const pauseMs = 1_000

/**
 * Creates the stream when it is missing. A stream that cannot be reached stops no start: the journal takes over.
 *
 * @returns problems of the settings or the stream
 */
export async function checkClickStream(
  settings: ClickStreamSettings,
  log: Logger,
): Promise<string[]> {
  const check = async () => {
    const connection = await connectToStream(settings)
    try {
      await prepareStream(connection, settings)
    } finally {
      await connection.close()
    }
  }
  const mayRetry = (error: unknown) => !(error instanceof StreamProblemsError)
  try {
    await withRetries({ attempts, mayRetry, pauseMs }, check)
  } catch (error) {
    if (error instanceof StreamProblemsError) return error.problems
    log.warn({ err: error }, 'the click stream cannot be reached: the journal takes the clicks')
  }
  return []
}
