import { runCommand } from './run-command.ts'
import { sendTestMail } from './send-test-mail.ts'

// `npm run mail -- EMAIL`: tries the mail settings; needs no running server.
runCommand(sendTestMail)
