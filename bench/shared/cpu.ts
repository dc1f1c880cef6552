import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** User and system time of a process and its children (nginx and WORKERS work in children), in microseconds. */
export function cpuOf(pid: number): number {
  return treeOf(pid).reduce((sum, each) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return sum + (Number(fields[11]) + Number(fields[12])) * 10_000
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
