// Fails when a picture of the documentation is older than the screen that it shows.
import { stalePictures } from '../pictures/docs-pictures.mjs'

const stale = stalePictures()
for (const name of stale)
  console.error(
    `docs/images/${name}.png is older than its screen: run \`npm run screenshots -- --docs\`, look at it and commit it`,
  )
process.exitCode = stale.length === 0 ? 0 : 1
