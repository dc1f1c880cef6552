import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { z } from 'zod'
import { checkNames } from './env-names.ts'
import { providersIn, providerVariables, type SignInProviderSettings } from './env-providers.ts'
import { envSchema, singleVariables, variableGroups } from './env-variables.ts'
import { errorMessage } from './primitives/caught-error.ts'

const groupVariables = new Map(
  Object.entries(variableGroups).map(([group, { shape }]) => [group, Object.keys(shape)]),
)

/** The environment, typed, with defaults; config.ts interprets it. */
export type Env = z.infer<typeof envSchema> & {
  signInProviders: SignInProviderSettings[]
  /** For the log: probable mistakes. */
  warnings: string[]
}

/** Everything that is wrong with the configuration, in one message for the operator. */
export class ConfigurationError extends Error {
  name = 'ConfigurationError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(
      `Hoplet cannot start, its configuration has problems:\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    )
    this.problems = problems
  }
}

/** The only place that reads `process.env`. */
export function readEnv(): Env {
  // Without a file the environment alone speaks.
  return parseVariables(process.env, existsSync('.env') ? readSettings('.env') : '')
}

function readSettings(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigurationError([`${path}: cannot be read: ${errorMessage(error)}`])
  }
}

/**
 * @param environment variables of the process; they win over the file
 * @param file the text of `.env`
 * @throws {ConfigurationError} listing every wrong, missing or duplicate variable
 */
export function parseVariables(environment: Record<string, string | undefined>, file = ''): Env {
  const problems = duplicatesIn(file)
  const values: Record<string, string> = {}
  for (const source of [parseEnv(file), environment]) {
    for (const [name, value] of Object.entries(source)) {
      if (value !== undefined && value.trim() !== '') values[name] = value.trim()
    }
  }
  const names = [...Object.keys(singleVariables.shape), ...[...groupVariables.values()].flat()]
  const own = [...names, ...providerVariables(values)]
  const { problems: misspelled, warnings } = checkNames(
    Object.keys(values),
    new Set([...own, ...own.map((name) => `${name}_FILE`)]),
  )
  problems.push(...misspelled)
  for (const name of own) readSecretFile(name, values, problems)
  const signInProviders = providersIn(values, problems)
  const input: Record<string, unknown> = { ...values }
  for (const [group, variables] of groupVariables)
    input[group] = variables.some((name) => name in values) ? values : undefined
  const parsed = envSchema.safeParse(input)
  problems.push(...(parsed.error?.issues ?? []).map((issue) => describe(issue, values)))
  if (parsed.data?.AUTH_PASSWORDS === false && providerVariables(values).length === 0)
    problems.push(
      'AUTH_PASSWORDS: off needs a sign-in provider (AUTH_PROVIDER_…); else nobody could sign in',
    )
  if (problems.length > 0 || !parsed.success) throw new ConfigurationError(problems)
  return { ...parsed.data, signInProviders, warnings }
}

function describe({ path, message }: z.core.$ZodIssue, values: Record<string, string>): string {
  const [group, name] = path.map(String)
  const variables = groupVariables.get(group ?? '')
  if (!variables || name === undefined) return `${path.join('.')}: ${message}`
  const beside = variables.find((each) => each in values)
  return `${name}: ${name in values ? message : `is missing, though ${beside} is set`}`
}

/** `<NAME>_FILE` names a file that holds the value, as container secrets do. */
function readSecretFile(name: string, values: Record<string, string>, problems: string[]): void {
  const path = values[`${name}_FILE`]
  if (path === undefined) return
  if (values[name] !== undefined) {
    problems.push(`${name}: set both as ${name} and as ${name}_FILE; keep one`)
    return
  }
  try {
    values[name] = readFileSync(path, 'utf8').trim()
  } catch {
    problems.push(`${name}_FILE: cannot read ${path}`)
  }
}

function duplicatesIn(file: string): string[] {
  const names = [...file.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=/gm)].map(
    (match) => match[1] ?? '',
  )
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [...twice].map((name) => `${name}: set more than once in .env`)
}
