import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

export interface ChildProgram {
  child: ChildProcess
  /** Waits for the first line of the output with a match, and gives the first group of the pattern. */
  line(from: 'stdout' | 'stderr', pattern: RegExp): Promise<string>
  stop(): Promise<void>
}

/** Starts a program that ends with this process. */
export function startProgram(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): ChildProgram {
  const child = spawn(path, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const outputs = { stdout: keptOutput(child.stdout), stderr: keptOutput(child.stderr) }
  return {
    child,
    line: (from, pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const [, found] = pattern.exec(outputs[from]()) ?? []
          if (found !== undefined) resolve(found)
        }
        look()
        child[from].on('data', look)
        child.once('error', reject)
        child.once('exit', (code) => {
          reject(new Error(`${path} ended with code ${code}: ${outputs.stderr()}`))
        })
      }),
    async stop() {
      process.off('exit', kill)
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Reads a stream to its end, because a full pipe would stop the program, and keeps its beginning. */
function keptOutput(stream: Readable): () => string {
  let kept = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (kept.length < 100_000) kept += chunk
  })
  return () => kept
}
