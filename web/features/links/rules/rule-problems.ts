import type { RuleProblem } from '#domain/visits/rules-reader.ts'

/** Problems of rules, found by the path of a field: `0.when.1.is`. */
export interface RuleProblems {
  at: (path: string) => string | undefined
  /** The first problem of a field or of its parts. */
  within: (path: string) => string | undefined
}

export function problemsByPath(problems: readonly RuleProblem[]): RuleProblems {
  const find = (fits: (path: string) => boolean) => problems.find(({ path }) => fits(path))?.message
  return {
    at: (path) => find((other) => other === path),
    within: (path) => find((other) => other === path || other.startsWith(`${path}.`)),
  }
}

/** Fields carry their path as `data-path`; that of a problem may be a part of a field, or hold several. */
export function focusOnProblem(form: HTMLElement | null, [first]: readonly RuleProblem[]): void {
  if (first === undefined) return
  const at = `${first.path}.`
  for (const field of form?.querySelectorAll<HTMLElement>('[data-path]') ?? []) {
    const path = `${field.dataset['path'] ?? ''}.`
    if (path.startsWith(at) || at.startsWith(path)) return field.focus()
  }
}
