import { prepareStream, StreamProblemsError } from '../visits/stream/click-stream.ts'
import { connectToStream } from '../visits/stream/connect-to-stream.ts'
import { type DoctorDeps, type Finding, ok, problem, reasonOf } from './finding.ts'

/** CLICK_LOG: whether NATS answers, takes the login, and has the stream as the settings describe it. */
export async function checkClickLog({ config }: Pick<DoctorDeps, 'config'>): Promise<Finding[]> {
  const { stream } = config.clicks
  if (!stream) return []
  try {
    const connection = await connectToStream(stream)
    try {
      await prepareStream(connection, stream, { creates: false })
    } finally {
      await connection.close()
    }
    return [ok(`NATS has the stream ${stream.stream} for clicks.`)]
  } catch (error) {
    if (error instanceof StreamProblemsError)
      return error.problems.map((text) => problem(`${text}.`))
    return [
      problem(
        `NATS does not answer at ${stream.servers.join(', ')} (${reasonOf(error)}): clicks are only on this machine until they are counted. Start it, or correct CLICK_LOG.`,
      ),
    ]
  }
}
