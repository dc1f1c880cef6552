import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * User and system time of a process and its children (nginx, PostgreSQL and WORKERS work in children), in microseconds. Children
 * that have ended are included.
 */
export function cpuOf(pid: number): number {
  return treeOf(pid).reduce((sum, each) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return sum + fields.slice(11, 15).reduce((ticks, each) => ticks + Number(each), 0) * 10_000
  }, 0)
}

/** Keeps a process and its children on one core. */
export function pin(pid: number, core: number): void {
  for (const each of treeOf(pid)) spawnSync('taskset', ['-a', '-c', '-p', String(core), each])
}

function treeOf(pid: number): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [String(pid), ...children.split(' ').filter((child) => child !== '')]
}
