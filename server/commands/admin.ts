import { explain, makeAdmin } from './make-admin.ts'
import { runCommand } from './run-command.ts'

// `npm run admin -- EMAIL`, beside a running server or without one.
runCommand(makeAdmin, explain)
