import { type DoctorDeps, type Finding, ok, warning } from './finding.ts'

/** The warnings of the start. A setting that is wrong for certain stops both. */
export async function checkSettings({ config }: Pick<DoctorDeps, 'config'>): Promise<Finding[]> {
  const { warnings } = config
  if (warnings.length === 0) return [ok('All variables that look like settings are settings.')]
  return warnings.map((text) => warning(`${text}. docs/configuration.md lists the settings.`))
}
