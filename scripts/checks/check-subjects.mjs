// Fails when the subject of a commit since release 1.1.0 has more than 72 characters: lists of commits cut it there.
import { execFileSync } from 'node:child_process'
import { root } from '../process.mjs'

const maxLength = 72
/** The last commit before the rule. A copy without the history has nothing to check. */
const before = '4e874811'

for (const subject of subjectsSince(before)) {
  if (subject.length <= maxLength) continue
  console.error(`${subject.length} characters, the limit is ${maxLength}: ${subject}`)
  process.exitCode = 1
}

function subjectsSince(commit) {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    return execFileSync('git', ['log', '--format=%s', `${commit}..HEAD`], options).split('\n')
  } catch {
    return []
  }
}
