import { defineConfig } from 'vitest/config'

/** A machine of two cores that builds and browses at once needs more than the second that is the default. */
const patience = { poll: { timeout: 15_000 } }

/**
 * `node` holds everything that speaks to the server over HTTP or needs none; `browser` drives Chromium against the
 * built server and runs after it, because two cores are all that a test machine may have.
 */
export default defineConfig({
  test: {
    globalSetup: './test/global-setup.ts',
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'node',
          include: ['{server,domain,public-pages,test,scripts}/**/*.test.{ts,tsx}'],
          environment: 'node',
          pool: 'forks',
          css: true,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: patience,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['e2e/**/*.test.ts'],
          environment: 'node',
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 90_000,
          hookTimeout: 120_000,
          expect: patience,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
