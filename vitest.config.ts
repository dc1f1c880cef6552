import { defineConfig } from 'vitest/config'
import { FlakyTests } from './test/flaky-tests.ts'
import { LongestFirst } from './test/longest-first.ts'

/**
 * Limits only end tests that hang: a busy machine can be twenty times slower than an idle one. Tests set none of their
 * own, and nothing here says how fast the product is (bench/ does).
 */
const expectOptions = { poll: { timeout: 240_000 } }

/** For the counts of `npm test`. */
const report = process.env['TEST_REPORT']
const counts: ['json', object][] = report ? [['json', { outputFile: report }]] : []

/** Files in a worker share imported modules: loading the server again took a third of a short file's time. */
const shared = {
  environment: 'node',
  pool: 'forks',
  isolate: false,
  expect: expectOptions,
} as const

/**
 * `node` holds tests over HTTP and tests of pure functions; `browser` drives Chromium against the built server. Both
 * share the workers. A browser test that fails runs once more, and the output names it ("retry x1"): six of them on two
 * cores meet pauses that no person meets. Six workers keep two cores busy while crash tests and browsers wait.
 */
export default defineConfig({
  test: {
    globalSetup: './test/global-setup.ts',
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new FlakyTests(), ...counts],
    projects: [
      {
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
          retry: 1,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
})
