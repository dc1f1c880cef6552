import { build } from '../scripts/bundle.mjs'

/** Browser tests run against the built server: build it first, unless dist/ is built from exactly these sources. */
export default async function setup() {
  await build()
}
