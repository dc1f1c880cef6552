import { defineConfig } from 'vitest/config'
import { drawings } from './scripts/pictures/drawings.mjs'
import { LongestFirst } from './test/longest-first.ts'
import { ReportToFile } from './test/run-report.ts'

/**
 * Limits only end tests that hang: a busy machine can be twenty times slower than an idle one. Tests set none of their
 * own, and nothing here says how fast the product is (bench/ does). `WAIT=8000` shortens those of waits in pages, to look for a fault.
 */
const expectOptions = { poll: { timeout: Number(process.env['WAIT'] ?? 240_000) } }

const report = process.env['TEST_REPORT']

/** Files in a worker share imported modules: loading the server again took a third of a short file's time. */
const shared = {
  environment: 'node',
  pool: 'forks',
  isolate: false,
  expect: expectOptions,
} as const

/**
 * `node` holds tests over HTTP and tests of pure functions; `browser` drives Chromium against the built server. Both
 * share the workers: four keep two cores busy while tests wait for servers and browsers, and each one more would import
 * the server and start a browser once more.
 */
export default defineConfig({
  test: {
    globalSetup: './test/global-setup.ts',
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', ...(report ? [new ReportToFile(report)] : [])],
    tags: [
      {
        name: 'extended',
        description:
          'Only in `npm run test:all`: crashes, failover, engines, tables of screens, details of screens.',
      },
      { name: 'gate', description: 'In `npm test` although the file is extended.' },
    ],
    projects: [
      {
        plugins: [drawings()],
        test: {
          ...shared,
          name: 'node',
          include: ['{server,domain,public-pages,test,scripts}/**/*.test.{ts,tsx}'],
          css: true,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'browser',
          globalSetup: './e2e/global-setup.mjs',
          include: ['e2e/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
})
