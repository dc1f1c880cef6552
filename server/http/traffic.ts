import { createCounts } from '../primitives/counts.ts'
import { createHistogram, type Histogram } from '../primitives/histogram.ts'

/** The doors of app.ts by the beginning of their paths; everything else is the web app. */
const prefixes = {
  '/auth/v1': 'auth',
  '/rest/v1': 'rest',
  '/functions/v1': 'functions',
  '/mcp': 'mcp',
  '/media': 'media',
  '/og': 'og',
  '/report': 'report',
  '/analytics/shared': 'shared-report',
  '/audience/join': 'audience',
  '/audience/confirm': 'audience',
  '/audience/leave': 'audience',
  '/sandbox': 'sandbox',
  '/.well-known': 'well-known',
  '/health': 'health',
} as const

type Prefix = keyof typeof prefixes
type Door = (typeof prefixes)[Prefix] | 'web'

const doors: readonly Door[] = [...new Set(Object.values(prefixes)), 'web']
/** `none`: refused before a door saw the request (refusals.ts). */
const doorsOrNone = [...doors, 'none'] as const
const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
const doorPath = new RegExp(`^(?:${Object.keys(prefixes).join('|').replaceAll('.', '\\.')})(?=/|$)`)

/** In seconds. */
const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Counts the requests that are not visits. Visits have a separate meter (visits/visit-meter.ts). */
export function createTraffic() {
  const requests = createCounts(doorsOrNone, statusClasses)
  const durations = new Map<Door, Histogram>(
    doors.map((door) => [door, createHistogram(durationBounds)]),
  )
  let refusedConnections = 0
  return {
    /** A door has answered, after so many milliseconds. */
    answered(path: string, status: number, ms: number): void {
      const door = doorOf(path)
      requests.add(door, classOf(status))
      durations.get(door)?.observe(ms / 1_000)
    },
    /** A request was refused before a door saw it. */
    refused: (status: number): void => requests.add('none', classOf(status)),
    /** A connection was closed because its address has too many (connection-limit.ts). */
    refusedConnection: () => void refusedConnections++,
    requests,
    durations: (): ReadonlyMap<Door, Histogram> => durations,
    refusedConnections: () => refusedConnections,
  }
}

/** The door that answers requests for this path. */
export function doorOf(path: string): Door {
  const [prefix] = doorPath.exec(path) ?? []
  return prefix === undefined ? 'web' : prefixes[prefix as Prefix]
}

function classOf(status: number): (typeof statusClasses)[number] {
  return statusClasses[Math.floor(status / 100) - 1] ?? '5xx'
}
