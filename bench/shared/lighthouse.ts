import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** No dependency of Hoplet: installed here when it is first needed. */
const folder = join(import.meta.dirname, '../../.cache/lighthouse')

export type Device = 'mobile' | 'desktop'

export interface Scores {
  /** From 0 to 100, in the order of `categories`. */
  scores: number[]
  /** Time of the largest paint, in milliseconds, as Lighthouse simulates the device. */
  largestPaintMs: number
  /** How much moved while it loaded. */
  layoutShift: number
  /** Failed audits outside of performance. */
  failed: string[]
}

export const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const

interface LighthouseResult {
  categories: Record<string, { score: number | null; auditRefs: { id: string }[] }>
  audits: Record<string, { score: number | null; numericValue?: number }>
}

/** Lighthouse 12 against a browser that listens on `browserPort`; it keeps the storage of the browser. */
export function prepareLighthouse(browserPort: number) {
  const command = join(folder, 'node_modules/lighthouse/cli/index.js')
  if (!existsSync(command)) {
    const args = ['install', '--prefix', folder, '--no-save', '--no-audit', 'lighthouse@12']
    if (spawnSync('npm', args, { stdio: 'inherit' }).status !== 0)
      throw new Error('Lighthouse could not be installed')
  }
  return async (url: string, device: Device): Promise<Scores> => {
    const { stdout } = await run(
      process.execPath,
      [
        command,
        url,
        `--port=${browserPort}`,
        '--quiet',
        '--output=json',
        '--disable-storage-reset',
        `--only-categories=${categories.join()}`,
        ...(device === 'desktop' ? ['--preset=desktop'] : []),
      ],
      { maxBuffer: 64 * 2 ** 20 },
    )
    return scoresOf(JSON.parse(stdout) as LighthouseResult)
  }
}

function scoresOf({ categories: rated, audits }: LighthouseResult): Scores {
  const { performance: _, ...others } = rated
  return {
    scores: categories.map((name) => Math.round((rated[name]?.score ?? 0) * 100)),
    largestPaintMs: audits['largest-contentful-paint']?.numericValue ?? 0,
    layoutShift: audits['cumulative-layout-shift']?.numericValue ?? 0,
    failed: Object.values(others)
      .flatMap(({ auditRefs }) => auditRefs.map(({ id }) => id))
      .filter((id) => (audits[id]?.score ?? 1) < 1),
  }
}
