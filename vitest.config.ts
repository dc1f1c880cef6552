import { defineConfig } from 'vitest/config'

/** A machine of two cores that builds and browses at once needs more than the second that is the default. */
const patience = { poll: { timeout: 15_000 } }

/** The files of a worker share what they import: reading the server anew took a third of the time of a short file. */
const shared = { environment: 'node', pool: 'forks', isolate: false, expect: patience } as const

/**
 * `node` holds everything that speaks to the server over HTTP or needs none; `browser` drives Chromium against the
 * built server. Both go to the same workers, first the browser's files, which are the longest, so that none of them runs
 * alone at the end. A test machine may have two cores; a third worker has them busy while tests of crashes wait.
 */
export default defineConfig({
  test: {
    globalSetup: './test/global-setup.ts',
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...shared,
          name: 'node',
          include: ['{server,domain,public-pages,test,scripts}/**/*.test.{ts,tsx}'],
          css: true,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'browser',
          globalSetup: './e2e/global-setup.mjs',
          include: ['e2e/**/*.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
