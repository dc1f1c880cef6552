import { authRoute } from '../call.ts'
import { limit } from '../guards.ts'
import { bothFactors, signedIn } from '../signed-in.ts'
import { deleteOwnAccount } from './delete-account.ts'
import { listEvents } from './events.ts'
import { exportOwnData } from './export.ts'
import { endOwnSession, listSessions } from './sessions.ts'

/** What people see of their own account beyond the protocol: the Settings screen. */
export const accountRoutes = [
  authRoute('DELETE', '/user', [limit('change'), signedIn, bothFactors], deleteOwnAccount),
  authRoute('GET', '/user/sessions', [signedIn, bothFactors], listSessions),
  authRoute('DELETE', '/user/sessions/:id', [signedIn, bothFactors], endOwnSession),
  authRoute('GET', '/user/events', [signedIn, bothFactors], listEvents),
  authRoute('GET', '/user/export', [limit('export'), signedIn, bothFactors], exportOwnData),
]
