import type { Handler } from '../call.ts'
import { limited, policies } from '../limits.ts'
import { signedIn } from '../signed-in.ts'
import { listEvents } from './events.ts'
import { exportOwnData } from './export.ts'
import { endOwnSession, listSessions } from './sessions.ts'

/** What people see of their own account beyond the protocol: the Settings screen. */
export const accountRoutes: Record<string, Record<string, Handler>> = {
  '/user/sessions': { GET: signedIn(listSessions) },
  '/user/sessions/:id': { DELETE: signedIn(endOwnSession) },
  '/user/events': { GET: signedIn(listEvents) },
  '/user/export': { GET: limited(policies.export, signedIn(exportOwnData)) },
}
