import type { JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { ClickStreamSettings } from './stream-address.ts'
import { maxPublishBytes } from './stream-message.ts'

/** Settings of a new stream. */
type StreamCreation = Partial<StreamConfig> & Pick<StreamConfig, 'name'>

const nanoseconds = 1_000_000
const hour = 60 * 60 * 1000
/** Longer than the time between two backups, so that a restored database gets its later clicks again. */
const maxAgeMs = 72 * hour
const leastMaxAgeMs = 48 * hour
const duplicateWindowMs = 2 * 60 * 1000
const maxStreamBytes = 4 * 1024 ** 3
/** Room for the headers of a message. */
const headerBytes = 4 * 1024
export const streamTimeoutMs = 2_000

/** The stream does not match the settings. Each problem names the variable to change, or the command. */
export class StreamProblemsError extends Error {
  name = 'StreamProblemsError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

export const subjectOf = ({ stream }: Pick<ClickStreamSettings, 'stream'>): string =>
  `${stream}.clicks`

/**
 * Creates the stream when it is missing, and compares it with the settings.
 *
 * @param options `creates` false: a missing stream is a problem
 * @throws {StreamProblemsError} with everything that is wrong
 * @throws {Error} while the stream cannot be asked
 */
export async function prepareStream(
  connection: NatsConnection,
  settings: ClickStreamSettings,
  { creates = true } = {},
): Promise<JetStreamManager> {
  const { jetstreamManager } = await import('@nats-io/jetstream')
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: streamTimeoutMs })
  let info: StreamInfo
  try {
    info = await manager.streams.info(settings.stream).catch((error: unknown) => {
      if (codeOf(error) !== streamNotFound) throw error
      if (creates) return manager.streams.add(configOf(settings))
      throw new StreamProblemsError([
        `CLICK_LOG_STREAM: stream ${settings.stream} does not exist yet; the server creates it when it starts`,
      ])
    })
  } catch (error) {
    throw explain(error, connection, settings)
  }
  const problems = problemsWith(info.config, settings)
  const payload = connection.info?.max_payload ?? Infinity
  if (payload < maxPublishBytes + headerBytes)
    problems.push(
      `CLICK_LOG: the NATS server accepts only ${payload} bytes a message; set max_payload to ${maxPublishBytes + headerBytes} or more`,
    )
  if (problems.length > 0) throw new StreamProblemsError(problems)
  return manager
}

function configOf({ stream, replicas }: ClickStreamSettings): StreamCreation {
  return {
    name: stream,
    description: 'Clicks of Hoplet',
    subjects: [subjectOf({ stream })],
    storage: 'file',
    retention: 'limits',
    // A full stream refuses, and the journal takes over. It loses no older clicks.
    discard: 'new',
    num_replicas: replicas,
    max_age: maxAgeMs * nanoseconds,
    max_bytes: maxStreamBytes,
    duplicate_window: duplicateWindowMs * nanoseconds,
    allow_direct: true,
  }
}

function problemsWith(config: StreamConfig, settings: ClickStreamSettings): string[] {
  const name = settings.stream
  const edit = `nats stream edit ${name}`
  const problems: string[] = []
  const expect = (isRight: boolean, problem: string) => {
    if (!isRight) problems.push(`CLICK_LOG_STREAM: the stream ${name} ${problem}`)
  }
  if (config.num_replicas < settings.replicas)
    problems.push(
      `CLICK_LOG_REPLICAS: the stream ${name} has ${config.num_replicas}, fewer than ${settings.replicas}: ${edit} --replicas=${settings.replicas}, or set CLICK_LOG_REPLICAS=${config.num_replicas}`,
    )
  expect(
    config.subjects?.includes(subjectOf(settings)) === true,
    `does not listen to ${subjectOf(settings)}: ${edit} --subjects=${subjectOf(settings)}, or choose another name`,
  )
  expect(config.storage === 'file', 'is not stored in files: delete it, or choose another name')
  expect(
    config.retention === 'limits',
    `has retention ${config.retention} instead of limits: delete it, or choose another name`,
  )
  expect(config.discard === 'new', `discards old messages when it is full: ${edit} --discard=new`)
  const ageMs = config.max_age / nanoseconds
  expect(
    ageMs === 0 || ageMs >= leastMaxAgeMs,
    `keeps messages for ${Math.round(ageMs / hour)} hours, fewer than ${leastMaxAgeMs / hour}: ${edit} --max-age=${maxAgeMs / hour}h`,
  )
  expect(config.max_msgs <= 0, `has a limit on messages: ${edit} --max-msgs=-1`)
  expect(
    config.max_msgs_per_subject <= 0,
    `has a limit per subject: ${edit} --max-msgs-per-subject=-1`,
  )
  expect(
    config.max_msg_size <= 0 || config.max_msg_size >= maxPublishBytes + headerBytes,
    `accepts only ${config.max_msg_size} bytes a message: ${edit} --max-msg-size=-1`,
  )
  expect(config.allow_direct, `allows no direct reads: ${edit} --allow-direct`)
  expect(!config.sealed, 'is sealed: delete it, or choose another name')
  return problems
}

const streamNotFound = 10_059
const notEnabled = 10_039

const tooFewServers = ({ replicas }: ClickStreamSettings) =>
  `CLICK_LOG_REPLICAS: the NATS cluster has too few servers for ${replicas} copies; start more of them, or set CLICK_LOG_REPLICAS=1, which does not survive the loss of that machine`
const overlapping = (settings: ClickStreamSettings) =>
  `CLICK_LOG_STREAM: another stream listens to ${subjectOf(settings)} already`
const noStorage = ({ stream }: ClickStreamSettings) =>
  `CLICK_LOG: the NATS servers have no room for a stream of ${maxStreamBytes / 1024 ** 3} GiB: raise max_file_store, or create the stream ${stream} with a smaller max_bytes`

/** Problems by the error codes of JetStream. */
const problemsByCode = new Map([
  [10_005, tooFewServers],
  [10_074, tooFewServers],
  [10_065, overlapping],
  [10_023, noStorage],
  [10_028, noStorage],
  [10_047, noStorage],
])

function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined
}

function explain(error: unknown, { info }: NatsConnection, settings: ClickStreamSettings): unknown {
  const code = codeOf(error) ?? 0
  const isOff = error instanceof Error && error.name === 'JetStreamNotEnabled'
  // A cluster without a leader looks the same, but its servers say that they have JetStream.
  if (code === notEnabled || (isOff && info?.jetstream !== true))
    return new StreamProblemsError([
      'CLICK_LOG: JetStream is not enabled on this NATS server or for this account; start it with jetstream {} in its configuration',
    ])
  const problem = problemsByCode.get(code)
  if (problem) return new StreamProblemsError([problem(settings)])
  if (error instanceof Error && error.name === 'PermissionViolationError')
    return new StreamProblemsError([
      `CLICK_LOG: this NATS user may not use the stream ${settings.stream}: ${error.message}`,
    ])
  return error
}
