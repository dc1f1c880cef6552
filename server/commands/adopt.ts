import { adoptJournal } from './adopt-journal.ts'
import { runCommand } from './run-command.ts'

// `npm run adopt -- FOLDER`: counts the clicks that a server left in its data directory when it died for good.
runCommand(adoptJournal)
