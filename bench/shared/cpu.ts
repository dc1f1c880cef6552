import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * User and system time of a process and its children (nginx, PostgreSQL and WORKERS work in children), in microseconds. Children
 * that have ended are included.
 */
export function cpuOf(pid: number): number {
  const [own, ...children] = treeOf(pid).map((each) => `/proc/${each}/stat`)
  return children.reduce((sum, path) => sum + timeOfChild(path), timeIn(own ?? ''))
}

function timeOfChild(path: string): number {
  try {
    return timeIn(path)
  } catch {
    // It has just ended, and its parent has its time.
    return 0
  }
}

/** User and system time of the first thread of a process, in microseconds: in Node.js the one with the event loop. */
export const cpuOfFirstThread = (pid: number): number => timeIn(`/proc/${pid}/task/${pid}/stat`)

function timeIn(path: string): number {
  const fields = readFileSync(path, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return fields.slice(11, 15).reduce((ticks, each) => ticks + Number(each), 0) * 10_000
}

/** Keeps a process and its children on one core. */
export function pin(pid: number, core: number): void {
  for (const each of treeOf(pid)) spawnSync('taskset', ['-a', '-c', '-p', String(core), each])
}

function treeOf(pid: number): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [String(pid), ...children.split(' ').filter((child) => child !== '')]
}
