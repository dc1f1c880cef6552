// A process that runs the server with clicks in memory only.
import { loadTypeScript } from '../../../scripts/load-typescript.mjs'

const { startForgetful } = await loadTypeScript('test/visits/journal/forgetful.ts')
const hoplet = await startForgetful()
process.once('SIGTERM', () => void hoplet.stop().then(() => process.exit(0)))
