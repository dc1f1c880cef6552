import type { RunReport } from '../../test/run-report.ts'

export function merge(
  first: RunReport,
  second: RunReport,
): { results: RunReport; retried: string[] }
export function summarize(results: RunReport): { passed: number; failures: string[] }
