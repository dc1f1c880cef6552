import { build } from '../scripts/bundle.mjs'
import { findChromium } from '../scripts/chromium.mjs'

/** Browser tests run against the built server: build it first, unless dist/ is built from exactly these sources. */
export default async function setup({ provide }) {
  const chromium = findChromium()
  if (chromium === undefined)
    throw new Error('The browser tests need Chromium: npm test installs it where it can')
  provide('chromium', chromium)
  await build()
}
