import { type Config, createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'

/** The auth part of the configuration that these variables make. */
export function authSettings(variables: Record<string, string>): Config['auth'] {
  return createConfig(parseVariables(variables)).auth
}
