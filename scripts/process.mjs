import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** The path of a package's command, for `node` to run. */
export function commandOf(packageName, command = packageName) {
  const folder = join(root, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[command])
}

// Some tools print colors to files when CI is set.
const environment = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' }

/**
 * Runs a program in the root of the repository and waits for it to exit.
 *
 * @param {{ quiet?: boolean, env?: NodeJS.ProcessEnv, timeout?: number, shell?: boolean }} [options] quiet: captures the output instead of showing it
 * @returns {Promise<{ code: number, output: string }>} code 127 when the program could not be started
 */
export function run(file, args, { quiet = false, env = environment, timeout, shell } = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      env,
      timeout,
      shell,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    })
    let output = ''
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ code: 127, output: `${output}${error.message}` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

export function runNode(args, options) {
  return run(process.execPath, args, options)
}

/** Ends the command with one sentence for the person who started it. */
export function fail(message) {
  console.error(`\n${message}`)
  process.exit(1)
}
