/**
 * Merges a run with the second run of its failed files: a test passes if one of its runs passes, and errors outside the
 * tests count if the second run has them too.
 *
 * @param {RunReport} first @param {RunReport} second the shape is in test/run-report.ts
 * @returns {{ results: RunReport, retried: string[] }} retried: the tests that passed at the second run
 */
export function merge(first, second) {
  const results = { files: { ...first.files }, errors: [...first.errors, ...second.errors] }
  const retried = []
  for (const [file, { tests, errors, ...rest }] of Object.entries(second.files)) {
    const before = first.files[file]
    const merged = { ...before.tests }
    for (const [name, state] of Object.entries(tests)) {
      if (state === 'passed' && merged[name] === 'failed') retried.push(`${file} > ${name}`)
      if (merged[name] !== 'passed') merged[name] = state
    }
    if (before.errors.length > 0 && errors.length === 0) retried.push(file)
    results.files[file] = { ...rest, tests: merged, errors }
  }
  return { results, retried }
}

/** @returns {{ passed: number, failures: string[] }} */
export function summarize({ files, errors }) {
  const failures = [...errors]
  let passed = 0
  for (const [file, result] of Object.entries(files)) {
    failures.push(...result.errors.map((error) => `${file}: ${error}`))
    for (const [name, state] of Object.entries(result.tests)) {
      if (state === 'passed') passed++
      if (state === 'failed') failures.push(`${file} > ${name}`)
    }
  }
  return { passed, failures }
}
