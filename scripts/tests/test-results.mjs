/**
 * Merges a run with the second run of its failed files: a test passes if one of its runs passes, and errors outside the
 * tests count if the second run has them too.
 *
 * @param {RunReport} first @param {RunReport} second the shape is in test/run-report.ts
 * @returns {{ results: RunReport, retried: string[] }} retried: the tests that passed at the second run, with their first error
 */
export function merge(first, second) {
  const results = { files: { ...first.files }, errors: [...first.errors, ...second.errors] }
  const retried = []
  for (const [file, { tests, errors, ...rest }] of Object.entries(second.files)) {
    const before = first.files[file]
    const merged = { ...before.tests }
    for (const [name, test] of Object.entries(tests)) {
      const earlier = merged[name]
      if (test.state === 'passed' && earlier?.state === 'failed')
        retried.push(`${file} > ${name}: ${firstLine(earlier.error)}`)
      if (earlier?.state !== 'passed') merged[name] = test
    }
    if (before.errors.length > 0 && errors.length === 0)
      retried.push(`${file}: ${firstLine(before.errors[0])}`)
    results.files[file] = { ...rest, tests: merged, errors }
  }
  return { results, retried }
}

function firstLine(text = '') {
  return text.split('\n', 1)[0]
}

/** @returns {{ passed: number, failures: string[] }} */
export function summarize({ files, errors }) {
  const failures = [...errors]
  let passed = 0
  for (const [file, result] of Object.entries(files)) {
    failures.push(...result.errors.map((error) => `${file}: ${error}`))
    for (const [name, { state }] of Object.entries(result.tests)) {
      if (state === 'passed') passed++
      if (state === 'failed') failures.push(`${file} > ${name}`)
    }
  }
  return { passed, failures }
}
