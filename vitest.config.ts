import { defineConfig } from 'vitest/config'

/** On two busy cores a state may take longer to appear than the default of one second. */
const expectOptions = { poll: { timeout: 15_000 } }

/** Files in a worker share imported modules: loading the server again took a third of a short file's time. */
const shared = {
  environment: 'node',
  pool: 'forks',
  isolate: false,
  expect: expectOptions,
} as const

/**
 * `node` holds tests over HTTP and tests of pure functions; `browser` drives Chromium against the built server. Both
 * share the workers. The longest files start first. Three workers keep two cores busy while crash tests wait.
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
